"""Thresholds: the pairs that a score judges paraphrases, the counts of right verdicts, and the best threshold."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from math import nan

import numpy as np
from numpy.typing import NDArray

from parapluie_gui.arrays import Labels, Mask, Scores
from parapluie_gui.scores.table import is_scored


class Outcome(IntEnum):
    """The outcome of a pair at a threshold; `outcome` returns the values as int8."""

    NONE = 0
    TRUE_POSITIVE = 1
    FALSE_POSITIVE = 2
    FALSE_NEGATIVE = 3
    TRUE_NEGATIVE = 4


#: The outcomes of the labels 0, 1 and -1, each below the threshold and then at or above it.
_OUTCOMES = np.array(
    [
        *(Outcome.TRUE_NEGATIVE, Outcome.FALSE_POSITIVE),
        *(Outcome.FALSE_NEGATIVE, Outcome.TRUE_POSITIVE),
        *(Outcome.NONE, Outcome.NONE),
    ],
    dtype=np.int8,
)


@dataclass(frozen=True)
class OutcomeCounts:
    """Counts of right and wrong verdicts at a threshold.

    Attributes:
        tp, fp: Paraphrases and negatives judged paraphrases.
        fn, tn: Paraphrases and negatives judged not paraphrases.
        unlabelled: Pairs left out because they have no label.
        unscored: Labelled pairs left out because they have no score.
    """

    tp: int = 0
    fp: int = 0
    fn: int = 0
    tn: int = 0
    unlabelled: int = 0
    unscored: int = 0

    @property
    def counted(self) -> int:
        """Number of pairs with a label and a score."""
        return self.tp + self.fp + self.fn + self.tn

    @property
    def accuracy(self) -> float:
        """Share of counted pairs that are right, in [0, 1]; NaN without counted pairs."""
        return _share(self.tp + self.tn, self.counted)

    @property
    def constant(self) -> float:
        """Accuracy of always giving the more common label of the counted pairs, in [0, 1]; NaN without any."""
        return constant_accuracy(self.tp + self.fn, self.counted)

    @property
    def precision(self) -> float:
        """Share of paraphrases among the pairs judged paraphrases, in [0, 1]; NaN without such pairs."""
        return _share(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> float:
        """Share of paraphrases that are judged paraphrases, in [0, 1]; NaN without paraphrases."""
        return _share(self.tp, self.tp + self.fn)

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall, in [0, 1]; NaN if no pair is a paraphrase or judged one."""
        return _share(2 * self.tp, 2 * self.tp + self.fp + self.fn)


def predicted_positive(scores: Scores, threshold: float, higher_is_closer: bool = True) -> Mask:
    """Return the pairs judged paraphrases, (n,): score >= threshold, or distance <= threshold; False for NaN."""
    scores = np.asarray(scores, dtype=np.float64)
    return scores >= threshold if higher_is_closer else scores <= threshold


def outcome(scores: Scores, labels: Labels, threshold: float, higher_is_closer: bool = True) -> NDArray[np.int8]:
    """Return the `Outcome` of each pair, (n,), at the score at which paraphrases begin (distances: end)."""
    positive = predicted_positive(scores, threshold, higher_is_closer)
    place = 2 * np.asarray(labels, dtype=np.int8) + positive
    result = np.take(_OUTCOMES, place, mode="wrap")
    result[~is_scored(scores)] = Outcome.NONE
    return result


def counts(scores: Scores, labels: Labels, threshold: float, higher_is_closer: bool = True) -> OutcomeCounts:
    """Count the pairs that a threshold gets right and wrong."""
    outcomes = np.bincount(outcome(scores, labels, threshold, higher_is_closer), minlength=len(Outcome)).tolist()
    unlabelled, unscored = _count_left_out(scores, labels)
    return OutcomeCounts(
        tp=outcomes[Outcome.TRUE_POSITIVE],
        fp=outcomes[Outcome.FALSE_POSITIVE],
        fn=outcomes[Outcome.FALSE_NEGATIVE],
        tn=outcomes[Outcome.TRUE_NEGATIVE],
        unlabelled=unlabelled,
        unscored=unscored,
    )


def distance_to(threshold: float, scores: Scores) -> Scores:
    """Return how far scores are from a threshold, (n,); 0 for infinite scores equal to it."""
    with np.errstate(invalid="ignore", over="ignore"):
        distance: Scores = np.where(scores == threshold, 0.0, np.abs(scores - threshold))
    return distance


def constant_accuracy(positives: int, pairs: int) -> float:
    """Return the accuracy of always giving the more common label, in [0, 1]; NaN without pairs."""
    return _share(max(positives, pairs - positives), pairs)


def best_threshold(scores: Scores, labels: Labels, higher_is_closer: bool = True) -> tuple[float, OutcomeCounts]:
    """Return the threshold with the best accuracy (NaN if no pair has both a score and a label), and its counts.

    The rule of the ParaPLUIE paper (Lemesle et al., COLING 2025, section 5.2): every distinct score is tried; of
    equally good scores the strictest is used, the highest score or the shortest distance.
    """
    scores, labels = np.asarray(scores, dtype=np.float64), np.asarray(labels)
    unlabelled, unscored = _count_left_out(scores, labels)
    usable = ((labels == 0) | (labels == 1)) & is_scored(scores)
    if not usable.any():
        return nan, OutcomeCounts(unlabelled=unlabelled, unscored=unscored)
    distinct, place = np.unique(scores[usable], return_inverse=True)
    positives = np.bincount(place, labels[usable] == 1, minlength=len(distinct)).astype(np.int64)
    negatives = np.bincount(place, labels[usable] == 0, minlength=len(distinct)).astype(np.int64)
    if higher_is_closer:
        distinct, positives, negatives = distinct[::-1], positives[::-1], negatives[::-1]
    # From the strictest threshold to the most lenient: each adds the pairs with that score.
    tp, fp = np.cumsum(positives), np.cumsum(negatives)
    right = tp + (fp[-1] - fp)
    best = int(np.argmax(right))
    return float(distinct[best]), OutcomeCounts(
        tp=int(tp[best]),
        fp=int(fp[best]),
        fn=int(tp[-1] - tp[best]),
        tn=int(fp[-1] - fp[best]),
        unlabelled=unlabelled,
        unscored=unscored,
    )


def _count_left_out(scores: Scores, labels: Labels) -> tuple[int, int]:
    """Count the pairs without a label, and the labelled pairs without a score."""
    labelled = (np.asarray(labels) == 0) | (np.asarray(labels) == 1)
    return int((~labelled).sum()), int((labelled & ~is_scored(scores)).sum())


def _share(part: int, total: int) -> float:
    return part / total if total else nan
