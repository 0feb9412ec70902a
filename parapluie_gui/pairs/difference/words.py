"""Splits a sentence in any script into words, punctuation and spaces without breaking grapheme clusters."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Literal

import regex

TokenKind = Literal["word", "mark", "space"]

_CLUSTER = regex.compile(r"\X")
_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]")
#: A character of the scripts without spaces between words; each counts as a word.
UNSPACED = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]")
_APOSTROPHES = frozenset("'’‘ʼ＇")
_POINTS = frozenset(".,")

# In plain ASCII without control characters every character is a cluster, so one pattern is enough.
_PLAIN = regex.compile(r"[ -~\n\t]*")
_PLAIN_TOKEN = regex.compile(
    r"(?P<word>(?:[A-Za-z0-9]|(?<=[A-Za-z0-9])'(?=[A-Za-z0-9])|(?<=[0-9])[.,](?=[0-9]))+)|(?P<space>\s+)|(?P<mark>.)"
)


@dataclass(frozen=True, slots=True)
class TextToken:
    """A piece of a text.

    Attributes:
        start, end: Its character offsets.
        text: Its text.
        kind: "word" (letters, marks and digits; one character in scripts without spaces), "mark" (one punctuation
            mark, symbol or emoji) or "space".
    """

    start: int
    end: int
    text: str
    kind: TokenKind

    @property
    def key(self) -> str:
        """The text for comparisons: case-folded, with accented letters in one encoding."""
        if self.text.isascii():
            return self.text.lower()
        return unicodedata.normalize("NFC", unicodedata.normalize("NFC", self.text).casefold())


def split_clusters(text: str) -> list[str]:
    """Split a text into grapheme clusters, the characters that a reader sees."""
    if text.isascii() and "\r" not in text:
        return list(text)
    result: list[str] = _CLUSTER.findall(text)
    return result


def tokenize(text: str) -> list[TextToken]:
    """Split a text into tokens that together make up the text."""
    if text.isascii() and _PLAIN.fullmatch(text):
        return [
            TextToken(match.start(), match.end(), match.group(), match.lastgroup)
            for match in _PLAIN_TOKEN.finditer(text)
        ]
    pieces = split_clusters(text)
    result: list[TextToken] = []
    at = number = 0
    while number < len(pieces):
        kind = _kind(pieces[number])
        last = number
        if kind == "space":
            while last + 1 < len(pieces) and pieces[last + 1].isspace():
                last += 1
        elif kind == "word" and not UNSPACED.match(pieces[number]):
            last = _end_of_word(pieces, number)
        piece = "".join(pieces[number : last + 1])
        result.append(TextToken(at, at + len(piece), piece, kind))
        at += len(piece)
        number = last + 1
    return result


def _kind(cluster: str) -> TokenKind:
    if cluster.isspace():
        return "space"
    return "word" if _WORD.match(cluster) else "mark"


def _end_of_word(pieces: list[str], first: int) -> int:
    """Return the index of the last cluster of a word, including inner apostrophes and decimal points."""
    last = first
    while last + 1 < len(pieces):
        following = pieces[last + 1]
        if _is_part_of_word(following):
            last += 1
            continue
        if last + 2 < len(pieces) and _is_part_of_word(pieces[last + 2]):
            digits = pieces[last][0].isdigit() and pieces[last + 2][0].isdigit()
            if following in _APOSTROPHES or (following in _POINTS and digits):
                last += 2
                continue
        return last
    return last


def _is_part_of_word(cluster: str) -> bool:
    return _WORD.match(cluster) is not None and UNSPACED.match(cluster) is None
