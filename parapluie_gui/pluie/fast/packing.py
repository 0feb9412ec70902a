"""The packing of a batch: the tokens of rows laid end to end, with beginnings that several rows share only once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from parapluie_gui.pluie.rendering import common_prefix

#: Minimum number of tokens to share between rows; each shared beginning costs one more step in every layer.
LEAST_SHARED = 8


@dataclass(frozen=True)
class SharedBeginning:
    """A beginning that several rows share.

    Attributes:
        start, end: Range of its tokens in the packing.
        until: End of the tokens of the rows that continue it, which begin at `end`.
    """

    start: int
    end: int
    until: int


@dataclass(frozen=True)
class PackedBatch:
    """The tokens of a batch, end to end and without padding.

    Attributes:
        tokens: T token ids.
        positions: Number of tokens of the same row before each of the T tokens.
        stretches: (start, end) of consecutive tokens of a row; all stretches together are the T tokens.
        shared: The stretches that other stretches continue.
        ends: For each row, in the original order, the index after its last token.
    """

    tokens: list[int]
    positions: list[int]
    stretches: list[tuple[int, int]]
    shared: list[SharedBeginning]
    ends: list[int]


def pack(rows: Sequence[Sequence[int]], apart: int = 1, *, share: bool = True) -> PackedBatch:
    """Lay rows of token ids end to end.

    The last `apart` tokens of each row, whose answers are read, are never shared. Without `share` nothing is shared,
    and each row is one stretch.
    """
    tokens: list[int] = []
    positions: list[int] = []
    stretches: list[tuple[int, int]] = []
    shared: list[SharedBeginning] = []
    ends = [0] * len(rows)

    def lay(ids: Sequence[int], first: int) -> int:
        stretches.append((len(tokens), len(tokens) + len(ids)))
        tokens.extend(ids)
        positions.extend(range(first, first + len(ids)))
        return len(tokens)

    groups = _group_by_beginning(rows, apart) if share else [([number], 0) for number in range(len(rows))]
    for members, common in groups:
        start = len(tokens)
        if common:
            lay(rows[members[0]][:common], 0)
        end = len(tokens)
        for member in members:
            ends[member] = lay(rows[member][common:], common)
        if common:
            shared.append(SharedBeginning(start, end, len(tokens)))
    return PackedBatch(tokens, positions, stretches, shared, ends)


def _group_by_beginning(rows: Sequence[Sequence[int]], apart: int) -> list[tuple[list[int], int]]:
    """Group rows with the same beginning; return the rows of each group and the number of tokens that they share."""
    # After sorting, rows with the same beginning are neighbours, and a group shares the tokens of all its neighbours.
    order = sorted(range(len(rows)), key=lambda number: list(rows[number]))
    alike = [count_shared_tokens(rows[one], rows[other], apart) for one, other in pairwise(order)]
    # For the best grouping of the first rows: the number of tokens saved, and the start and shared tokens of the last
    # group.
    saved, start, common = [0], [0], [0]
    for last in range(len(order)):
        best = (saved[last], last, 0)
        least = len(rows[order[last]])
        for first in range(last - 1, -1, -1):
            least = min(least, alike[first])
            if least < LEAST_SHARED:
                break
            best = max(best, (saved[first] + least * (last - first), first, least))
        for table, value in zip((saved, start, common), best, strict=True):
            table.append(value)
    groups: list[tuple[list[int], int]] = []
    end = len(order)
    while end:
        groups.append((order[start[end] : end], common[end]))
        end = start[end]
    return groups[::-1]


def count_shared_tokens(first: Sequence[int], second: Sequence[int], apart: int = 1) -> int:
    """Return how many leading tokens two rows can share not counting the last `apart` tokens of either."""
    return min(common_prefix(first, second), len(first) - apart, len(second) - apart)
