"""Meta-evaluation of metrics against human scores, by the protocol of the ParaScore paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan

import numpy as np

from parapluie_gui.analysis.score_column import ScoreColumn, Tick
from parapluie_gui.analysis.statistics.buckets import CutColumn, cut_numbers
from parapluie_gui.analysis.statistics.correlation import Correlation, correlation
from parapluie_gui.arrays import Floats, Mask, Scores
from parapluie_gui.errors import ParapluieError
from parapluie_gui.features.papers.parascore_cases import (
    CandidatePairs,
    CandidateRanking,
    CandidateSubsets,
    attribution,
    case_masks,
    find_subsets,
)
from parapluie_gui.features.papers.parascore_extension import added_pairs, held_out_pairs, split_corpus
from parapluie_gui.metrics.lexical.edit_distance import EditDistance
from parapluie_gui.metrics.neural.parascore import OMEGA, diversity
from parapluie_gui.pairs.corpus import Corpus

#: The weights to try: 0.01·i, as in the authors' code; Shen et al. (EMNLP 2022), section 2.1, tune on 10 % of the data.
GRID: Floats = np.arange(100, dtype=np.float64) * 0.01


@dataclass(frozen=True, eq=False)
class TunedWeight:
    """ParaScore with its weight tuned: similarity + ω · DS.

    Attributes:
        omega: The weight with the best Pearson correlation on the tuning pairs, the smallest if several
            are equal; NaN if no correlation is defined.
        grid: The weights tried, (k,).
        pearson: Pearson's correlation with human scores on the tuning pairs for each weight, (k,).
        held_out: Correlations of the tuned score on the held-out pairs.
        plain: The correlations for the similarity alone (ω = 0).
        usual: The correlations with the toolkit's ω = 0.05.
        authors: The correlations with the weight that the authors' published code uses: the next one on the grid.
        no_threshold: The correlations without the threshold γ, the ablation of table 10: the distance itself instead of
            DS, with its best weight, `no_threshold_omega`.
    """

    omega: float
    grid: Floats
    pearson: Floats
    held_out: Correlation
    plain: Correlation
    usual: Correlation
    authors: Correlation
    no_threshold: Correlation
    no_threshold_omega: float


def tune_omega(similarity: Scores, distance: Scores, human: Scores, where: Mask) -> TunedWeight:
    """Tune ParaScore's ω on the first pairs of a corpus and evaluate it on the rest.

    Args:
        similarity: Sim(S, H), or max(Sim(S, H), Sim(R, H)) for ParaScore with references.
        distance: The normalised edit distance of S and H.
        human: The human scores.
        where: The pairs to use; the corpus is split before they are selected.
    """
    spread = diversity(distance)
    rest = held_out_pairs(len(similarity))
    tuning = where & ~rest & ~(np.isnan(similarity) | np.isnan(spread) | np.isnan(human))
    curve = _pearsons(similarity[tuning], spread[tuning], human[tuning])

    def evaluate(omega: float, bonus: Scores = spread) -> Correlation:
        return correlation(similarity + omega * bonus, human, where=rest & where, kendall=False)

    omega = _best(curve)
    smooth = _best(_pearsons(similarity[tuning], distance[tuning], human[tuning]))
    return TunedWeight(
        omega=omega,
        grid=GRID.copy(),
        pearson=curve,
        held_out=evaluate(omega),
        plain=evaluate(0.0),
        usual=evaluate(OMEGA),
        authors=evaluate(omega + 0.01),
        no_threshold=evaluate(smooth, distance),
        no_threshold_omega=smooth,
    )


def _best(curve: Floats) -> float:
    return nan if np.isnan(curve).all() else float(GRID[int(np.nanargmax(curve))])


def _pearsons(similarity: Scores, spread: Scores, human: Scores) -> Floats:
    """Return Pearson's correlation of similarity + ω · spread with human for each ω of the grid, in one pass."""
    if len(human) < 2:
        return np.full(len(GRID), nan)
    s, d, h = (column - column.mean() for column in (similarity, spread, human))
    variance = s @ s + 2 * GRID * (s @ d) + GRID**2 * (d @ d)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((s @ h + GRID * (d @ h)) / np.sqrt(variance * (h @ h)))


#: Part of the name of a score against the reference: "bleu.ref".
_REFERENCE = "ref"

_GROUPS = 4


