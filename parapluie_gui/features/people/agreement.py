"""Measures agreement of raters: percentages, Cohen's and Fleiss' κ, Krippendorff's α, with intervals over pairs.

Definitions: Cohen (Educational and Psychological Measurement 20, 1960), Fleiss (Psychological Bulletin 76, 1971),
Krippendorff (Content Analysis, 4th ed., 2019, chapter 12).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from parapluie_gui.analysis.statistics.correlation import DRAWS, Estimate, interval, pearson
from parapluie_gui.arrays import Floats, Rows

#: Answers of m raters to n items as categories from 0, int (n, m); -1 for no answer.
Codes = Rows

#: Maximum number of elements in an intermediate array of the bootstrap.
_LARGEST = 4_000_000

#: Maximum number of weights in a bootstrap over single items; 20,000 items with 1,000 draws take about a second.
_MOST_WEIGHTS = 20_000_000

#: Maximum number of raters for the mean κ of every two raters.
_MOST_RATERS = 50


@dataclass(frozen=True)
class TwoRaters:
    """Agreement of two raters on the items that both rated.

    Attributes:
        items: Number of these items.
        share: Share of them with the same answer.
        kappa: Cohen's κ; NaN without items, or if both always give the same single answer.
    """

    items: int = 0
    share: Estimate = field(default_factory=Estimate)
    kappa: Estimate = field(default_factory=Estimate)


@dataclass(frozen=True)
class Agreement:
    """Agreement of all raters. A value is NaN where it is not defined: too few items, or a single answer throughout.

    Attributes:
        raters: Number of raters.
        items: Number of items that at least two raters rated.
        complete: Number of items that all raters rated.
        share: Share of equal answers among all pairs of answers to the same item.
        kappa: Mean of Cohen's κ over every two raters (Light's κ); NaN for more than `_MOST_RATERS`, of whom hardly
            two have items in common.
        fleiss: Fleiss' κ of the items that all raters rated.
        nominal: Krippendorff's α for unordered answers.
        ordinal: Krippendorff's α for ordered answers; NaN for unordered ones.
    """

    raters: int
    items: int
    complete: int
    share: Estimate = field(default_factory=Estimate)
    kappa: Estimate = field(default_factory=Estimate)
    fleiss: Estimate = field(default_factory=Estimate)
    nominal: Estimate = field(default_factory=Estimate)
    ordinal: Estimate = field(default_factory=Estimate)


def compare_raters(first: Rows, second: Rows, categories: int, *, draws: int = DRAWS, seed: int = 0) -> TwoRaters:
    """Compare two raters' codes, (n,) each; no intervals without draws."""
    both = (first >= 0) & (second >= 0)
    if not both.any():
        return TwoRaters()
    patterns, counts = np.unique(np.column_stack([first[both], second[both]]), axis=0, return_counts=True)
    boot = _ItemBootstrap(counts, draws, seed)
    return TwoRaters(
        int(both.sum()),
        boot.estimate(lambda weights: _share(weights, patterns[:, 0] == patterns[:, 1])),
        boot.estimate(lambda weights: _kappa(weights, patterns, categories)),
    )


