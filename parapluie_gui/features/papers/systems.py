"""System-level evaluation: systems ranked by human scores and by other scores, as in PEM's paper and WMT24."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import nan

import numpy as np

from parapluie_gui.analysis.score_column import ScoreColumn, Tick, step_ticks
from parapluie_gui.analysis.statistics.correlation import (
    Correlation,
    Estimate,
    correlation,
    interval,
    pearson,
    ranks,
    resample,
)
from parapluie_gui.arrays import Floats, Mask, Rows, Scores
from parapluie_gui.features.papers.paired_permutation import (
    perm_both,
    permutation_signs,
    significance_ranks,
    soft_pairwise_accuracy,
    system_p_values,
)
from parapluie_gui.features.papers.within_source import (
    SourcePairs,
    WithinSource,
    pair_within_sources,
    pairwise_permutation_test,
    score_within_source,
)

#: Column with the system that wrote a hypothesis.
SYSTEM = "system"

#: Maximum number of systems; a column with more values does not name systems.
MOST_SYSTEMS = 200


@dataclass(frozen=True, eq=False)
class SystemLayout:
    """Systems and items: an item is a source, and a system has one value for each, the mean of its hypotheses.

    Attributes:
        systems: Names, sorted, because their order affects the permutations.
        items: Number of distinct sources.
        system, item: Indices for each pair, (n,); −1 for pairs without a system or outside the selection.
    """

    systems: tuple[str, ...]
    items: int
    system: Rows
    item: Rows

    def table(self, values: Scores) -> Floats:
        """Return the values of each system on each item, (systems, items), NaN where a value is missing."""
        usable = (self.system >= 0) & ~np.isnan(values)
        place = self.system[usable] * self.items + self.item[usable]
        size = len(self.systems) * self.items
        count = np.bincount(place, minlength=size)
        total = np.bincount(place, values[usable], minlength=size)
        means = np.where(count > 0, total / np.maximum(count, 1), nan)
        return means.reshape(len(self.systems), self.items)


@dataclass(frozen=True)
class SystemMean:
    """Means and ranks of a system by human scores and by each score.

    Attributes:
        system: Name of the system.
        pairs: Number of its hypotheses; if some pairs have human scores, only these are counted.
        means: Means over sources, with bootstrap intervals, by score name; "" for human scores.
        ranks: Ranks by these means, 1 the best; equal means share the mean of their ranks.
    """

    system: str
    pairs: int
    means: dict[str, Estimate]
    ranks: dict[str, float]


@dataclass(frozen=True)
class SystemScore:
    """Agreement of a score with human scores.

    Attributes:
        name, title: Name and title of the score.
        sentences: Correlation over pairs; distances are negated, here and below.
        systems: Correlation of the systems' means with their human means.
        pairwise: Share of pairs of systems ordered as people order them (equal means count as wrong).
        soft: Soft pairwise accuracy in [0, 1].
        within: Agreement within each source, with tie calibration.
        rank_soft, rank_within: Significance cluster by `soft` and by `within`, 1 the best; 0 if not tested.
    """

    name: str
    title: str
    sentences: Correlation
    systems: Correlation
    pairwise: float
    soft: float
    within: WithinSource
    rank_soft: int = 0
    rank_within: int = 0


@dataclass(frozen=True)
class SystemTest:
    """Difference in agreement with human scores between two scores (positive: the first agrees better).

    p is one-sided: the probability that the better score leads by at least this much if the scores are interchangeable.

    Attributes:
        first, second: Names of the scores.
        sentences, sentences_p: Difference in Pearson's correlation over pairs, and PERM-BOTH's p.
        soft, soft_p: Difference in soft pairwise accuracy, and PERM-BOTH's p.
        within, within_p: Difference in acc_eq, and the p of the within-source permutation test.
    """

    first: str
    second: str
    sentences: float
    sentences_p: float
    soft: float
    soft_p: float
    within: float
    within_p: float


@dataclass(frozen=True)
class SystemEvaluation:
    """Evaluation of one corpus; without a column of systems, only over pairs and within sources.

    Attributes:
        corpus, column: Names of the corpus and of the column of systems.
        titles: Titles of the scores by name.
        systems, scores, tests: One entry per system, per score and per pair of scores.
        draws, seed: Number of resamples and permutations, and their seed.
    """

    corpus: str
    column: str
    titles: Mapping[str, str]
    systems: tuple[SystemMean, ...]
    scores: tuple[SystemScore, ...]
    tests: tuple[SystemTest, ...]
    draws: int
    seed: int


def assign_systems(sources: Sequence[str], systems: Sequence[object] | None, where: Mask | None = None) -> SystemLayout:
    """Assign pairs to systems and items; pairs without a system or outside `where` get −1."""
    count = len(sources)
    chosen = np.ones(count, dtype=bool) if where is None else where
    cells = [] if systems is None else [None if cell is None else str(cell).strip() or None for cell in systems]
    names = sorted({cell for cell, own in zip(cells, chosen.tolist(), strict=False) if cell is not None and own})
    number = {name: place for place, name in enumerate(names)}
    items: dict[str, int] = {}
    system, item = np.full(count, -1, dtype=np.int64), np.full(count, -1, dtype=np.int64)
    for row in np.flatnonzero(chosen).tolist() if cells else ():
        name = cells[row]
        if name is not None:
            system[row] = number[name]
            item[row] = items.setdefault(sources[row], len(items))
    return SystemLayout(tuple(names), len(items), system, item)


def evaluate_systems(
    name: str,
    score_columns: Sequence[ScoreColumn],
    sources: Sequence[str],
    human: Scores | None,
    systems: Sequence[object] | None,
    *,
    column: str = SYSTEM,
    where: Mask | None = None,
    draws: int = 1000,
    seed: int = 0,
    tick: Tick | None = None,
) -> SystemEvaluation:
    """Evaluate scores of the pairs in `where` (None: all) at the level of pairs, sources and systems.

    Without human scores the result has only the systems' means. `draws` is the number of resamples and permutations;
    with 0 there are neither intervals nor tests.
    """
    if human is None:
        human = np.full(len(sources), nan)
    work = _SystemEvaluator(
        score_columns, sources, human, assign_systems(sources, systems, where), where, draws, seed, tick
    )
    means = work.means()
    scores = work.scores() if not np.isnan(human).all() else ()
    tests = work.tests() if scores else ()
    if draws:
        scores = _add_ranks(scores, tests)
    titles = {score_column.name: score_column.title for score_column in score_columns}
    return SystemEvaluation(name, column, titles, means, _sort_scores(scores), tests, draws, seed)


class _SystemEvaluator:
    """Evaluates systems and scores, and reports progress to `tick`."""

    def __init__(
        self,
        score_columns: Sequence[ScoreColumn],
        sources: Sequence[str],
        human: Scores,
        layout: SystemLayout,
        where: Mask | None,
        draws: int,
        seed: int,
        tick: Tick | None,
    ) -> None:
        self._columns = score_columns
        self._better = [
            score_column.values if score_column.higher_is_closer else -score_column.values
            for score_column in score_columns
        ]
        self._where = np.ones(len(sources), dtype=bool) if where is None else where
        self._human = np.where(self._where, human, nan)
        # People's means and scores' means are computed on the same pairs.
        rated = ~np.isnan(self._human)
        self._compared = rated if rated.any() else self._where
        self._layout = layout
        self._draws, self._seed = draws, seed
        count = len(score_columns)
        self._ticks = step_ticks(tick, 1 + count + 3 * (count * (count - 1) // 2))
        self._pairs: SourcePairs = pair_within_sources(sources, self._human)
        self._table = layout.table(self._human)
        self._signs = permutation_signs(layout.items) if len(layout.systems) > 1 else np.empty((0, 0))
        self._human_p = system_p_values(self._table, self._signs) if len(layout.systems) > 1 else np.empty((0, 0))

    # Systems

    def means(self) -> tuple[SystemMean, ...]:
        """Return each system's means, the best by human scores first, or by name if there are no human scores."""
        step, layout = next(self._ticks), self._layout
        tables = {"": self._table}
        for column in self._columns:
            tables[column.name] = layout.table(np.where(self._compared, column.values, nan))
        tables = {name: table for name, table in tables.items() if not np.isnan(table).all()}
        if not layout.systems or not tables:
            return ()
        stacked = np.concatenate(list(tables.values()))
        drawn = np.empty((0, len(stacked)))
        if self._draws:
            drawn = resample(
                lambda rows: tuple(_means(stacked[:, rows]).tolist()), layout.items, self._draws, self._seed, step
            )
        value = _means(stacked)
        estimates = [interval(float(value[at]), drawn[:, at]) for at in range(len(stacked))]
        count = len(layout.systems)
        places = {}
        for at, name in enumerate(tables):
            own = value[at * count : (at + 1) * count]
            places[name] = ranks(-own if self._higher(name) else own)
        sizes = np.bincount(layout.system[(layout.system >= 0) & self._compared], minlength=count)
        result = [
            SystemMean(
                system=system,
                pairs=int(sizes[place]),
                means={name: estimates[at * count + place] for at, name in enumerate(tables)},
                ranks={name: float(places[name][place]) for name in tables},
            )
            for place, system in enumerate(layout.systems)
        ]
        return tuple(sorted(result, key=lambda system: system.ranks.get("", 0.0)))

    def _higher(self, name: str) -> bool:
        return not name or next(column.higher_is_closer for column in self._columns if column.name == name)

    # Scores

    def scores(self) -> tuple[SystemScore, ...]:
        """Return each score's agreement with human scores, unsorted and without ranks."""
        return tuple(self._score(at) for at in range(len(self._columns)))

    def _score(self, at: int) -> SystemScore:
        step, values = next(self._ticks), self._better[at]
        column = self._columns[at]
        table = self._layout.table(np.where(np.isnan(self._human), nan, values))
        human, metric = _means(np.where(np.isnan(table), nan, self._table)), _means(table)
        ordered = _pairwise(human, metric)
        return SystemScore(
            name=column.name,
            title=column.title,
            sentences=correlation(values, self._human, draws=self._draws, seed=self._seed, kendall=False, tick=step),
            systems=self._system_correlation(table),
            pairwise=ordered,
            soft=soft_pairwise_accuracy(self._human_p, system_p_values(table, self._signs)) if self._several else nan,
            within=score_within_source(self._pairs, values),
        )

    @property
    def _several(self) -> bool:
        return len(self._layout.systems) > 1

    def _system_correlation(self, table: Floats) -> Correlation:
        """Return the correlation of the systems' means, with intervals from resampled sources."""
        if not self._several:
            return Correlation()
        human = np.where(np.isnan(table), nan, self._table)
        observed = correlation(_means(table), _means(human))
        if not self._draws or np.isnan(observed.pearson.value):
            return observed

        def draw(rows: Rows) -> tuple[float, ...]:
            again = correlation(_means(table[:, rows]), _means(human[:, rows]))
            return again.pearson.value, again.spearman.value, again.kendall.value

        drawn = resample(draw, self._layout.items, self._draws, self._seed)
        estimates = (observed.pearson, observed.spearman, observed.kendall)
        return Correlation(
            observed.pairs, *(interval(estimate.value, drawn[:, at]) for at, estimate in enumerate(estimates))
        )

    # Tests

    def tests(self) -> tuple[SystemTest, ...]:
        """Return the tests of every pair of scores."""
        return tuple(self._test(one, two) for one, two in combinations(range(len(self._columns)), 2))

    def _test(self, one: int, two: int) -> SystemTest:
        first, second = self._better[one], self._better[two]
        there = ~np.isnan(first + second + self._human)
        human = self._human[there]
        draws, seed = self._draws, self._seed
        sentences = self._perm(lambda values: pearson(values, human), first[there], second[there])
        soft = nan, nan
        if self._several and there.any():
            tables = [self._layout.table(np.where(there, values, nan)) for values in (first, second)]
            by_people = system_p_values(self._layout.table(np.where(there, self._human, nan)), self._signs)
            soft = self._perm(
                lambda values: soft_pairwise_accuracy(by_people, system_p_values(values, self._signs)), *tables
            )
        within = pairwise_permutation_test(self._pairs, first, second, draws=draws, seed=seed, tick=next(self._ticks))
        return SystemTest(self._columns[one].name, self._columns[two].name, *sentences, *soft, *within)

    def _perm(self, statistic: Callable[[Floats], float], first: Floats, second: Floats) -> tuple[float, float]:
        return perm_both(statistic, first, second, draws=self._draws, seed=self._seed, tick=next(self._ticks))


