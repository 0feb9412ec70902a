"""Decisions at the best, the natural and a given threshold; scikit-learn's F1 and balanced accuracy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn import metrics

from parapluie_gui.analysis.statistics.decision import thresholds
from parapluie_gui.analysis.threshold import Outcome, best_threshold, counts, outcome


@pytest.mark.parametrize("higher", [True, False])
def test_decisions_have_the_thresholds_of_table_3(higher):
    random = np.random.default_rng(5)
    labels = random.integers(0, 2, 300)
    sign = 1 if higher else -1
    scores = sign * np.round(random.normal(labels, 1.0), 1)
    result = thresholds(scores, labels, higher_is_closer=higher, natural=0.0, given=sign * 0.7)
    assert (result.best.threshold, result.best.counts) == best_threshold(scores, labels, higher)
    assert result.natural is not None and result.natural.counts == counts(scores, labels, 0.0, higher)
    assert result.given is not None and result.given.counts == counts(scores, labels, sign * 0.7, higher)
    every = [metrics.f1_score(labels, sign * scores >= sign * value) for value in set(scores.tolist())]
    assert result.best_f1.f1 == pytest.approx(max(every))
    assert result.majority == pytest.approx(max(labels.mean(), 1 - labels.mean()))
    assert (
        result.usual is result.natural
        and thresholds(scores, labels).usual.threshold == thresholds(scores, labels).best.threshold
    )


def test_without_labels_there_are_no_decisions():
    result = thresholds(np.array([1.0, math.nan]), np.array([-1, 1]), natural=0.0)
    assert math.isnan(result.best.threshold) and math.isnan(result.best.accuracy) and math.isnan(result.majority)
    assert (result.best.counts.unlabelled, result.best.counts.unscored) == (1, 1)
    assert result.given is None


def test_a_clicked_cell_selects_its_pairs():
    scores, labels = np.array([1.0, -1.0, 1.0, -1.0, math.nan]), np.array([1, 1, 0, 0, 1])
    cells = {which: outcome(scores, labels, 0.0) == which for which in Outcome}
    assert np.flatnonzero(cells[Outcome.TRUE_POSITIVE]).tolist() == [0]
    assert np.flatnonzero(cells[Outcome.FALSE_NEGATIVE]).tolist() == [1]
    assert np.flatnonzero(cells[Outcome.FALSE_POSITIVE]).tolist() == [2]
    assert np.flatnonzero(cells[Outcome.TRUE_NEGATIVE]).tolist() == [3]
    result = thresholds(scores, labels, given=0.0)
    assert result.given is not None and result.given.counts.counted == 4
