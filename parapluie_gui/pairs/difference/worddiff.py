"""Shows how two sentences differ: words that stay, change, move, or are on one side only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from parapluie_gui.pairs.difference.alignment import align_equal, find_moved, pair_changed
from parapluie_gui.pairs.difference.letters import changed_letters
from parapluie_gui.pairs.difference.words import Token, tokens

SegmentKind = Literal["same", "changed", "moved", "only-here"]

#: Changed words whose letters are compared, at most; further ones are marked as a whole.
LETTER_WORDS = 2_000


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of one sentence.

    Attributes:
        start, end: Where it is, as character offsets.
        kind: "same" on both sides; "changed" into another word; "moved" to another place; "only-here".
        letters: Ranges of offsets within it that differ from its partner; for a changed word that has nothing to do
            with its partner, the whole of it.
        block: Number that a changed or moved segment shares with its one partner on the other side, else None.
    """

    start: int
    end: int
    kind: SegmentKind
    letters: tuple[tuple[int, int], ...] = ()
    block: int | None = None


@dataclass(frozen=True, slots=True)
class WordDiff:
    """The segments of both sentences; on each side they follow one another and cover the whole text."""

    source: tuple[Segment, ...]
    hypothesis: tuple[Segment, ...]


def diff_words(source: str, hypothesis: str) -> WordDiff:
    """Compare two sentences word by word.

    Case, and how an accented letter is encoded, do not keep words apart, but show as changed letters. Spaces are not
    compared: those inside a segment belong to it, those between are "same". Exchanging the sentences exchanges
    the sides of the result and nothing else.
    """
    if (len(source), source) > (len(hypothesis), hypothesis):
        swapped = diff_words(hypothesis, source)
        return WordDiff(swapped.hypothesis, swapped.source)
    left = [token for token in tokens(source) if token.kind != "space"]
    right = [token for token in tokens(hypothesis) if token.kind != "space"]
    left_marks: list[_Mark] = [_ONLY_HERE] * len(left)
    right_marks: list[_Mark] = [_ONLY_HERE] * len(right)
    block = 0
    budget = LETTER_WORDS

    def letters(i: int, j: int) -> tuple[_Ranges, _Ranges]:
        nonlocal budget
        budget -= 1
        return changed_letters(left[i], right[j], whole=budget < 0)

    equal, gaps = align_equal(left, right)
    for i, j in equal:
        if left[i].text == right[j].text:
            left_marks[i] = right_marks[j] = _SAME
        else:
            here, there = letters(i, j)
            left_marks[i], right_marks[j] = _Mark("changed", block, here), _Mark("changed", block, there)
            block += 1
    moved = find_moved(left, right, gaps)
    for i, j, length in moved:
        for step in range(length):
            here, there = letters(i + step, j + step) if left[i + step].text != right[j + step].text else ((), ())
            left_marks[i + step] = _Mark("moved", block, here)
            right_marks[j + step] = _Mark("moved", block, there)
        block += 1
    for i, j in pair_changed(left, right, gaps, moved):
        here, there = letters(i, j)
        left_marks[i], right_marks[j] = _Mark("changed", block, here), _Mark("changed", block, there)
        block += 1
    return WordDiff(_segments(source, left, left_marks), _segments(hypothesis, right, right_marks))


_Ranges = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class _Mark:
    """What becomes of one token."""

    kind: SegmentKind
    block: int | None = None
    letters: _Ranges = ()


_SAME = _Mark("same")
_ONLY_HERE = _Mark("only-here")


def _segments(text: str, words: list[Token], marks: list[_Mark]) -> tuple[Segment, ...]:
    """Join neighbouring tokens of one kind and block, and give the spaces between others to nobody ("same")."""
    result: list[Segment] = []

    def add(start: int, end: int, kind: SegmentKind, block: int | None, letters: _Ranges) -> None:
        if result and (result[-1].kind, result[-1].block) == (kind, block):
            before = result.pop()
            start, letters = before.start, before.letters + letters
        result.append(Segment(start, end, kind, letters, block))

    at = 0
    for token, mark in zip(words, marks, strict=True):
        if token.start > at:
            inside = bool(result) and (result[-1].kind, result[-1].block) == (mark.kind, mark.block)
            add(at, token.start, mark.kind if inside else "same", mark.block if inside else None, ())
        add(token.start, token.end, mark.kind, mark.block, mark.letters)
        at = token.end
    if at < len(text):
        add(at, len(text), "same", None, ())
    return tuple(result)
