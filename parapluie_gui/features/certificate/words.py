"""The word lists and sentence templates in `resources/certificate`."""

from __future__ import annotations

from functools import cache
from typing import Any

from parapluie_gui import places
from parapluie_gui.metrics.changes.word_lists import names
from parapluie_gui.own_files import read_toml

_FOLDER = places.resources() / "certificate"

#: Numbers in words, from 3 on: all plural, and also common as digits.
_IN_WORDS = """
three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen
twenty
"""
NUMBERS = dict(enumerate(_IN_WORDS.split(), 3))


@cache
def words() -> dict[str, Any]:
    """Return the content of words.toml."""
    return read_toml(_FOLDER.joinpath("words.toml"))


@cache
def sentences() -> tuple[dict[str, Any], ...]:
    """Return the sentence templates in sentences.toml, with their slots."""
    return tuple(read_toml(_FOLDER.joinpath("sentences.toml"))["sentence"])


@cache
def slots() -> dict[str, tuple[str, ...]]:
    """Return the words for each slot; people's names for the slots a and b are under "names"."""
    lists = {name: tuple(text.split()) for name, text in words()["slots"].items()}
    return {**names(), **lists, "n": tuple(NUMBERS.values()), "year": tuple(map(str, range(1952, 2020)))}
