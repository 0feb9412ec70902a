"""Corpora that are spread over several files, which features read: what such a reader offers, and which one fits."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Protocol

from parapluie_gui.feature import brought
from parapluie_gui.pairs.reading.mapping import ColumnMapping
from parapluie_gui.pairs.reading.raw_table import RawTable


class CollectionReader(Protocol):
    """Reads one kind of corpus that is spread over several files.

    Attributes:
        layout: What such a corpus has for a layout.
    """

    layout: str

    def find(self, path: Path) -> Path | None:
        """Return the file that stands for the corpus, given that file or the folder; None for anything else.

        Raises:
            CorpusError: It is a folder of several corpora.
        """

    def name(self, path: Path) -> str:
        """Return what to call the corpus that a file stands for."""

    def read(self, path: Path) -> tuple[RawTable, ColumnMapping]:
        """Read the corpus that a file stands for.

        Raises:
            CorpusError: Something is missing or odd.
        """

    def scores(self, columns: Iterable[str]) -> list[str]:
        """Return those of its further columns that are scores."""


@cache
def readers() -> tuple[CollectionReader, ...]:
    """Return the readers that features bring."""
    return tuple(part.load() for part in brought("readers"))


def collection_at(path: Path) -> tuple[CollectionReader, Path] | None:
    """Return the reader of a file or folder, and the file that stands for the corpus; None for any other.

    Raises:
        CorpusError: It is a folder of several corpora.
    """
    for reader in readers():
        if (found := reader.find(path)) is not None:
            return reader, found
    return None
