"""Counts the n-grams of words or characters that two texts share, for many pairs at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import reduce
from operator import or_

import numpy as np
from numpy.typing import NDArray

from parapluie_gui.arrays import Mask, Rows

#: The tokens of n texts, concatenated and numbered from 0, and the number of tokens of each text, shape (n,).
Tokens = tuple[NDArray[np.int32], Rows]

#: Number of tokens counted at a time, few enough that sorting stays in the CPU cache and memory does not grow with the
#: texts.
_CHUNK = 1 << 14
#: Bits of a sort key, without the sign.
_BITS = 63


def shared_runs(left: Tokens, right: Tokens, orders: int) -> Rows:
    """Count the runs of 1 to `orders` tokens that two texts share, clipped to the smaller of their two counts.

    `left` and `right` hold the texts of n pairs. Returns int64 of shape (orders, n).
    """
    counts = np.zeros((orders, len(left[1])), dtype=np.int64)
    ends = [np.concatenate([[0], np.cumsum(lengths)]) for _, lengths in (left, right)]
    for start, stop in _chunks(ends[0] + ends[1]):
        token = np.concatenate([side[0][end[start] : end[stop]] for side, end in zip((left, right), ends, strict=True)])
        lengths = np.concatenate([left[1][start:stop], right[1][start:stop]])
        if len(token):
            counts[:, start:stop] = _count(_dense(token), lengths, orders)
    return counts


def runs_in_references(
    candidates: Sequence[Sequence[int]], references: Sequence[Sequence[Sequence[int]]], orders: int
) -> Rows:
    """Count the runs of each of n candidates, clipped to the largest number in any one of its references.

    Returns int64 of shape (orders, n). Papineni et al. (ACL 2002), section 2.1.
    """
    counts = np.zeros((orders, len(candidates)), dtype=np.int64)
    for row, (candidate, others) in enumerate(zip(candidates, references, strict=True)):
        for order in range(orders):
            runs, *theirs = (
                Counter(zip(*(tokens[start:] for start in range(order + 1)), strict=False))
                for tokens in (candidate, *others)
            )
            counts[order, row] = (runs & reduce(or_, theirs)).total()
    return counts


def totals(lengths: Rows, orders: int) -> Rows:
    """Return the number of runs of 1 to `orders` tokens in texts of these lengths, int64 of shape (orders, n)."""
    return np.asarray(np.maximum(lengths - np.arange(orders)[:, None], 0))


def _chunks(ends: Rows) -> Iterator[tuple[int, int]]:
    """Yield ranges of pairs with at most _CHUNK tokens in total; a longer pair is a range by itself."""
    start, pairs = 0, len(ends) - 1
    while start < pairs:
        stop = int(np.searchsorted(ends, ends[start] + _CHUNK, side="right")) - 1
        stop = min(max(stop, start + 1), pairs)
        yield start, stop
        start = stop


def _dense(token: Rows) -> Rows:
    """Renumber the tokens from 1, without gaps."""
    used = np.zeros(int(token.max()) + 1, dtype=np.int64)
    used[token] = 1
    return np.cumsum(used)[token]


def _count(token: Rows, lengths: Rows, orders: int) -> Rows:
    """Count within one chunk; `lengths` holds the left texts', then the right texts'."""
    pairs = len(lengths) // 2
    pair = np.repeat(np.tile(np.arange(pairs), 2), lengths)
    on_left = np.arange(len(token)) < lengths[:pairs].sum()
    # number of tokens from each token to the end of its text
    after = np.repeat(np.cumsum(lengths), lengths) - np.arange(len(token))
    bits = int(token.max()).bit_length()
    if pairs.bit_length() + orders * bits + 1 <= _BITS:
        return _count_packed(token, pair, on_left, after, pairs, orders, bits)
    return _count_stepwise(token, pair, on_left, after, pairs, orders)


def _count_packed(token: Rows, pair: Rows, on_left: Mask, after: Rows, pairs: int, orders: int, bits: int) -> Rows:
    """Pack the pair, the longest run from each token and the side into one key, so that one sort serves all orders."""
    key = pair.copy()
    padded = np.concatenate([token, np.zeros(orders, dtype=token.dtype)])
    for order in range(orders):
        key <<= bits
        key |= np.where(after > order, padded[order : order + len(token)], 0)
    key <<= 1
    key |= on_left
    key.sort()

    lefts = np.concatenate([[0], np.cumsum(key & 1)])
    differs = np.concatenate([[-1], key[1:] ^ key[:-1]])
    counts = np.zeros((orders, pairs), dtype=np.int64)
    first = np.arange(len(key))
    for order in reversed(range(orders)):
        # Runs of this order begin where the key changes anywhere up to their last token; those of a shorter order
        # begin at a subset of these places.
        shift = 1 + (orders - 1 - order) * bits
        first = first[differs[first] >> shift != 0]
        both = np.diff(first, append=len(key))
        left = lefts[np.append(first[1:], len(key))] - lefts[first]
        common = np.minimum(left, both - left)
        # The last token of a run past the end of its text is 0.
        runs = key[first] >> shift
        common[(runs & ((1 << bits) - 1)) == 0] = 0
        counts[order] = np.bincount(runs >> ((order + 1) * bits), common, minlength=pairs)
    return counts


def _count_stepwise(token: Rows, pair: Rows, on_left: Mask, after: Rows, pairs: int, orders: int) -> Rows:
    """Count order by order, for texts with too many distinct tokens for one key."""
    counts = np.zeros((orders, pairs), dtype=np.int64)
    start, run = np.arange(len(token)), pair
    tokens = int(token.max()) + 1
    for order in range(orders):
        keep = after[start] > order
        start, run = start[keep], run[keep]
        # `run` numbers each distinct (pair, run of tokens); a longer run extends it by one token.
        distinct, run = np.unique(run * tokens + token[start + order], return_inverse=True)
        left = np.bincount(run[on_left[start]], minlength=len(distinct))
        right = np.bincount(run[~on_left[start]], minlength=len(distinct))
        owner = np.zeros(len(distinct), dtype=np.int64)
        owner[run] = pair[start]
        counts[order] = np.bincount(owner, np.minimum(left, right), minlength=pairs)
    return counts
