"""Counts how often a method calls a pair a paraphrase, by the pair's human score, in bins of equal width."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan

import numpy as np

from parapluie_gui.analysis.statistics.buckets import wilson
from parapluie_gui.arrays import Floats, Mask, Rows, Scores

#: Approximate number of bins if no width is given.
_BINS = 5
#: Maximum number of bins.
MOST = 100


@dataclass(frozen=True)
class GradeBin:
    """Verdicts on the pairs whose human score is in one bin.

    Attributes:
        low, high: Borders; the lower one belongs to the bin, the upper one only to the last bin. A bin with equal
            borders holds only that score.
        pairs: Number of verdicts; each run of a method counts.
        positive: Number of verdicts "paraphrase".
    """

    low: float
    high: float
    pairs: int
    positive: int

    def __add__(self, other: GradeBin) -> GradeBin:
        return GradeBin(self.low, self.high, self.pairs + other.pairs, self.positive + other.positive)

    @property
    def share(self) -> float:
        """Share called a paraphrase, in [0, 1]; NaN without pairs."""
        return self.positive / self.pairs if self.pairs else nan

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % confidence interval of the share; NaN without pairs."""
        return wilson(self.positive, self.pairs)


def grade_edges(human: Scores, width: float | None = None) -> Floats:
    """Return the borders of equally wide bins that hold all human scores; empty without human scores.

    Borders are multiples of the width. If no width is given, it is the 1, 2 or 5 (times a power of ten) that makes
    about five bins, such as 1 for 0 to 5. If the highest score is a border, it gets a separate bin, [5, 5] after
    [4, 5), as in the authors' script for figure 1.
    """
    present = human[np.isfinite(human)]
    if not len(present):
        return np.empty(0)
    low, high = float(present.min()), float(present.max())
    if width is None:
        width = _nice((high - low) / _BINS) if high > low else 1.0
    while (high - low) / width > MOST:
        width *= 2
    # Rounded so that 0.3 / 0.1 is 3.
    first, last = int(np.floor(round(low / width, 9))), int(np.ceil(round(high / width, 9)))
    edges = np.arange(first, max(last, first + 1) + 1) * width
    if last > first and abs(high - edges[-1]) < 1e-9 * width:
        edges = np.append(edges, edges[-1])
    return np.asarray(edges)


def grades(verdicts: Floats, human: Scores, edges: Floats, where: Mask | None = None) -> tuple[GradeBin, ...]:
    """Count the verdicts in each bin.

    Args:
        verdicts: 1 for a paraphrase, 0 for none, NaN if missing; (n,) or (n, runs).
        human: Human scores, (n,), NaN where missing.
        edges: Borders from `grade_edges`.
        where: Pairs to count; None for all.
    """
    if not len(edges):
        return ()
    bins = grade_codes(human, edges)
    if where is not None:
        bins = np.where(where, bins, -1)
    columns = verdicts.reshape(len(human), -1)
    present = ~np.isnan(columns)
    result = []
    for at, (low, high) in enumerate(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)):
        here = present & (bins == at)[:, None]
        result.append(GradeBin(low, high, int(here.sum()), int((columns[here] == 1).sum())))
    return tuple(result)


def grade_codes(human: Scores, edges: Floats) -> Rows:
    """Return the bin of each pair, counted from 0, (n,); -1 without a human score."""
    finite = np.isfinite(human)
    # Rounding must not separate equal scores: 0.3 belongs to the bin that begins at 3 * 0.1.
    codes = np.searchsorted(edges, np.where(finite, human, 0.0) + 1e-9 * (edges[1] - edges[0]), side="right") - 1
    return np.where(finite, np.clip(codes, 0, len(edges) - 2), -1)


def _nice(width: float) -> float:
    power = 10.0 ** np.floor(np.log10(width))
    return float(min((power * step for step in (1, 2, 5, 10)), key=lambda candidate: abs(np.log(candidate / width))))
