"""Edits that keep the meaning of a sentence: for each kind of change of meaning, an edit that looks like it.

A judge that sees numbers, units, auxiliary verbs or names edited only with a change of meaning learns that every such
edit changes the meaning.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from functools import cache, partial
from typing import Any

from parapluie_gui import places
from parapluie_gui.features.training.alternations import replace_words
from parapluie_gui.metrics.changes.word_lists import word_lists
from parapluie_gui.own_files import read_toml

#: An edited sentence and the target answer; None if the edit does not fit the sentence.
EditedText = tuple[str, float] | None

_LARGE = re.compile(r"\b(\d{4,9}|\d{1,3}(?:,\d{3})+)\b")
_COUNTED = re.compile(r"\b(\d{1,4}|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve) ([a-z]+)\b")
_IS = re.compile(r"\b(is|was|are|were) (?:(not) )?([a-z]+)\b")
_LISTED = re.compile(r"\b([A-Z][a-z]{2,}) and ([A-Z][a-z]{2,})\b(?! [A-Z])")
#: After one of these words, the past form of a verb is not a participle.
_SUBJECTS = ("i", "you", "he", "she", "it", "we", "they", "who")
#: Numbers of four digits in this range may be years and are left as they are.
_YEARS = range(1500, 2100)


def reformat_number(text: str, rng: random.Random) -> EditedText:
    """Write a number in a different format: 1,200 and 1200, 3 and three."""
    names = word_lists()["number_words"]
    edits = []
    for match in _LARGE.finditer(text):
        plain = match.group().replace(",", "")
        if plain != match.group() or int(plain) not in _YEARS:
            edits.append((match, f"{int(plain):,}" if plain == match.group() else plain))
    for match in re.finditer(r"(?<![\d.,:$-])\b(\d{1,2})\b(?![\d.,:%-])", text):
        if 1 <= int(match.group()) <= len(names):
            edits.append((match, names[int(match.group()) - 1]))
    return _apply_one(text, edits, rng)


def convert_measure(text: str, rng: random.Random) -> EditedText:
    """Convert an amount to a different unit, or replace a phrase of quantity, time or certainty by a synonym."""
    edits = []
    for match in _COUNTED.finditer(text):
        number = _parse_number(match[1])
        for large, times, small in _data()["units"]:
            if match[2] == large and number < 100:
                edits.append((match, f"{number * times:,} {small}"))
            elif match[2] == small and number > times and number % times == 0:
                edits.append((match, f"{number // times} {large}"))
    return _apply_one(text, edits, rng) or _swap_phrase("measures", text, rng)


def deny_opposite(text: str, rng: random.Random) -> EditedText:
    """Replace an adjective by its negated opposite or, without one, a word by a synonym."""
    edits = []
    for match in _IS.finditer(text):
        other = _data()["either"].get(match[3])
        if other is not None:
            edits.append((match, f"{match[1]} {other}" if match[2] else f"{match[1]} not {other}"))
    if edited := _apply_one(text, edits, rng):
        return edited
    other = replace_words(text, rng)
    return None if other is None else (other, 1.0)


def rewrite_helper(text: str, rng: random.Random) -> EditedText:
    """Contract or expand an auxiliary verb, or stress a past action: she wrote, she did write."""
    if edited := _swap_phrase("short", text, rng):
        return edited
    words, data = text.split(" "), word_lists()
    places = [
        place
        for place, word in enumerate(words)
        if word in data["verb"] and words[place - 1].lower() in _SUBJECTS and place
    ]
    if not places:
        return None
    place = rng.choice(places)
    words[place] = f"did {data['verb'][words[place]][0]}"
    return " ".join(words), 1.0


def swap_listed_names(text: str, rng: random.Random) -> EditedText:
    """Swap two names joined by "and"."""
    edits = []
    for match in _LISTED.finditer(text):
        before = text[: match.start()].split()
        if not (before and before[-1][0].isupper()):
            edits.append((match, f"{match[2]} and {match[1]}"))
    return _apply_one(text, edits, rng)


def _swap_phrase(name: str, text: str, rng: random.Random) -> EditedText:
    """Replace a phrase by its counterpart from a list, with its capital letter."""
    edits = []
    for pattern, other in _data()[name]:
        for match in pattern.finditer(text):
            capital = match.group()[0].isupper()
            edits.append((match, other[0].upper() + other[1:] if capital else other))
    return _apply_one(text, edits, rng)


rewrite_negation = partial(_swap_phrase, "denied")


def _apply_one(text: str, edits: Sequence[tuple[re.Match[str], str]], rng: random.Random) -> EditedText:
    if not edits:
        return None
    match, other = rng.choice(edits)
    return text[: match.start()] + other + text[match.end() :], 1.0


def _parse_number(word: str) -> int:
    """Parse a number written in digits or as a word."""
    return int(word) if word.isdigit() else int(word_lists()["number_words"].index(word)) + 1


@cache
def _data() -> dict[str, Any]:
    data = read_toml(places.resources() / "training" / "controls.toml")
    for name in ("measures", "short", "denied"):
        pairs = [line.split("|") for line in data[name].strip().splitlines()]
        data[name] = [
            (re.compile(rf"(?<![\w'])(?i:{re.escape(one)})(?![\w'])"), other)
            for first, second in pairs
            for one, other in ((first, second), (second, first))
        ]
    units = (entry.split() for entry in data["units"].replace("\n", "").split("|"))
    data["units"] = [(large, int(times), small) for large, times, small in units]
    pairs_of_opposites = [entry.split("=") for entry in data["either"].split()]
    data["either"] = {one: other for pair in pairs_of_opposites for one, other in (pair, pair[::-1])}
    return data
