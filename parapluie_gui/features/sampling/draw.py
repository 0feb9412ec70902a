"""Random draws of pairs, and the precision of a share estimated from them."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, sqrt

import numpy as np

from parapluie_gui.analysis.statistics.buckets import Z_95, cut_numbers
from parapluie_gui.arrays import Floats, Rows


def draw_pairs(strata: Sequence[object], count: int, seed: int) -> Rows:
    """Draw pairs at random without replacement, with as many of each stratum as possible.

    If a stratum has too few pairs, all of them are drawn and the other strata make up the difference. A remainder is
    distributed over the strata at random.

    Args:
        strata: The stratum of each of n pairs; a pair whose stratum is None is not drawn.
        count: Number of pairs to draw.
        seed: Seed of the draw.

    Returns:
        The rows drawn, int64 (k,), ascending; k is less than `count` if there are not enough pairs.
    """
    random = np.random.default_rng(seed)
    places: dict[object, list[int]] = {}
    for row, stratum in enumerate(strata):
        if stratum is not None:
            places.setdefault(stratum, []).append(row)
    left = {stratum: random.permutation(rows) for stratum, rows in places.items()}
    shares = dict.fromkeys(left, 0)
    wanted = min(count, sum(map(len, left.values())))
    while missing := wanted - sum(shares.values()):
        unfilled = [stratum for stratum, rows in left.items() if shares[stratum] < len(rows)]
        equal = missing // len(unfilled)
        if equal == 0:
            for place in random.permutation(len(unfilled))[:missing].tolist():
                shares[unfilled[place]] += 1
        for stratum in unfilled:
            shares[stratum] += min(equal, len(left[stratum]) - shares[stratum])
    drawn = [left[stratum][:share] for stratum, share in shares.items()]
    return np.sort(np.concatenate(drawn)).astype(np.int64) if drawn else np.zeros(0, dtype=np.int64)


def divide_into_quarters(values: Floats) -> list[int | None]:
    """Return the quarter of each value by rank, 1 to 4; None for missing values. Equal values share a quarter."""
    return [code + 1 if code >= 0 else None for code in cut_numbers("", values, parts=4).code.tolist()]


def half_width(count: int, population: int) -> float:
    """Return the half-width of the 95 % interval of a share of one half, estimated from pairs drawn at random, 0 to 1.

    A share of one half is the worst case. The finite population correction is applied.
    """
    if count <= 0:
        return 1.0
    correction = sqrt((population - count) / (population - 1)) if population > 1 else 0.0
    return Z_95 * sqrt(0.25 / count) * correction


def pairs_for(width: float, population: int) -> int:
    """Return the smallest number of pairs whose `half_width` is at most `width`, for the same population."""
    unlimited = (Z_95 / (2 * width)) ** 2
    return min(population, ceil(unlimited / (1 + (unlimited - 1) / population))) if population else 0
