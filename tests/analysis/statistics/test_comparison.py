"""Comparisons against scipy, scikit-learn and brute force."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from parapluie_gui.analysis.score_column import ScoreColumn, score_column
from parapluie_gui.analysis.statistics.comparison import (
    compare,
    default_threshold,
    flips_and_movers,
    kappa,
    mcnemar,
    rightness_mask,
)
from parapluie_gui.analysis.statistics.disagreement import disagreement, rank_share, split_verdicts
from parapluie_gui.analysis.threshold import best_threshold


def close(values, name="close"):
    return ScoreColumn(name, name, np.array(values, dtype=float))


def far(values, name="far"):
    return ScoreColumn(name, name, np.array(values, dtype=float), higher_is_closer=False)


@pytest.fixture
def two():
    """Two scores of 500 pairs with ties and gaps, the second a distance; labels and human scores with gaps."""
    random = np.random.default_rng(10)
    labels = random.integers(0, 2, 500)
    one, other = np.round(random.normal(labels, 1.0), 1), -np.round(random.normal(labels, 2.0), 1)
    human = one + random.normal(size=500)
    one[:20], other[10:30], human[40:60] = math.nan, math.nan, math.nan
    labels[60:80] = -1
    return close(one), far(other), labels, human


def test_counts_and_agreement_match_plain_counting(two):
    first, second, labels, _ = two
    result = compare(first, second, labels, first_threshold=0.5, second_threshold=-0.5, draws=0)
    there = ~np.isnan(first.values) & ~np.isnan(second.values)
    one, other = first.values[there] >= 0.5, second.values[there] <= -0.5
    assert result.compared == there.sum() == 470
    assert result.agreement == pytest.approx(np.mean(one == other))
    assert result.kappa == pytest.approx(cohen_kappa_score(one, other))
    labelled = labels[there] >= 0
    truth = labels[there] == 1
    assert result.pairs == labelled.sum()
    assert result.first_accuracy == pytest.approx(np.mean((one == truth)[labelled]))
    assert result.second_accuracy == pytest.approx(np.mean((other == truth)[labelled]))
    for which in ("both", "only_first", "only_second", "neither"):
        mask = rightness_mask(first, second, labels, 0.5, -0.5, which)
        assert mask.sum() == getattr(result, which)
    assert result.both + result.only_first + result.only_second + result.neither == result.pairs
    assert math.isnan(result.p_value)
    assert result.difference.value == pytest.approx(result.first_accuracy - result.second_accuracy)


@pytest.mark.parametrize(("b", "c"), [(12, 3), (3, 12), (5, 5), (40, 55), (1, 0)])
def test_mcnemar_agrees_with_scipy(b, c):
    result = mcnemar(b, c)
    assert result.exact == pytest.approx(stats.binomtest(b, b + c, 0.5).pvalue)
    statistic = max(abs(b - c) - 1, 0) ** 2 / (b + c)
    assert (result.statistic, result.p_value) == pytest.approx((statistic, stats.chi2.sf(statistic, 1)))


def test_mcnemar_of_equal_verdicts_is_one():
    assert (mcnemar(0, 0).statistic, mcnemar(0, 0).p_value, mcnemar(0, 0).exact) == (0.0, 1.0, 1.0)


def test_the_bootstrap_of_accuracy_agrees_with_drawing_pairs(two):
    """Drawing the counts of each kind of pair is equivalent to drawing pairs: intervals and tests agree."""
    first, second, labels, _ = two
    result = compare(first, second, labels, first_threshold=0.5, second_threshold=-0.5, draws=4000)
    usable = ~np.isnan(first.values) & ~np.isnan(second.values) & (labels >= 0)
    truth = labels[usable] == 1
    gain = ((first.values[usable] >= 0.5) == truth).astype(int) - ((second.values[usable] <= -0.5) == truth)
    random = np.random.default_rng(99)
    drawn = np.array([gain[random.integers(0, len(gain), len(gain))].mean() for _ in range(4000)])
    assert result.difference.value == pytest.approx(gain.mean())
    assert (result.difference.low, result.difference.high) == pytest.approx(
        np.quantile(drawn, [0.025, 0.975]), abs=0.006
    )
    slow = (np.sum(np.abs(drawn - gain.mean()) >= abs(gain.mean()) - 1e-12) + 1) / 4001
    assert result.p_value == pytest.approx(slow, abs=0.02)
    # For paired shares, the result is close to McNemar's test.
    assert result.p_value == pytest.approx(result.mcnemar.exact, abs=0.03)


def test_a_score_does_not_differ_from_itself(two):
    first, _, labels, human = two
    result = compare(first, first, labels, first_threshold=0.5, second_threshold=0.5, human=human, draws=50)
    assert (result.difference.value, result.p_value, result.kappa, result.mcnemar.exact) == (0.0, 1.0, 1.0, 1.0)
    assert (result.pearson.value, result.pearson_p_value) == (0.0, 1.0)
    assert len(flips_and_movers(first, first, 0.5, 0.5)[0].rows) == 0


def test_correlations_with_human_scores_are_compared(two):
    first, second, labels, human = two
    seen = []
    result = compare(
        first,
        second,
        labels,
        first_threshold=0.5,
        second_threshold=-0.5,
        human=human,
        draws=300,
        tick=lambda done, total: seen.append(done),
    )
    there = ~(np.isnan(first.values) | np.isnan(second.values) | np.isnan(human))
    one = stats.pearsonr(first.values[there], human[there]).statistic
    other = -stats.pearsonr(second.values[there], human[there]).statistic
    assert result.human == there.sum()
    assert result.pearson.value == pytest.approx(one - other)
    assert result.pearson.low < one - other < result.pearson.high
    # The second is by far the noisier; with 300 draws the smallest possible p is 1/301.
    assert result.pearson_p_value == pytest.approx(1 / 301)
    assert seen[-1] == 300


def test_without_thresholds_there_are_no_verdicts(two):
    first, second, labels, human = two
    nothing = np.full(len(labels), -1)
    result = compare(first, second, nothing, first_threshold=math.nan, second_threshold=0.0, human=human, draws=0)
    assert result.pairs == 0 and result.compared == 470 and result.human == 450
    assert math.isnan(result.agreement) and math.isnan(result.kappa) and math.isnan(result.first_accuracy)
    assert math.isnan(result.difference.value) and not math.isnan(result.pearson.value)
    assert np.isnan(split_verdicts([first, second], [math.nan, 0.0])).all()


def test_undefined_kappa_is_nan():
    assert math.isnan(kappa(np.array([], dtype=bool), np.array([], dtype=bool)))
    assert math.isnan(kappa(np.array([True, True]), np.array([True, True])))
    assert kappa(np.array([True, False]), np.array([False, True])) == -1.0


def test_flips_and_movers_are_found():
    first, second = close([1.0, 2.0, 3.0, 4.0, math.nan]), far([4.0, 1.0, 2.0, 3.0, 0.0])
    # closeness by the second score: rows 0 3 2 1 from furthest to closest
    assert rank_share(second).tolist() == [0.0, 0.75, 0.5, 0.25, 1.0]
    turned, moved = flips_and_movers(first, second, 2.5, 1.5)
    assert moved.rows.tolist() == [1, 3, 0, 2]
    assert moved.change == pytest.approx([1 / 3 - 1, 1 - 1 / 3, 0, 0])
    assert flips_and_movers(first, second, 2.5, 1.5, most=1)[1].rows.tolist() == [1]
    assert turned.rows.tolist() == [1, 3, 2]
    only = np.array([True, False, True, True, True])
    assert flips_and_movers(first, second, 2.5, 1.5, only)[0].rows.tolist() == [2, 3]


def test_the_default_threshold_is_natural_or_best():
    labels = np.array([0, 1, 1])
    assert default_threshold(score_column("pluie.direct", np.array([-1.0, 2, 3])), labels) == 0.0
    scores = close([0.3, 0.1, 0.9])
    assert default_threshold(scores, labels) == best_threshold(scores.values, labels)[0]
    assert default_threshold(scores, labels, np.array([True, True, False])) == 0.1


def test_disagreement_between_columns_is_measured():
    columns = [close([1, 2, 3, math.nan]), far([1, 2, 3, math.nan]), close([1, 2, 3, 4])]
    shares = [[0, 0.5, 1], [1, 0.5, 0], [0, 1 / 3, 2 / 3]]
    result = disagreement(columns)
    assert result[:3] == pytest.approx(np.std(shares, axis=0))
    assert math.isnan(result[3]), "a score cannot disagree with itself"
    split = split_verdicts(columns, [2.0, 2.0, 2.0])
    assert split[:3] == pytest.approx([1 / 3, 0.0, 1 / 3]) and math.isnan(split[3])
    assert rank_share(close([7.0])).tolist() == [0.5]
    assert disagreement([close([0.0, 1.0]), far([0.0, 1.0])]) == pytest.approx([0.5, 0.5])
