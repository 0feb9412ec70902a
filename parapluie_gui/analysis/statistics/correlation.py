"""Pearson's, Spearman's and Kendall's correlation of two columns, with bootstrap confidence intervals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import frexp, isfinite, isnan, nan

import numpy as np

from parapluie_gui.analysis.score_column import Tick
from parapluie_gui.arrays import Floats, Mask, Rows

#: Number of resamples between two calls of `tick`.
_BLOCK = 20

DRAWS = 1000


@dataclass(frozen=True)
class Estimate:
    """A number with its confidence interval; NaN where undefined, or without a requested interval."""

    value: float = nan
    low: float = nan
    high: float = nan

    def __str__(self) -> str:
        if isnan(self.value):
            return "–"
        text = f"{self.value:.3f}"
        return text if isnan(self.low) else f"{text} [{self.low:.3f}, {self.high:.3f}]"


@dataclass(frozen=True)
class Correlation:
    """The correlations of two columns.

    Attributes:
        pairs: Pairs that have both values.
        pearson: Pearson's correlation of the values, in [-1, 1].
        spearman: Pearson's correlation of the ranks; equal values share their mean rank.
        kendall: Kendall's τ-b, which allows for ties; NaN if it was not requested.
    """

    pairs: int = 0
    pearson: Estimate = Estimate()
    spearman: Estimate = Estimate()
    kendall: Estimate = Estimate()


def pearson(x: Floats, y: Floats) -> float:
    """Return Pearson's correlation over the pairs that have both values; NaN when one column is constant."""
    return _pearson(*_both(x, y))


def spearman(x: Floats, y: Floats) -> float:
    """Return Spearman's rank correlation over the pairs that have both values; NaN when one column is constant."""
    x, y = _both(x, y)
    return _pearson(ranks(x), ranks(y))


def kendall(x: Floats, y: Floats) -> float:
    """Return Kendall's τ-b over the pairs that have both values; NaN where it is not defined."""
    return _kendall(*_both(x, y))


def ranks(values: Floats) -> Floats:
    """Return ranks from 1, (n,): equal values share their mean rank, the rank of NaN is NaN."""
    result = np.full(len(values), nan)
    present = ~np.isnan(values)
    if present.any():
        distinct, code = np.unique(values[present], return_inverse=True)
        result[present] = _midranks(code, len(distinct))
    return result


def correlation(
    x: Floats,
    y: Floats,
    *,
    where: Mask | None = None,
    draws: int = 0,
    seed: int = 0,
    kendall: bool = True,
    tick: Tick | None = None,
) -> Correlation:
    """Return the three correlations of two columns of n numbers, NaN where undefined.

    Args:
        x: The first column.
        y: The second column.
        where: The pairs to use; None for all.
        draws: Number of resamples of the pairs for the 95 % confidence intervals (percentiles of the bootstrap); 0 for
            no intervals. All three correlations are computed on each resample, ranks included.
        seed: Seed of the resamples; the same seed gives the same intervals.
        kendall: Whether to compute Kendall's correlation, by far the slowest on resamples.
        tick: Called as tick(done, draws) every few resamples; an exception it raises stops the work.
    """
    x, y = _both(x, y, where)
    value = Correlation(
        pairs=len(x),
        pearson=Estimate(_pearson(x, y)),
        spearman=Estimate(_pearson(ranks(x), ranks(y))),
        kendall=Estimate(_kendall(x, y) if kendall else nan),
    )
    if not draws or isnan(value.spearman.value):
        return value
    # With x sorted, every resample is nearly sorted too, which speeds up Kendall's sorting and the processor's cache.
    order = np.argsort(x, kind="stable")
    x, y = x[order], y[order]
    x_distinct, x_code = np.unique(x, return_inverse=True)
    y_distinct, y_code = np.unique(y, return_inverse=True)

    def draw(rows: Rows) -> tuple[float, float, float]:
        x_drawn, y_drawn = x_code[rows], y_code[rows]
        return (
            _pearson(x[rows], y[rows]),
            _pearson(_midranks(x_drawn, len(x_distinct)), _midranks(y_drawn, len(y_distinct))),
            _kendall(x_drawn, y_drawn) if kendall else nan,
        )

    drawn = resample(draw, len(x), draws, seed, tick)
    estimates = (value.pearson, value.spearman, value.kendall)
    return Correlation(len(x), *(interval(estimate.value, drawn[:, place]) for place, estimate in enumerate(estimates)))


def resample(
    draw: Callable[[Rows], tuple[float, ...]], pairs: int, draws: int, seed: int, tick: Tick | None = None
) -> Floats:
    """Call `draw` on row numbers drawn with replacement and return its results, (draws, values).

    Each call gets as many rows as there are pairs, in ascending order.
    """
    random = np.random.default_rng(seed)
    values = []
    for number in range(draws):
        if tick is not None and number % _BLOCK == 0:
            tick(number, draws)
        values.append(draw(np.sort(random.integers(0, pairs, pairs))))
    if tick is not None:
        tick(draws, draws)
    return np.array(values, dtype=np.float64)


def interval(value: float, drawn: Floats) -> Estimate:
    """Return a number with the 95 % interval of its resamples, ignoring undefined ones (NaN)."""
    drawn = drawn[~np.isnan(drawn)]
    if isnan(value) or not len(drawn):
        return Estimate(value)
    low, high = np.quantile(drawn, [0.025, 0.975])
    return Estimate(value, float(low), float(high))


def _both(x: Floats, y: Floats, where: Mask | None = None) -> tuple[Floats, Floats]:
    usable = ~(np.isnan(x) | np.isnan(y))
    if where is not None:
        usable &= where
    return x[usable], y[usable]


def _pearson(x: Floats, y: Floats) -> float:
    # In a constant column, rounding errors would be correlated.
    if len(x) < 2 or x.min() == x.max() or y.min() == y.max():
        return nan
    with np.errstate(invalid="ignore", over="ignore"):  # NaN for infinite values
        x, y = _scale_values(x), _scale_values(y)
        x, y = x - x.mean(), y - y.mean()
        # einsum rather than @: on columns this short, BLAS threads cost more than they gain, above all on a busy
        # processor.
        xy, xx, yy = (np.einsum("i,i", one, two) for one, two in ((x, y), (x, x), (y, y)))
        return float(np.clip(xy / np.sqrt(xx * yy), -1.0, 1.0))


def _scale_values(values: Floats) -> Floats:
    """Return values times a power of two, which changes no digit, if their squares would be too large or too small."""
    largest = float(np.abs(values).max())
    if 1e-100 < largest < 1e100 or not isfinite(largest):
        return values
    return np.ldexp(values, -frexp(largest)[1])


def _midranks(code: Rows, distinct: int) -> Floats:
    """Return the mean ranks from 1 of values numbered 0 ... distinct - 1 in ascending order."""
    count = np.bincount(code, minlength=distinct)
    return np.asarray((np.cumsum(count) - (count - 1) / 2)[code])


def _kendall(x: Floats | Rows, y: Floats | Rows) -> float:
    from scipy.stats import kendalltau

    return float(kendalltau(x, y).statistic) if len(x) > 1 else nan
