"""The marks of the sentences view: the word differences of a pair, none when the pair is too long."""

from __future__ import annotations

from dataclasses import dataclass

from parapluie_gui.pairs.difference.worddiff import Segment, diff_words

#: Words on a side beyond which differences are not looked for: going through the pairs must stay fluid.
LONGEST = 4_000

#: Han, kana and other signs that are a word without spaces around begin here.
_UNSPACED = "⺀"


@dataclass(frozen=True)
class Mark:
    """One marked stretch of a sentence.

    Attributes:
        start, end: Character offsets.
        kind: "changed", "moved" or "only-here".
        letters: Stretches of changed letters inside, as offsets into the sentence; empty when all of it changed.
        number: Number of the moved phrase, from 1, the same on both sides; 0 for none.
    """

    start: int
    end: int
    kind: str
    letters: tuple[tuple[int, int], ...] = ()
    number: int = 0


@dataclass(frozen=True)
class Differences:
    """The marks of both sides, in order; none when the pair was too long to be compared."""

    source: tuple[Mark, ...] = ()
    hypothesis: tuple[Mark, ...] = ()
    too_long: bool = False


def differences(source: str, hypothesis: str) -> Differences:
    """Return what to mark in the two sentences."""
    if max(_words(source), _words(hypothesis)) > LONGEST:
        return Differences(too_long=source != hypothesis)
    found = diff_words(source, hypothesis)
    blocks = dict.fromkeys(part.block for part in found.source if part.kind == "moved")
    numbers = {block: at for at, block in enumerate(blocks, start=1)}
    return Differences(_marks(found.source, numbers), _marks(found.hypothesis, numbers))


def _words(text: str) -> int:
    """Return about how many words a text has, fast."""
    return text.count(" ") + (0 if text.isascii() else sum(char >= _UNSPACED for char in text))


def _marks(segments: tuple[Segment, ...], numbers: dict[int | None, int]) -> tuple[Mark, ...]:
    marks = []
    for part in segments:
        if part.kind == "same":
            continue
        whole = part.letters == ((part.start, part.end),)
        number = numbers[part.block] if part.kind == "moved" else 0
        marks.append(Mark(part.start, part.end, part.kind, () if whole else part.letters, number))
    return tuple(marks)
