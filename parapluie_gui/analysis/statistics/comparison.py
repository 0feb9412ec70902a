"""Compares two metrics, templates or models: on which pairs each is right, and whether this could be chance."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import nan
from typing import Literal

import numpy as np

from parapluie_gui.analysis.score_column import ScoreColumn, Tick, keep_selected
from parapluie_gui.analysis.statistics.correlation import DRAWS, Estimate, interval, pearson, resample
from parapluie_gui.analysis.statistics.disagreement import rank_share
from parapluie_gui.analysis.threshold import best_threshold, constant_accuracy
from parapluie_gui.arrays import Floats, Labels, Mask, Rows, Scores
from parapluie_gui.scores.table import is_scored

Which = Literal["both", "only_first", "only_second", "neither"]


@dataclass(frozen=True)
class McNemar:
    """McNemar's test on the pairs that only one of two scores gets right (Psychometrika 1947).

    Attributes:
        statistic: χ² with one degree of freedom and Edwards' continuity correction.
        p_value: p of that statistic; reliable if there are at least about 25 such pairs.
        exact: p of the two-sided binomial test; reliable for any number of pairs.
    """

    statistic: float
    p_value: float
    exact: float


@dataclass(frozen=True)
class ScoreComparison:
    """The comparison of two scores on the same pairs.

    Attributes:
        compared: Number of pairs that have both scores, labelled or not.
        agreement: Share of them with the same verdict; NaN without thresholds.
        kappa: Cohen's κ of the verdicts, agreement beyond chance, up to 1; NaN where all verdicts are the same.
        pairs: Number of compared pairs that have a label.
        both, only_first, only_second, neither: Labelled pairs that both scores, only one or neither gets right.
        difference: Accuracy of the first minus that of the second, with its bootstrap interval.
        p_value: Share of resamples whose difference is at least as far from `difference` as that is from 0: the paired
            bootstrap test (Koehn, EMNLP 2004, as in sacreBLEU).
        mcnemar: McNemar's test.
        positives: Number of paraphrases among the labelled pairs.
        human: Number of pairs with both scores and a human score.
        pearson: Pearson's correlation of the first with human scores minus that of the second, distances negated.
        pearson_p_value: p of the paired bootstrap test of that difference.
        draws: Number of resamples in both bootstrap tests; 0 without tests.
    """

    compared: int
    agreement: float
    kappa: float
    pairs: int
    both: int
    only_first: int
    only_second: int
    neither: int
    difference: Estimate
    p_value: float
    mcnemar: McNemar
    positives: int = 0
    human: int = 0
    pearson: Estimate = field(default_factory=Estimate)
    pearson_p_value: float = nan
    draws: int = 0

    @property
    def least_p(self) -> float:
        """The smallest p that this number of resamples can give."""
        return 1 / (self.draws + 1)

    @property
    def constant(self) -> float:
        """Accuracy of always giving the more common label of the labelled pairs; NaN without labelled pairs."""
        return constant_accuracy(self.positives, self.pairs)

    @property
    def first_accuracy(self) -> float:
        """Share of labelled pairs that the first score gets right; NaN without labelled pairs."""
        return (self.both + self.only_first) / self.pairs if self.pairs else nan

    @property
    def second_accuracy(self) -> float:
        """Share of labelled pairs that the second score gets right; NaN without labelled pairs."""
        return (self.both + self.only_second) / self.pairs if self.pairs else nan


@dataclass(frozen=True, eq=False)
class RankedPairs:
    """Pairs ordered by the difference between their ranks under two scores, the largest first.

    Attributes:
        rows: The rows of the corpus, (k,).
        change: Rank share under the first score minus that under the second, (k,) in [-1, 1]; above 0, the pair is
            closer under the first.
    """

    rows: Rows
    change: Floats


def default_threshold(score_column: ScoreColumn, labels: Labels, where: Mask | None = None) -> float:
    """Return the score's natural threshold or, without one, the best on these pairs (NaN without labels)."""
    if score_column.threshold is not None:
        return score_column.threshold
    return best_threshold(keep_selected(score_column.values, where), labels, score_column.higher_is_closer)[0]


