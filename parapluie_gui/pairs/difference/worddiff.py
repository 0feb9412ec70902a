"""Computes the word difference of two sentences: words that stay, change, move, or occur on one side only."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

import Levenshtein

from parapluie_gui.pairs.difference.alignment import LONGEST_WORD, align_equal, find_moved, likeness, pair_changed
from parapluie_gui.pairs.difference.words import TextToken, split_clusters, tokenize

SegmentKind = Literal["same", "changed", "moved", "only-here"]

#: Maximum number of changed words whose letters are compared; further ones are marked as a whole.
LETTER_WORDS = 2_000

#: Ranges of character offsets.
_Ranges = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class SentenceSegment:
    """A stretch of one sentence.

    Attributes:
        start, end: Its character offsets.
        kind: "same" on both sides; "changed" into another word; "moved" to another place; "only-here".
        letters: Ranges of offsets within it that differ from its partner; the whole segment if a changed word has
            nothing in common with its partner.
        block: Number that a changed or moved segment shares with its partner on the other side, otherwise None.
    """

    start: int
    end: int
    kind: SegmentKind
    letters: _Ranges = ()
    block: int | None = None


@dataclass(frozen=True, slots=True)
class WordDiff:
    """The segments of both sentences, which cover each text completely and in order."""

    source: tuple[SentenceSegment, ...]
    hypothesis: tuple[SentenceSegment, ...]


def diff_words(source: str, hypothesis: str) -> WordDiff:
    """Compare two sentences word by word.

    Words that differ only in case or in the encoding of accented letters are aligned, with changed letters. Spaces are
    not compared: those inside a segment belong to it, those between segments are "same". Swapping the sentences
    swaps the sides of the result and changes nothing else.
    """
    if (len(source), source) > (len(hypothesis), hypothesis):
        swapped = diff_words(hypothesis, source)
        return WordDiff(swapped.hypothesis, swapped.source)
    left = [token for token in tokenize(source) if token.kind != "space"]
    right = [token for token in tokenize(hypothesis) if token.kind != "space"]
    left_marks: list[_TokenMark] = [_ONLY_HERE] * len(left)
    right_marks: list[_TokenMark] = [_ONLY_HERE] * len(right)
    block = 0
    budget = LETTER_WORDS

    def letters(i: int, j: int) -> tuple[_Ranges, _Ranges]:
        nonlocal budget
        budget -= 1
        return _changed_letters(left[i], right[j], entire=budget < 0)

    equal, gaps = align_equal(left, right)
    for i, j in equal:
        if left[i].text == right[j].text:
            left_marks[i] = right_marks[j] = _SAME
        else:
            here, there = letters(i, j)
            left_marks[i], right_marks[j] = _TokenMark("changed", block, here), _TokenMark("changed", block, there)
            block += 1
    moved = find_moved(left, right, gaps)
    for i, j, length in moved:
        for step in range(length):
            here, there = letters(i + step, j + step) if left[i + step].text != right[j + step].text else ((), ())
            left_marks[i + step] = _TokenMark("moved", block, here)
            right_marks[j + step] = _TokenMark("moved", block, there)
        block += 1
    for i, j in pair_changed(left, right, gaps, moved):
        here, there = letters(i, j)
        left_marks[i], right_marks[j] = _TokenMark("changed", block, here), _TokenMark("changed", block, there)
        block += 1
    return WordDiff(_segments(source, left, left_marks), _segments(hypothesis, right, right_marks))


@dataclass(frozen=True, slots=True)
class _TokenMark:
    """The segment kind, block and changed letters of one token."""

    kind: SegmentKind
    block: int | None = None
    letters: _Ranges = ()


_SAME = _TokenMark("same")
_ONLY_HERE = _TokenMark("only-here")


def _segments(text: str, words: list[TextToken], marks: list[_TokenMark]) -> tuple[SentenceSegment, ...]:
    """Join neighbouring tokens of the same kind and block; spaces between segments are "same"."""
    result: list[SentenceSegment] = []

    def add(start: int, end: int, kind: SegmentKind, block: int | None, letters: _Ranges) -> None:
        if result and (result[-1].kind, result[-1].block) == (kind, block):
            before = result.pop()
            start, letters = before.start, before.letters + letters
        result.append(SentenceSegment(start, end, kind, letters, block))

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


def _changed_letters(left: TextToken, right: TextToken, entire: bool = False) -> tuple[_Ranges, _Ranges]:
    """Return the ranges of changed letters of two words, as offsets in their texts.

    The ranges are the whole words if they have little in common or if `entire` is set, and empty on a side that only
    lost letters.
    """
    everything = ((left.start, left.end),), ((right.start, right.end),)
    if entire or max(len(left.text), len(right.text)) > LONGEST_WORD:
        return everything
    if left.key != right.key and likeness(left.key, right.key) < 0.5:
        return everything
    here, there = split_clusters(left.text), split_clusters(right.text)
    left_at = [left.start, *accumulate(map(len, here), initial=left.start)][1:]
    right_at = [right.start, *accumulate(map(len, there), initial=right.start)][1:]
    left_ranges: list[tuple[int, int]] = []
    right_ranges: list[tuple[int, int]] = []
    for tag, i1, i2, j1, j2 in Levenshtein.opcodes(here, there):
        if tag == "equal":
            continue
        if i2 > i1:
            left_ranges.append((left_at[i1], left_at[i2]))
        if j2 > j1:
            right_ranges.append((right_at[j1], right_at[j2]))
    return _join_ranges(left_ranges), _join_ranges(right_ranges)


def _join_ranges(ranges: list[tuple[int, int]]) -> _Ranges:
    result: list[tuple[int, int]] = []
    for start, end in ranges:
        if result and result[-1][1] == start:
            start = result.pop()[0]
        result.append((start, end))
    return tuple(result)
