"""The language model for PEM's fluency: 4-grams with modified Kneser-Ney smoothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from parapluie_gui.arrays import Floats, Mask, Numbers, Rows, Scores

ORDER = 4

#: Numbers of the special tokens; words are numbered from FIRST.
UNKNOWN, BEGIN, END, FIRST = 0, 1, 2, 3

#: Discounts for a text too small to estimate them (the fallback of kenlm's lmplz).
_FALLBACK = (0.5, 1.0, 1.5)


@dataclass(frozen=True, eq=False)
class LanguageModel:
    """A backoff model: Pr(w|h) is that of the longest known n-gram times the backoff weights of longer histories.

    An n-gram's key is (row of its first n-1 words) * words + (last word), so that a table row identifies all its words.

    Attributes:
        words: Size of the vocabulary with the three special tokens.
        keys: For n = 2..4, sorted uint64 arrays.
        log_probability: For n = 1..4, float32 arrays of natural logarithms.
        log_backoff: For n = 1..3, float32 arrays.
    """

    words: int
    keys: tuple[Rows, ...]
    log_probability: tuple[Numbers, ...]
    log_backoff: tuple[Numbers, ...]

    def score(self, sentences: Sequence[Sequence[int]]) -> Scores:
        """Return log Pr (natural logarithm) of n sentences of word numbers with end marks, float64 of shape (n,)."""
        if not len(sentences):
            return np.zeros(0)
        tokens, position, starts = _concatenate(sentences)
        rows = self._rows(tokens, position)
        value = np.zeros(len(tokens))
        open_ = position > 0  # the beginning mark is not predicted
        # From the longest n-gram down: a known n-gram gives the probability, an unknown one costs a backoff weight.
        for order in range(ORDER, 0, -1):
            row = rows[order - 1]
            known = open_ & (row >= 0)
            value[known] += self.log_probability[order - 1][row[known]]
            open_ = open_ & ~known
            if order > 1:
                history = np.where(open_, np.roll(rows[order - 2], 1), -1)
                backs_off = history >= 0
                value[backs_off] += self.log_backoff[order - 2][history[backs_off]]
        return np.add.reduceat(value, starts)

    def _rows(self, tokens: Rows, position: Rows) -> list[Rows]:
        """Return for each order the table row of the n-gram that ends at each token, -1 for an unknown one."""
        rows = [tokens]
        for order in range(2, ORDER + 1):
            history = np.roll(rows[-1], 1)
            possible = np.flatnonzero((history >= 0) & (position >= order - 1))
            keys = history[possible].astype(np.uint64) * np.uint64(self.words) + tokens[possible].astype(np.uint64)
            row = np.full(len(tokens), -1, dtype=np.int64)
            row[possible] = find_rows(self.keys[order - 2], keys)
            rows.append(row)
        return rows


def _concatenate(sentences: Sequence[Sequence[int]]) -> tuple[Rows, Rows, Rows]:
    """Concatenate sentences with marks; returns tokens, their places in their sentences, and the sentences' starts."""
    lengths = np.fromiter((len(sentence) + 2 for sentence in sentences), dtype=np.int64, count=len(sentences))
    tokens = np.fromiter(chain.from_iterable((BEGIN, *sentence, END) for sentence in sentences), dtype=np.int64)
    starts = np.cumsum(lengths) - lengths
    return tokens, np.arange(len(tokens)) - np.repeat(starts, lengths), starts


def find_rows(table: Rows, keys: Rows) -> Rows:
    """Return the row of each key in a sorted table, -1 for a missing key."""
    if not len(table):
        return np.full(len(keys), -1, dtype=np.int64)
    row = np.minimum(np.searchsorted(table, keys), len(table) - 1)
    return np.where(table[row] == keys, row, -1)


def train(sentences: Sequence[Sequence[int]], words: int, least: tuple[int, int, int, int]) -> LanguageModel:
    """Estimate a model from sentences of word numbers, without marks; `words` is the vocabulary's size with the marks.

    Interpolated modified Kneser-Ney (Chen and Goodman, 1999, section 4.1) with discounts estimated per order. n-grams
    that occur less often than `least` (for n = 1..4; the value for single words is ignored) are then removed, unless
    they begin a longer n-gram that remains, and the backoff weights are recomputed, so that the probabilities after
    every history still sum to 1.
    """
    tables = _count_ngrams(sentences, words)
    adjusted = _adjust_counts(tables, words)
    probability = _interpolate(tables, adjusted, words)
    return _backoff(_prune(tables, probability, words, least), words)


@dataclass(eq=False)
class _NgramTable:
    """The n-grams of one order: sorted keys, the row of the first n-1 words, the row of the last n-1, and counts."""

    keys: Rows
    head: Rows
    tail: Rows
    count: Rows
    begins: Mask
    value: Floats