def compare(
    first: ScoreColumn,
    second: ScoreColumn,
    labels: Labels,
    *,
    first_threshold: float,
    second_threshold: float,
    human: Scores | None = None,
    where: Mask | None = None,
    draws: int = DRAWS,
    seed: int = 0,
    tick: Tick | None = None,
) -> ScoreComparison:
    """Compare two scores on the pairs that have both and are in `where` (None: all).

    With a threshold of NaN there are no verdicts. With `draws=0` there are no intervals and no bootstrap tests.
    """
    present = _both_present(first, second, where)
    decided = not math.isnan(first_threshold) and not math.isnan(second_threshold)
    one, two = first.predicted_positive(first_threshold), second.predicted_positive(second_threshold)
    usable = present & ((labels == 0) | (labels == 1))
    truth = labels[usable] == 1
    first_right, second_right = one[usable] == truth, two[usable] == truth
    pairs = int(usable.sum())
    only_first, only_second = int((first_right & ~second_right).sum()), int((~first_right & second_right).sum())
    difference, p_value = _accuracy_test(only_first, only_second, pairs, draws, seed)
    result = ScoreComparison(
        compared=int(present.sum()),
        agreement=float(np.mean(one[present] == two[present])) if decided and present.any() else nan,
        kappa=kappa(one[present], two[present]) if decided else nan,
        pairs=pairs,
        both=int((first_right & second_right).sum()),
        only_first=only_first,
        only_second=only_second,
        neither=int((~first_right & ~second_right).sum()),
        difference=difference,
        p_value=p_value,
        mcnemar=mcnemar(only_first, only_second),
        positives=int(truth.sum()),
        draws=draws,
    )
    if human is None:
        return result
    judged = present & ~np.isnan(human)
    estimate, human_p = _pearson_test(first, second, human, judged, draws, seed, tick)
    return replace(result, human=int(judged.sum()), pearson=estimate, pearson_p_value=human_p)


def mcnemar(only_first: int, only_second: int) -> McNemar:
    """Compute McNemar's test from the numbers of pairs that only the first and only the second score gets right."""
    from scipy.stats import binomtest

    total = only_first + only_second
    if not total:
        return McNemar(0.0, 1.0, 1.0)
    statistic = max(abs(only_first - only_second) - 1, 0) ** 2 / total
    exact = float(binomtest(only_first, total).pvalue)
    return McNemar(statistic, math.erfc(math.sqrt(statistic / 2)), exact)


def kappa(first: Mask, second: Mask) -> float:
    """Return Cohen's κ of two arrays of verdicts, (n,) each; NaN without verdicts or where all are the same."""
    if not len(first):
        return nan
    # In whole numbers, so that agreement by chance is exactly 0.
    n, p, q = len(first), int(first.sum()), int(second.sum())
    chance = p * q + (n - p) * (n - q)
    return (n * int((first == second).sum()) - chance) / (n * n - chance) if chance < n * n else nan


def flips_and_movers(
    first: ScoreColumn,
    second: ScoreColumn,
    first_threshold: float,
    second_threshold: float,
    where: Mask | None = None,
    most: int | None = None,
) -> tuple[RankedPairs, RankedPairs]:
    """Return all pairs with different verdicts, and the `most` pairs whose ranks differ most (None: all)."""
    # Only pairs with both scores are ranked, so that missing scores change no rank.
    present = _both_present(first, second, where)
    change = rank_share(first, present) - rank_share(second, present)
    moved = np.flatnonzero(present)
    moved = moved[np.argsort(-np.abs(change[moved]), kind="stable")]
    flipped = moved[
        first.predicted_positive(first_threshold)[moved] != second.predicted_positive(second_threshold)[moved]
    ]
    moved = moved[:most]
    return RankedPairs(flipped, change[flipped]), RankedPairs(moved, change[moved])


