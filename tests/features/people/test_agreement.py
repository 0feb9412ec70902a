"""Agreement of raters, against scikit-learn, statsmodels and krippendorff, published examples, and degenerate data."""

from __future__ import annotations

import warnings

import krippendorff
import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

from parapluie_gui.features.people.agreement import compare_raters, estimate_pearson, measure_agreement

#: Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), example D: four observers, twelve units, some
#: values missing. α is 0.743 nominal and 0.815 ordinal.
_ = -1
UNITS = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3],
        [_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _],
    ]
).T

#: Fleiss (1971), as given in most textbooks: 14 raters, 10 subjects, 5 categories; κ = 0.210.
FLEISS = np.array(
    [
        [0, 0, 0, 0, 14],
        [0, 2, 6, 4, 2],
        [0, 0, 3, 5, 6],
        [0, 3, 9, 2, 0],
        [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0],
        [3, 2, 6, 3, 0],
        [2, 5, 3, 2, 2],
        [6, 5, 2, 1, 0],
        [0, 2, 2, 3, 7],
    ]
)


def from_zero(codes: np.ndarray) -> np.ndarray:
    return np.where(codes < 0, -1, codes - 1)


def random_codes(seed: int, items: int, raters: int, categories: int, missing: float) -> np.ndarray:
    rng = np.random.default_rng(seed)
    truth = rng.integers(categories, size=(items, 1))
    codes = np.where(rng.random((items, raters)) < 0.6, truth, rng.integers(categories, size=(items, raters)))
    return np.where(rng.random((items, raters)) < missing, -1, codes)


def alpha(codes: np.ndarray, level: str) -> float:
    data = np.where(codes < 0, np.nan, codes).T
    return float(krippendorff.alpha(reliability_data=data, level_of_measurement=level))


def test_krippendorffs_own_example_is_reproduced():
    result = measure_agreement(from_zero(UNITS), 5, ordered=from_zero(UNITS), draws=0)
    assert result.nominal.value == pytest.approx(0.743, abs=0.0005)
    assert result.ordinal.value == pytest.approx(0.815, abs=0.0005)
    assert (result.raters, result.items, result.complete) == (4, 11, 8)


def test_the_example_of_fleiss_is_reproduced():
    codes = np.array([np.repeat(np.arange(5), counts) for counts in FLEISS])
    assert measure_agreement(codes, 5, draws=0).fleiss.value == pytest.approx(0.210, abs=0.0005)
    assert measure_agreement(codes, 5, draws=0).fleiss.value == pytest.approx(fleiss_kappa(FLEISS))


@pytest.mark.parametrize("seed", range(12))
def test_the_coefficients_agree_with_other_implementations(seed):
    items, raters, categories = (3, 20, 200)[seed % 3], 2 + seed % 4, 2 + seed % 5
    codes = random_codes(seed, items, raters, categories, 0.25 if items > 3 and seed % 2 else 0.0)
    result = measure_agreement(codes, categories, ordered=codes, draws=0)
    assert result.nominal.value == pytest.approx(alpha(codes, "nominal"))
    assert result.ordinal.value == pytest.approx(alpha(codes, "ordinal"))
    complete = codes[(codes >= 0).all(axis=1)]
    assert result.complete == len(complete)
    if len(complete):
        assert result.fleiss.value == pytest.approx(fleiss_kappa(aggregate_raters(complete)[0]))
    both = codes[(codes[:, :2] >= 0).all(axis=1)]
    two = compare_raters(codes[:, 0], codes[:, 1], categories, draws=0)
    assert two.items == len(both)
    assert two.kappa.value == pytest.approx(cohen_kappa_score(both[:, 0], both[:, 1]), nan_ok=True)
    assert two.share.value == pytest.approx(np.mean(both[:, 0] == both[:, 1]))


def test_the_mean_kappa_is_the_mean_of_cohens_kappas():
    codes = random_codes(5, 80, 3, 3, 0.2)
    kappas = []
    for one, two in ((0, 1), (0, 2), (1, 2)):
        both = codes[(codes[:, one] >= 0) & (codes[:, two] >= 0)]
        kappas.append(cohen_kappa_score(both[:, one], both[:, two]))
    assert measure_agreement(codes, 3, draws=0).kappa.value == pytest.approx(np.mean(kappas))


