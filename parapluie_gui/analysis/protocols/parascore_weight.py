"""ParaScore's weight ω: how much lexical divergence counts beside similarity, tuned on the first tenth of a corpus."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan

import numpy as np

from parapluie_gui.analysis.protocols.parascore_extension import held_out
from parapluie_gui.analysis.statistics.correlation import Correlation, correlation
from parapluie_gui.arrays import Floats, Mask, Scores
from parapluie_gui.metrics.neural.parascore import OMEGA, diversity

#: The weights 0.01·i of the authors' code; Shen et al. (EMNLP 2022), section 2.1, tune on 10 % of the data.
GRID: Floats = np.arange(100, dtype=np.float64) * 0.01


@dataclass(frozen=True, eq=False)
class Tuned:
    """ParaScore with its weight tuned: similarity + ω · DS.

    Attributes:
        omega: The weight with the best Pearson correlation on the tuning pairs, the smallest of equals; NaN where there
            is none.
        grid: The weights tried, (k,).
        pearson: Pearson's correlation with human scores on the tuning pairs for each, (k,).
        held_out: Correlations of the tuned score on the held-out pairs.
        plain: The same for the similarity alone (ω = 0).
        usual: The same with the toolkit's ω = 0.05.
        authors: The same with the weight that the authors' published code takes: the one after the best on the grid.
        no_threshold: The same without the threshold γ, the ablation of table 10: the distance itself in the place of
            DS, with its own best weight, `no_threshold_omega`.
    """

    omega: float
    grid: Floats
    pearson: Floats
    held_out: Correlation
    plain: Correlation
    usual: Correlation
    authors: Correlation
    no_threshold: Correlation
    no_threshold_omega: float


def tune_omega(similarity: Scores, distance: Scores, human: Scores, where: Mask) -> Tuned:
    """Tune ParaScore's ω on the first pairs of a corpus and evaluate it on the rest.

    Args:
        similarity: Sim(S, H), or max(Sim(S, H), Sim(R, H)) for ParaScore with references.
        distance: The normalised edit distance of S and H.
        human: The human scores.
        where: The pairs to use; the corpus is split before they are selected.
    """
    spread = diversity(distance)
    rest = held_out(len(similarity))
    tuning = where & ~rest & ~(np.isnan(similarity) | np.isnan(spread) | np.isnan(human))
    curve = _pearsons(similarity[tuning], spread[tuning], human[tuning])

    def evaluated(omega: float, bonus: Scores = spread) -> Correlation:
        return correlation(similarity + omega * bonus, human, where=rest & where, kendall=False)

    omega = _best(curve)
    smooth = _best(_pearsons(similarity[tuning], distance[tuning], human[tuning]))
    return Tuned(
        omega=omega,
        grid=GRID.copy(),
        pearson=curve,
        held_out=evaluated(omega),
        plain=evaluated(0.0),
        usual=evaluated(OMEGA),
        authors=evaluated(omega + 0.01),
        no_threshold=evaluated(smooth, distance),
        no_threshold_omega=smooth,
    )


def _best(curve: Floats) -> float:
    return nan if np.isnan(curve).all() else float(GRID[int(np.nanargmax(curve))])


def _pearsons(similarity: Scores, spread: Scores, human: Scores) -> Floats:
    """Return Pearson's correlation of similarity + ω · spread with human for each ω of the grid, in one pass."""
    if len(human) < 2:
        return np.full(len(GRID), nan)
    s, d, h = (column - column.mean() for column in (similarity, spread, human))
    variance = s @ s + 2 * GRID * (s @ d) + GRID**2 * (d @ d)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((s @ h + GRID * (d @ h)) / np.sqrt(variance * (h @ h)))
