"""Which tokens of a batch must be computed: rows laid end to end, a beginning that several rows share laid once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from parapluie_gui.pluie.rendering import common_prefix

#: Fewest tokens that are worth computing once for several rows; each sharing costs one more step in every layer.
LEAST_SHARED = 8


@dataclass(frozen=True)
class SharedBeginning:
    """A beginning that several rows share.

    Attributes:
        start, end: Its tokens.
        until: The rows that go on after it are from `end` to here.
    """

    start: int
    end: int
    until: int


@dataclass(frozen=True)
class Packing:
    """The tokens of a batch, end to end and without padding.

    Attributes:
        tokens: Their ids, T of them.
        positions: How many tokens of its own row stand before each, T of them.
        stretches: (start, end) of what follows on one after the other, which together are all T.
        shared: Which stretches other stretches go on from.
        ends: For each row as it was given, the place after its last token.
    """

    tokens: list[int]
    positions: list[int]
    stretches: list[tuple[int, int]]
    shared: list[SharedBeginning]
    ends: list[int]


def pack(rows: Sequence[Sequence[int]], apart: int = 1, *, share: bool = True) -> Packing:
    """Lay rows of token ids end to end.

    The last `apart` tokens of each row are never shared (those whose answers are read). Without `share`, no beginning
    is, and each row is one stretch.
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

    families = _families(rows, apart) if share else [([number], 0) for number in range(len(rows))]
    for members, common in families:
        start = len(tokens)
        if common:
            lay(rows[members[0]][:common], 0)
        end = len(tokens)
        for member in members:
            ends[member] = lay(rows[member][common:], common)
        if common:
            shared.append(SharedBeginning(start, end, len(tokens)))
    return Packing(tokens, positions, stretches, shared, ends)


def _families(rows: Sequence[Sequence[int]], apart: int) -> list[tuple[list[int], int]]:
    """Group rows that begin alike; returns the rows of each group and how many tokens all of them share."""
    # Sorted, rows that begin alike are neighbours, and a group shares what each two neighbours in it do.
    order = sorted(range(len(rows)), key=lambda number: list(rows[number]))
    alike = [count_shared_tokens(rows[one], rows[other], apart) for one, other in pairwise(order)]
    saved, start, common = [0], [0], [0]  # of the best grouping of the rows up to each, and of its last group
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
    families: list[tuple[list[int], int]] = []
    end = len(order)
    while end:
        families.append((order[start[end] : end], common[end]))
        end = start[end]
    return families[::-1]


def count_shared_tokens(first: Sequence[int], second: Sequence[int], apart: int = 1) -> int:
    """Return how many leading tokens two rows can share, as each keeps its last `apart` for itself."""
    return min(common_prefix(first, second), len(first) - apart, len(second) - apart)
