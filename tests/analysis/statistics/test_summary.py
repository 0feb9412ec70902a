"""Summaries per label."""

from __future__ import annotations

import math

import numpy as np
import pytest

from parapluie_gui.analysis.statistics.summary import ScoreSummary, by_label, summary


def test_summaries_are_computed_per_label():
    scores = np.array([1.0, 3.0, 10.0, np.nan, 7.0, np.nan])
    result = by_label(scores, np.array([1, 1, 0, 0, -1, -1], dtype=np.int8))
    assert result.paraphrase == ScoreSummary(scored=2, missing=0, mean=2.0, std=1.0, low=1.0, median=2.0, high=3.0)
    assert (result.other.scored, result.other.missing, result.other.mean, result.other.std) == (1, 1, 10.0, 0.0)
    assert (result.unlabelled.scored, result.unlabelled.missing) == (1, 1)
    assert result.all.mean == pytest.approx(5.25)
    assert str(result.paraphrase) == "2.000±1.000"


def test_without_scores_a_summary_is_nan():
    empty = summary(np.array([np.nan]))
    assert empty.missing == 1 and math.isnan(empty.mean) and math.isnan(empty.std)
    assert str(empty) == "–"
    unlabelled = by_label(np.array([1.0, 2.0]), None)
    assert unlabelled.unlabelled.scored == unlabelled.all.scored == 2
    assert unlabelled.paraphrase.scored == 0


def test_infinite_scores_raise_no_warning():
    result = summary(np.array([np.inf, 1.0]))
    assert result.high == math.inf and math.isnan(result.std)
