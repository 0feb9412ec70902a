"""Threshold curves, ROC, precision against recall and equal error rates against scikit-learn and brute force, with
ties.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from parapluie_gui.analysis.statistics.curves import equal_error, precision_recall, roc, threshold_curve
from parapluie_gui.analysis.threshold import best_threshold, counts

pairs = st.lists(
    st.tuples(st.sampled_from([-1.5, 0.0, 0.25, 0.5, 2.0, math.nan]), st.sampled_from([0, 1, -1])), max_size=30
)


def columns(rows):
    return np.array([row[0] for row in rows], dtype=float), np.array([row[1] for row in rows], dtype=np.int8)


@given(pairs, st.booleans())
def test_each_point_has_the_counts_of_its_threshold(rows, higher):
    scores, labels = columns(rows)
    curve = threshold_curve(scores, labels, higher_is_closer=higher)
    usable = ~np.isnan(scores) & (labels >= 0)
    assert curve.threshold.tolist() == sorted(set(scores[usable].tolist()), reverse=higher)
    for place, threshold in enumerate(curve.threshold):
        there = counts(scores[usable], labels[usable], threshold, higher)
        assert curve.counts(place) == there
        assert curve.accuracy[place] == pytest.approx(there.accuracy)
        assert curve.f1[place] == pytest.approx(there.f1, nan_ok=True)
        assert curve.recall[place] == pytest.approx(there.recall, nan_ok=True)
        assert curve.precision[place] == pytest.approx(there.precision, nan_ok=True)
        assert curve.rank[place] == there.fn + there.tn
        assert curve.nearest(threshold) == place
    if len(curve):
        assert curve.threshold[curve.best()] == best_threshold(scores, labels, higher)[0]
        assert curve.f1[curve.best_f1()] == max(curve.f1)


@given(pairs, st.booleans())
def test_areas_agree_with_scikit_learn(rows, higher):
    scores, labels = columns(rows)
    usable = ~np.isnan(scores) & (labels >= 0)
    curve = threshold_curve(scores, labels, higher_is_closer=higher)
    closeness, truth = scores[usable] * (1 if higher else -1), labels[usable]
    if len(set(truth.tolist())) < 2:
        assert math.isnan(roc(curve).auc)
        assert math.isnan(equal_error(curve).rate)
    else:
        assert roc(curve).auc == pytest.approx(metrics.roc_auc_score(truth, closeness))
    if truth.any():
        average = metrics.average_precision_score(truth, closeness)
        assert precision_recall(curve).average_precision == pytest.approx(average)


def test_the_roc_curve_agrees_with_scikit_learn():
    random = np.random.default_rng(1)
    labels = random.integers(0, 2, 500)
    scores = np.round(random.normal(labels, 1.0), 1)
    result = roc(threshold_curve(scores, labels))
    fpr, tpr, threshold = metrics.roc_curve(labels, scores, drop_intermediate=False)
    assert np.allclose(result.fpr, fpr) and np.allclose(result.tpr, tpr)
    assert np.array_equal(result.threshold, threshold)
    assert roc(threshold_curve(-scores, labels, higher_is_closer=False)).threshold[0] == -math.inf


def test_equal_error_rates_agree_with_trying_every_threshold():
    random = np.random.default_rng(2)
    for higher in (True, False):
        labels = random.integers(0, 2, 200)
        scores = np.round(random.normal(labels if higher else -labels, 1.0), 1)
        result = equal_error(threshold_curve(scores, labels, higher_is_closer=higher))
        gaps = {}
        for threshold in set(scores.tolist()):
            there = counts(scores, labels, threshold, higher)
            gaps[threshold] = (there.fp / (there.fp + there.tn), there.fn / (there.fn + there.tp))
        least = min(abs(fpr - fnr) for fpr, fnr in gaps.values())
        fpr, fnr = gaps[result.threshold]
        assert abs(fpr - fnr) == pytest.approx(least)
        assert (result.fpr, result.fnr, result.rate) == pytest.approx((fpr, fnr, (fpr + fnr) / 2))


def test_a_thinned_curve_keeps_its_ends_and_its_best_point():
    random = np.random.default_rng(4)
    labels = random.integers(0, 2, 3000)
    curve = threshold_curve(random.normal(labels, 1.0), labels)
    thin = curve.thin(50)
    assert len(curve) == 3000 and 40 <= len(thin) <= 50
    assert (thin.threshold[0], thin.threshold[-1]) == (curve.threshold[0], curve.threshold[-1])
    assert thin.accuracy[thin.best()] == curve.accuracy[curve.best()]
    assert np.diff(thin.predicted_positive).max() < 150
    assert curve.thin(3000) is curve


def test_curves_of_a_selection_and_nearest_points_are_found():
    scores, labels = np.array([3.0, 1.0, 2.0, 9.0]), np.array([1, 0, 1, 0])
    curve = threshold_curve(scores[:3], labels[:3])
    assert curve.threshold.tolist() == [3, 2, 1] and roc(curve).auc == 1.0
    assert [curve.nearest(value) for value in (99, 2.4, 2.6, -5)] == [0, 1, 0, 2]
    distances = threshold_curve(scores, labels, higher_is_closer=False)
    assert [distances.nearest(value) for value in (-1, 1.6, 5, math.inf)] == [0, 1, 2, 3]
