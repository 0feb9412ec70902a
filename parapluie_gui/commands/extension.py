"""Further options of a command that a feature brings: what they are asked, and when."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

from parapluie_gui.arrays import Scores
from parapluie_gui.pairs.corpus import Corpus


@dataclass(frozen=True, kw_only=True)
class Extension:
    """Options that a feature adds to a command that reads pairs; a subclass has them as its fields.

    Attributes:
        title: Of their group in the help; "" where they stand among the command's own.
    """

    title: ClassVar[str] = ""

    @property
    def changes_pairs(self) -> str:
        """The option by which `change_corpus` is to return other pairs; "" if none was given."""
        return ""

    def take_over(self, options: Any) -> int | None:
        """Run the command, given all its options, and return the exit status; None leaves that to the command.

        Raises:
            ParapluieError: The options do not fit each other, or the command fails.
        """
        return None

    def change_corpus(self, corpus: Corpus) -> Corpus:
        """Return the pairs that the command is to work with instead of those it read.

        Raises:
            ParapluieError: The options do not fit these pairs.
        """
        return corpus

    def summary(self, corpus: Corpus, values: Scores) -> Iterable[str]:
        """Return further lines of the summary of a score, float64 (n,)."""
        return ()
