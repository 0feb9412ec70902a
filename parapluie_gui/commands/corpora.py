"""Reads the corpora that the commands are given."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import cast

from parapluie_gui.api import corpora as api
from parapluie_gui.api.corpora import read_file
from parapluie_gui.commands.options import ReadingArguments
from parapluie_gui.commands.saying import say
from parapluie_gui.pairs import Corpus


def read_corpus(path: Path, reading: ReadingArguments | None = None, scores: Collection[str] = ()) -> Corpus:
    """Read a file of pairs and say on stderr which rows were skipped.

    A role without a column in `reading` keeps the detected one; columns of `scores` are not detected as anything else.

    Raises:
        CorpusError: It cannot be read as asked.
    """
    return read_file(path, choices(reading or ReadingArguments()), scores, notice=say)


def choices(reading: ReadingArguments) -> api.ReadingOptions:
    """Return the options of reading as the Python functions take them."""
    return cast(api.ReadingOptions, dict(vars(reading)))
