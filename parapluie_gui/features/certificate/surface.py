"""Surface variants of a sentence: case, full stop, spaces, quotation marks, contractions, spelling, typos."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from functools import cache

from parapluie_gui.features.certificate.words import words

#: Words that can get a typo: six or more lower-case letters, so no names or abbreviations.
_LONG = re.compile(r"(?<![\w'’-])[a-z]{6,}(?![\w'’-])")
#: Number of letters at each end of a word that a typo leaves unchanged.
_TYPO_MARGIN = 2
_QUOTED = re.compile(r'"([^"]+)"')
_APOSTROPHE = re.compile(r"(?<=\w)'(?=\w)")


def surface_variants(text: str, rng: random.Random) -> dict[str, str]:
    """Return the surface variants of a sentence that differ from it, by the key of the behaviour."""
    variants = {key: change(text, rng) for key, change in _CHANGES.items()}
    return {key: variant for key, variant in variants.items() if variant is not None and variant != text}


def contract(text: str) -> str | None:
    """Return the sentence with its first long form contracted, or None if it has none."""
    for long, short in _contractions():
        if long[0].isupper():
            # "what it is" and "more than we are" cannot be contracted, but "It is" at the start of a sentence can be.
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
    return pattern.sub(lambda match: american.get(match[0], match[0]), text)


def _typo(text: str, rng: random.Random) -> str | None:
    """Swap two adjacent letters within a long word."""
    places = [
        place.start() + at
        for place in _LONG.finditer(text)
        for at in range(_TYPO_MARGIN, len(place[0]) - _TYPO_MARGIN)
        if place[0][at] != place[0][at + 1]
    ]
    if not places:
        return None
    at = rng.choice(places)
    return text[:at] + text[at + 1] + text[at] + text[at + 2 :]


_CHANGES: Mapping[str, Callable[[str, random.Random], str | None]] = {
    "case": _case,
    "stop": _stop,
    "spacing": _spacing,
    "quotes": _quotes,
    "contractions": lambda text, rng: contract(text),
    "spelling": _spelling,
    "typo": _typo,
}


@cache
def _contractions() -> tuple[tuple[str, str], ...]:
    """Return (long, short) forms; those that apply only at the start of a sentence are capitalized."""
    forms = []
    for entry in words()["contractions"]["words"].replace("\n", "").split("|"):
        long, short = entry.split("=")
        if not long.endswith("not"):
            long, short = long[:1].upper() + long[1:], short[:1].upper() + short[1:]
        forms.append((long, short))
    return tuple(forms)


@cache
def _american() -> dict[str, str]:
    spellings = {}
    for entry in words()["spelling"]["words"].split():
        british, american = entry.split("=")
        spellings[british] = american
        spellings[british.capitalize()] = american.capitalize()
    return spellings
