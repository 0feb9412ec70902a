"""Reads the corpora that a command's arguments name."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import cast

from parapluie_gui.api import corpora as api
from parapluie_gui.api.corpora import read_file
from parapluie_gui.commands.options import ReadingArguments
from parapluie_gui.commands.saying import say
from parapluie_gui.pairs import Corpus


def read_corpus(
    path: Path,
    reading: ReadingArguments | None = None,
    scores: Collection[str] = (),
    *,
    always_say_plan: bool = False,
) -> Corpus:
    """Read a file of pairs, and print skipped rows to stderr.

    If `reading` names no column for a role, the column is detected; columns in `scores` are never detected as a role.

    How the file was read is printed if something was guessed, or `always_say_plan`.

    Raises:
        CorpusError: The file cannot be read with these options.
    """
    corpus = read_file(path, to_reading_options(reading or ReadingArguments()), scores, notice=say)
    if always_say_plan and corpus.plan is not None and corpus.plan.is_plain:
        say(f"{corpus.name}: {corpus.plan}.")
    return corpus


def to_reading_options(reading: ReadingArguments) -> api.ReadingOptions:
    """Convert the arguments to the options of the Python functions."""
    return cast(api.ReadingOptions, dict(vars(reading)))
