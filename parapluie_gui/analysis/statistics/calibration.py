"""Calibration: whether of the pairs given a probability of 80 % about 80 % are paraphrases."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan

import numpy as np

from parapluie_gui.analysis.score_column import selected
from parapluie_gui.arrays import Floats, Rows

BINS = 10


@dataclass(frozen=True, eq=False)
class Calibration:
    """How probabilities of "paraphrase" compare with what is the case.

    Attributes:
        edges: float64 (b + 1,), borders of the bins from 0 to 1; a bin holds its right border, the first one both.
        count: int64 (b,), labelled pairs in each.
        predicted, observed: float64 (b,), mean probability and share of paraphrases in each; NaN in empty bins.
        ece: Expected calibration error (Guo et al., ICML 2017, equation 3), the mean of |observed − predicted| over
            pairs, in [0, 1]; NaN without pairs.
        mce: The greatest of these differences (equation 5).
        brier: Mean squared difference of probability and label, in [0, 1].
        pairs: Pairs with a label and a probability.
    """

    edges: np.ndarray
    count: np.ndarray
    predicted: np.ndarray
    observed: np.ndarray
    ece: float = nan
    mce: float = nan
    brier: float = nan
    pairs: int = 0


def probability(scores: np.ndarray) -> Floats:
    """Return p(yes) / (p(yes) + p(no)) of ParaPLUIE scores, float64 (n,): the logistic function of log-odds."""
    scores = np.asarray(scores, dtype=np.float64)
    small: Floats = np.exp(-np.abs(scores))
    return np.where(scores >= 0, 1.0, small) / (1.0 + small)


def calibration(
    probabilities: np.ndarray, labels: np.ndarray, *, bins: int = BINS, where: np.ndarray | None = None
) -> Calibration:
    """Return how well n probabilities fit their labels.

    Args:
        probabilities: float64 (n,) in [0, 1], NaN where there is none.
        labels: n labels: 1 paraphrase, 0 not, anything else unlabelled.
        bins: How many equally wide bins there are.
        where: The pairs it is about; None for all.

    Raises:
        ValueError: A number is not a probability.
    """
    chances, labels = np.asarray(probabilities, dtype=np.float64), np.asarray(labels)
    usable = ((labels == 0) | (labels == 1)) & ~np.isnan(chances)
    if where is not None:
        usable &= where
    chances, positive = chances[usable], (labels[usable] == 1).astype(np.float64)
    if len(chances) and not (chances.min() >= 0 and chances.max() <= 1):
        raise ValueError("a probability must be between 0 and 1")
    edges = np.linspace(0.0, 1.0, bins + 1)
    place = _bin(chances, edges)
    count = np.bincount(place, minlength=bins)
    if not len(chances):
        return Calibration(edges, count, np.full(bins, nan), np.full(bins, nan))
    with np.errstate(invalid="ignore"):
        predicted = np.bincount(place, chances, minlength=bins) / count
        observed = np.bincount(place, positive, minlength=bins) / count
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


def probability_mask(
    probabilities: np.ndarray, edges: np.ndarray, number: int, *, where: np.ndarray | None = None
) -> np.ndarray:
    """Return which pairs are in one bin of a reliability diagram (0-based), bool (n,)."""
    chances = selected(probabilities, where)
    return np.asarray(~np.isnan(chances) & (_bin(chances, np.asarray(edges)) == number))


def _bin(chances: Floats, edges: np.ndarray) -> Rows:
    return np.searchsorted(edges[1:-1], chances, side="left")
