"""Differences that a reader does not see, and those of letter case and spacing alone.

Not seen are invisible characters, look-alike letters, and letters encoded in two ways.
"""

from __future__ import annotations

import itertools
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import regex

from parapluie_gui.pairs.difference.words import clusters

FORM, INVISIBLE, LOOK_ALIKE = "form", "invisible", "look-alike"

#: Of each kind, the most that are named.
MOST = 3

#: Spaces that look like the usual one.
SPACES = frozenset("\u00a0\u2002\u2003\u2007\u2008\u2009\u200a\u202f\u205f\u3000")
#: Marks without a width that Unicode does not call format characters (Cf).
_NO_WIDTH = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")

#: Cyrillic letters, then Greek ones, that look like Latin ones in most type.
_LATIN = str.maketrans(
    "аеорсухіјѕԁһԛԝАВЕКМНОРСТУХІЈЅԌԚԜ" + "οναικρΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
    "aeopcyxijsdhqwABEKMHOPCTYXIJSGQW" + "ovaikpABEZHIKMNOPTYX",
)
_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+")
_SCRIPTS = {name: regex.compile(rf"\p{{{name}}}") for name in ("Latin", "Greek", "Cyrillic")}


@dataclass(frozen=True)
class Unseen:
    """One such difference.

    Attributes:
        kind: FORM, INVISIBLE or LOOK_ALIKE.
        side: 0 where the source has it, 1 where the hypothesis has it.
        text: The letter as it is seen, the name of the invisible character, or the word with the look-alike.
        letter: The name of the look-alike; "" for the others.
        count: How many characters the letter is written as, or how often the character is there.
        other: The same of the other side.
    """

    kind: str
    side: int
    text: str
    letter: str = ""
    count: int = 1
    other: int = 0


def without_unseen(text: str) -> str:
    """Return a text without invisible characters, with plain spaces, and Latin letters for what looks like them."""
    return "".join(" " if each in SPACES else each for each in text if not _is_invisible(each)).translate(_LATIN)


def unseen(source: str, hypothesis: str) -> list[Unseen]:
    """Return the differences between two sentences that cannot be seen, at most MOST of each kind."""
    if source.isascii() and hypothesis.isascii() and (source + hypothesis).isprintable():
        return []
    texts = source, hypothesis
    found: list[Unseen] = []
    for kind in (_forms, _invisible, _look_alikes):
        found += list(kind(*texts))[:MOST]
    return found


def _forms(source: str, hypothesis: str) -> Iterator[Unseen]:
    """Yield letters that both have, with a different number of characters in each."""
    sides = [_lengths(text) for text in (source, hypothesis)]
    for letter, lengths in sides[0].items():
        others = sides[1].get(letter)
        if others is not None and len(lengths | others) > 1 and lengths != others:
            one, other = max(lengths - others, default=max(lengths)), max(others - lengths, default=max(others))
            side = 0 if one > other else 1
            yield Unseen(FORM, side, letter, count=max(one, other), other=min(one, other))


def _lengths(text: str) -> dict[str, set[int]]:
    """Return how many characters each letter is written as that can be written in several ways."""
    found: dict[str, set[int]] = {}
    for cluster in dict.fromkeys(clusters(text)) if not text.isascii() else ():
        composed = unicodedata.normalize("NFC", cluster)
        if unicodedata.normalize("NFD", cluster) != composed:
            found.setdefault(composed, set()).add(len(cluster))
    return found


def _invisible(source: str, hypothesis: str) -> Iterator[Unseen]:
    """Yield invisible characters and unusual spaces of which one side has more."""
    counts = [Counter(each for each in text if _is_invisible(each) or each in SPACES) for text in (source, hypothesis)]
    for character in counts[0] | counts[1]:
        one, other = counts[0][character], counts[1][character]
        if one != other:
            yield Unseen(INVISIBLE, int(other > one), _name(character), count=max(one, other), other=min(one, other))


def _look_alikes(source: str, hypothesis: str) -> Iterator[Unseen]:
    """Yield words that look like one of the other side, but have a letter of another script than their sentence."""
    texts = source, hypothesis
    words = [dict.fromkeys(_WORD.findall(_composed(text))) for text in texts]
    for side, text in enumerate(texts):
        others = words[1 - side]
        seen = {each.translate(_LATIN).casefold(): each for each in others}
        script = _script(text)
        for word in words[side]:
            match = seen.get(word.translate(_LATIN).casefold())
            if match is None or word in others or match.casefold() == word.casefold():
                continue
            odd = next((each for each in word if (own := _script(each)) and own != script), "")
            if odd:
                yield Unseen(LOOK_ALIKE, side, word, _name(odd))


def _script(text: str) -> str:
    """Return which of the three scripts most letters of a text are in, "" for none of them."""
    counts = {name: len(letters.findall(text)) for name, letters in _SCRIPTS.items()}
    most = max(counts, key=lambda name: counts[name])
    return most if counts[most] else ""


def _composed(text: str) -> str:
    return unicodedata.normalize("NFC", "".join(each for each in text if not _is_invisible(each)))


def _is_invisible(character: str) -> bool:
    return unicodedata.category(character) == "Cf" or character in _NO_WIDTH or "\ufe00" <= character <= "\ufe0f"


def _name(character: str) -> str:
    # "no-break space (U+00A0)", but "Cyrillic small letter a (U+0430)".
    name = unicodedata.name(character, "character").lower()
    name = name[0].upper() + name[1:] if character.isalpha() else name
    return f"{name} (U+{ord(character):04X})"


CASE, SPACING, UNSEEN = "case", "spacing", "unseen"

#: What makes two texts that differ in one way alone the same.
_LEVELLERS: dict[str, Callable[[str], str]] = {
    FORM: lambda text: unicodedata.normalize("NFKC", text),
    UNSEEN: without_unseen,
    CASE: str.casefold,
    SPACING: lambda text: " ".join(text.split()),
}


def differ_only_in(source: str, hypothesis: str) -> tuple[str, ...] | None:
    """Return the fewest ways in which two sentences differ, () for the same text; None if they differ otherwise too."""
    subsets = (ways for count in range(len(_LEVELLERS) + 1) for ways in itertools.combinations(_LEVELLERS, count))
    return next((ways for ways in subsets if _levelled(source, ways) == _levelled(hypothesis, ways)), None)


def _levelled(text: str, ways: tuple[str, ...]) -> str:
    for way in ways:
        text = _LEVELLERS[way](text)
    return text
