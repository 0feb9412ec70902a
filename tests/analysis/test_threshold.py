"""Thresholds against brute force, scikit-learn and the published figures for MRPC."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parapluie_gui.analysis.statistics.summary import by_label
from parapluie_gui.analysis.threshold import Outcome, OutcomeCounts, best_threshold, counts, outcome
from parapluie_gui.metrics.catalogue import metric

MRPC = Path(__file__).parents[2].parent / "shared" / "data" / "mrpc"

# few distinct scores, so that ties are common; NaN and unlabelled pairs among them
pairs = st.lists(
    st.tuples(st.sampled_from([-1.5, 0.0, 0.25, 2.0, math.inf, math.nan]), st.sampled_from([0, 1, -1])), max_size=30
)


def brute_force(scores, labels, threshold, higher):
    tp = fp = fn = tn = unlabelled = unscored = 0
    for score, label in zip(scores, labels, strict=True):
        if label == -1:
            unlabelled += 1
        elif math.isnan(score):
            unscored += 1
        elif score >= threshold if higher else score <= threshold:
            tp, fp = tp + (label == 1), fp + (label == 0)
        else:
            fn, tn = fn + (label == 1), tn + (label == 0)
    return OutcomeCounts(tp, fp, fn, tn, unlabelled, unscored)


def columns(rows):
    return np.array([row[0] for row in rows], dtype=float), np.array([row[1] for row in rows], dtype=np.int8)


@given(pairs, st.sampled_from([-2.0, 0.0, 0.1, 0.25, 3.0]), st.booleans())
def test_counts_agree_with_brute_force(rows, threshold, higher):
    scores, labels = columns(rows)
    result = counts(scores, labels, threshold, higher)
    assert result == brute_force(scores, labels, threshold, higher)
    assert result.counted + result.unlabelled + result.unscored == len(rows)
    codes = outcome(scores, labels, threshold, higher)
    assert codes.dtype == np.int8
    assert int((codes == Outcome.TRUE_POSITIVE).sum()) == result.tp
    assert int((codes == Outcome.FALSE_POSITIVE).sum()) == result.fp
    assert int((codes == Outcome.FALSE_NEGATIVE).sum()) == result.fn
    assert int((codes == Outcome.TRUE_NEGATIVE).sum()) == result.tn


@given(pairs, st.booleans())
def test_the_best_threshold_agrees_with_brute_force(rows, higher):
    scores, labels = columns(rows)
    threshold, values = best_threshold(scores, labels, higher)
    tried = sorted({score for score, label in rows if label != -1 and not math.isnan(score)}, reverse=higher)
    if not tried:
        assert math.isnan(threshold) and values.counted == 0
        assert values == brute_force(scores, labels, 0.0, higher)
        return
    results = [brute_force(scores, labels, value, higher) for value in tried]
    best = max(result.accuracy for result in results)
    first = next(place for place, result in enumerate(results) if result.accuracy == best)
    assert (threshold, values) == (tried[first], results[first])


def test_precision_recall_and_f1_agree_with_scikit_learn():
    sklearn = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(0)
    for _ in range(20):
        labels = rng.integers(0, 2, 200)
        scores = np.round(rng.normal(labels, 1.0), 1)
        result = counts(scores, labels, 0.5)
        predicted = (scores >= 0.5).astype(int)
        assert result.accuracy == pytest.approx(sklearn.accuracy_score(labels, predicted))
        assert result.precision == pytest.approx(sklearn.precision_score(labels, predicted))
        assert result.recall == pytest.approx(sklearn.recall_score(labels, predicted))
        assert result.f1 == pytest.approx(sklearn.f1_score(labels, predicted))


def test_undefined_measures_are_nan():
    nothing = OutcomeCounts()
    assert all(math.isnan(share) for share in (nothing.accuracy, nothing.precision, nothing.recall, nothing.f1))
    only_negatives = OutcomeCounts(tn=3)
    assert only_negatives.accuracy == 1.0 and math.isnan(only_negatives.f1)
    assert OutcomeCounts(fn=2, tn=1).f1 == 0.0 and math.isnan(OutcomeCounts(fn=2, tn=1).precision)


def test_a_score_equal_to_the_threshold_counts_as_a_paraphrase():
    scores, labels = np.array([0.0, 0.0]), np.array([1, 0])
    assert counts(scores, labels, 0.0) == OutcomeCounts(tp=1, fp=1)
    assert counts(scores, labels, 0.0, higher_is_closer=False) == OutcomeCounts(tp=1, fp=1)


@pytest.fixture(scope="module")
def mrpc():
    if not MRPC.is_dir():
        pytest.skip("MRPC is not available")
    rows = []
    for part in ("train", "test"):
        with (MRPC / f"msr_paraphrase_{part}.txt").open(encoding="utf-8-sig", newline="") as file:
            rows += list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))[1:]
    assert len(rows) == 5801
    return [row[3] for row in rows], [row[4] for row in rows], np.array([int(row[0]) for row in rows])


def test_edit_distance_on_mrpc_gives_the_published_numbers(mrpc):
    # measured on MRPC as published; Lemesle et al. (COLING 2025), tables 1 and 3, on tokenised text:
    # 0.38±0.16 / 0.51±0.13, accuracy 0.69 at 0.52
    sources, hypotheses, labels = mrpc
    scores = metric("edit_distance").score(sources, hypotheses)
    summary = by_label(scores, labels)
    assert (str(summary.paraphrase), str(summary.other)) == ("0.387±0.161", "0.512±0.136")
    threshold, result = best_threshold(scores, labels, higher_is_closer=False)
    assert (round(threshold, 3), round(result.accuracy, 4)) == (0.528, 0.6906)
    assert (round(result.f1, 3), round(result.recall, 3), round(result.precision, 3)) == (0.778, 0.807, 0.751)


def test_bleu_on_mrpc_gives_the_published_numbers(mrpc):
    # Lemesle et al. (COLING 2025), tables 1 and 3: 0.40±0.21 / 0.28±0.18, best accuracy 0.67
    sources, hypotheses, labels = mrpc
    scores = metric("bleu").score(sources, hypotheses)
    summary = by_label(scores, labels)
    assert (summary.paraphrase.mean, summary.paraphrase.std) == (
        pytest.approx(0.40, abs=0.01),
        pytest.approx(0.21, abs=0.01),
    )
    assert (summary.other.mean, summary.other.std) == (pytest.approx(0.28, abs=0.02), pytest.approx(0.18, abs=0.01))
    assert best_threshold(scores, labels)[1].accuracy == pytest.approx(0.67, abs=0.015)
