"""The distributions of a score for paraphrases and for negatives, and their overlap."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan

import numpy as np

from parapluie_gui.analysis.score_column import keep_selected
from parapluie_gui.analysis.statistics.summary import LabelSummary, by_label
from parapluie_gui.arrays import Floats, Labels, Mask, Rows, Scores

BINS = 40


@dataclass(frozen=True, eq=False)
class Distribution:
    """The distribution of a score per label (ParaPLUIE's table 1 and the histograms of its scatter plots).

    Attributes:
        summary: Mean, standard deviation and more, per label.
        edges: The borders of the bins, (b + 1,); a bin includes its left border, the last bin both.
        paraphrase, other, unlabelled: Numbers of pairs in each bin, (b,); scores beyond the edges are not counted.
        overlap: Overlap coefficient (Weitzman 1970) of the two classes' histograms, the area they share, in [0, 1]: 0
            if disjoint, 1 if equal; NaN without both classes.
        distance: Kolmogorov-Smirnov distance of the two classes, the largest difference between the shares of
            paraphrases and of negatives beyond one threshold, in [0, 1]; computed from the scores, not the bins.
    """

    summary: LabelSummary
    edges: Floats
    paraphrase: Rows
    other: Rows
    unlabelled: Rows
    overlap: float = nan
    distance: float = nan


#: A power of two beyond which scores are scaled down.
_LARGE = 2.0**1000


def histogram_edges(scores: Scores, bins: int = BINS) -> Floats:
    """Return the borders of equally wide bins, (bins + 1,), from the lowest to the highest finite score.

    If all scores are equal, the bins reach half a unit to both sides; without scores, they reach from 0 to 1.
    """
    finite = scores[np.isfinite(scores)]
    if len(finite) and np.abs(finite).max() > _LARGE:  # the total width of the bins may overflow
        return np.histogram_bin_edges(finite / _LARGE, bins) * _LARGE
    return np.histogram_bin_edges(finite, bins)


def distribution(scores: Scores, labels: Labels, edges: Floats) -> Distribution:
    """Compute the distribution of scores per label in equally wide bins, such as those of `histogram_edges`."""
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
    """Return the pairs in one bin (0-based) of a histogram, (n,)."""
    return np.asarray(_bin(keep_selected(scores, where), edges) == number)


def _bin(scores: Scores, edges: Floats) -> Rows:
    """Return the bin of each score by the rule of `numpy.histogram`, -1 outside all bins."""
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
