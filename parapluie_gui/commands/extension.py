"""The interface by which a feature adds options to a command."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

from parapluie_gui.arrays import Scores
from parapluie_gui.pairs.corpus import Corpus


@dataclass(frozen=True, kw_only=True)
class CommandExtension:
    """Options that a feature adds to a command that reads pairs; a subclass has them as its fields.

    Attributes:
        title: Title of their group in the help; "" to list them among the command's own.
    """

    title: ClassVar[str] = ""

    @property
    def changes_pairs(self) -> str:
        """The option that makes `change_corpus` change the pairs, if it is set; otherwise ""."""
        return ""

    def take_over(self, options: Any) -> int | None:
        """Run the command with all its options and return the exit status; None leaves it to the command.

        Raises:
            ParapluieError: The options contradict each other, or the command fails.
        """
        return None

    def change_corpus(self, corpus: Corpus) -> Corpus:
        """Return the pairs that the command uses instead of those it read.

        Raises:
            ParapluieError: The options do not fit these pairs.
        """
        return corpus

    def summary(self, corpus: Corpus, values: Scores) -> Iterable[str]:
        """Return additional lines for the summary of a score's values, float64 (n,)."""
        return ()


#: The earlier name, which other packages may import.
Extension = CommandExtension
