"""Certificates of scores with known behaviour: always right, constant, without a threshold."""

from __future__ import annotations

import numpy as np
import pytest

from parapluie_gui.analysis.score_column import ScoreColumn
from parapluie_gui.analysis.statistics.buckets import wilson
from parapluie_gui.errors import MetricError
from parapluie_gui.features.certificate.api import check_certifiable
from parapluie_gui.features.certificate.behaviours import BEHAVIOURS, BY_KEY, ExpectedResult
from parapluie_gui.features.certificate.card import certificate_card
from parapluie_gui.features.certificate.cases import BehaviourCase, CaseSuite, make_suite
from parapluie_gui.features.certificate.certificate import certified_column, certify
from parapluie_gui.metrics import catalogue
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.scores.signature import Signature


@pytest.fixture(scope="module")
def suite() -> CaseSuite:
    return make_suite(1500)


def tiny(*cases: BehaviourCase) -> CaseSuite:
    rows = 1 + max(row for case in cases for row in (*case.rows, case.against))
    names = [f"s{row}" for row in range(rows)]
    return CaseSuite(Corpus("tiny", names, names, [f"h{row}" for row in range(rows)]), cases, 0)


def column(*values: float, threshold: float | None = 0.0, higher: bool = True) -> ScoreColumn:
    return ScoreColumn("x", "X", np.array(values), higher, threshold)


def row(cases: list[BehaviourCase], scores: ScoreColumn, custom_threshold: float | None = None):
    (result,) = certify(tiny(*cases), scores, custom_threshold).rows
    return result


def test_a_constant_score_is_blind_to_every_change(suite):
    result = certify(suite, column(*np.ones(len(suite.corpus))))
    for each in result.rows:
        if BY_KEY[each.behaviour].expected in (ExpectedResult.OTHER, ExpectedResult.LESS):
            assert each.failures == each.cases and each.misranked == each.compared, each.behaviour
        else:
            assert each.failures == 0, each.behaviour
    assert [each.behaviour for each in result.rows] == [each.key for each in BEHAVIOURS]


def test_edit_distance_and_its_negative_have_the_same_certificate(suite):
    distance = catalogue.metric("edit_distance").score(suite.corpus.source, suite.corpus.hypothesis)
    one = certify(suite, certified_column("edit_distance", distance, None))
    other = certify(suite, column(*-distance, threshold=None))
    assert not one.higher_is_closer and one.threshold is None
    for left, right in zip(one.rows, other.rows, strict=True):
        assert (left.cases, left.failures, left.misranked) == (right.cases, right.failures, right.misranked)
        assert [each.source for each in left.worst] == [each.source for each in right.worst]
    negation = one.row("negation")
    assert negation.change > 0 and negation.failures == 0, "every change increases the distance"
    assert negation.ranked_wrong.value > 0.9, "any rewording changes more characters than a negation"


def test_pairs_with_the_same_meaning_are_compared_with_the_threshold():
    cases = [BehaviourCase("typo", (0, 1), against=2), BehaviourCase("typo", (3, 1), against=2)]
    result = row(cases, column(-1.0, 3.0, 0.5, 2.0))
    assert (result.cases, result.failures, result.compared, result.misranked) == (2, 1, 2, 1)
    assert result.change == pytest.approx((-4 - 1) / 2)
    assert result.worst[0].hypothesis == "h0" and result.worst[0].failed and not result.worst[1].failed
    assert (result.failed.value, result.failed.low, result.failed.high) == (0.5, *wilson(1, 2))


def test_without_a_threshold_there_is_no_verdict():
    cases = [BehaviourCase("typo", (0, 1), against=2)]
    result = row(cases, column(-1.0, 3.0, 0.5, threshold=None))
    assert result.failures is None and np.isnan(result.failed.value) and result.misranked == 1
    assert row(cases, column(-1.0, 3.0, 0.5, threshold=None), custom_threshold=-2.0).failures == 0


def test_a_different_meaning_must_score_lower_and_below_the_threshold():
    case = [BehaviourCase("negation", (0, 1))]
    assert row(case, column(-1.0, 3.0)).failures == 0
    assert row(case, column(1.0, 3.0)).failures == 1
    assert row(case, column(1.0, 3.0, threshold=None)).failures == 0
    assert row(case, column(-1.0, -1.0)).failures == 1
    assert row(case, column(0.9, 0.1, threshold=0.5, higher=False)).failures == 0


def test_an_added_detail_only_needs_to_score_lower():
    assert row([BehaviourCase("added", (0, 1))], column(1.0, 3.0)).failures == 0
    assert row([BehaviourCase("added", (0, 1))], column(3.0, 3.0)).failures == 1


def test_symmetry_counts_flips_and_mean_gap():
    result = row([BehaviourCase("symmetry", (0, 1)), BehaviourCase("symmetry", (2, 3))], column(1.0, -1.0, 5.0, 4.0))
    assert (result.failures, result.change) == (1, 1.5)
    assert row([BehaviourCase("symmetry", (0, 1))], column(1.0, 2.0, higher=False)).change == 1.0


def test_scores_must_not_rise_along_a_ladder():
    result = row([BehaviourCase("ladder", (0, 1, 2)), BehaviourCase("ladder", (0, 1, 3))], column(3.0, 1.0, 2.0, 1.0))
    assert (result.failures, result.misranked) == (1, 1)
    assert result.worst[0].hypothesis == "h2" and result.worst[0].change == -1.0


def test_transitivity_counts_only_triples_with_two_positive_sides():
    cases = [
        BehaviourCase("transitivity", (0, 1, 2)),
        BehaviourCase("transitivity", (0, 2, 1)),
        BehaviourCase("transitivity", (0, 1, 0)),
    ]
    result = row(cases, column(1.0, 1.0, -1.0))
    assert (result.cases, result.failures) == (2, 1)
    assert row(cases, column(1.0, 1.0, -1.0, threshold=None)).failures is None


def test_cases_without_a_score_are_left_out_and_counted():
    result = row([BehaviourCase("typo", (0, 1)), BehaviourCase("typo", (2, 1), against=0)], column(np.nan, 3.0, 1.0))
    assert (result.cases, result.unscored, result.failures, result.compared) == (1, 1, 0, 0)


def test_there_are_at_most_ten_distinct_worst_pairs():
    cases = [BehaviourCase("negation", (at, 30)) for at in range(30)] * 2
    result = row(cases, column(*range(30), 100.0))
    assert [each.score for each in result.worst] == list(range(29, 19, -1))


def test_the_signature_of_a_user_metric_has_direction_and_threshold():
    fields = {"name": "user", "title": "Mine", "closer": "lower", "threshold": "0.25"}
    result = certified_column("user.mine", np.array([0.1]), Signature.from_fields("user.mine", fields))
    assert (result.title, result.higher_is_closer, result.threshold) == ("Mine", False, 0.25)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("external:gpt4", 'The column "gpt4" has numbers only for its corpus'),
        ("bleu.ref", "compares with a reference"),
    ],
)
def test_metrics_that_need_more_than_pairs_are_refused(spec, words):
    with pytest.raises(MetricError, match=words):
        check_certifiable(spec)
    check_certifiable("bleu")


def test_a_model_card_names_the_most_frequent_failures():
    def score(sources, hypotheses):
        return catalogue.metric("edit_distance").score(sources, hypotheses)

    text, sentence = certificate_card("edit_distance", "Mine", 200, score)
    assert "| " in text and sentence.startswith("certificate: ") and "most often" in sentence
