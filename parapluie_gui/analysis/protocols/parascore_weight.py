"""ParaScore's weight ω: how much lexical divergence counts beside similarity, tuned on the first tenth of a corpus."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan

import numpy as np

from parapluie_gui.analysis.statistics.correlation import Correlation, correlation
from parapluie_gui.metrics.neural.parascore import OMEGA, diversity

#: Shen et al. (EMNLP 2022), section 5: the grid 0.01·i of weights.
GRID = np.arange(100) * 0.01

#: The share of a corpus, from its beginning, that ω is tuned on; metrics are evaluated on the rest.
TUNING_SHARE = 0.1


def held_out(pairs: int, share: float = TUNING_SHARE) -> np.ndarray:
    """Return the pairs that metrics are evaluated on, bool (n,): all but the first tenth, rounded down."""
    mask = np.ones(pairs, dtype=bool)
    mask[: int(pairs * share + 1e-9)] = False
    return mask


@dataclass(frozen=True, eq=False)
class Tuned:
    """ParaScore with its weight tuned: similarity + ω · DS.

    Attributes:
        omega: The weight with the best Pearson correlation on the tuning pairs, the smallest of equals; NaN where there
            is none.
        grid: The weights tried, float64 (k,).
        pearson: Pearson's correlation with human scores on the tuning pairs for each, float64 (k,).
        held_out: Correlations of the tuned score on the other pairs.
        plain: There, of the similarity alone (ω = 0).
        usual: There, with the toolkit's ω = 0.05.
        authors: There, with the weight that the authors' published code takes: the one after the best on the grid.
    """

    omega: float
    grid: np.ndarray
    pearson: np.ndarray
    held_out: Correlation
    plain: Correlation
    usual: Correlation
    authors: Correlation


def tune_omega(
    similarity: np.ndarray,
    distance: np.ndarray,
    human: np.ndarray,
    *,
    share: float = TUNING_SHARE,
    where: np.ndarray | None = None,
) -> Tuned:
    """Tune ParaScore's ω on the first pairs of a corpus and evaluate it on the rest.

    Args:
        similarity: Sim(S, H), or max(Sim(S, H), Sim(R, H)) for ParaScore with references; n numbers.
        distance: The normalised edit distance of S and H, n numbers.
        human: n human scores.
        share: Of the corpus, from its beginning, that is for tuning.
        where: The pairs it is about, bool (n,); None for all. The corpus is split before they are chosen.
    """
    spread = diversity(distance)
    rest = held_out(len(similarity), share)
    chosen = np.ones(len(similarity), dtype=bool) if where is None else np.asarray(where, dtype=bool)
    known = ~(np.isnan(similarity) | np.isnan(spread) | np.isnan(human))
    tuning = known & chosen & ~rest
    curve = _pearsons(similarity[tuning], spread[tuning], human[tuning])
    best = -1 if np.isnan(curve).all() else int(np.nanargmax(curve))

    def evaluated(omega: float) -> Correlation:
        return correlation(similarity + omega * spread, human, where=rest & chosen, kendall=False)

    omega = float(GRID[best]) if best >= 0 else nan
    return Tuned(
        omega=omega,
        grid=GRID.copy(),
        pearson=curve,
        held_out=evaluated(omega),
        plain=evaluated(0.0),
        usual=evaluated(OMEGA),
        authors=evaluated(omega + 0.01),
    )


def _pearsons(similarity: np.ndarray, spread: np.ndarray, human: np.ndarray) -> np.ndarray:
    """Return Pearson's correlation of similarity + ω · spread with human for each ω of the grid, in one pass."""
    if len(human) < 2:
        return np.full(len(GRID), nan)
    s, d, h = (column - column.mean() for column in (similarity, spread, human))
    variance = s @ s + 2 * GRID * (s @ d) + GRID**2 * (d @ d)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((s @ h + GRID * (d @ h)) / np.sqrt(variance * (h @ h)))
