"""Kinds of corpora that grow while they are open, which features add."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Protocol

from parapluie_gui.feature import collect_parts
from parapluie_gui.ui.state.opening import LoadedCorpus
from parapluie_gui.ui.state.stored_values import StoredValues


@dataclass(frozen=True)
class CorpusUpdate:
    """The result of reading a growing corpus.

    Attributes:
        loaded: The corpus in its present state, or a sample if it has more pairs than can be shown; None if it has no
            pairs.
        setting_value: The value of its setting in the session, with its path as "folder"; empty for a sample.
        sentences: Warnings about files that cannot be used.
    """

    loaded: LoadedCorpus | None
    setting_value: Mapping[str, object] = field(default_factory=dict)
    sentences: tuple[str, ...] = ()


class GrowingKind(Protocol):
    """A kind of corpus that grows while it is open: reading it again adds new pairs.

    Attributes:
        setting: Key of the session's setting for such a corpus, with {} for its number.
    """

    setting: str

    def recognises(self, path: Path) -> bool:
        """Return True if a path is such a corpus."""

    def read(self, session: Path, path: Path, tell: Callable[[int], None]) -> CorpusUpdate:
        """Append the new pairs to those in the session; the first pairs add the corpus to the session.

        Args:
            session: The session's working copy.
            path: The corpus.
            tell: Called with the number of pairs read.

        Raises:
            ParapluieError: The corpus cannot be read, or the session cannot be written.
        """

    def files(self, path: Path) -> Sequence[Path]:
        """Return the Parquet files with its pairs, leaving out damaged files.

        Raises:
            ParapluieError: It can no longer be read.
        """

    def extent(self, setting: StoredValues) -> str:
        """Return in words how much of it has been read, given its setting; "" if the setting is empty."""

    def empty(self, path: Path) -> str:
        """Return the message for such a corpus that has no pairs yet."""


@cache
def growing_kinds() -> tuple[GrowingKind, ...]:
    """Return the kinds that features add."""
    return tuple(part.load() for part in collect_parts("growing"))


def growing_at(path: Path) -> GrowingKind | None:
    """Return the kind of growing corpus at a path; None if it does not grow."""
    return next((kind for kind in growing_kinds() if kind.recognises(path)), None)
