"""Comparison of word sequences (edits, longest common subsequence) by rapidfuzz, on all cores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from parapluie_gui.arrays import Rows

#: Number of words compared at a time.
_CHUNK = 1 << 18
#: The last code point, and so the largest number of distinct words, since each is mapped to a character.
_LAST = 0x10FFFF


def compare_sequences(left: Sequence[bytes], right: Sequence[bytes], scorer: Callable[..., Any]) -> Rows:
    """Apply a scorer of rapidfuzz to n pairs of rows of numbers (int32 in bytes); returns int64 of shape (n,).

    rapidfuzz is fastest on strings, so each number is mapped to a character.
    """
    values = np.empty(len(left), dtype=np.int64)
    start = 0
    while start < len(left):
        stop, words = start, 0
        while stop < len(left) and (stop == start or words < _CHUNK):
            words += (len(left[stop]) + len(right[stop])) // 4
            stop += 1
        values[start:stop] = _compare(left[start:stop], right[start:stop], scorer)
        start = stop
    return values


def _compare(left: Sequence[bytes], right: Sequence[bytes], scorer: Callable[..., Any]) -> Rows:
    from rapidfuzz.process import cpdist

    numbers: Rows = np.frombuffer(b"".join([*left, *right]), dtype=np.int32)
    if numbers.max(initial=0) > _LAST:
        distinct, numbers = np.unique(numbers, return_inverse=True)
        if len(distinct) > _LAST:  # reached by a pair of a million words
            sides = [[np.frombuffer(row, dtype=np.int32).tolist() for row in side] for side in (left, right)]
            return np.array([scorer(one, other) for one, other in zip(*sides, strict=True)])
    text = numbers.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
    ends = np.cumsum([len(row) // 4 for row in (*left, *right)]).tolist()
    texts = [text[start:stop] for start, stop in zip([0, *ends[:-1]], ends, strict=True)]
    return np.asarray(cpdist(texts[: len(left)], texts[len(left) :], scorer=scorer, dtype=np.int64, workers=-1))