@dataclass(frozen=True, eq=False)
class FlipKind:
    """A kind of change among flips, that is, pairs on which the verdicts of two scores differ.

    Attributes:
        pairs: Number of pairs with this kind of change.
        rows: Rows of the flips with this kind of change.
        first, second: Number of these flips that only the first score calls a paraphrase, and that only the second
            does.
    """

    kind: str
    pairs: int
    rows: Rows
    first: int
    second: int


def flip_kinds(kinds: Mapping[str, Mask], flips: Rows, first_says: Mask, where: Mask) -> list[FlipKind]:
    """Return the kinds of change of some flips, the most frequent first.

    Args:
        kinds: The pairs with each kind, (n,).
        flips: Rows of the flips, (k,).
        first_says: The pairs that the first score calls paraphrases, (n,).
        where: The pairs that were compared, (n,).
    """
    result = []
    for kind, mask in kinds.items():
        rows = flips[mask[flips]]
        first = int(first_says[rows].sum())
        result.append(FlipKind(kind, int((mask & where).sum()), rows, first, len(rows) - first))
    return sorted(
        (flip_kind for flip_kind in result if len(flip_kind.rows)), key=lambda flip_kind: -len(flip_kind.rows)
    )


def rightness_mask(
    first: ScoreColumn,
    second: ScoreColumn,
    labels: Labels,
    first_threshold: float,
    second_threshold: float,
    which: Which,
    where: Mask | None = None,
) -> Mask:
    """Return the labelled pairs that both, one or neither of two scores gets right, (n,)."""
    one = first.predicted_positive(first_threshold) == (labels == 1)
    two = second.predicted_positive(second_threshold) == (labels == 1)
    cell = {"both": one & two, "only_first": one & ~two, "only_second": ~one & two, "neither": ~one & ~two}[which]
    return np.asarray(cell & ((labels == 0) | (labels == 1)) & _both_present(first, second, where))


def _both_present(first: ScoreColumn, second: ScoreColumn, where: Mask | None) -> Mask:
    present: Mask = is_scored(first.values) & is_scored(second.values)
    return present if where is None else present & where


def _accuracy_test(only_first: int, only_second: int, pairs: int, draws: int, seed: int) -> tuple[Estimate, float]:
    if not pairs:
        return Estimate(), nan
    difference = (only_first - only_second) / pairs
    if not draws:
        return Estimate(difference), nan
    # Only the numbers of pairs of each kind in a resample matter, and these are multinomial.
    shares = [only_first / pairs, only_second / pairs, (pairs - only_first - only_second) / pairs]
    drawn = np.random.default_rng(seed).multinomial(pairs, shares, size=draws)
    differences = (drawn[:, 0] - drawn[:, 1]) / pairs
    return interval(difference, differences), _bootstrap_p(difference, differences)


def _pearson_test(
    first: ScoreColumn,
    second: ScoreColumn,
    human: Scores,
    judged: Mask,
    draws: int,
    seed: int,
    tick: Tick | None,
) -> tuple[Estimate, float]:
    one, two = (score.values[judged] * (1.0 if score.higher_is_closer else -1.0) for score in (first, second))
    human = human[judged]
    difference = pearson(one, human) - pearson(two, human)
    if not draws or math.isnan(difference):
        return Estimate(difference), nan

    def draw(rows: Rows) -> tuple[float]:
        return (pearson(one[rows], human[rows]) - pearson(two[rows], human[rows]),)

    drawn = resample(draw, len(human), draws, seed, tick)[:, 0]
    return interval(difference, drawn), _bootstrap_p(difference, drawn)


def _bootstrap_p(value: float, drawn: Floats) -> float:
    """Return the share of resamples that differ from the value by as much as the value itself; it counts as one."""
    drawn = drawn[~np.isnan(drawn)]
    # Differences of counts are exact except for rounding, which must not separate equal values.
    extreme = int(np.count_nonzero(np.abs(drawn - value) >= abs(value) - 1e-12))
    return (extreme + 1) / (len(drawn) + 1)
