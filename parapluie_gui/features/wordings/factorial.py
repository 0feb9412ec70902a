"""A full factorial analysis of variance: how much of the differences between numbers goes with which factor.

Every pair has a number for every combination of levels, so that the design is balanced and the sums of squares of all
terms add up to the whole (Fisher, The Design of Experiments, 1935). η² of a term is its share of the whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from parapluie_gui.arrays import Floats

#: Names of the terms that are no factor.
PAIRS, TOGETHER, REST = "pairs", "factors together", "rest"


@dataclass(frozen=True)
class Term:
    """A term of the analysis.

    Attributes:
        name: A factor, "pairs", "pairs × FACTOR", "factors together" (their interactions) or "rest".
        degrees: Its degrees of freedom.
        share: η², its part of the sum of squares, 0..1; NaN where nothing differs.
    """

    name: str
    degrees: int
    share: float


def variance_of_pairs(values: Floats, factors: Sequence[str]) -> tuple[Term, ...]:
    """Return the terms of numbers of pairs, float64 (pairs, levels of the first factor, of the second, …) without NaN.

    Factors with one level are left out. A pair's own term is how much pairs differ whatever the factors are; pairs ×
    factor is how differently a factor acts on different pairs.
    """
    pairs, levels = values.shape[0], values.shape[1:]
    varied = [at for at, count in enumerate(levels) if count > 1]
    grand = values.mean()
    cells = values.mean(axis=0)
    own = values.reshape(pairs, -1).mean(axis=1)
    size = prod(levels)
    terms = [(PAIRS, pairs - 1, size * _squares(own - grand))]
    terms += [
        (factors[at], levels[at] - 1, pairs * size / levels[at] * _squares(_means(cells, at) - grand)) for at in varied
    ]
    among = prod(levels) - 1 - sum(levels[at] - 1 for at in varied)
    if among:
        together = pairs * _squares(cells - grand) - sum(each[2] for each in terms[1:])
        terms.append((TOGETHER, among, together))
    for at in varied:
        axes = tuple(axis + 1 for axis in range(len(levels)) if axis != at)
        by_pair = values.mean(axis=axes)
        left = by_pair - own[:, None] - _means(cells, at)[None, :] + grand
        name, degrees = f"{PAIRS} × {factors[at]}", (pairs - 1) * (levels[at] - 1)
        terms.append((name, degrees, size / levels[at] * _squares(left)))
    whole = _squares(values - grand)
    if among:
        terms.append((REST, (pairs - 1) * among, whole - sum(each[2] for each in terms)))
    return _shared(terms, whole)


def variance_of_cells(values: Floats, factors: Sequence[str]) -> tuple[Term, ...]:
    """Return the terms of one number for each combination of levels, float64 (levels of the first factor, …)."""
    varied = [at for at, count in enumerate(values.shape) if count > 1]
    grand, size = values.mean(), values.size
    terms = [
        (factors[at], values.shape[at] - 1, size / values.shape[at] * _squares(_means(values, at) - grand))
        for at in varied
    ]
    whole = _squares(values - grand)
    if among := size - 1 - sum(degrees for _, degrees, _ in terms):
        terms.append((TOGETHER, among, whole - sum(each[2] for each in terms)))
    return _shared(terms, whole)


def _means(cells: Floats, at: int) -> Floats:
    """Return the mean at each level of a factor."""
    found: Floats = cells.mean(axis=tuple(axis for axis in range(cells.ndim) if axis != at))
    return found


def _squares(values: Floats) -> float:
    return float(np.square(values).sum())


def _shared(terms: Sequence[tuple[str, int, float]], whole: float) -> tuple[Term, ...]:
    # What is left of a difference of sums is not quite 0 by rounding, or even below it.
    return tuple(
        Term(name, degrees, max(round(squares / whole, 12), 0.0) if whole > 0 else float("nan"))
        for name, degrees, squares in terms
    )