@dataclass(frozen=True)
class MetaScore:
    """Correlations of one score with human scores. Distances are not negated, so their correlations are negative.

    Attributes:
        reference: Does it compare the hypothesis with the reference ("bleu.ref")?
        held_out: The correlations on the pairs not used for tuning, as in the paper.
        all: The correlations on all pairs.
        extended: The correlations on the held-out pairs of the extended corpus; None if the corpus was not extended.
        groups: The correlations on all pairs of each of four groups of equal size by distance, the nearest first:
            Dist(S, H), and for scores against the reference Dist(H, R) (figures 1 and 2).
        case_one: The correlations on all pairs whose hypothesis is nearer to its reference than to its source; None
            without references.
        case_two: The correlations on the other pairs with a reference.
        base: The agreement on candidate pairs equally far from their source, regardless of meaning (table 4); None
            without a similarity score.
        similarity, divergence: The agreement on candidate pairs that differ in meaning only, and in wording only
            (S_sim, S_div); None without a similarity score.
        divergence_near, divergence_far: The agreement on the pairs of S_div whose smaller distance is within 0.35, and
            on the rest.
    """

    name: str
    title: str
    reference: bool
    held_out: Correlation
    all: Correlation
    extended: Correlation | None
    groups: tuple[Correlation, ...]
    case_one: Correlation | None
    case_two: Correlation | None
    base: CandidateRanking | None
    similarity: CandidateRanking | None
    divergence: CandidateRanking | None
    divergence_near: CandidateRanking | None
    divergence_far: CandidateRanking | None


@dataclass(frozen=True)
class MetricForms:
    """A metric, H against S (free) and H against R (reference), on the held-out pairs that both score."""

    name: str
    free: Correlation
    reference: Correlation


@dataclass(frozen=True)
class DistanceGroup:
    """A group of pairs by distance: low <= distance < high (the last group includes its upper border)."""

    low: float
    high: float
    pairs: int


@dataclass(frozen=True)
class MetaEvaluation:
    """Agreement of scores with the human scores of a corpus.

    Attributes:
        pairs: Number of original pairs (not added by extending) with a human score.
        tuning, tested: The number of those pairs in the first tenth, and in the rest ("held out").
        added: Number of pairs added by extending.
        forms: Metrics available both against the source and against the reference.
        groups: Groups by Dist(S, H).
        reference_groups: Groups by Dist(H, R), for scores against the reference; () without references.
        similarity: The score that separates S_sim from S_div, or "".
        omega: ParaScore with ω tuned, by similarity: reference-free ("sbert"); with references
            ("max(sbert, sbert.ref)"), if the similarity to the reference is available; and tuned and evaluated on the
            extended corpus ("sbert (extended)").
    """

    corpus: str
    pairs: int
    tuning: int
    tested: int
    added: int
    scores: tuple[MetaScore, ...]
    forms: tuple[MetricForms, ...]
    groups: tuple[DistanceGroup, ...]
    reference_groups: tuple[DistanceGroup, ...]
    similarity: str
    omega: dict[str, TunedWeight]


def evaluate_scores(
    score_columns: Sequence[ScoreColumn],
    corpus: Corpus,
    *,
    similarity: str | None = None,
    where: Mask | None = None,
    draws: int = 0,
    seed: int = 0,
    tick: Tick | None = None,
) -> MetaEvaluation:
    """Evaluate scores against human scores.

    Args:
        score_columns: Scores of the corpus's pairs.
        corpus: Pairs with human scores, in file order; possibly extended (`parascore_extension.extend`).
        similarity: Score for the subsets S_sim and S_div and for ParaScore's ω; None leaves these out.
        where: The selection; None for all pairs.
        draws: Number of resamples for confidence intervals of the held-out correlations; 0 for no intervals.
        seed: Seed of the resamples.
        tick: Called as tick(done, total) from time to time; an exception it raises stops the work.

    Raises:
        ParapluieError: The corpus has no human scores, or there is no score named `similarity`.
    """
    work = _MetaEvaluator(score_columns, corpus, similarity, where)
    steps = len(score_columns)
    scores = []
    for number, column in enumerate(score_columns):
        if tick is not None:
            tick(number, steps)
        scores.append(work.score(column, draws, seed))
    result = work.result(tuple(scores))
    if tick is not None:
        tick(steps, steps)
    return result


