"""The interface of readers for corpora that consist of several files, and the search for the reader that fits."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Protocol

from parapluie_gui.feature import collect_parts
from parapluie_gui.pairs.reading.mapping import ColumnMapping
from parapluie_gui.pairs.reading.raw_table import RawTable


class CollectionReader(Protocol):
    """A reader of one kind of corpus that consists of several files.

    Attributes:
        layout: The name of the layout of such corpora.
    """

    layout: str

    def find(self, path: Path) -> Path | None:
        """Return the main file of the corpus, given that file or the folder; None for any other path.

        Raises:
            CorpusError: It is a folder of several corpora.
        """

    def name(self, path: Path) -> str:
        """Return the name of the corpus with this main file."""

    def read(self, path: Path) -> tuple[RawTable, ColumnMapping]:
        """Read the corpus with this main file.

        Raises:
            CorpusError: A file is missing or malformed.
        """

    def scores(self, columns: Iterable[str]) -> list[str]:
        """Return the extra columns that are scores."""


@cache
def readers() -> tuple[CollectionReader, ...]:
    """Return the readers that features contribute."""
    return tuple(part.load() for part in collect_parts("readers"))


def find_collection(path: Path) -> tuple[CollectionReader, Path] | None:
    """Return the reader for a file or folder and the main file of the corpus, or None.

    Raises:
        CorpusError: It is a folder of several corpora.
    """
    for reader in readers():
        if (main := reader.find(path)) is not None:
            return reader, main
    return None
