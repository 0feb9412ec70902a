"""The whole evaluation of some scores on some corpora in one go, as `parapluie analyse` and the reports need it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from parapluie_gui.analysis.score_column import ScoreColumn, Tick
from parapluie_gui.analysis.statistics.buckets import Bucket, Cut, buckets
from parapluie_gui.analysis.statistics.calibration import Calibration, calibration, probability
from parapluie_gui.analysis.statistics.comparison import Comparison, RankedPairs, compare, flips_and_movers
from parapluie_gui.analysis.statistics.correlation import DRAWS, Correlation, correlation
from parapluie_gui.analysis.statistics.curves import (
    EqualError,
    PrecisionRecall,
    Roc,
    Sweep,
    equal_error,
    precision_recall,
    roc,
    sweep,
)
from parapluie_gui.analysis.statistics.decision import Thresholds, thresholds
from parapluie_gui.analysis.statistics.distribution import Distribution, distribution, histogram_edges
from parapluie_gui.analysis.statistics.independence import Independence, independence
from parapluie_gui.analysis.statistics.shared_errors import (
    SharedErrors,
    score_verdicts,
    shared_errors,
    templates_or_all,
)
from parapluie_gui.arrays import Floats, Labels, Mask, Scores

#: The score that all others should be independent of.
DISTANCE = "edit_distance"

#: The most pairs listed among those whose ranks by two scores differ.
MOVERS = 100


@dataclass(frozen=True, eq=False)
class Studied:
    """What is studied: columns of n pairs.

    Attributes:
        score_columns: The scores.
        labels: The labels.
        parts: The pairs of each corpus, such as `score_column.parts` returns.
        human, distance: Human scores and edit distances, or None.
        cuts: The buckets to report accuracy by.
        given: A threshold asked for, by score.
    """

    score_columns: Sequence[ScoreColumn]
    labels: Labels
    parts: Mapping[str, Mask]
    human: Scores | None = None
    distance: Scores | None = None
    cuts: Sequence[Cut] = ()
    given: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class ScoreStudy:
    """One score on one corpus.

    Attributes:
        score_column: The score (of all pairs).
        distribution: Its spread per label; all corpora share the borders of the bins.
        calibration: Of p(yes) / (p(yes) + p(no)); None for anything but ParaPLUIE.
        independence: Of edit distance; None without edit distances, and for edit distance itself.
        human: Correlation with human scores; None without any.
        buckets: By each column, at the natural threshold or, without one, the best on this corpus.
    """

    score_column: ScoreColumn
    distribution: Distribution
    thresholds: Thresholds
    sweep: Sweep
    roc: Roc
    precision_recall: PrecisionRecall
    equal_error: EqualError
    calibration: Calibration | None
    independence: Independence | None
    human: Correlation | None
    buckets: Mapping[str, tuple[Bucket, ...]]


@dataclass(frozen=True, eq=False)
class Match:
    """Two scores, by name, compared; each at its natural threshold or, without one, the best on the corpus.

    Attributes:
        flips: The pairs on which their verdicts differ.
        movers: The pairs whose ranks differ most, at most `MOVERS`.
    """

    first: str
    second: str
    first_threshold: float
    second_threshold: float
    comparison: Comparison
    flips: RankedPairs
    movers: RankedPairs


@dataclass(frozen=True, eq=False)
class CorpusStudy:
    """All scores, by name, on one corpus or on all of them pooled ("Global"), and every two of them compared.

    Attributes:
        shared: What every template gets wrong, and what at least one (every score where there are no two templates);
            None with fewer than two scores.
    """

    name: str
    pairs: int
    paraphrases: int
    negatives: int
    scores: Mapping[str, ScoreStudy]
    matches: tuple[Match, ...]
    shared: SharedErrors | None = None

    @classmethod
    def of(
        cls,
        name: str,
        labels: Labels,
        scores: Mapping[str, ScoreStudy],
        matches: Iterable[Match] = (),
        shared: SharedErrors | None = None,
    ) -> CorpusStudy:
        """Return a study of a corpus with these labels."""
        paraphrases, negatives = int((labels == 1).sum()), int((labels == 0).sum())
        return cls(name, len(labels), paraphrases, negatives, scores, tuple(matches), shared)


def study(material: Studied, *, draws: int = DRAWS, seed: int = 0, tick: Tick | None = None) -> tuple[CorpusStudy, ...]:
    """Study all scores on each corpus; without draws there are no confidence intervals and tests."""
    edges = {each.name: histogram_edges(each.values) for each in material.score_columns}
    count = len(material.score_columns)
    work = _Work(material, draws, seed, tick, len(material.parts) * (2 * count + count * (count - 1) // 2))
    return tuple(work.corpus(name, where, edges) for name, where in material.parts.items())


class _Work:
    """Goes through the corpora and counts the steps for `tick`."""

    def __init__(self, material: Studied, draws: int, seed: int, tick: Tick | None, steps: int) -> None:
        self._material = material
        self._draws = draws
        self._seed = seed
        self._tick = tick
        self._steps = steps
        self._step = 0

    def corpus(self, name: str, where: Mask, edges: Mapping[str, Floats]) -> CorpusStudy:
        """Study all scores on one corpus."""
        scores = {each.name: self._score(each, where, edges[each.name]) for each in self._material.score_columns}
        matches = [self._match(*two, where) for two in combinations(scores.values(), 2)]
        return CorpusStudy.of(name, self._material.labels[where], scores, matches, self._shared(scores, where))

    def _shared(self, scores: Mapping[str, ScoreStudy], where: Mask) -> SharedErrors | None:
        chosen = [scores[name] for name in templates_or_all(scores)]
        if len(chosen) < 2:
            return None
        at = [each.thresholds.usual.threshold for each in chosen]
        verdicts = score_verdicts([each.score_column for each in chosen], self._material.labels, at)
        return shared_errors(verdicts[where], self._material.labels[where])

    def _score(self, score_column: ScoreColumn, where: Mask, edges: Floats) -> ScoreStudy:
        # Selecting these pairs once is quicker than masking each time.
        material = self._material
        values, labels = score_column.values[where], material.labels[where]
        human = None if material.human is None else material.human[where]
        distance = None if material.distance is None or score_column.name == DISTANCE else material.distance[where]
        curve = sweep(values, labels, higher_is_closer=score_column.higher_is_closer)
        found = thresholds(
            values,
            labels,
            higher_is_closer=score_column.higher_is_closer,
            natural=score_column.threshold,
            given=material.given.get(score_column.name),
        )
        draws, seed = self._draws, self._seed
        step = self._next()
        independent = judged = None
        if distance is not None:
            independent = independence(values, distance, labels, draws=draws, seed=seed, tick=step)
        step = self._next()
        if human is not None and not np.isnan(human).all():
            judged = correlation(values, human, draws=draws, seed=seed, tick=step)
        return ScoreStudy(
            score_column=score_column,
            distribution=distribution(values, labels, edges),
            thresholds=found,
            sweep=curve,
            roc=roc(curve),
            precision_recall=precision_recall(curve),
            equal_error=equal_error(curve),
            calibration=calibration(probability(values), labels) if score_column.judged else None,
            independence=independent,
            human=judged,
            buckets={
                cut.name: buckets(
                    score_column, material.labels, cut, found.usual.threshold, human=material.human, where=where
                )
                for cut in material.cuts
            },
        )

    def _match(self, first: ScoreStudy, second: ScoreStudy, where: Mask) -> Match:
        one, two = first.thresholds.usual.threshold, second.thresholds.usual.threshold
        found = compare(
            first.score_column,
            second.score_column,
            self._material.labels,
            first_threshold=one,
            second_threshold=two,
            human=self._material.human,
            where=where,
            draws=self._draws,
            seed=self._seed,
            tick=self._next(),
        )
        flipped, moved = flips_and_movers(first.score_column, second.score_column, one, two, where, MOVERS)
        return Match(first.score_column.name, second.score_column.name, one, two, found, flipped, moved)

    def _next(self) -> Tick | None:
        """Return the tick of the next step, which counts thousandths of it."""
        if self._tick is None:
            return None
        tick, before, total = self._tick, 1000 * self._step, 1000 * self._steps
        self._step += 1
        tick(before, total)
        return lambda done, all: tick(before + 1000 * done // all, total)