class _MetaEvaluator:
    """Evaluates scores one by one; holds the masks and groups they share."""

    def __init__(
        self, score_columns: Sequence[ScoreColumn], corpus: Corpus, similarity: str | None, where: Mask | None
    ) -> None:
        if corpus.human is None:
            raise ParapluieError(f"{corpus.name} has no human scores to compare with. Name their column with --human.")
        self._columns = {score_column.name: score_column for score_column in score_columns}
        if similarity is not None and similarity not in self._columns:
            raise ParapluieError(f'There is no score "{similarity}"; the scores are {", ".join(self._columns)}.')
        self._corpus = corpus
        self._human = corpus.human
        self._chosen = ~np.isnan(corpus.human) if where is None else where & ~np.isnan(corpus.human)
        self._added = added_pairs(corpus)
        # The extended corpus is split with the added pairs, the original corpus without them.
        self._extended_rest = held_out_pairs(len(corpus)) & self._chosen
        self._original, rest = split_corpus(corpus)
        self._all = self._original & self._chosen
        self._rest = rest & self._chosen
        self._distance = EditDistance().score(corpus.source, corpus.hypothesis)
        self._groups = cut_numbers("edit distance", self._distance, parts=_GROUPS, where=self._all)
        self._to_reference = self._reference_distance()
        self._reference_groups = None
        if self._to_reference is not None:
            there = self._all & ~np.isnan(self._to_reference)
            self._reference_groups = cut_numbers("edit distance", self._to_reference, parts=_GROUPS, where=there)
        self._cases = self._case_masks()
        self._similarity = None if similarity is None else self._columns[similarity]
        self._subsets: CandidateSubsets | None = None
        if self._similarity is not None:
            self._subsets = find_subsets(corpus.source, self._distance, self._similarity.values, self._all)

    def _reference_distance(self) -> Scores | None:
        """Return Dist(H, R), NaN for pairs without a reference; None if the corpus has no references."""
        references = self._corpus.reference
        if references is None:
            return None
        there = np.array([reference is not None for reference in references])
        texts = ["" if reference is None else reference for reference in references]
        return np.where(there, EditDistance().score(self._corpus.hypothesis, texts), np.nan)

    def _case_masks(self) -> tuple[Mask, Mask] | None:
        if self._to_reference is None:
            return None
        one, two = case_masks(self._distance, self._to_reference)
        return one & self._all, two & self._all

    def score(self, score_column: ScoreColumn, draws: int, seed: int) -> MetaScore:
        """Evaluate one score."""

        def correlate(mask: Mask, draws: int = 0) -> Correlation:
            return correlation(score_column.values, self._human, where=mask, draws=draws, seed=seed, kendall=False)

        def attribute(pairs: CandidatePairs) -> CandidateRanking:
            return attribution(score_column.values, self._human, pairs, score_column.higher_is_closer)

        candidates = self._subsets
        reference = _REFERENCE in score_column.name.split(".")
        groups = self._reference_groups if reference and self._reference_groups is not None else self._groups
        return MetaScore(
            name=score_column.name,
            title=score_column.title,
            reference=reference,
            held_out=correlate(self._rest, draws),
            all=correlate(self._all),
            extended=None if self._added is None else correlate(self._extended_rest),
            groups=tuple(correlate(groups.mask(number)) for number in range(len(groups.names))),
            case_one=None if self._cases is None else correlate(self._cases[0]),
            case_two=None if self._cases is None else correlate(self._cases[1]),
            base=attribute(candidates.base) if candidates else None,
            similarity=attribute(candidates.similarity) if candidates else None,
            divergence=attribute(candidates.divergence) if candidates else None,
            divergence_near=attribute(candidates.near) if candidates else None,
            divergence_far=attribute(candidates.far) if candidates else None,
        )

    def result(self, scores: tuple[MetaScore, ...]) -> MetaEvaluation:
        """Return the evaluation with these scores, the subsets' sizes and the tuned weights."""
        return MetaEvaluation(
            corpus=self._corpus.name,
            pairs=int(self._all.sum()),
            tuning=int((self._all & ~self._rest).sum()),
            tested=int(self._rest.sum()),
            added=0 if self._added is None else int((self._added & self._chosen).sum()),
            scores=scores,
            forms=tuple(self._forms()),
            groups=_distance_groups(self._groups),
            reference_groups=() if self._reference_groups is None else _distance_groups(self._reference_groups),
            similarity="" if self._similarity is None else self._similarity.name,
            omega=self._omegas(),
        )

    def _forms(self) -> list[MetricForms]:
        forms = []
        for name, based in self._columns.items():
            free = self._columns.get(".".join(word for word in name.split(".") if word != _REFERENCE))
            if free is None or free is based:
                continue
            both = self._rest & ~np.isnan(free.values) & ~np.isnan(based.values)
            one, two = (correlation(column.values, self._human, where=both, kendall=False) for column in (free, based))
            forms.append(MetricForms(free.name, one, two))
        return forms

    def _omegas(self) -> dict[str, TunedWeight]:
        if self._similarity is None:
            return {}
        name, values = self._similarity.name, self._similarity.values
        similarities = {name: values}
        head, _, tail = name.partition(".")
        based = self._columns.get(".".join(filter(None, (head, _REFERENCE, tail))))
        if based is not None:
            similarities[f"max({name}, {based.name})"] = np.fmax(values, based.values)
        weights = {}
        for title, values in similarities.items():
            weights[title] = self._tune(values, self._original)
            if self._added is not None:
                weights[f"{title} (extended)"] = self._tune(values, np.ones(len(values), dtype=bool))
        return weights

    def _tune(self, values: Scores, rows: Mask) -> TunedWeight:
        """Tune ω on a corpus of only these rows."""
        return tune_omega(values[rows], self._distance[rows], self._human[rows], self._chosen[rows])


def _distance_groups(groups: CutColumn) -> tuple[DistanceGroup, ...]:
    return tuple(
        DistanceGroup(low, high, int(groups.mask(number).sum()))
        for number, (low, high) in enumerate(zip(groups.low, groups.high, strict=True))
    )