def _count_ngrams(sentences: Sequence[Sequence[int]], words: int) -> list[_NgramTable]:
    tokens, position, _ = _concatenate(sentences)
    every = np.arange(words)
    nowhere = np.zeros(words, dtype=np.int64)
    tables = [
        _NgramTable(every, nowhere, nowhere, np.bincount(tokens, minlength=words), every == BEGIN, np.zeros(words))
    ]
    rows = tokens  # the row of the n-gram that ends at each token
    for order in range(2, ORDER + 1):
        history = np.roll(rows, 1)
        at = np.flatnonzero(position >= order - 1)
        keys, first, inverse, count = np.unique(
            history[at] * words + tokens[at], return_index=True, return_inverse=True, return_counts=True
        )
        head, tail = keys // words, rows[at[first]]
        tables.append(_NgramTable(keys, head, tail, count, tables[-1].begins[head], np.zeros(len(keys))))
        rows = np.full(len(tokens), -1, dtype=np.int64)
        rows[at] = inverse
    return tables


def _adjust_counts(tables: list[_NgramTable], words: int) -> list[Rows]:
    """Return the adjusted counts of n-grams, by order.

    The longest n-grams and those that begin a sentence are counted as they occur, all others by the number of distinct
    words before them.
    """
    adjusted = []
    for order, table in enumerate(tables, 1):
        if order == ORDER:
            adjusted.append(table.count)
        else:
            before = np.bincount(tables[order].tail, minlength=len(table.keys))
            adjusted.append(np.where(table.begins, table.count, before))
    adjusted[0] = adjusted[0].copy()
    adjusted[0][BEGIN] = 0  # the beginning mark is never predicted
    return adjusted


def _interpolate(tables: list[_NgramTable], adjusted: list[Rows], words: int) -> list[Floats]:
    probability: list[Floats] = []
    for order, (table, count) in enumerate(zip(tables, adjusted, strict=True), 1):
        discount = _discounts(count)[np.minimum(count, 3)]
        groups = len(tables[order - 2].keys) if order > 1 else 1
        total = np.bincount(table.head, count, minlength=groups)
        left = np.bincount(table.head, np.where(count > 0, discount, 0.0), minlength=groups)
        total = np.maximum(total, 1)
        shorter = probability[-1][table.tail] if order > 1 else np.full(words, 1.0 / (words - 1))
        value = np.maximum(count - discount, 0.0) / total[table.head] + left[table.head] / total[table.head] * shorter
        if order == 1:
            value[BEGIN] = 0.0
        probability.append(value)
    return probability


def _discounts(count: Rows) -> Floats:
    """Return the discounts of the counts 0, 1, 2, and 3 or more."""
    ones, twos, threes, fours = (int((count == number).sum()) for number in (1, 2, 3, 4))
    if min(ones, twos, threes, fours) > 0:
        y = ones / (ones + 2 * twos)
        discounts = (1 - 2 * y * twos / ones, 2 - 3 * y * threes / twos, 3 - 4 * y * fours / threes)
        if all(0 < discount <= number for number, discount in enumerate(discounts, 1)):
            return np.array([0.0, *discounts])
    return np.array([0.0, *_FALLBACK])


def _prune(
    tables: list[_NgramTable], probability: list[Floats], words: int, least: tuple[int, int, int, int]
) -> list[_NgramTable]:
    remains = [np.ones(len(tables[0].keys), dtype=bool)]
    remains += [table.count >= least[order] for order, table in enumerate(tables[1:], 1)]
    for order in range(ORDER - 1, 1, -1):
        remains[order - 1][tables[order].head[remains[order]]] = True
    # Backoff weights need the last n-1 words of every n-gram that remains.
    for order in range(ORDER - 1, 1, -1):
        remains[order - 1][tables[order].tail[remains[order]]] = True
        if order > 2:
            remains[order - 2][tables[order - 1].head[remains[order - 1]]] = True
    pruned: list[_NgramTable] = []
    number: list[Rows] = []
    for order, (table, mask, value) in enumerate(zip(tables, remains, probability, strict=True), 1):
        number.append(np.cumsum(mask) - 1)
        head = number[order - 2][table.head[mask]] if order > 1 else table.head
        tail = number[order - 2][table.tail[mask]] if order > 1 else table.tail
        keys = head * words + table.keys[mask] % words if order > 1 else table.keys
        pruned.append(_NgramTable(keys, head, tail, table.count[mask], table.begins[mask], value[mask]))
    return pruned


def _backoff(tables: list[_NgramTable], words: int) -> LanguageModel:
    log_probability, log_backoff = [], []
    for order, table in enumerate(tables, 1):
        with np.errstate(divide="ignore"):
            log_probability.append(np.maximum(np.log(table.value), -99.0).astype(np.float32))
        if order < ORDER:
            longer = tables[order]
            used = np.bincount(longer.head, longer.value, minlength=len(table.keys))
            shorter = np.bincount(longer.head, table.value[longer.tail], minlength=len(table.keys))
            left = np.clip(1.0 - used, 1e-9, None) / np.clip(1.0 - shorter, 1e-9, None)
            log_backoff.append(np.log(left).astype(np.float32))
    keys = tuple(table.keys.astype(np.uint64) for table in tables[1:])
    return LanguageModel(words, keys, tuple(log_probability), tuple(log_backoff))
