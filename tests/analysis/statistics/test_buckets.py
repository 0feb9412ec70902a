"""Buckets: every pair is in the right bucket, and a bucket's numbers are those of its pairs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, pearsonr
from sklearn.metrics import roc_auc_score

from parapluie_gui.analysis.score_column import ScoreColumn
from parapluie_gui.analysis.statistics.buckets import (
    buckets,
    cut_categories,
    cut_column,
    cut_numbers,
    pair_lengths,
    wilson,
)
from parapluie_gui.analysis.threshold import counts


@given(st.lists(st.sampled_from([0.0, 1.0, 1.5, 4.0, 9.0, math.nan, math.inf]), max_size=40), st.integers(1, 5))
def test_every_number_is_in_exactly_one_bucket(values, parts):
    array = np.array(values, dtype=float)
    cut = cut_numbers("x", array, parts=parts)
    assert len(cut.names) <= parts or len(cut.names) == 1
    assert ((cut.code >= 0) == np.isfinite(array)).all()
    for number, (low, high) in enumerate(zip(cut.low, cut.high, strict=True)):
        inside = array[cut.mask(number)]
        last = number == len(cut.names) - 1
        assert ((inside >= low) & ((inside <= high) if last else (inside < high))).all()


def test_quantile_buckets_have_equal_sizes():
    values = np.random.default_rng(0).normal(size=400)
    assert [int(cut_numbers("x", values).mask(number).sum()) for number in range(4)] == [100] * 4


def test_a_selection_has_its_own_boundaries():
    cut = cut_numbers("x", np.array([-1.0, 0.0, 0.5, 1.0, 2.0]), parts=2, where=np.array([0, 1, 1, 1, 0]) == 1)
    assert cut.code.tolist() == [-1, 0, 1, 1, -1]
    assert cut.names == ("0 – 0.5", "0.5 – 1")


def test_rare_categories_share_a_bucket():
    values = ["b", "a", "b", None, "c", "", math.nan, "b", "a"]
    cut = cut_categories("kind", values)
    assert cut.names == ("b", "a", "c")
    assert cut.code.tolist() == [0, 1, 0, -1, 2, -1, -1, 0, 1]
    rare = cut_categories("kind", values, most=2)
    assert rare.names == ("b", "other (2 values)")
    assert rare.code.tolist() == [0, 1, 0, -1, 1, -1, -1, 0, 1]
    assert cut_categories("kind", values, where=np.arange(9) < 2).names == ("b", "a")


def test_columns_are_bucketed_by_the_kind_of_their_values():
    assert cut_column("year", ["2020", "2021", "2020"]).names == ("2020", "2021")
    many = cut_column("x", [str(value) for value in range(100)])
    assert many.names == ("0 – 24.75", "24.75 – 49.5", "49.5 – 74.25", "74.25 – 99")
    assert cut_column("flag", [True, False, None]).names == ("True", "False")
    assert cut_column("nothing", [None, ""]).names == ()


def test_numbers_of_a_bucket_agree_with_its_pairs():
    random = np.random.default_rng(1)
    labels = random.integers(-1, 2, 600)
    scores = np.round(random.normal(-labels, 1.0), 1)
    scores[::50] = math.nan
    human = random.normal(size=600)
    where = random.random(600) < 0.7
    kinds = random.integers(0, 3, 600)
    cut = cut_categories("kind", kinds)
    result = buckets(ScoreColumn("d", "D", scores, higher_is_closer=False), labels, cut, 0.0, human=human, where=where)
    assert {bucket.name for bucket in result} == {"0", "1", "2"}
    assert sum(bucket.pairs for bucket in result) == (where & ~np.isnan(scores)).sum() < where.sum()
    for bucket in result:
        chosen = where & (kinds == int(bucket.name))
        assert bucket.decision.counts == counts(scores[chosen], labels[chosen], 0.0, False)
        usable = chosen & (labels >= 0) & ~np.isnan(scores)
        assert bucket.auc == pytest.approx(roc_auc_score(labels[usable], -scores[usable]))
        there = chosen & ~np.isnan(scores)
        assert bucket.pearson == pytest.approx(pearsonr(scores[there], human[there]).statistic)
        assert bucket.summary.scored == there.sum()


@pytest.mark.parametrize(("right", "counted"), [(0, 5), (5, 5), (3, 7), (180, 200)])
def test_wilson_agrees_with_scipy(right, counted):
    expected = binomtest(right, counted).proportion_ci(method="wilson")
    assert wilson(right, counted) == pytest.approx((expected.low, expected.high))


def test_lengths_are_measured():
    assert pair_lengths(["ab", ""], ["abcd", "x"]).tolist() == [3.0, 0.5]
    assert all(math.isnan(bound) for bound in wilson(0, 0))


def test_names_of_ranges_have_the_fewest_distinct_decimals():
    values = np.array([-2.03571, 0.03571, 0.3125, 4.0])
    assert cut_numbers("x", values, parts=3).names == ("−2.04 – 0.04", "0.04 – 0.31", "0.31 – 4")
    close = np.array([0.1231, 0.1232, 0.1233])
    assert cut_numbers("x", close, parts=2).names == ("0.1231 – 0.1232", "0.1232 – 0.1233")
