"""Calibration against scikit-learn and brute force."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss

from parapluie_gui.analysis.statistics.calibration import calibration, probability, probability_mask


def test_calibration_agrees_with_scikit_learn():
    random = np.random.default_rng(6)
    chances = np.round(random.random(400), 2)
    labels = (random.random(400) < chances**2).astype(int)
    result = calibration(chances, labels)
    observed, predicted = calibration_curve(labels, chances, n_bins=10)
    full = result.count > 0
    assert np.allclose(result.observed[full], observed) and np.allclose(result.predicted[full], predicted)
    assert result.brier == pytest.approx(brier_score_loss(labels, chances))
    gaps = np.abs(observed - predicted)
    assert result.ece == pytest.approx(float((gaps * result.count[full]).sum() / 400))
    assert result.mce == pytest.approx(gaps.max())
    masks = [probability_mask(chances, result.edges, number) for number in range(10)]
    assert [int(mask.sum()) for mask in masks] == result.count.tolist()
    assert result.observed[3] == pytest.approx(labels[masks[3]].mean())


def test_scores_become_probabilities():
    scores = np.array([0.0, 2.0, -2.0, 800.0, -800.0, math.nan])
    assert probability(scores)[:5] == pytest.approx([0.5, 1 / (1 + math.exp(-2)), 1 / (1 + math.exp(2)), 1.0, 0.0])
    assert math.isnan(probability(scores)[5])


def test_missing_and_invalid_probabilities_are_handled():
    nothing = calibration(np.array([0.5, math.nan]), np.array([-1, 1]))
    assert nothing.pairs == 0 and math.isnan(nothing.ece) and nothing.count.tolist() == [0] * 10
    one = calibration(np.array([0.5, 1.0]), np.array([1, -1]))
    assert (one.pairs, one.brier, one.ece) == (1, 0.25, 0.5)
    with pytest.raises(ValueError, match="between 0 and 1"):
        calibration(np.array([1.5]), np.array([1]))
    assert not probability_mask(np.array([math.nan]), one.edges, 9).any()
