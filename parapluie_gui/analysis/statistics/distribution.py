"""How a score is spread over paraphrases and other pairs, and how much the two overlap."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan

import numpy as np

from parapluie_gui.analysis.score_column import selected
from parapluie_gui.analysis.statistics.summary import LabelSummary, by_label
from parapluie_gui.arrays import Mask, Rows
from parapluie_gui.pairs.corpus import UNLABELLED

BINS = 40


@dataclass(frozen=True, eq=False)
class Distribution:
    """A score's spread per label (ParaPLUIE's table 1 and the histograms beside its scatters).

    Attributes:
        summary: Mean, standard deviation and more, per label.
        edges: float64 (b + 1,), the borders of the bins; a bin holds its left border, the last one both.
        paraphrase, other, unlabelled: int64 (b,), pairs in each bin; scores beyond the edges are in none.
        overlap: Overlap coefficient (Weitzman 1970) of the two classes' histograms, the area they share, in [0, 1]: 0
            apart, 1 alike; NaN without both classes.
        distance: Kolmogorov and Smirnov's distance of the two classes, the largest difference between the shares of
            paraphrases and of others that one threshold takes, in [0, 1]; it needs no bins.
    """

    summary: LabelSummary
    edges: np.ndarray
    paraphrase: np.ndarray
    other: np.ndarray
    unlabelled: np.ndarray
    overlap: float = nan
    distance: float = nan


def histogram_edges(*scores: np.ndarray, bins: int = BINS, where: np.ndarray | None = None) -> np.ndarray:
    """Return the borders of equally wide bins for all these scores, float64 (bins + 1,).

    They reach from the least to the greatest finite score; where all are one number, half a unit to both sides, and
    from 0 to 1 where there is none.
    """
    low, high = np.inf, -np.inf
    for values in scores:
        values = selected(values, where)
        finite = values[np.isfinite(values)]
        if len(finite):
            low, high = min(low, float(finite.min())), max(high, float(finite.max()))
    if low > high:
        low, high = 0.0, 1.0
    if low == high:
        low, high = low - 0.5, high + 0.5
    return np.linspace(low, high, bins + 1)


def distribution(
    scores: np.ndarray,
    labels: np.ndarray | None = None,
    *,
    edges: np.ndarray | None = None,
    bins: int = BINS,
    where: np.ndarray | None = None,
) -> Distribution:
    """Return how n scores are spread per label.

    Args:
        scores: n scores, NaN where there is none.
        labels: n labels (1 paraphrase, 0 not, else unlabelled), or None.
        edges: Borders of equally wide bins, such as `histogram_edges` returns for several corpora at once; None for
            those of these scores.
        bins: How many bins there are, without edges.
        where: The pairs it is about; None for all.
    """
    scores = np.asarray(scores, dtype=np.float64)
    labels = np.full(len(scores), UNLABELLED) if labels is None else np.asarray(labels)
    if where is not None:
        scores, labels = scores[where], labels[where]
    edges = histogram_edges(scores, bins=bins) if edges is None else np.asarray(edges, dtype=np.float64)
    place = _bin(scores, edges)
    is_paraphrase, is_other = labels == 1, labels == 0
    count = len(edges) - 1

    def histogram(chosen: np.ndarray) -> np.ndarray:
        return np.bincount(place[chosen & (place >= 0)], minlength=count)

    paraphrase, other = histogram(is_paraphrase), histogram(is_other)
    overlap = nan
    if paraphrase.any() and other.any():
        overlap = float(np.minimum(paraphrase / paraphrase.sum(), other / other.sum()).sum())
    return Distribution(
        summary=by_label(scores, labels),
        edges=edges,
        paraphrase=paraphrase,
        other=other,
        unlabelled=histogram(~is_paraphrase & ~is_other),
        overlap=overlap,
        distance=_largest_gap(scores[is_paraphrase], scores[is_other]),
    )


def bin_mask(scores: np.ndarray, edges: np.ndarray, number: int, *, where: np.ndarray | None = None) -> Mask:
    """Return which pairs are in one bin of a histogram (0-based), bool (n,)."""
    return np.asarray(_bin(selected(scores, where), np.asarray(edges, dtype=np.float64)) == number)


def _bin(scores: np.ndarray, edges: np.ndarray) -> Rows:
    """Return the bin of each score by numpy.histogram's rule, -1 where it is in none."""
    place = np.searchsorted(edges, scores, side="right") - 1
    place[scores == edges[-1]] = len(edges) - 2
    place[~((scores >= edges[0]) & (scores <= edges[-1]))] = -1
    return place


def _largest_gap(first: np.ndarray, second: np.ndarray) -> float:
    first, second = np.sort(first[~np.isnan(first)]), np.sort(second[~np.isnan(second)])
    if not len(first) or not len(second):
        return nan
    at = np.concatenate([first, second])
    below_first = np.searchsorted(first, at, side="right") / len(first)
    below_second = np.searchsorted(second, at, side="right") / len(second)
    return float(np.abs(below_first - below_second).max())