def test_intervals_contain_the_value_and_shrink_with_more_items():
    thirty, hundreds = (random_codes(1, items, 3, 4, 0.1) for items in (30, 900))
    few, many = measure_agreement(thirty, 4, ordered=thirty), measure_agreement(hundreds, 4, ordered=hundreds)
    for name in ("share", "kappa", "fleiss", "nominal", "ordinal"):
        small, large = getattr(few, name), getattr(many, name)
        assert small.low <= small.value <= small.high
        assert large.high - large.low < (small.high - small.low) / 2
    assert measure_agreement(thirty, 4, seed=1).kappa != few.kappa
    assert measure_agreement(thirty, 4).kappa == few.kappa, "the same seed, the same interval"


def test_the_interval_of_kappa_comes_from_resampled_items():
    codes = random_codes(3, 60, 2, 3, 0.0)
    rng = np.random.default_rng(7)
    drawn = [cohen_kappa_score(*codes[rng.integers(60, size=60)].T) for _ in range(500)]
    result = compare_raters(codes[:, 0], codes[:, 1], 3, draws=4000).kappa
    assert (result.low, result.high) == pytest.approx(tuple(np.percentile(drawn, [2.5, 97.5])), abs=0.03)


def test_a_single_answer_throughout_has_only_observed_agreement():
    same = np.zeros((8, 3), dtype=np.int64)
    result = measure_agreement(same, 4, ordered=same)
    assert (result.share.value, result.items, result.complete) == (1.0, 8, 8)
    assert all(np.isnan(getattr(result, name).value) for name in ("kappa", "fleiss", "nominal", "ordinal"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert np.isnan(cohen_kappa_score(same[:, 0], same[:, 1])) and np.isnan(
            compare_raters(*same.T[:2], 4).kappa.value
        )


@pytest.mark.parametrize("items", [0, 1, 2])
def test_very_few_items_are_handled(items):
    codes = np.array([[0, 0], [1, 0]], dtype=np.int64)[:items].reshape(items, 2)
    result = measure_agreement(codes, 2, ordered=codes)
    assert (result.items, result.complete) == (items, items)
    assert np.isnan(result.share.value) == (items == 0)
    if items == 2:
        assert result.share.value == 0.5
        assert result.kappa.value == pytest.approx(cohen_kappa_score(*codes.T))
        assert result.nominal.value == pytest.approx(alpha(codes, "nominal"))
    else:
        assert np.isnan(result.kappa.value) and np.isnan(result.nominal.value)


def test_answers_without_common_items_have_no_agreement():
    codes = np.array([[0, -1], [-1, 1], [-1, -1]])
    result = measure_agreement(codes, 2, ordered=codes)
    assert (result.items, result.complete, compare_raters(*codes.T, 2).items) == (0, 0, 0)
    assert np.isnan(result.share.value)


def test_a_single_rater_has_no_agreement():
    result = measure_agreement(np.array([[0], [1]]), 2)
    assert (result.raters, result.items, result.complete) == (1, 0, 0)


def test_raters_without_an_item_common_to_all_have_alpha_but_no_fleiss_kappa():
    codes = np.array([[0, 0, -1], [1, 0, -1], [-1, 1, 1], [-1, 0, 1], [1, 1, -1]])
    result = measure_agreement(codes, 2, draws=50)
    assert (result.items, result.complete) == (5, 0)
    assert np.isnan(result.fleiss.value)
    assert result.nominal.value == pytest.approx(alpha(codes, "nominal"))


@pytest.mark.parametrize("items", [0, 1, 2, 3, 80])
def test_pearson_has_its_interval(items):
    rng = np.random.default_rng(items)
    x = rng.normal(size=items + 1).round(1)
    y = x + rng.normal(size=items + 1).round(1)
    x[-1] = np.nan
    result = estimate_pearson(x, y, draws=2000)
    if items < 2:
        assert np.isnan(result.value)
        return
    assert result.value == pytest.approx(np.corrcoef(x[:-1], y[:-1])[0, 1])
    if items == 80:
        rows = (rng.integers(items, size=items) for _ in range(2000))
        drawn = [np.corrcoef(x[chosen], y[chosen])[0, 1] for chosen in rows]
        assert (result.low, result.high) == pytest.approx(tuple(np.percentile(drawn, [2.5, 97.5])), abs=0.02)
    assert np.isnan(estimate_pearson(np.ones(5), np.arange(5.0)).value), "one side is constant"