def _add_ranks(scores: Sequence[SystemScore], tests: Sequence[SystemTest]) -> tuple[SystemScore, ...]:
    """Return the scores with their significance clusters."""
    soft = _clusters(scores, tests, lambda score: score.soft, lambda test: test.soft_p)
    within = _clusters(scores, tests, lambda score: score.within.accuracy, lambda test: test.within_p)
    return tuple(
        replace(score, rank_soft=soft.get(score.name, 0), rank_within=within.get(score.name, 0)) for score in scores
    )


def _sort_scores(scores: Sequence[SystemScore]) -> tuple[SystemScore, ...]:
    """Return the scores sorted by agreement within sources, the best first."""
    return tuple(sorted(scores, key=lambda score: -np.nan_to_num(score.within.accuracy, nan=-1.0)))


def _clusters(
    scores: Sequence[SystemScore],
    tests: Sequence[SystemTest],
    value: Callable[[SystemScore], float],
    p_value: Callable[[SystemTest], float],
) -> dict[str, int]:
    order = sorted((score for score in scores if not np.isnan(value(score))), key=lambda score: -value(score))
    by_pair = {frozenset((test.first, test.second)): test for test in tests}
    p_values = np.ones((len(order), len(order)))
    for one, two in combinations(range(len(order)), 2):
        test = by_pair[frozenset((order[one].name, order[two].name))]
        p_values[one, two] = p_value(test)
    return dict(zip((test.name for test in order), significance_ranks(p_values), strict=True))


def _means(table: Floats) -> Floats:
    there = ~np.isnan(table)
    count = there.sum(axis=1)
    return np.where(count > 0, np.where(there, table, 0.0).sum(axis=1) / np.maximum(count, 1), nan)


def _pairwise(human: Floats, metric: Floats) -> float:
    one, two = np.triu_indices(len(human), 1)
    people, scores = human[one] - human[two], metric[one] - metric[two]
    usable = ~np.isnan(people + scores) & (people != 0)
    return float(np.mean(np.sign(people[usable]) == np.sign(scores[usable]))) if usable.any() else nan
