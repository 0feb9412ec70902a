"""Thresholds: which pairs a score takes for paraphrases, how often that is right, and where it is right most."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from math import nan

import numpy as np
from numpy.typing import NDArray

from parapluie_gui.arrays import Mask


class Outcome(IntEnum):
    """What became of a pair at a threshold; `outcome` gives these as int8."""

    NONE = 0
    TRUE_POSITIVE = 1
    FALSE_POSITIVE = 2
    FALSE_NEGATIVE = 3
    TRUE_NEGATIVE = 4


@dataclass(frozen=True)
class Counts:
    """How many pairs a threshold gets right and wrong.

    Attributes:
        tp: Paraphrases taken for paraphrases.
        fp: Others taken for paraphrases.
        fn: Paraphrases missed.
        tn: Others taken for others.
        unlabelled: Pairs left out for want of a label.
        unscored: Labelled pairs left out for want of a score.
    """

    tp: int = 0
    fp: int = 0
    fn: int = 0
    tn: int = 0
    unlabelled: int = 0
    unscored: int = 0

    @property
    def counted(self) -> int:
        """Pairs with a label and a score."""
        return self.tp + self.fp + self.fn + self.tn

    @property
    def accuracy(self) -> float:
        """Share of counted pairs that are right, in [0, 1]; NaN without any."""
        return _share(self.tp + self.tn, self.counted)

    @property
    def precision(self) -> float:
        """Share of paraphrases among the pairs taken for such, in [0, 1]; NaN when none was."""
        return _share(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> float:
        """Share of paraphrases that were found, in [0, 1]; NaN when there are none."""
        return _share(self.tp, self.tp + self.fn)

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall, in [0, 1]; NaN when no pair is, or was taken for, a paraphrase."""
        return _share(2 * self.tp, 2 * self.tp + self.fp + self.fn)


def predicted_positive(scores: np.ndarray, threshold: float, higher_is_closer: bool = True) -> Mask:
    """Return which pairs count as paraphrases, bool (n,): score >= threshold, or distance <= threshold.

    A pair without a score (NaN) does not.
    """
    scores = np.asarray(scores, dtype=np.float64)
    return scores >= threshold if higher_is_closer else scores <= threshold


def outcome(
    scores: np.ndarray, labels: np.ndarray, threshold: float, higher_is_closer: bool = True
) -> NDArray[np.int8]:
    """Return what became of each pair, an int8 array (n,) of `Outcome` values.

    Args:
        scores: n scores, NaN where there is none.
        labels: n labels: 1 paraphrase, 0 not, anything else unlabelled.
        threshold: The score at which paraphrases begin.
        higher_is_closer: False for distances, where they end there.
    """
    positive = predicted_positive(scores, threshold, higher_is_closer)
    labels = np.asarray(labels)
    result = np.full(len(positive), Outcome.NONE, dtype=np.int8)
    result[positive & (labels == 1)] = Outcome.TRUE_POSITIVE
    result[positive & (labels == 0)] = Outcome.FALSE_POSITIVE
    result[~positive & (labels == 1)] = Outcome.FALSE_NEGATIVE
    result[~positive & (labels == 0)] = Outcome.TRUE_NEGATIVE
    result[np.isnan(np.asarray(scores, dtype=np.float64))] = Outcome.NONE
    return result


def counts(scores: np.ndarray, labels: np.ndarray, threshold: float, higher_is_closer: bool = True) -> Counts:
    """Return how many pairs a threshold gets right and wrong; arguments as for `outcome`."""
    found = np.bincount(outcome(scores, labels, threshold, higher_is_closer), minlength=len(Outcome)).tolist()
    unlabelled, unscored = _left_out(scores, labels)
    return Counts(
        tp=found[Outcome.TRUE_POSITIVE],
        fp=found[Outcome.FALSE_POSITIVE],
        fn=found[Outcome.FALSE_NEGATIVE],
        tn=found[Outcome.TRUE_NEGATIVE],
        unlabelled=unlabelled,
        unscored=unscored,
    )


def best_threshold(scores: np.ndarray, labels: np.ndarray, higher_is_closer: bool = True) -> tuple[float, Counts]:
    """Return the threshold of the best accuracy, and its counts.

    The rule of the ParaPLUIE paper (Lemesle et al., COLING 2025, section 4): every distinct score is tried. Of equally
    good ones the strictest is taken, the highest score or the shortest distance.

    Args:
        scores: n scores, NaN where there is none.
        labels: n labels: 1 paraphrase, 0 not, anything else unlabelled.
        higher_is_closer: False for distances.

    Returns:
        The threshold (NaN when no pair has both a score and a label) and what it gets right and wrong.
    """
    scores, labels = np.asarray(scores, dtype=np.float64), np.asarray(labels)
    unlabelled, unscored = _left_out(scores, labels)
    usable = ((labels == 0) | (labels == 1)) & ~np.isnan(scores)
    if not usable.any():
        return nan, Counts(unlabelled=unlabelled, unscored=unscored)
    distinct, place = np.unique(scores[usable], return_inverse=True)
    positives = np.bincount(place, labels[usable] == 1, minlength=len(distinct)).astype(np.int64)
    negatives = np.bincount(place, labels[usable] == 0, minlength=len(distinct)).astype(np.int64)
    if higher_is_closer:
        distinct, positives, negatives = distinct[::-1], positives[::-1], negatives[::-1]
    # From the strictest threshold to the most lenient, each takes the pairs of its own score besides.
    tp, fp = np.cumsum(positives), np.cumsum(negatives)
    right = tp + (fp[-1] - fp)
    best = int(np.argmax(right))
    return float(distinct[best]), Counts(
        tp=int(tp[best]),
        fp=int(fp[best]),
        fn=int(tp[-1] - tp[best]),
        tn=int(fp[-1] - fp[best]),
        unlabelled=unlabelled,
        unscored=unscored,
    )


def _left_out(scores: np.ndarray, labels: np.ndarray) -> tuple[int, int]:
    """Return how many pairs lack a label, and how many of the others a score."""
    labelled = (np.asarray(labels) == 0) | (np.asarray(labels) == 1)
    missing = np.isnan(np.asarray(scores, dtype=np.float64))
    return int((~labelled).sum()), int((labelled & missing).sum())


def _share(part: int, whole: int) -> float:
    return part / whole if whole else nan