def measure_agreement(
    codes: Codes, categories: int, *, ordered: Codes | None = None, draws: int = DRAWS, seed: int = 0
) -> Agreement:
    """Compare all raters.

    Args:
        codes: The answers.
        categories: The number of categories.
        ordered: The answers as ranks on their scale, -1 for those without a rank; None without a scale.
        draws: Number of resamples of the items for the intervals; 0 for none.
        seed: Seed of the resamples.
    """
    raters = codes.shape[1]
    answers = (codes >= 0).sum(axis=1)
    usable = codes[answers >= 2]
    complete = codes[answers == raters] if raters > 1 else codes[:0]
    if not len(usable):
        return Agreement(raters, 0, 0)
    tables, counts = _tables(usable, categories)
    boot = _ItemBootstrap(counts, draws, seed)
    result = {
        "share": boot.estimate(lambda weights: _pairwise_share(weights, tables)),
        "kappa": _light(usable, categories, draws, seed) if raters <= _MOST_RATERS else Estimate(),
        "nominal": boot.estimate(lambda weights: _alpha(weights, tables, ordinal=False)),
    }
    if len(complete):
        full, times = _tables(complete, categories)
        result["fleiss"] = _ItemBootstrap(times, draws, seed).estimate(lambda weights: _fleiss(weights, full))
    if ordered is not None and len(placed := ordered[(ordered >= 0).sum(axis=1) >= 2]):
        ranked, times = _tables(placed, int(placed.max()) + 1)
        result["ordinal"] = _ItemBootstrap(times, draws, seed).estimate(
            lambda weights: _alpha(weights, ranked, ordinal=True)
        )
    return Agreement(raters, len(usable), len(complete), **result)


def estimate_pearson(first: Floats, second: Floats, *, draws: int = DRAWS, seed: int = 0) -> Estimate:
    """Return Pearson's r of the items that have both values, (n,) each, with its bootstrap interval.

    There is no interval if items times draws exceed `_MOST_WEIGHTS`.
    """
    both = ~(np.isnan(first) | np.isnan(second))
    x, y = first[both], second[both]
    value = pearson(x, y)
    if not draws or np.isnan(value) or len(x) * draws > _MOST_WEIGHTS:
        return Estimate(value)
    x, y = x - x.mean(), y - y.mean()
    weights = np.random.default_rng(seed).multinomial(len(x), np.full(len(x), 1 / len(x)), size=draws) / len(x)
    columns = np.column_stack([x, y, x * x, y * y, x * y])
    mean_x, mean_y, square_x, square_y, product = (weights @ columns).T
    spread = (square_x - mean_x**2) * (square_y - mean_y**2)
    # A resample of a single repeated value has no correlation, even if rounding leaves some spread.
    least = 1e-12 * (x @ x) * (y @ y) / len(x) ** 2
    drawn = np.where(spread > least, (product - mean_x * mean_y) / np.sqrt(np.maximum(spread, least)), np.nan)
    return interval(value, drawn)


