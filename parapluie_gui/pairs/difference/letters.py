"""Finds the letters in which two words differ, in whole characters as a reader sees them."""

from __future__ import annotations

from itertools import accumulate

import Levenshtein

from parapluie_gui.pairs.difference.words import Token, clusters

#: Longer words are marked as a whole: nobody reads letter marks in them.
LONGEST_WORD = 60

_Ranges = tuple[tuple[int, int], ...]


def likeness(left: str, right: str) -> float:
    """Return how much of two words is common, 0 to 1: twice the letters kept in order over all letters."""
    return Levenshtein.ratio(left[:LONGEST_WORD], right[:LONGEST_WORD])


def changed_letters(left: Token, right: Token, whole: bool = False) -> tuple[_Ranges, _Ranges]:
    """Return the ranges of changed letters of two words, as offsets in their texts.

    Args:
        left: A word of the one text.
        right: The word of the other text that it became.
        whole: Do not compare letters.

    Returns:
        The ranges of each; the whole words when they have little in common. A side that only lost letters has none.
    """
    everything = ((left.start, left.end),), ((right.start, right.end),)
    if whole or max(len(left.text), len(right.text)) > LONGEST_WORD:
        return everything
    if left.key != right.key and likeness(left.key, right.key) < 0.5:
        return everything
    here, there = clusters(left.text), clusters(right.text)
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
    return _joined(left_ranges), _joined(right_ranges)


def _joined(ranges: list[tuple[int, int]]) -> _Ranges:
    result: list[tuple[int, int]] = []
    for start, end in ranges:
        if result and result[-1][1] == start:
            start = result.pop()[0]
        result.append((start, end))
    return tuple(result)
