"""Edits of a sentence after which it says the same: for each kind of change, one that looks like it.

A judge that sees only changes of meaning among numbers, units, helpers or names learns that such an edit is one,
whatever it does.
"""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Sequence
from functools import cache, partial
from typing import Any

from parapluie_gui import places
from parapluie_gui.features.training.alternations import rewritten
from parapluie_gui.metrics.changes.word_lists import word_lists

#: What an edit makes of a sentence, and the answer; None where it does not fit.
Edited = tuple[str, float] | None

_LARGE = re.compile(r"\b(\d{4,9}|\d{1,3}(?:,\d{3})+)\b")
_COUNTED = re.compile(r"\b(\d{1,4}|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve) ([a-z]+)\b")
_IS = re.compile(r"\b(is|was|are|were) (?:(not) )?([a-z]+)\b")
_LISTED = re.compile(r"\b([A-Z][a-z]{2,}) and ([A-Z][a-z]{2,})\b(?! [A-Z])")
#: Behind one of these the past form of a verb is what somebody did, and no participle.
_SUBJECTS = ("i", "you", "he", "she", "it", "we", "they", "who")
#: Numbers of four digits that look like years are left alone.
_YEARS = range(1500, 2100)


def same_number(text: str, rng: random.Random) -> Edited:
    """Write a number in another way: 1,200 and 1200, 3 and three."""
    names = word_lists()["number_words"]
    ways = []
    for match in _LARGE.finditer(text):
        plain = match.group().replace(",", "")
        if plain != match.group() or int(plain) not in _YEARS:
            ways.append((match, f"{int(plain):,}" if plain == match.group() else plain))
    for match in re.finditer(r"(?<![\d.,:$-])\b(\d{1,2})\b(?![\d.,:%-])", text):
        if 1 <= int(match.group()) <= len(names):
            ways.append((match, names[int(match.group()) - 1]))
    return _put(text, ways, rng)


def same_measure(text: str, rng: random.Random) -> Edited:
    """Give an amount in another unit, or another name of a quantity, a time or a certainty."""
    ways = []
    for match in _COUNTED.finditer(text):
        number = _value(match[1])
        for large, times, small in _data()["units"]:
            if match[2] == large and number < 100:
                ways.append((match, f"{number * times:,} {small}"))
            elif match[2] == small and number > times and number % times == 0:
                ways.append((match, f"{number // times} {large}"))
    return _put(text, ways, rng) or _phrase("measures", text, rng)


def unopposed(text: str, rng: random.Random) -> Edited:
    """Say with its opposite what something is not, or put a word of the same meaning in place of one."""
    ways = []
    for match in _IS.finditer(text):
        other = _data()["either"].get(match[3])
        if other is not None:
            ways.append((match, f"{match[1]} {other}" if match[2] else f"{match[1]} not {other}"))
    if found := _put(text, ways, rng):
        return found
    other = rewritten(text, rng)
    return None if other is None else (other, 1.0)


def same_time(text: str, rng: random.Random) -> Edited:
    """Write a helper in short or in full, or stress what was done: she wrote, she did write."""
    if found := _phrase("short", text, rng):
        return found
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


def turned_list(text: str, rng: random.Random) -> Edited:
    """Let two names that stand beside each other change places."""
    ways = []
    for match in _LISTED.finditer(text):
        before = text[: match.start()].split()
        if not (before and before[-1][0].isupper()):
            ways.append((match, f"{match[2]} and {match[1]}"))
    return _put(text, ways, rng)


def _phrase(name: str, text: str, rng: random.Random) -> Edited:
    """Put one of two phrases of a list in the place of the other; a capital stays one."""
    ways = []
    for pattern, other in _data()[name]:
        for match in pattern.finditer(text):
            capital = match.group()[0].isupper()
            ways.append((match, other[0].upper() + other[1:] if capital else other))
    return _put(text, ways, rng)


still_denied = partial(_phrase, "denied")


def _put(text: str, ways: Sequence[tuple[re.Match[str], str]], rng: random.Random) -> Edited:
    if not ways:
        return None
    match, other = rng.choice(ways)
    return text[: match.start()] + other + text[match.end() :], 1.0


def _value(word: str) -> int:
    """Return the number that digits or a word stand for."""
    return int(word) if word.isdigit() else int(word_lists()["number_words"].index(word)) + 1


@cache
def _data() -> dict[str, Any]:
    data = tomllib.loads((places.resources() / "training" / "controls.toml").read_text(encoding="utf-8"))
    for name in ("measures", "short", "denied"):
        pairs = [line.split("|") for line in data[name].strip().splitlines()]
        data[name] = [
            (re.compile(rf"(?<![\w'])(?i:{re.escape(one)})(?![\w'])"), other)
            for first, second in pairs
            for one, other in ((first, second), (second, first))
        ]
    units = (each.split() for each in data["units"].replace("\n", "").split("|"))
    data["units"] = [(large, int(times), small) for large, times, small in units]
    both = [each.split("=") for each in data["either"].split()]
    data["either"] = {one: other for pair in both for one, other in (pair, pair[::-1])}
    return data
