"""The complete evaluation of single scores on some corpora, for `parapluie analyse` and reports."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from parapluie_gui.analysis.score_column import ScoreColumn, Tick, step_ticks
from parapluie_gui.analysis.statistics.calibration import Calibration, calibration, probability
from parapluie_gui.analysis.statistics.correlation import DRAWS, Correlation, correlation
from parapluie_gui.analysis.statistics.curves import (
    EqualError,
    PrecisionRecall,
    RocCurve,
    ThresholdCurve,
    equal_error,
    precision_recall,
    roc,
    threshold_curve,
)
from parapluie_gui.analysis.statistics.decision import DecisionThresholds, thresholds
from parapluie_gui.analysis.statistics.distribution import Distribution, distribution, histogram_edges
from parapluie_gui.arrays import Labels, Mask, Scores


@dataclass(frozen=True)
class DistanceIndependence:
    """A score's correlation with edit distance (ParaPLUIE's table 4); nearer to 0 is more independent.

    Attributes:
        paraphrase, other: Correlation within each class, unaffected by the difference between the classes.
        all: Correlation over all pairs, including unlabelled ones, without intervals.
    """

    paraphrase: Correlation
    other: Correlation
    all: Correlation


def independence(
    scores: Scores, distance: Scores, labels: Labels, *, draws: int = 0, seed: int = 0, tick: Tick | None = None
) -> DistanceIndependence:
    """Return the correlation of scores with edit distances within each class; arguments as for `correlation`."""

    def inside(label: int, step: int) -> Correlation:
        def part(done: int, total: int) -> None:
            if tick is not None:
                tick(step * total + done, 2 * total)

        return correlation(scores, distance, where=labels == label, draws=draws, seed=seed, tick=part)

    return DistanceIndependence(inside(1, 0), inside(0, 1), correlation(scores, distance))


#: The score from which all others should be independent.
DISTANCE = "edit_distance"


@dataclass(frozen=True, eq=False)
class StudyInput:
    """The input of a study: a score of n pairs.

    Attributes:
        score_column: The score.
        labels: The labels, (n,).
        parts: The pairs of each corpus, masks (n,) by name, as `score_column.part_masks` returns them.
        human, distance: Human scores and edit distances, (n,), or None.
        given: A chosen threshold, or None.
    """

    score_column: ScoreColumn
    labels: Labels
    parts: Mapping[str, Mask]
    human: Scores | None = None
    distance: Scores | None = None
    given: float | None = None


@dataclass(frozen=True, eq=False)
class ScoreStudy:
    """The evaluation of one score on one corpus.

    Attributes:
        score_column: The score, with its values for all pairs.
        distribution: Its distribution per label; all corpora have the same bins.
        calibration: Calibration of p(yes) / (p(yes) + p(no)); None except for ParaPLUIE.
        independence: Independence from edit distance; None without edit distances and for edit distance itself.
        human: Correlation with human scores; None without human scores.
    """

    score_column: ScoreColumn
    distribution: Distribution
    thresholds: DecisionThresholds
    curve: ThresholdCurve
    roc: RocCurve
    precision_recall: PrecisionRecall
    equal_error: EqualError
    calibration: Calibration | None
    independence: DistanceIndependence | None
    human: Correlation | None


@dataclass(frozen=True, eq=False)
class CorpusStudy:
    """All scores, by name, on one corpus or on all of them pooled ("Global")."""

    name: str
    pairs: int
    paraphrases: int
    negatives: int
    scores: Mapping[str, ScoreStudy]

    @classmethod
    def from_labels(cls, name: str, labels: Labels, scores: Mapping[str, ScoreStudy]) -> CorpusStudy:
        """Return a study of a corpus with these labels, (n,)."""
        return cls(name, len(labels), int((labels == 1).sum()), int((labels == 0).sum()), scores)

    def numbers(self, read: Callable[[ScoreStudy], float]) -> dict[str, float]:
        """Return a number of each score by the score's title, leaving out NaN."""
        numbers = {study.score_column.title: read(study) for study in self.scores.values()}
        return {title: value for title, value in numbers.items() if not np.isnan(value)}


def study(
    material: StudyInput, *, draws: int = DRAWS, seed: int = 0, tick: Tick | None = None
) -> dict[str, ScoreStudy]:
    """Evaluate a score on each corpus; with `draws=0` there are no confidence intervals."""
    work = _ScoreEvaluator(material, draws, seed, tick)
    return {name: work.score(where) for name, where in material.parts.items()}


class _ScoreEvaluator:
    """Evaluates a score on one corpus after another and counts the steps for `tick`."""

    def __init__(self, material: StudyInput, draws: int, seed: int, tick: Tick | None) -> None:
        self._material = material
        self._edges = histogram_edges(material.score_column.values)
        self._draws = draws
        self._seed = seed
        self._ticks = step_ticks(tick, 2 * len(material.parts))

    def score(self, where: Mask) -> ScoreStudy:
        """Evaluate the score on one corpus."""
        # Selecting these pairs once is faster than masking each time.
        material, score_column = self._material, self._material.score_column
        values, labels = score_column.values[where], material.labels[where]
        human = None if material.human is None else material.human[where]
        distance = None if material.distance is None or score_column.name == DISTANCE else material.distance[where]
        curve = threshold_curve(values, labels, higher_is_closer=score_column.higher_is_closer)
        decisions = thresholds(
            values,
            labels,
            higher_is_closer=score_column.higher_is_closer,
            natural=score_column.threshold,
            given=material.given,
        )
        if score_column.holds_verdicts and decisions.natural is not None:
            decisions = replace(decisions, best=decisions.natural, best_f1=decisions.natural)
        draws, seed = self._draws, self._seed
        step = next(self._ticks)
        independence_result = human_result = None
        if distance is not None:
            independence_result = independence(values, distance, labels, draws=draws, seed=seed, tick=step)
        step = next(self._ticks)
        if human is not None and not np.isnan(human).all():
            human_result = correlation(values, human, draws=draws, seed=seed, tick=step)
        return ScoreStudy(
            score_column=score_column,
            distribution=distribution(values, labels, self._edges),
            thresholds=decisions,
            curve=curve,
            roc=roc(curve),
            precision_recall=precision_recall(curve),
            equal_error=equal_error(curve),
            calibration=calibration(probability(values), labels) if score_column.is_from_judge else None,
            independence=independence_result,
            human=human_result,
        )
