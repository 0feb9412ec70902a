"""The facts of a passport, checked against simple counting and known cases."""

from __future__ import annotations

from math import isnan, nan

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score, roc_auc_score

from parapluie_gui.analysis.score_column import score_column
from parapluie_gui.analysis.statistics.buckets import wilson
from parapluie_gui.features.passport.facts import JudgeMeasurements, JudgeScores, collect_facts, rogan_gladen

N = 240


def judge(values, labels, **more):
    n = len(values)
    given = {"lengths": np.arange(n, dtype=float), "overlap": np.linspace(0, 1, n), "where": np.ones(n, dtype=bool)}
    return JudgeScores(score_column("pluie.direct", np.asarray(values, dtype=float)), labels, **{**given, **more})


def facts_of(judge, draws=100):
    return {fact.key: fact for fact in collect_facts(judge, draws, 0, lambda done, total: None)}


@pytest.fixture
def drawn():
    random = np.random.default_rng(4)
    labels = random.integers(0, 2, N).astype(np.int8)
    return random.normal(2.0 * labels - 1, 1.5), labels


def test_answers_match_simple_counting(drawn):
    values, labels = drawn
    facts = facts_of(judge(values, labels))
    yes, truth = values >= 0, labels == 1
    right = int((yes == truth).sum())
    accuracy = facts["accuracy"]
    assert accuracy.value.value == right / N and (accuracy.value.low, accuracy.value.high) == wilson(right, N)
    assert facts["constant"].value.value == max(truth.mean(), 1 - truth.mean())
    assert facts["recall"].value.value == yes[truth].mean() and facts["recall"].pairs == truth.sum()
    assert facts["false-positives"].value.value == yes[~truth].mean()
    assert facts["kappa"].value.value == pytest.approx(cohen_kappa_score(truth, yes))
    assert facts["auc"].value.value == pytest.approx(roc_auc_score(truth, values))
    for key in ("kappa", "auc", "best-threshold", "lost-at-zero", "ece", "prevalence", "length"):
        value = facts[key].value
        assert value.low <= value.value <= value.high and value.low < value.high, key


def test_a_shifted_zero_is_detected_with_its_cost(drawn):
    values, labels = drawn
    right, shifted = facts_of(judge(values, labels)), facts_of(judge(values - 4, labels))
    assert right["lost-at-zero"].value.low <= 0 < shifted["lost-at-zero"].value.low
    assert shifted["lost-at-zero"].value.value > 0.2
    moved = shifted["best-threshold"].value.value - right["best-threshold"].value.value
    assert moved == pytest.approx(-4)
    assert shifted["auc"].value == right["auc"].value, "the order is unchanged"


def test_fitting_calibrates_overconfident_probabilities(drawn):
    values, labels = drawn
    facts = facts_of(judge(10 * values, labels))
    assert facts["ece-fitted"].value.value < facts["ece"].value.value / 2
    assert facts["brier-fitted"].value.value < facts["brier"].value.value


def test_the_proportion_of_paraphrases_is_corrected_for_errors(drawn):
    assert rogan_gladen(0.5 * 0.9 + 0.5 * 0.2, 0.9, 0.2) == pytest.approx(0.5)
    assert rogan_gladen(0.1, 0.9, 0.2) == 0.0 and isnan(rogan_gladen(0.3, 0.2, 0.2))
    values, labels = drawn
    hidden = labels.copy()
    hidden[::2] = -1
    fact = facts_of(judge(values, hidden))["prevalence"]
    truth = (labels[::2] == 1).mean()
    assert fact.pairs == N // 2 and "unlabelled pairs" in fact.note and fact.value.low < truth < fact.value.high


def test_order_and_wordings_are_compared_pair_by_pair(drawn):
    values, labels = drawn
    swapped = np.where(np.arange(N) < 12, -values, values)
    swapped[-1] = nan
    other = score_column("pluie.p1", np.where(np.arange(N) < 60, -values, values))
    facts = facts_of(judge(values, labels, reverse=score_column("pluie.direct.reverse", swapped), wordings=[other]))
    assert (facts["order-verdicts"].value.value, facts["order-verdicts"].pairs) == (12 / (N - 1), N - 1)
    assert facts["wording-pluie.p1"].value.value == 60 / N
    assert facts_of(judge(values, labels, reverse=score_column("x", values)))["order-size"].value.value == 0


def test_shortcuts_are_measured_within_a_label():
    labels = (np.arange(N) % 2).astype(np.int8)
    overlap = np.random.default_rng(1).random(N)
    only_label = facts_of(judge(2.0 * labels - 1 + 1e-3 * np.random.default_rng(2).random(N), labels, overlap=overlap))
    only_overlap = facts_of(judge(overlap - 0.5, labels, overlap=overlap))
    assert abs(only_label["overlap"].value.value) < 0.2 and only_overlap["overlap"].value.value > 0.99
    assert only_overlap["false-positives-many"].value.value > only_overlap["false-positives-few"].value.value


def test_measurements_of_the_judge_become_facts(drawn):
    values, labels = drawn
    measured = JudgeMeasurements(
        np.array([1.0, 2.0, -1.0, nan]), np.array([1.0, nan, 3.0]), np.array([1.5, 1.0, 3.0]), 0.25, 8, "on a CPU"
    )
    facts = facts_of(judge(values, labels, measured=measured))
    assert (facts["copies"].value.value, facts["copies"].pairs) == (2 / 3, 3)
    assert (facts["repetition"].value.value, facts["repetition"].pairs) == (0.5, 2)
    assert facts["seconds"].value.value == 0.25 and facts["seconds"].note.startswith("on a CPU")


def test_without_labels_only_facts_that_need_none_are_listed(drawn):
    values, _ = drawn
    facts = facts_of(judge(values, np.full(N, -1, dtype=np.int8), reverse=score_column("x", values)), draws=0)
    assert set(facts) == {"yes", "order-verdicts", "order-mean", "order-size"}


def test_pairs_of_one_label_have_no_best_threshold(drawn):
    values, _ = drawn
    facts = facts_of(judge(values, np.ones(N, dtype=np.int8)))
    assert "accuracy" in facts and not {"auc", "best-threshold", "ece", "prevalence", "false-positives"} & set(facts)
