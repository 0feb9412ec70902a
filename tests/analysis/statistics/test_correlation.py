"""Correlations against scipy, on data with ties, and their bootstrap intervals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from parapluie_gui.analysis.statistics.correlation import Estimate, correlation, pearson, ranks, spearman
from parapluie_gui.analysis.study import independence

values = st.sampled_from([-1.0, 0.0, 0.1, 0.5, 2.0, math.nan])


@given(st.lists(st.tuples(values, values), max_size=25))
def test_correlations_agree_with_scipy(rows):
    x, y = (np.array([row[side] for row in rows], dtype=float) for side in (0, 1))
    present = ~(np.isnan(x) | np.isnan(y))
    x_there, y_there = x[present], y[present]
    if len(x_there) < 2 or len(set(x_there)) < 2 or len(set(y_there)) < 2:
        assert all(math.isnan(of(x, y)) for of in (pearson, spearman))
        assert math.isnan(correlation(x, y).kendall.value)
        return
    assert pearson(x, y) == pytest.approx(stats.pearsonr(x_there, y_there).statistic)
    assert spearman(x, y) == pytest.approx(stats.spearmanr(x_there, y_there).statistic)
    assert correlation(x, y).kendall.value == pytest.approx(stats.kendalltau(x_there, y_there).statistic)


@given(st.lists(values, max_size=20))
def test_ranks_agree_with_scipy(numbers):
    array = np.array(numbers, dtype=float)
    assert np.array_equal(ranks(array), stats.rankdata(array, nan_policy="omit"), equal_nan=True)


def test_a_constant_column_has_no_correlation():
    constant, other = np.full(1000, 0.1), np.random.default_rng(0).normal(size=1000)
    assert math.isnan(pearson(constant, other)) and math.isnan(spearman(constant, other))
    result = correlation(constant, other, draws=10)
    assert result.pairs == 1000 and str(result.pearson) == "–"


def test_correlations_are_recomputed_for_each_resample():
    """Each resample must equal scipy's result for the drawn pairs, with the ties and ranks of the resample."""
    random = np.random.default_rng(7)
    x, y = np.round(random.normal(size=60), 1), np.round(random.normal(size=60), 1)
    y += x
    result = correlation(x, y, draws=50, seed=11)
    order = np.argsort(x, kind="stable")
    draw = np.random.default_rng(11)
    expected = []
    for _ in range(50):
        rows = order[np.sort(draw.integers(0, 60, 60))]
        expected.append([of(x[rows], y[rows]).statistic for of in (stats.pearsonr, stats.spearmanr, stats.kendalltau)])
    low, high = np.quantile(expected, [0.025, 0.975], axis=0)
    for place, estimate in enumerate((result.pearson, result.spearman, result.kendall)):
        assert (estimate.low, estimate.high) == pytest.approx((low[place], high[place]))
    assert result == correlation(x, y, draws=50, seed=11)
    assert result.pearson != correlation(x, y, draws=50, seed=12).pearson


def test_intervals_agree_with_fishers_z():
    # For normal data Fisher's z gives the interval of Pearson's r.
    random = np.random.default_rng(8)
    x = random.normal(size=800)
    y = 0.6 * x + random.normal(size=800)
    result = correlation(x, y, draws=1000, kendall=False).pearson
    fisher = stats.pearsonr(x, y).confidence_interval(0.95)
    assert (result.low, result.high) == pytest.approx((fisher.low, fisher.high), abs=0.015)


def test_correlations_report_progress_and_can_be_cancelled():
    seen = []
    x = np.arange(50.0)
    correlation(x, x**2, draws=45, tick=lambda done, total: seen.append((done, total)))
    assert seen == [(0, 45), (20, 45), (40, 45), (45, 45)]

    def stop(done, total):
        raise InterruptedError

    with pytest.raises(InterruptedError):
        correlation(x, x**2, draws=45, tick=stop)


def test_independence_is_measured_within_each_class():
    random = np.random.default_rng(9)
    labels = random.integers(-1, 2, 400)
    distance = random.random(400)
    scores = np.where(labels == 1, -distance, distance) + 0.1 * random.normal(size=400)
    result = independence(scores, distance, labels)
    for label, part in ((1, result.paraphrase), (0, result.other)):
        chosen = labels == label
        assert part.pairs == chosen.sum()
        assert part.pearson.value == pytest.approx(stats.pearsonr(scores[chosen], distance[chosen]).statistic)
        assert part.kendall.value == pytest.approx(stats.kendalltau(scores[chosen], distance[chosen]).statistic)
    assert result.paraphrase.spearman.value < -0.9 < 0.9 < result.other.spearman.value
    assert result.all.pairs == 400
    seen = []
    independence(scores, distance, labels, draws=5, tick=lambda done, total: seen.append((done, total)))
    assert seen[0] == (0, 10) and seen[-1] == (10, 10) and seen == sorted(seen)


def test_an_estimate_has_a_readable_form():
    assert str(Estimate(-0.4091)) == "-0.409"
    assert str(Estimate(0.5, 0.25, 0.75)) == "0.500 [0.250, 0.750]"
