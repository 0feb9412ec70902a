"""Curves: accuracy, F1, recall and precision at every threshold, ROC, precision against recall, equal error rate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, nan

import numpy as np

from parapluie_gui.analysis.threshold import OutcomeCounts
from parapluie_gui.arrays import Floats, Labels, Rows, Scores
from parapluie_gui.scores.table import is_scored


@dataclass(frozen=True, eq=False)
class ThresholdCurve:
    """Counts at every distinct score as threshold, the strictest first (ParaPLUIE's figures 3 to 14).

    Attributes:
        threshold: The distinct scores, (k,), descending (ascending for distances).
        tp, fp: (k,), paraphrases and negatives judged paraphrases at each threshold.
        positives, negatives: Numbers of paraphrases and negatives that have a score.
    """

    threshold: Floats
    tp: Rows
    fp: Rows
    positives: int
    negatives: int
    higher_is_closer: bool = True

    def __len__(self) -> int:
        return len(self.threshold)

    @property
    def predicted_positive(self) -> Rows:
        """Number of pairs judged paraphrases at each threshold, (k,)."""
        return self.tp + self.fp

    @property
    def rank(self) -> Rows:
        """Number of pairs judged not paraphrases, (k,): the rank of each threshold, the furthest apart first."""
        return self.positives + self.negatives - self.predicted_positive

    @property
    def accuracy(self) -> Floats:
        """Share of right verdicts, (k,)."""
        return (self.tp + self.negatives - self.fp) / max(self.positives + self.negatives, 1)

    @property
    def recall(self) -> Floats:
        """Share of paraphrases that are judged paraphrases, (k,); NaN without paraphrases."""
        return self.tp / self.positives if self.positives else np.full(len(self), nan)

    @property
    def precision(self) -> Floats:
        """Share of paraphrases among the pairs judged paraphrases, (k,); never NaN: each threshold is a score."""
        return self.tp / self.predicted_positive

    @property
    def f1(self) -> Floats:
        """Harmonic mean of precision and recall, (k,)."""
        return 2 * self.tp / (self.predicted_positive + self.positives)

    @property
    def false_positive_rate(self) -> Floats:
        """Share of negatives judged paraphrases, (k,); NaN without negatives."""
        return self.fp / self.negatives if self.negatives else np.full(len(self), nan)

    def counts(self, place: int) -> OutcomeCounts:
        """Count the pairs that the threshold with an index (0-based) gets right and wrong."""
        tp, fp = int(self.tp[place]), int(self.fp[place])
        return OutcomeCounts(tp=tp, fp=fp, fn=self.positives - tp, tn=self.negatives - fp)

    def best(self) -> int:
        """Return the index of the greatest accuracy, the strictest if several are equal; fails for an empty curve."""
        return int(np.argmax(self.tp - self.fp))

    def best_f1(self) -> int:
        """Return the index of the greatest F1, the strictest if several are equal; the curve must not be empty."""
        return int(np.argmax(self.f1))

    def nearest(self, threshold: float) -> int:
        """Return the index of the distinct score nearest to a threshold; the curve must not be empty."""
        ascending = self.threshold[::-1] if self.higher_is_closer else self.threshold
        right = int(np.clip(np.searchsorted(ascending, threshold), 0, len(self) - 1))
        left = max(right - 1, 0)
        nearest = left if threshold - ascending[left] < ascending[right] - threshold else right
        return len(self) - 1 - nearest if self.higher_is_closer else nearest

    def thin(self, most: int = 500) -> ThresholdCurve:
        """Return a curve of up to `most` thresholds for drawing or printing: evenly spaced, both ends, and the best."""
        if len(self) <= most:
            return self
        wanted = np.linspace(self.predicted_positive[0], self.predicted_positive[-1], most - 1)
        places = np.unique([*np.searchsorted(self.predicted_positive, wanted), self.best()])
        return replace(self, threshold=self.threshold[places], tp=self.tp[places], fp=self.fp[places])


def threshold_curve(scores: Scores, labels: Labels, *, higher_is_closer: bool = True) -> ThresholdCurve:
    """Count right and wrong verdicts at every distinct score as threshold, in O(n log n).

    The curve is empty without labelled scores.
    """
    usable = ((labels == 0) | (labels == 1)) & is_scored(scores)
    scores, positive = scores[usable], labels[usable] == 1
    order = np.argsort(scores, kind="stable")
    if higher_is_closer:
        order = order[::-1]
    scores, positive = scores[order], positive[order]
    # Pairs of equal scores get the same verdict: only the last of each run of equal scores is a threshold.
    last = np.flatnonzero(np.r_[scores[1:] != scores[:-1], True] if len(scores) else [])
    tp = np.cumsum(positive)[last]
    positives = int(positive.sum())
    return ThresholdCurve(scores[last], tp, last + 1 - tp, positives, len(scores) - positives, higher_is_closer)


def thin_places(count: int, most: int) -> Rows:
    """Return up to `most` evenly spaced indices of a curve of `count` points, both ends included, for drawing it."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).astype(np.int64))


@dataclass(frozen=True, eq=False)
class RocCurve:
    """The receiver operating characteristic.

    Attributes:
        fpr, tpr: Shares of negatives and of paraphrases judged paraphrases, (k + 1,), from (0, 0) to (1, 1).
        threshold: The thresholds, (k + 1,); the first is infinite, so that no pair is judged a paraphrase.
        auc: Area under the curve, in [0, 1]: the probability that a paraphrase is closer than a negative, ties counting
            half; NaN without both classes.
    """

    fpr: Floats
    tpr: Floats
    threshold: Floats
    auc: float


def roc(curve: ThresholdCurve) -> RocCurve:
    """Return the receiver operating characteristic of a threshold curve."""
    nothing = inf if curve.higher_is_closer else -inf
    fpr, tpr = np.r_[0.0, curve.false_positive_rate], np.r_[0.0, curve.recall]
    area = float(np.trapezoid(tpr, fpr)) if curve.positives and curve.negatives else nan
    return RocCurve(fpr, tpr, np.r_[nothing, curve.threshold], area)


@dataclass(frozen=True, eq=False)
class PrecisionRecall:
    """Precision against recall.

    Attributes:
        recall, precision, threshold: (k,), the strictest threshold first.
        average_precision: Mean of the precisions weighted by the recall gained at each threshold, in [0, 1]; NaN
            without paraphrases.
    """

    recall: Floats
    precision: Floats
    threshold: Floats
    average_precision: float


def precision_recall(curve: ThresholdCurve) -> PrecisionRecall:
    """Return precision against recall of a threshold curve."""
    recall, precision = curve.recall, curve.precision
    average = float(np.sum(np.diff(recall, prepend=0.0) * precision)) if curve.positives else nan
    return PrecisionRecall(recall, precision, curve.threshold, average)


@dataclass(frozen=True)
class EqualError:
    """The point at which a score errs as often on paraphrases as on negatives.

    Attributes:
        rate: Mean of the two error rates at the threshold, in [0, 1]; NaN without both classes.
        threshold: The distinct score at which the error rates differ least, the strictest if several are equal.
        fpr, fnr: Share of negatives judged paraphrases and of paraphrases missed at the threshold.
    """

    rate: float = nan
    threshold: float = nan
    fpr: float = nan
    fnr: float = nan


def equal_error(curve: ThresholdCurve) -> EqualError:
    """Return the equal error rate of a threshold curve without interpolation: the threshold is one of the scores."""
    if not curve.positives or not curve.negatives:
        return EqualError()
    fpr, fnr = curve.false_positive_rate, 1.0 - curve.recall
    place = int(np.argmin(np.abs(fpr - fnr)))
    return EqualError(
        float(fpr[place] + fnr[place]) / 2, float(curve.threshold[place]), float(fpr[place]), float(fnr[place])
    )
