"""Full factorial analysis of variance: the share of the variance that each factor explains.

Every pair has a number for every combination of levels. The design is therefore balanced, and the sums of squares of
all terms add up to the total (Fisher, The Design of Experiments, 1935). η² of a term is its share of the total.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from parapluie_gui.arrays import Floats

#: Names of the terms that are not factors.
PAIRS, INTERACTIONS, RESIDUAL = "pairs", "factors together", "rest"


@dataclass(frozen=True)
class VarianceTerm:
    """A term of an analysis of variance.

    Attributes:
        name: A factor, "pairs", "pairs × FACTOR", "factors together" (their interactions) or "rest".
        degrees: The degrees of freedom.
        share: η², the share of the total sum of squares, 0..1; NaN if all numbers are equal.
    """

    name: str
    degrees: int
    share: float


def variance_of_pairs(values: Floats, factors: Sequence[str]) -> tuple[VarianceTerm, ...]:
    """Return the terms of the variance of pairs' numbers.

    Factors with one level are left out. "pairs" is the variance between pairs in every form; "pairs × factor" is the
    difference in the effect of a factor between pairs.

    Args:
        values: float64 (pairs, levels of the first factor, levels of the second, …), without NaN.
        factors: The name of each factor.
    """
    pairs, levels = values.shape[0], values.shape[1:]
    varying = [at for at, count in enumerate(levels) if count > 1]
    grand = values.mean()
    cells = values.mean(axis=0)
    pair_means = values.reshape(pairs, -1).mean(axis=1)
    size = prod(levels)
    terms = [(PAIRS, pairs - 1, size * _squares(pair_means - grand))]
    terms += [
        (factors[at], levels[at] - 1, pairs * size / levels[at] * _squares(_means(cells, at) - grand)) for at in varying
    ]
    degrees_together = prod(levels) - 1 - sum(levels[at] - 1 for at in varying)
    if degrees_together:
        together = pairs * _squares(cells - grand) - sum(squares for _, _, squares in terms[1:])
        terms.append((INTERACTIONS, degrees_together, together))
    for at in varying:
        axes = tuple(axis + 1 for axis in range(len(levels)) if axis != at)
        by_pair = values.mean(axis=axes)
        residuals = by_pair - pair_means[:, None] - _means(cells, at)[None, :] + grand
        name, degrees = f"{PAIRS} × {factors[at]}", (pairs - 1) * (levels[at] - 1)
        terms.append((name, degrees, size / levels[at] * _squares(residuals)))
    total = _squares(values - grand)
    if degrees_together:
        terms.append((RESIDUAL, (pairs - 1) * degrees_together, total - sum(squares for _, _, squares in terms)))
    return _with_shares(terms, total)


def variance_of_cells(values: Floats, factors: Sequence[str]) -> tuple[VarianceTerm, ...]:
    """Return the terms of the variance of one number for each combination of levels.

    Args:
        values: float64 (levels of the first factor, levels of the second, …), without NaN.
        factors: The name of each factor.
    """
    varying = [axis for axis, count in enumerate(values.shape) if count > 1]
    grand, size = values.mean(), values.size
    terms = [
        (factors[axis], values.shape[axis] - 1, size / values.shape[axis] * _squares(_means(values, axis) - grand))
        for axis in varying
    ]
    total = _squares(values - grand)
    if degrees_together := size - 1 - sum(degrees for _, degrees, _ in terms):
        terms.append((INTERACTIONS, degrees_together, total - sum(squares for _, _, squares in terms)))
    return _with_shares(terms, total)


def _means(cells: Floats, factor: int) -> Floats:
    """Return the mean at each level of a factor."""
    means: Floats = cells.mean(axis=tuple(axis for axis in range(cells.ndim) if axis != factor))
    return means


def _squares(values: Floats) -> float:
    return float(np.square(values).sum())


def _with_shares(terms: Sequence[tuple[str, int, float]], total: float) -> tuple[VarianceTerm, ...]:
    # Rounding errors can make a difference of sums slightly positive or negative instead of 0.
    return tuple(
        VarianceTerm(name, degrees, max(round(squares / total, 12), 0.0) if total > 0 else float("nan"))
        for name, degrees, squares in terms
    )
