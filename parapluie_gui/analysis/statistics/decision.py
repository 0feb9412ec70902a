"""The accuracy of a score at the thresholds the papers report: the best one, the natural one, and one of your own."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan

import numpy as np

from parapluie_gui.analysis.score_column import selected
from parapluie_gui.analysis.statistics.curves import sweep
from parapluie_gui.analysis.threshold import Counts, Outcome, counts, outcome


@dataclass(frozen=True)
class Decision:
    """A threshold and what it gets right.

    Attributes:
        threshold: The score at which paraphrases begin (distances: end); NaN where there is nothing to decide.
        counts: Pairs it gets right and wrong.
    """

    threshold: float
    counts: Counts

    @property
    def accuracy(self) -> float:
        """Share of counted pairs that are right, in [0, 1]; NaN without any."""
        return self.counts.accuracy

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall, in [0, 1]."""
        return self.counts.f1

    @property
    def recall(self) -> float:
        """Share of paraphrases that were found, in [0, 1]."""
        return self.counts.recall

    @property
    def precision(self) -> float:
        """Share of paraphrases among the pairs taken for such, in [0, 1]."""
        return self.counts.precision

    @property
    def balanced_accuracy(self) -> float:
        """Mean of the shares of paraphrases and of others that are right, in [0, 1]; NaN without both."""
        others = self.counts.fp + self.counts.tn
        return (self.recall + self.counts.tn / others) / 2 if others else nan


@dataclass(frozen=True)
class Thresholds:
    """A score's decisions (ParaPLUIE's table 3: "accuracy at the best threshold | at 0").

    Attributes:
        best: Where accuracy is greatest over every distinct score, the strictest of equally good ones.
        best_f1: Where F1 is greatest, likewise.
        natural: At the threshold the score has by nature (0 for ParaPLUIE); None where it has none.
        given: At the threshold asked for; None where none was.
        majority: Accuracy of saying of every pair what is true of most, in [0, 1]; NaN without pairs.
    """

    best: Decision
    best_f1: Decision
    natural: Decision | None
    given: Decision | None
    majority: float

    @property
    def usual(self) -> Decision:
        """The natural threshold where there is one, else the best."""
        return self.best if self.natural is None else self.natural


def thresholds(
    scores: np.ndarray,
    labels: np.ndarray,
    *,
    higher_is_closer: bool = True,
    natural: float | None = None,
    given: float | None = None,
    where: np.ndarray | None = None,
) -> Thresholds:
    """Return the accuracy, F1, recall and precision of n scores at several thresholds, in O(n log n).

    Args:
        scores: n scores, NaN where there is none.
        labels: n labels: 1 paraphrase, 0 not, anything else unlabelled.
        higher_is_closer: False for distances.
        natural: The score's own threshold, if it has one.
        given: Another threshold.
        where: The pairs it is about; None for all.
    """
    scores, labels = np.asarray(scores, dtype=np.float64), np.asarray(labels)
    if where is not None:
        scores, labels = scores[where], labels[where]

    def at(threshold: float) -> Decision:
        return Decision(threshold, counts(scores, labels, threshold, higher_is_closer))

    curve = sweep(scores, labels, higher_is_closer=higher_is_closer)
    best = best_f1 = nan
    if len(curve):
        best, best_f1 = float(curve.threshold[curve.best()]), float(curve.threshold[curve.best_f1()])
    counted = curve.positives + curve.negatives
    majority = max(curve.positives, curve.negatives) / counted if counted else nan
    return Thresholds(
        best=at(best),
        best_f1=at(best_f1),
        natural=None if natural is None else at(natural),
        given=None if given is None else at(given),
        majority=majority,
    )


def outcome_mask(
    scores: np.ndarray,
    labels: np.ndarray,
    threshold: float,
    which: Outcome,
    *,
    higher_is_closer: bool = True,
    where: np.ndarray | None = None,
) -> np.ndarray:
    """Return the pairs of one cell of the confusion matrix, bool (n,)."""
    return np.asarray(outcome(selected(scores, where), labels, threshold, higher_is_closer) == which)
