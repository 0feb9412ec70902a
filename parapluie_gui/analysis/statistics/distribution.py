"""How a score is spread over paraphrases and negatives, and how much the two overlap."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan

import numpy as np

from parapluie_gui.analysis.score_column import selected
from parapluie_gui.analysis.statistics.summary import LabelSummary, by_label
from parapluie_gui.arrays import Floats, Labels, Mask, Rows, Scores

BINS = 40


@dataclass(frozen=True, eq=False)
class Distribution:
    """A score's spread per label (ParaPLUIE's table 1 and the histograms beside its scatters).

    Attributes:
        summary: Mean, standard deviation and more, per label.
        edges: (b + 1,), the borders of the bins; a bin holds its left border, the last one both.
        paraphrase, other, unlabelled: (b,), pairs in each bin; scores beyond the edges are in none.
        overlap: Overlap coefficient (Weitzman 1970) of the two classes' histograms, the area they share, in [0, 1]: 0
            apart, 1 alike; NaN without both classes.
        distance: Kolmogorov and Smirnov's distance of the two classes, the largest difference between the shares of
            paraphrases and of negatives beyond one threshold, in [0, 1]; it needs no bins.
    """

    summary: LabelSummary
    edges: Floats
    paraphrase: Rows
    other: Rows
    unlabelled: Rows
    overlap: float = nan
    distance: float = nan


def histogram_edges(scores: Scores, bins: int = BINS) -> Floats:
    """Return the borders of equally wide bins, (bins + 1,), from the lowest to the highest finite score.

    They reach half a unit to both sides where all scores are one number, and from 0 to 1 where there is none.
    """
    finite = scores[np.isfinite(scores)]
    return np.histogram_bin_edges(finite, bins)


def distribution(scores: Scores, labels: Labels, edges: Floats) -> Distribution:
    """Return how scores are spread per label, in equally wide bins such as those of `histogram_edges`."""
    place = _bin(scores, edges)
    is_paraphrase, is_other = labels == 1, labels == 0
    count = len(edges) - 1

    def histogram(chosen: Mask) -> Rows:
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


def bin_mask(scores: Scores, edges: Floats, number: int, *, where: Mask | None = None) -> Mask:
    """Return which pairs are in one bin of a histogram (0-based)."""
    return np.asarray(_bin(selected(scores, where), edges) == number)


def _bin(scores: Scores, edges: Floats) -> Rows:
    """Return the bin of each score by numpy.histogram's rule, -1 where it is in none."""
    place = np.searchsorted(edges, scores, side="right") - 1
    place[scores == edges[-1]] = len(edges) - 2
    place[~((scores >= edges[0]) & (scores <= edges[-1]))] = -1
    return place


def _largest_gap(first: Scores, second: Scores) -> float:
    first, second = np.sort(first[~np.isnan(first)]), np.sort(second[~np.isnan(second)])
    if not len(first) or not len(second):
        return nan
    at = np.concatenate([first, second])
    below_first = np.searchsorted(first, at, side="right") / len(first)
    below_second = np.searchsorted(second, at, side="right") / len(second)
    return float(np.abs(below_first - below_second).max())
