"""The accuracy of a score at the thresholds that the papers report: the best, the natural and a chosen one."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan

from parapluie_gui.analysis.statistics.curves import threshold_curve
from parapluie_gui.analysis.threshold import OutcomeCounts, counts
from parapluie_gui.arrays import Labels, Scores


@dataclass(frozen=True)
class ThresholdDecision:
    """A threshold and its counts of right and wrong verdicts.

    Attributes:
        threshold: The score at which paraphrases begin (distances: end); NaN without labelled scores.
        counts: Pairs that the threshold gets right and wrong.
    """

    threshold: float
    counts: OutcomeCounts

    @property
    def accuracy(self) -> float:
        """Share of counted pairs that are right, in [0, 1]; NaN without counted pairs."""
        return self.counts.accuracy

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall, in [0, 1]."""
        return self.counts.f1

    @property
    def recall(self) -> float:
        """Share of paraphrases that are judged paraphrases, in [0, 1]."""
        return self.counts.recall

    @property
    def precision(self) -> float:
        """Share of paraphrases among the pairs judged paraphrases, in [0, 1]."""
        return self.counts.precision


@dataclass(frozen=True)
class DecisionThresholds:
    """A score's decisions (ParaPLUIE's table 3: "accuracy at the best threshold | at 0").

    Attributes:
        best: The decision at the distinct score with the greatest accuracy, the strictest if several are equal.
        best_f1: The decision at the distinct score with the greatest F1, the strictest if several are equal.
        natural: The decision at the score's natural threshold (0 for ParaPLUIE); None if it has none.
        given: The decision at the chosen threshold; None if there is none.
    """

    best: ThresholdDecision
    best_f1: ThresholdDecision
    natural: ThresholdDecision | None
    given: ThresholdDecision | None

    @property
    def majority(self) -> float:
        """Accuracy of always answering with the more common label, in [0, 1]; NaN without pairs."""
        return self.best.counts.constant

    @property
    def usual(self) -> ThresholdDecision:
        """The decision at the natural threshold if there is one, otherwise the best."""
        return self.best if self.natural is None else self.natural


def thresholds(
    scores: Scores,
    labels: Labels,
    *,
    higher_is_closer: bool = True,
    natural: float | None = None,
    given: float | None = None,
) -> DecisionThresholds:
    """Return the decisions at the best thresholds, the natural one and the chosen one (`given`), in O(n log n)."""

    def at(threshold: float) -> ThresholdDecision:
        return ThresholdDecision(threshold, counts(scores, labels, threshold, higher_is_closer))

    curve = threshold_curve(scores, labels, higher_is_closer=higher_is_closer)
    best = best_f1 = nan
    if len(curve):
        best, best_f1 = float(curve.threshold[curve.best()]), float(curve.threshold[curve.best_f1()])
    return DecisionThresholds(
        best=at(best),
        best_f1=at(best_f1),
        natural=None if natural is None else at(natural),
        given=None if given is None else at(given),
    )