class _ItemBootstrap:
    """Bootstrap over items. Items with the same answers are counted together; the counts are multinomial.

    Args:
        counts: Number of items with each of u patterns of answers, (u,).
        draws: Number of resamples.
        seed: Seed of the resamples.
    """

    def __init__(self, counts: Rows, draws: int, seed: int) -> None:
        self._counts = counts.astype(np.float64)
        total = int(counts.sum())
        dice = np.random.default_rng(seed)
        self._blocks: Sequence[Floats] = ()
        if draws and total:
            block = max(1, _LARGEST // (100 * len(counts)))
            sizes = [min(block, draws - begin) for begin in range(0, draws, block)]
            self._blocks = [dice.multinomial(total, counts / total, size=size).astype(np.float64) for size in sizes]

    def estimate(self, statistic: Callable[[Floats], Floats]) -> Estimate:
        """Return a statistic of weights (b, u) → (b,) with its interval."""
        value = float(statistic(self._counts[None])[0])
        if not self._blocks or np.isnan(value):
            return Estimate(value)
        return interval(value, np.concatenate([statistic(block) for block in self._blocks]))


def _tables(codes: Codes, categories: int) -> tuple[Floats, Rows]:
    """Return the distinct counts of answers per item, (u, k), and how often each occurs, (u,)."""
    counts = (codes[:, :, None] == np.arange(categories)).sum(axis=1)
    tables, times = np.unique(counts, axis=0, return_counts=True)
    return tables.astype(np.float64), times


def _share(weights: Floats, equal: Floats | Rows) -> Floats:
    return _ratio(weights @ equal, weights.sum(axis=1))


def _ratio(above: Floats, below: Floats) -> Floats:
    return np.where(below > 0, above / np.where(below > 0, below, 1.0), np.nan)


def _kappa(weights: Floats, patterns: Rows, categories: int) -> Floats:
    """Return Cohen's κ: (observed − chance) / (1 − chance)."""
    total = weights.sum(axis=1)
    first, second = (
        weights @ (patterns[:, [at]] == np.arange(categories)).astype(np.float64) / total[:, None] for at in (0, 1)
    )
    chance = (first * second).sum(axis=1)
    observed = weights @ (patterns[:, 0] == patterns[:, 1]) / total
    # κ is undefined for a chance agreement of 1, up to rounding.
    return np.where(chance < 1 - 1e-12, (observed - chance) / np.maximum(1 - chance, 1e-12), np.nan)


def _light(codes: Codes, categories: int, draws: int, seed: int) -> Estimate:
    """Return the mean κ over every two raters; all use the same resamples of items."""
    patterns, counts = np.unique(codes, axis=0, return_counts=True)

    def statistic(weights: Floats) -> Floats:
        columns = []
        for one, two in combinations(range(codes.shape[1]), 2):
            both = (patterns[:, one] >= 0) & (patterns[:, two] >= 0)
            if both.any():
                part = weights[:, both]
                empty = part.sum(axis=1) == 0
                part[empty] = 1.0
                kappas = _kappa(part, patterns[both][:, [one, two]], categories)
                columns.append(np.where(empty, np.nan, kappas))
        if not columns:
            return np.full(len(weights), np.nan)
        # NaN if any two raters have no κ, because the mean of the others would be a different statistic.
        return np.asarray(np.array(columns).mean(axis=0))

    return _ItemBootstrap(counts, draws, seed).estimate(statistic)


def _pairwise_share(weights: Floats, tables: Floats) -> Floats:
    raters = tables.sum(axis=1)
    equal = (tables * (tables - 1)).sum(axis=1)
    return _ratio(weights @ equal, weights @ (raters * (raters - 1)))


def _fleiss(weights: Floats, tables: Floats) -> Floats:
    """Return Fleiss' κ of items that all m raters rated."""
    raters = tables[0].sum()
    total = weights.sum(axis=1)
    shares = weights @ tables / (total * raters)[:, None]
    chance = (shares**2).sum(axis=1)
    observed = weights @ ((tables * (tables - 1)).sum(axis=1) / (raters * (raters - 1))) / total
    return np.where(chance < 1 - 1e-12, (observed - chance) / np.maximum(1 - chance, 1e-12), np.nan)


def _alpha(weights: Floats, tables: Floats, *, ordinal: bool) -> Floats:
    """Return Krippendorff's α = 1 − observed / expected disagreement, from the matrix of coincidences."""
    raters = tables.sum(axis=1)
    pairs = tables[:, :, None] * tables[:, None, :]
    places = np.arange(tables.shape[1])
    pairs[:, places, places] -= tables
    pairs /= (raters - 1)[:, None, None]
    coincidences = np.tensordot(weights, pairs, axes=1)
    totals = coincidences.sum(axis=2)
    count = totals.sum(axis=1)
    distance = _ordinal(totals) if ordinal else np.broadcast_to(1.0 - np.eye(len(places)), coincidences.shape)
    observed = (coincidences * distance).sum(axis=(1, 2))
    expected = (totals[:, :, None] * totals[:, None, :] * distance).sum(axis=(1, 2))
    return np.where(expected > 0, 1 - (count - 1) * observed / np.where(expected > 0, expected, 1.0), np.nan)


def _ordinal(totals: Floats) -> Floats:
    """Return the squared distances of ordered categories, (b, k, k): answers between them plus half of both ends."""
    before = np.cumsum(totals, axis=1) - totals / 2
    squared: Floats = (before[:, :, None] - before[:, None, :]) ** 2
    return squared
