"""Corpora that grow while they are open, which features read: what such a kind offers, and which one fits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Protocol

from parapluie_gui.feature import brought
from parapluie_gui.ui.state.kept_values import KeptValues
from parapluie_gui.ui.state.opening import LoadedCorpus


@dataclass(frozen=True)
class Growth:
    """What came of reading a corpus that grows.

    Attributes:
        loaded: The corpus as it is now, or a sample where there are more pairs than are shown; None without any pair.
        kept: The value of its setting in the session, with its path as "folder"; empty for a sample.
        sentences: Sentences on what cannot be used.
    """

    loaded: LoadedCorpus | None
    kept: Mapping[str, object] = field(default_factory=dict)
    sentences: tuple[str, ...] = ()


class GrowingKind(Protocol):
    """A kind of corpus that grows while it is open: read again, it brings further pairs.

    Attributes:
        setting: The session's setting of such a corpus, with {} for its number.
    """

    setting: str

    def recognises(self, path: Path) -> bool:
        """Return whether a path is such a corpus."""

    def read(self, session: Path, path: Path, tell: Callable[[int], None]) -> Growth:
        """Put the pairs that are new behind those that the session has; with the first, it has the corpus.

        Args:
            session: The session's working copy.
            path: The corpus.
            tell: Called with the number of pairs read.

        Raises:
            ParapluieError: The corpus cannot be read, or the session cannot be written.
        """

    def files(self, path: Path) -> Sequence[Path]:
        """Return the Parquet files that hold its pairs by now, without damaged ones.

        Raises:
            ParapluieError: It cannot be read any more.
        """

    def extent(self, kept: KeptValues) -> str:
        """Return in words how much of it is there, by its setting; "" where that has nothing."""

    def empty(self, path: Path) -> str:
        """Return the sentence on such a corpus without any pair yet."""


@cache
def growing_kinds() -> tuple[GrowingKind, ...]:
    """Return the kinds that features bring."""
    return tuple(part.load() for part in brought("growing"))


def growing_at(path: Path) -> GrowingKind | None:
    """Return the kind of corpus that a path is; None where it does not grow."""
    return next((kind for kind in growing_kinds() if kind.recognises(path)), None)
