"""Finds invisible differences between two sentences, and differences only in letter case or spacing.

Invisible differences are invisible characters, look-alike letters, and letters encoded in two ways.
"""

from __future__ import annotations

import itertools
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import regex

from parapluie_gui.pairs.difference.words import split_clusters

FORM, INVISIBLE, LOOK_ALIKE = "form", "invisible", "look-alike"

#: Maximum number of differences reported for each kind.
MOST = 3

#: Characters that look like a plain space.
SPACES = frozenset("\u00a0\u2002\u2003\u2007\u2008\u2009\u200a\u202f\u205f\u3000")
#: Invisible characters that are not format characters (Cf) in Unicode.
_NO_WIDTH = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")

#: Cyrillic and Greek letters that look like Latin ones in most fonts.
_LATIN = str.maketrans(
    "аеорсухіјѕԁһԛԝАВЕКМНОРСТУХІЈЅԌԚԜ" + "οναικρΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
    "aeopcyxijsdhqwABEKMHOPCTYXIJSGQW" + "ovaikpABEZHIKMNOPTYX",
)
_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+")
_SCRIPTS = {name: regex.compile(rf"\p{{{name}}}") for name in ("Latin", "Greek", "Cyrillic")}


@dataclass(frozen=True)
class UnseenDifference:
    """An invisible difference between two sentences.

    Attributes:
        kind: FORM, INVISIBLE or LOOK_ALIKE.
        side: 0 if it is in the source, 1 if it is in the hypothesis.
        text: The visible letter, the name of the invisible character, or the word with the look-alike.
        letter: The name of the look-alike, or "".
        count: The number of characters that encode the letter, or of occurrences of the invisible character.
        other: The same number on the other side.
    """

    kind: str
    side: int
    text: str
    letter: str = ""
    count: int = 1
    other: int = 0


def without_unseen(text: str) -> str:
    """Remove invisible characters and replace unusual spaces and look-alike letters by plain ones."""
    if text.isascii():
        return text
    signs = set(text)
    plain: dict[int, int | str | None] = {**_LATIN, **{ord(sign): " " for sign in signs & SPACES}}
    plain.update({ord(sign): None for sign in signs if _is_invisible(sign)})
    return text.translate(plain)


def find_unseen(source: str, hypothesis: str) -> list[UnseenDifference]:
    """Return the invisible differences between two sentences, at most MOST of each kind."""
    if source.isascii() and hypothesis.isascii() and (source + hypothesis).isprintable():
        return []
    texts = source, hypothesis
    differences: list[UnseenDifference] = []
    for kind in (_forms, _invisible, _look_alikes):
        differences += list(kind(*texts))[:MOST]
    return differences


def _forms(source: str, hypothesis: str) -> Iterator[UnseenDifference]:
    """Yield letters that are encoded by different numbers of characters in the two sentences."""
    sides = [_lengths(text) for text in (source, hypothesis)]
    for letter, lengths in sides[0].items():
        others = sides[1].get(letter)
        if others is not None and len(lengths | others) > 1 and lengths != others:
            one, other = max(lengths - others, default=max(lengths)), max(others - lengths, default=max(others))
            side = 0 if one > other else 1
            yield UnseenDifference(FORM, side, letter, count=max(one, other), other=min(one, other))


def _lengths(text: str) -> dict[str, set[int]]:
    """Return the numbers of characters that encode each letter with several encodings."""
    lengths: dict[str, set[int]] = {}
    for cluster in dict.fromkeys(split_clusters(text)) if not text.isascii() else ():
        composed = unicodedata.normalize("NFC", cluster)
        if unicodedata.normalize("NFD", cluster) != composed:
            lengths.setdefault(composed, set()).add(len(cluster))
    return lengths


def _invisible(source: str, hypothesis: str) -> Iterator[UnseenDifference]:
    """Yield invisible characters and unusual spaces that are more frequent on one side."""
    counts = [Counter(sign for sign in text if _is_invisible(sign) or sign in SPACES) for text in (source, hypothesis)]
    for character in counts[0] | counts[1]:
        one, other = counts[0][character], counts[1][character]
        if one != other:
            yield UnseenDifference(
                INVISIBLE, int(other > one), _name(character), count=max(one, other), other=min(one, other)
            )


def _look_alikes(source: str, hypothesis: str) -> Iterator[UnseenDifference]:
    """Yield words that look like a word of the other side but contain a letter from a different script."""
    texts = source, hypothesis
    words = [dict.fromkeys(_WORD.findall(_compose(text))) for text in texts]
    for side, text in enumerate(texts):
        others = words[1 - side]
        latin = {other.translate(_LATIN).casefold(): other for other in others}
        script = _script(text)
        for word in words[side]:
            match = latin.get(word.translate(_LATIN).casefold())
            if match is None or word in others or match.casefold() == word.casefold():
                continue
            odd = next((letter for letter in word if (own := _script(letter)) and own != script), "")
            if odd:
                yield UnseenDifference(LOOK_ALIKE, side, word, _name(odd))


def _script(text: str) -> str:
    """Return the script of most letters of a text, "" if there are none of the three scripts."""
    counts = {name: len(letters.findall(text)) for name, letters in _SCRIPTS.items()}
    most = max(counts, key=lambda name: counts[name])
    return most if counts[most] else ""


def _compose(text: str) -> str:
    return unicodedata.normalize("NFC", "".join(sign for sign in text if not _is_invisible(sign)))


def _is_invisible(character: str) -> bool:
    return unicodedata.category(character) == "Cf" or character in _NO_WIDTH or "\ufe00" <= character <= "\ufe0f"


def _name(character: str) -> str:
    # such as "no-break space (U+00A0)" and "Cyrillic small letter a (U+0430)"
    name = unicodedata.name(character, "character").lower()
    name = name[0].upper() + name[1:] if character.isalpha() else name
    return f"{name} (U+{ord(character):04X})"


CASE, SPACING, UNSEEN = "case", "spacing", "unseen"

#: Functions that remove each kind of difference.
_NORMALISERS: dict[str, Callable[[str], str]] = {
    FORM: lambda text: unicodedata.normalize("NFKC", text),
    UNSEEN: without_unseen,
    CASE: str.casefold,
    SPACING: lambda text: " ".join(text.split()),
}


def differ_only_in(source: str, hypothesis: str) -> tuple[str, ...] | None:
    """Return the smallest set of ways in which two sentences differ, () if equal; None if they differ in words too."""
    subsets = (ways for count in range(len(_NORMALISERS) + 1) for ways in itertools.combinations(_NORMALISERS, count))
    return next((ways for ways in subsets if _normalise(source, ways) == _normalise(hypothesis, ways)), None)


def _normalise(text: str, ways: tuple[str, ...]) -> str:
    for way in ways:
        text = _NORMALISERS[way](text)
    return text
