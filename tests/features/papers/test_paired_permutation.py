"""Permutation tests against scipy, plain loops, and exhaustive enumeration."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from scipy import stats

from parapluie_gui.analysis.statistics.correlation import pearson
from parapluie_gui.features.papers.paired_permutation import (
    perm_both,
    permutation_signs,
    significance_ranks,
    soft_pairwise_accuracy,
    system_p_values,
)

#: The example of mt-metrics-eval's pce.py: two systems on five segments.
FIRST, SECOND = [0.8, 0.9, 0.7, 1.0, 0.6], [0.2, 0.3, 0.1, 0.4, 0.0]


def test_the_systems_test_agrees_with_a_loop_over_the_same_signs():
    random = np.random.default_rng(1)
    values = random.integers(0, 6, (5, 40)).astype(float)  # whole numbers: no rounding
    signs = permutation_signs(40)
    assert signs.shape == (1000, 40) and set(np.unique(signs)) == {-1.0, 1.0}
    result = system_p_values(values, signs)
    for one in range(5):
        for two in range(5):
            if one >= two:
                assert math.isnan(result[one, two])
                continue
            change = values[one] - values[two]
            larger = sum(float((row * change).sum()) >= change.sum() for row in signs)
            assert result[one, two] == larger / 1000
    # with missing values, only items that both systems have count
    values[0, :3] = values[1, 2:5] = np.nan
    gaps = system_p_values(values, signs)
    change = values[0, 5:] - values[1, 5:]
    assert gaps[0, 1] == np.mean([float((row[5:] * change).sum()) >= change.sum() for row in signs])
    assert gaps[2, 3] == result[2, 3]


def test_the_systems_test_agrees_with_scipy():
    random = np.random.default_rng(2)
    values = random.normal(size=(2, 60)) + np.array([[0.15], [0.0]])
    wanted = stats.permutation_test(
        tuple(values),
        lambda one, two, axis: np.sum(one - two, axis=axis),
        permutation_type="samples",
        alternative="greater",
        n_resamples=20_000,
        rng=3,
    ).pvalue
    assert system_p_values(values, permutation_signs(60))[0, 1] == pytest.approx(wanted, abs=0.04)


def test_the_published_example_is_reproduced():
    # Of all 32 sign assignments, only one reaches the difference of 3.0.
    signs = np.array(list(product([-1.0, 1.0], repeat=5)), dtype=np.float32)
    result = system_p_values(np.array([FIRST, SECOND]), signs)
    assert result[0, 1] == 1 / 32
    assert system_p_values(np.array([SECOND, FIRST]), signs)[0, 1] == 1.0
    assert system_p_values(np.array([FIRST, FIRST]), signs)[0, 1] == 1.0


@pytest.mark.parametrize("missing", [False, True])
def test_equal_differences_stay_equal_despite_rounding(missing):
    """Tenths, whose sums are rounded, against the same values as integers, whose sums are exact."""
    random = np.random.default_rng(6)
    for items in (2, 3, 5, 9, 20, 39):
        whole = random.integers(0, 10, (6, items)).astype(float)
        if missing:
            whole[0, 0] = np.nan
        signs = permutation_signs(items)
        exact = system_p_values(whole, signs)
        for scale in (0.1, 1 / 3, 1e-4, 1e5 / 7):
            assert np.array_equal(system_p_values(whole * scale, signs), exact, equal_nan=True)


def test_soft_pairwise_accuracy_agrees_with_a_loop():
    nothing = math.nan
    human = np.array([[nothing, 0.1, 0.0], [nothing, nothing, 0.5], [nothing] * 3])
    metric = np.array([[nothing, 0.3, 0.0], [nothing, nothing, 0.9], [nothing] * 3])
    assert soft_pairwise_accuracy(human, metric) == pytest.approx(1 - (0.2 + 0.0 + 0.4) / 3)
    assert soft_pairwise_accuracy(human, human) == 1.0
    assert math.isnan(soft_pairwise_accuracy(np.empty((0, 0)), np.empty((0, 0))))
    assert math.isnan(soft_pairwise_accuracy(np.full((1, 1), nothing), np.full((1, 1), nothing)))


def test_perm_both_matches_exhaustive_enumeration():
    human = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    good, bad = np.array([1.0, 2.5, 2.0, 4.0, 5.5, 6.0]), np.array([3.0, 1.0, 4.0, 2.0, 6.0, 3.5])

    def statistic(values):
        return pearson(values, human)

    one, two = (good - good.mean()) / good.std(), (bad - bad.mean()) / bad.std()
    gap = statistic(one) - statistic(two)
    larger = 0
    for swapped in product([False, True], repeat=6):
        a, b = np.where(swapped, two, one), np.where(swapped, one, two)
        larger += statistic(a) - statistic(b) >= gap - 1e-12
    difference, p = perm_both(statistic, good, bad, draws=4000, seed=1)
    assert difference == pytest.approx(gap)
    assert p == pytest.approx(larger / 64, abs=0.03)
    # swapped: the same p, since it belongs to the better score
    back, again = perm_both(statistic, bad, good, draws=4000, seed=1)
    assert back == pytest.approx(-gap) and again == pytest.approx(larger / 64, abs=0.03)
    assert math.isnan(perm_both(statistic, good, bad, draws=0)[1])
    assert math.isnan(perm_both(statistic, np.ones(6), bad, draws=10)[0])
    assert all(map(math.isnan, perm_both(statistic, np.full(6, np.nan), bad, draws=10)))


def test_equal_scores_are_never_significant():
    random = np.random.default_rng(4)
    values, human = random.normal(size=50), random.normal(size=50)
    assert perm_both(lambda each: pearson(each, human), values, values, draws=50) == (0.0, 1.0)


def test_clusters_have_ranks():
    p = np.full((4, 4), np.nan)
    p[0, 1], p[0, 2], p[0, 3] = 0.2, 0.01, 0.01
    p[1, 2], p[1, 3], p[2, 3] = 0.3, 0.02, 0.4
    assert significance_ranks(p) == [1, 1, 2, 2]
    p[2, 3] = 0.05
    assert significance_ranks(p) == [1, 1, 2, 3]
    assert significance_ranks(np.empty((0, 0))) == []
