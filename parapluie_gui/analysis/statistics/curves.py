"""Curves: accuracy, F1, recall and precision at every threshold, ROC, precision against recall, equal error rate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, nan

import numpy as np

from parapluie_gui.analysis.threshold import Counts
from parapluie_gui.arrays import Floats, Labels, Rows, Scores


@dataclass(frozen=True, eq=False)
class ThresholdCurve:
    """What every distinct score would do as threshold, the strictest first (ParaPLUIE's figures 3 to 14).

    Attributes:
        threshold: (k,), the distinct scores, descending (ascending for distances).
        tp, fp: (k,), paraphrases and negatives judged paraphrases there.
        positives, negatives: How many of each have a score.
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
        """Pairs judged paraphrases at each threshold, (k,)."""
        return self.tp + self.fp

    @property
    def rank(self) -> Rows:
        """Pairs that are not, (k,): the rank of the threshold among the scores, from the furthest apart."""
        return self.positives + self.negatives - self.predicted_positive

    @property
    def accuracy(self) -> Floats:
        """Share of pairs that are right, (k,)."""
        return (self.tp + self.negatives - self.fp) / max(self.positives + self.negatives, 1)

    @property
    def recall(self) -> Floats:
        """Share of paraphrases that are found, (k,); NaN when there are none."""
        return self.tp / self.positives if self.positives else np.full(len(self), nan)

    @property
    def precision(self) -> Floats:
        """Share of paraphrases among the pairs judged paraphrases, (k,); there is one at least at each threshold."""
        return self.tp / self.predicted_positive

    @property
    def f1(self) -> Floats:
        """Harmonic mean of precision and recall, (k,)."""
        return 2 * self.tp / (self.predicted_positive + self.positives)

    @property
    def false_positive_rate(self) -> Floats:
        """Share of negatives judged paraphrases, (k,); NaN when there are no negatives."""
        return self.fp / self.negatives if self.negatives else np.full(len(self), nan)

    def counts(self, place: int) -> Counts:
        """Return what the threshold at a place (0-based) gets right and wrong."""
        tp, fp = int(self.tp[place]), int(self.fp[place])
        return Counts(tp=tp, fp=fp, fn=self.positives - tp, tn=self.negatives - fp)

    def best(self) -> int:
        """Return the place of the greatest accuracy, the strictest of equally good ones; there must be one."""
        return int(np.argmax(self.tp - self.fp))

    def best_f1(self) -> int:
        """Return the place of the greatest F1, the strictest of equally good ones; there must be one."""
        return int(np.argmax(self.f1))

    def nearest(self, threshold: float) -> int:
        """Return the place of the distinct score nearest to a threshold; there must be one."""
        ascending = self.threshold[::-1] if self.higher_is_closer else self.threshold
        right = int(np.clip(np.searchsorted(ascending, threshold), 0, len(self) - 1))
        left = max(right - 1, 0)
        found = left if threshold - ascending[left] < ascending[right] - threshold else right
        return len(self) - 1 - found if self.higher_is_closer else found

    def thin(self, most: int = 500) -> ThresholdCurve:
        """Return at most that many thresholds, even in rank, with both ends and the best: enough to draw or print."""
        if len(self) <= most:
            return self
        wanted = np.linspace(self.predicted_positive[0], self.predicted_positive[-1], most - 1)
        places = np.unique([*np.searchsorted(self.predicted_positive, wanted), self.best()])
        return replace(self, threshold=self.threshold[places], tp=self.tp[places], fp=self.fp[places])


def threshold_curve(scores: Scores, labels: Labels, *, higher_is_closer: bool = True) -> ThresholdCurve:
    """Return what every distinct score would do as threshold, in O(n log n); empty without labelled scores."""
    usable = ((labels == 0) | (labels == 1)) & ~np.isnan(scores)
    scores, positive = scores[usable], labels[usable] == 1
    order = np.argsort(scores, kind="stable")
    if higher_is_closer:
        order = order[::-1]
    scores, positive = scores[order], positive[order]
    # Pairs of one score go together: only the last of each run of equal scores is a threshold.
    last = np.flatnonzero(np.r_[scores[1:] != scores[:-1], True] if len(scores) else [])
    tp = np.cumsum(positive)[last]
    positives = int(positive.sum())
    return ThresholdCurve(scores[last], tp, last + 1 - tp, positives, len(scores) - positives, higher_is_closer)


def thinned(count: int, most: int) -> Rows:
    """Return at most that many places of a curve of `count` points, enough to draw it, both ends among them."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).astype(np.int64))


@dataclass(frozen=True, eq=False)
class Roc:
    """The receiver operating characteristic.

    Attributes:
        fpr, tpr: (k + 1,), shares of negatives and of paraphrases judged paraphrases, from (0, 0) to (1, 1).
        threshold: (k + 1,); at the first, which is infinite, no pair is judged a paraphrase.
        auc: Area below, in [0, 1]: the probability that a paraphrase is closer than a negative, ties counting half;
            NaN without both classes.
    """

    fpr: Floats
    tpr: Floats
    threshold: Floats
    auc: float


def roc(curve: ThresholdCurve) -> Roc:
    """Return the receiver operating characteristic of a threshold curve."""
    nothing = inf if curve.higher_is_closer else -inf
    fpr, tpr = np.r_[0.0, curve.false_positive_rate], np.r_[0.0, curve.recall]
    area = float(np.trapezoid(tpr, fpr)) if curve.positives and curve.negatives else nan
    return Roc(fpr, tpr, np.r_[nothing, curve.threshold], area)


@dataclass(frozen=True, eq=False)
class PrecisionRecall:
    """Precision against recall.

    Attributes:
        recall, precision, threshold: (k,), the strictest threshold first.
        average_precision: Mean of the precisions, weighted by the recall each adds, in [0, 1]; NaN without paraphrases.
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
    """Where a score errs as often on paraphrases as on negatives.

    Attributes:
        rate: Mean of the two error rates at that threshold, in [0, 1]; NaN without both classes.
        threshold: The distinct score at which they differ least, the strictest of equals.
        fpr, fnr: Share of negatives judged paraphrases there, and of paraphrases missed.
    """

    rate: float = nan
    threshold: float = nan
    fpr: float = nan
    fnr: float = nan


def equal_error(curve: ThresholdCurve) -> EqualError:
    """Return the equal error rate of a threshold curve: no interpolation, the threshold is a score that occurs."""
    if not curve.positives or not curve.negatives:
        return EqualError()
    fpr, fnr = curve.false_positive_rate, 1.0 - curve.recall
    place = int(np.argmin(np.abs(fpr - fnr)))
    return EqualError(
        float(fpr[place] + fnr[place]) / 2, float(curve.threshold[place]), float(fpr[place]), float(fnr[place])
    )
