"""Tests of single scores against chance, and of two scores on the same pairs against each other."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isnan, nan, sqrt

import numpy as np

from parapluie_gui.analysis.statistics.buckets import Z_95
from parapluie_gui.analysis.statistics.correlation import Estimate, ranks
from parapluie_gui.analysis.threshold import best_threshold, predicted_positive
from parapluie_gui.arrays import Floats, Labels, Mask, Scores
from parapluie_gui.scores.table import is_scored


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values corrected for their number (Holm, Scandinavian Journal of Statistics 1979); NaN is not a test."""
    tested = sorted((p, place) for place, p in enumerate(p_values) if not isnan(p))
    corrected, largest = [nan] * len(p_values), 0.0
    for done, (p, place) in enumerate(tested):
        largest = max(largest, min(1.0, (len(tested) - done) * p))
        corrected[place] = largest
    return corrected


def _two_sided(z: float) -> float:
    """Return the two-sided p of a standard normal value."""
    from scipy.stats import norm

    return float(2 * norm.sf(abs(z)))


def placements(scores: Scores, labels: Labels) -> tuple[Floats, Floats]:
    """Return the share of negatives below each paraphrase, and of paraphrases above each negative; ties count half.

    Both are empty unless both labels have scores. Scores are nearer if higher.
    """
    positive, negative = scores[labels == 1], scores[labels == 0]
    positive, negative = positive[is_scored(positive)], negative[is_scored(negative)]
    if not (len(positive) and len(negative)):
        return np.empty(0), np.empty(0)
    together = ranks(np.concatenate([positive, negative]))
    first = (together[: len(positive)] - ranks(positive)) / len(negative)
    second = 1 - (together[len(positive) :] - ranks(negative)) / len(positive)
    return first, second


def auc(scores: Scores, labels: Labels) -> tuple[Estimate, float]:
    """Return the area under the ROC curve with its 95 % interval, and the two-sided p of the Mann-Whitney test of ½.

    The interval is DeLong's (Biometrics 1988). NaN without both labels; p is NaN where all scores are equal.
    """
    from scipy.stats import mannwhitneyu

    first, second = placements(scores, labels)
    if not len(first):
        return Estimate(), nan
    value = float(first.mean())
    scored = is_scored(scores)
    positive, negative = scores[scored & (labels == 1)], scores[scored & (labels == 0)]
    if len(np.unique(np.concatenate([positive, negative]))) == 1:
        return Estimate(value), nan
    p = float(mannwhitneyu(positive, negative).pvalue)
    if min(len(first), len(second)) < 2:
        return Estimate(value), p
    spread = Z_95 * sqrt(first.var(ddof=1) / len(first) + second.var(ddof=1) / len(second))
    return Estimate(value, max(0.0, value - spread), min(1.0, value + spread)), p


def auc_difference(first: Scores, second: Scores, labels: Labels) -> float:
    """Return the two-sided p of DeLong's test that two scores of the same pairs have equal areas; NaN if undefined."""
    present = is_scored(first) & is_scored(second)
    one, two = (placements(scores[present], labels[present]) for scores in (first, second))
    if min(len(one[0]), len(one[1])) < 2:
        return nan
    difference = float(one[0].mean() - two[0].mean())
    variance = sum(np.var(a - b, ddof=1) / len(a) for a, b in zip(one, two, strict=True))
    if variance <= 0:
        return nan if difference == 0 else 0.0
    return _two_sided(difference / sqrt(variance))


def correlation_p(value: float, pairs: int) -> float:
    """Return the two-sided p of a correlation of some pairs by Student's t; NaN for fewer than four pairs."""
    from scipy.stats import t

    if isnan(value) or pairs < 4:
        return nan
    statistic = inf if abs(value) >= 1 else value * sqrt((pairs - 2) / (1 - value * value))
    return float(2 * t.sf(abs(statistic), pairs - 2))


def correlation_difference(first: float, second: float, between: float, pairs: int) -> float:
    """Return the two-sided p of Williams' test (Journal of the RSS B 1959) that two correlations with one column agree.

    Args:
        first: Correlation of the first score with the column.
        second: Correlation of the second score with it.
        between: Correlation of the two scores with each other.
        pairs: Number of pairs.
    """
    from scipy.stats import t

    if isnan(first + second + between) or pairs < 5:
        return nan
    determinant = max(1 - first**2 - second**2 - between**2 + 2 * first * second * between, 0.0)
    mean = (first + second) / 2
    scale = 2 * determinant * (pairs - 1) / (pairs - 3) + mean**2 * (1 - between) ** 3
    if scale <= 0:
        return nan if first == second else 0.0
    statistic = (first - second) * sqrt((pairs - 1) * (1 + between) / scale)
    return float(2 * t.sf(abs(statistic), pairs - 3))


def sign_test(more: int, fewer: int) -> float:
    """Return the one-sided p of the sign test for `more` of `more + fewer` decisions; NaN without decisions."""
    from scipy.stats import binomtest

    return float(binomtest(more, more + fewer, alternative="greater").pvalue) if more + fewer else nan


def learn_elsewhere(scores: Scores, labels: Labels, higher_is_closer: bool, seed: int = 0) -> Mask | None:
    """Return each pair's verdict at the best threshold of the half of the pairs that it is not in, (n,).

    None unless both halves, drawn at random, have scored pairs of both labels. Pairs without a score count as False.
    """
    usable = np.flatnonzero(((labels == 0) | (labels == 1)) & is_scored(scores))
    half = np.zeros(len(scores), dtype=bool)
    half[np.random.default_rng(seed).permutation(usable)[: len(usable) // 2]] = True
    verdicts = np.zeros(len(scores), dtype=bool)
    for learnt, tried in ((half, ~half), (~half, half)):
        rows = usable[learnt[usable]]
        if len(np.unique(labels[rows])) < 2:
            return None
        threshold, _ = best_threshold(scores[rows], labels[rows], higher_is_closer)
        verdicts |= tried & predicted_positive(scores, threshold, higher_is_closer)
    return verdicts


def better_than_constant(verdicts: Mask, labels: Labels) -> float:
    """Return the one-sided p that verdicts are right more often than always answering the commoner label.

    The sign test of the verdicts for the rarer label, on which alone the two differ. Unlabelled pairs do not count.
    """
    labelled = (labels == 0) | (labels == 1)
    if not labelled.any():
        return nan
    commoner = np.count_nonzero(labels == 1) * 2 >= np.count_nonzero(labelled)
    differing = labelled & (verdicts != commoner)
    right = int(np.count_nonzero(differing & (verdicts == (labels == 1))))
    return sign_test(right, int(np.count_nonzero(differing)) - right)
