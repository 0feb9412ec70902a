"""Measures calibration: about 80 % of the pairs with a probability of 80 % should be paraphrases."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan

import numpy as np

from parapluie_gui.analysis.score_column import keep_selected
from parapluie_gui.arrays import Floats, Labels, Mask, Rows, Scores

BINS = 10


@dataclass(frozen=True, eq=False)
class Calibration:
    """Predicted probabilities of "paraphrase" against observed shares of paraphrases.

    Attributes:
        edges: (b + 1,), borders of the bins from 0 to 1; a bin includes its right border, the first bin both.
        count: (b,), labelled pairs in each bin.
        predicted, observed: (b,), mean probability and share of paraphrases in each bin; NaN in empty bins.
        ece: Expected calibration error (Guo et al., ICML 2017, equation 3), the mean of |observed − predicted| over
            pairs, in [0, 1]; NaN without pairs.
        mce: Maximum calibration error, the greatest of these differences (equation 5).
        brier: Brier score, the mean squared difference of probability and label, in [0, 1].
        pairs: Pairs with a label and a probability.
    """

    edges: Floats
    count: Rows
    predicted: Floats
    observed: Floats
    ece: float = nan
    mce: float = nan
    brier: float = nan
    pairs: int = 0


def probability(scores: Scores) -> Floats:
    """Return p(yes) / (p(yes) + p(no)) of ParaPLUIE scores, (n,): the logistic function of log-odds."""
    small: Floats = np.exp(-np.abs(scores))
    return np.where(scores >= 0, 1.0, small) / (1.0 + small)


def calibration(probabilities: Scores, labels: Labels) -> Calibration:
    """Compare probabilities with labels in equally wide bins.

    Raises:
        ValueError: A probability is outside [0, 1].
    """
    usable = ((labels == 0) | (labels == 1)) & ~np.isnan(probabilities)
    chances, positive = probabilities[usable], (labels[usable] == 1).astype(np.float64)
    if len(chances) and not (chances.min() >= 0 and chances.max() <= 1):
        raise ValueError("a probability must be between 0 and 1")
    edges = np.linspace(0.0, 1.0, BINS + 1)
    place = _bin(chances, edges)
    count = np.bincount(place, minlength=BINS)
    if not len(chances):
        return Calibration(edges, count, np.full(BINS, nan), np.full(BINS, nan))
    with np.errstate(invalid="ignore"):
        predicted = np.bincount(place, chances, minlength=BINS) / count
        observed = np.bincount(place, positive, minlength=BINS) / count
    gaps = np.abs(observed - predicted)
    return Calibration(
        edges=edges,
        count=count,
        predicted=predicted,
        observed=observed,
        ece=float(np.nansum(gaps * count) / len(chances)),
        mce=float(np.nanmax(gaps)),
        brier=float(np.mean((chances - positive) ** 2)),
        pairs=len(chances),
    )


def probability_mask(probabilities: Scores, edges: Floats, number: int, *, where: Mask | None = None) -> Mask:
    """Return the pairs in one bin (0-based) of a reliability diagram, (n,)."""
    chances = keep_selected(probabilities, where)
    return np.asarray(~np.isnan(chances) & (_bin(chances, edges) == number))


def _bin(chances: Floats, edges: Floats) -> Rows:
    return np.searchsorted(edges[1:-1], chances, side="left")
