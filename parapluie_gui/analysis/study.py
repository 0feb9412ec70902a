"""The whole evaluation of some scores on some corpora in one go, as `parapluie analyse` and the reports need it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from parapluie_gui.analysis.score_column import ScoreColumn, Tick
from parapluie_gui.analysis.statistics.buckets import Bucket, Cut, buckets
from parapluie_gui.analysis.statistics.calibration import Calibration, calibration, probability
from parapluie_gui.analysis.statistics.comparison import Comparison, Rows, compare, walks
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
from parapluie_gui.analysis.statistics.distribution import BINS, Distribution, distribution, histogram_edges
from parapluie_gui.analysis.statistics.independence import Independence, independence
from parapluie_gui.scores.column_kind import is_judge_score

#: The score that the others are to be independent of.
DISTANCE = "edit_distance"

#: Pairs that are kept of those whose ranks by two scores differ.
MOVERS = 100


@dataclass(frozen=True, eq=False)
class Material:
    """What is studied: columns of n pairs.

    Attributes:
        score_columns: The scores.
        labels: n labels: 1 paraphrase, 0 not, anything else unlabelled.
        parts: The pairs of each corpus, bool (n,), such as `score_column.parts` returns.
        human: n human scores, NaN where there is none; or None.
        distance: n edit distances, or None.
        cuts: The columns that accuracy is told by.
        given: A threshold asked for, by score.
    """

    score_columns: Sequence[ScoreColumn]
    labels: np.ndarray
    parts: Mapping[str, np.ndarray]
    human: np.ndarray | None = None
    distance: np.ndarray | None = None
    cuts: Sequence[Cut] = ()
    given: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class ScoreStudy:
    """One score on one corpus.

    Attributes:
        score_column: The score (of all pairs).
        distribution: Its spread per label; all corpora share the borders of the bins.
        thresholds: Its accuracy at the best threshold, the natural one and the one asked for.
        sweep, roc, precision_recall, equal_error: Its curves.
        calibration: Of p(yes) / (p(yes) + p(no)); None for anything but ParaPLUIE.
        independence: Of edit distance; None without edit distances, and for edit distance itself.
        human: Correlation with human scores; None without any.
        buckets: By each column, at the natural threshold or else the best on this corpus.
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
    """Two scores compared, each at its natural threshold or else the best on the corpus.

    Attributes:
        first, second: Their names.
        first_threshold, second_threshold: Where paraphrases begin, or for distances end.
        comparison: Who is right where.
        flips: The pairs on which they differ, the largest rank difference first.
        movers: The pairs whose ranks differ most, at most `MOVERS`.
    """

    first: str
    second: str
    first_threshold: float
    second_threshold: float
    comparison: Comparison
    flips: Rows
    movers: Rows


@dataclass(frozen=True, eq=False)
class CorpusStudy:
    """All scores on one corpus.

    Attributes:
        name: The corpus, or "Global" for all of them pooled.
        pairs, paraphrases, others: How many there are; the rest is unlabelled.
        scores: By the name of the score.
        matches: Every two scores.
    """

    name: str
    pairs: int
    paraphrases: int
    others: int
    scores: Mapping[str, ScoreStudy]
    matches: tuple[Match, ...]


def study(
    material: Material, *, draws: int = DRAWS, seed: int = 0, bins: int = BINS, tick: Tick | None = None
) -> tuple[CorpusStudy, ...]:
    """Study all scores on each corpus.

    Args:
        material: The scores and what goes with them.
        draws: Resamples for confidence intervals and tests; 0 for none.
        seed: Of the resamples.
        bins: Of the histograms.
        tick: Called as tick(done, total) now and then; what it raises stops the work.
    """
    edges = {each.name: histogram_edges(each.values, bins=bins) for each in material.score_columns}
    count = len(material.score_columns)
    work = _Work(material, draws, seed, tick, len(material.parts) * (2 * count + count * (count - 1) // 2))
    return tuple(work.corpus(name, where, edges) for name, where in material.parts.items())


class _Work:
    """Goes through the corpora, telling how far it is."""

    def __init__(self, material: Material, draws: int, seed: int, tick: Tick | None, steps: int) -> None:
        self._material = material
        self._draws = draws
        self._seed = seed
        self._tick = tick
        self._steps = steps
        self._step = 0

    def corpus(self, name: str, where: np.ndarray, edges: Mapping[str, np.ndarray]) -> CorpusStudy:
        """Study all scores on one corpus."""
        scores = {each.name: self._score(each, where, edges[each.name]) for each in self._material.score_columns}
        labels = self._material.labels[where]
        return CorpusStudy(
            name=name,
            pairs=len(labels),
            paraphrases=int((labels == 1).sum()),
            others=int((labels == 0).sum()),
            scores=scores,
            matches=tuple(self._match(*two, where) for two in combinations(scores.values(), 2)),
        )

    def _score(self, score_column: ScoreColumn, where: np.ndarray, edges: np.ndarray) -> ScoreStudy:
        # Everything below is about these pairs alone; taking them out once is quicker than masking each time.
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
            distribution=distribution(values, labels, edges=edges),
            thresholds=found,
            sweep=curve,
            roc=roc(curve),
            precision_recall=precision_recall(curve),
            equal_error=equal_error(curve),
            calibration=calibration(probability(values), labels) if is_judge_score(score_column.name) else None,
            independence=independent,
            human=judged,
            buckets={
                cut.name: buckets(
                    score_column, material.labels, cut, found.usual.threshold, human=material.human, where=where
                )
                for cut in material.cuts
            },
        )

    def _match(self, first: ScoreStudy, second: ScoreStudy, where: np.ndarray) -> Match:
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
        flipped, moved = walks(first.score_column, second.score_column, one, two, where, MOVERS)
        return Match(first.score_column.name, second.score_column.name, one, two, found, flipped, moved)

    def _next(self) -> Tick | None:
        """Return the tick of the next step, which counts thousandths of it."""
        if self._tick is None:
            return None
        tick, before, total = self._tick, 1000 * self._step, 1000 * self._steps
        self._step += 1
        tick(before, total)
        return lambda done, all: tick(before + 1000 * done // all, total)
