"""The same sentence written in another way: case, full stop, spaces, quotation marks, contractions, spelling, typo."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from functools import cache

from parapluie_gui.features.certificate.words import words

#: Words that a typo may be made in: six letters or more, no name and no abbreviation.
_LONG = re.compile(r"(?<![\w'’-])[a-z]{6,}(?![\w'’-])")
_TYPO = 2  # letters at the beginning and the end that stay
_QUOTED = re.compile(r'"([^"]+)"')
_APOSTROPHE = re.compile(r"(?<=\w)'(?=\w)")


def changed(text: str, rng: random.Random) -> dict[str, str]:
    """Return the sentence in each other way that it can be written in, by the behaviour's key."""
    found = {key: make(text, rng) for key, make in _WAYS.items()}
    return {key: other for key, other in found.items() if other is not None and other != text}


def contracted(text: str) -> str | None:
    """Return the sentence with its first long form made short, or None where it has none."""
    for long, short in _contractions():
        if long[0].isupper():
            # "what it is" and "more than we are" cannot be made short; a sentence's beginning can.
            if text.startswith(f"{long} ") and text[len(long) + 1 : len(long) + 2].islower():
                return short + text[len(long) :]
        elif not text.endswith("?") and (place := re.search(rf"\b{long}\b(?= \w)", text)):
            return text[: place.start()] + short + text[place.end() :]
    return None


def _case(text: str, rng: random.Random) -> str | None:
    return text.upper() if rng.random() < 0.5 else text.lower()


def _stop(text: str, rng: random.Random) -> str | None:
    return text[:-1] if text.endswith(".") and not text.endswith("..") and " " in text else None


def _spacing(text: str, rng: random.Random) -> str | None:
    gaps = [place.start() for place in re.finditer(r"(?<=\S) (?=\S)", text)]
    if not gaps:
        return None
    for gap in sorted(rng.sample(gaps, min(2, len(gaps))), reverse=True):
        text = f"{text[:gap]} {text[gap:]}"
    return text


def _quotes(text: str, rng: random.Random) -> str | None:
    if text.count('"') % 2:
        return None
    return _APOSTROPHE.sub("’", _QUOTED.sub(r"“\1”", text))


def _spelling(text: str, rng: random.Random) -> str | None:
    american = _american()
    pattern = re.compile(r"[A-Za-z]+")
    return pattern.sub(lambda found: american.get(found[0], found[0]), text)


def _typo(text: str, rng: random.Random) -> str | None:
    """Swap two neighbouring letters within a long word."""
    places = [
        place.start() + at
        for place in _LONG.finditer(text)
        for at in range(_TYPO, len(place[0]) - _TYPO)
        if place[0][at] != place[0][at + 1]
    ]
    if not places:
        return None
    at = rng.choice(places)
    return text[:at] + text[at + 1] + text[at] + text[at + 2 :]


_WAYS: Mapping[str, Callable[[str, random.Random], str | None]] = {
    "case": _case,
    "stop": _stop,
    "spacing": _spacing,
    "quotes": _quotes,
    "contractions": lambda text, rng: contracted(text),
    "spelling": _spelling,
    "typo": _typo,
}


@cache
def _contractions() -> tuple[tuple[str, str], ...]:
    """Return long and short forms; the first word of those that only begin a sentence has a capital."""
    found = []
    for each in words()["contractions"]["words"].replace("\n", "").split("|"):
        long, short = each.split("=")
        if not long.endswith("not"):
            long, short = long[:1].upper() + long[1:], short[:1].upper() + short[1:]
        found.append((long, short))
    return tuple(found)


@cache
def _american() -> dict[str, str]:
    found = {}
    for each in words()["spelling"]["words"].split():
        british, american = each.split("=")
        found[british] = american
        found[british.capitalize()] = american.capitalize()
    return found
