"""Explanations without a model: stored scores of all variants, lexical metrics, and effects by kind over pairs."""

from __future__ import annotations

import re

import numpy as np
import pytest

from parapluie_gui.analysis.score_column import score_column
from parapluie_gui.api.material import build_material
from parapluie_gui.features.explain.explanation import ExplanationPlan, KindEffect, effects_by_kind
from parapluie_gui.features.explain.page import deciding_words, edits_html, kind_effect_table, known_explanations
from parapluie_gui.metrics import catalogue
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.report.html import compute_report, report_html
from parapluie_gui.scores.signature import Signature, pair_key
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.storage.store import ScoreStore

SOURCE, HYPOTHESIS = "Shares rose on Friday.", "Shares fell on Monday."
PAIRS = Corpus("c", ["a"], [SOURCE], [HYPOTHESIS])
SIGNATURE = Signature.from_fields("pluie.toy", {"model": "toy"})
TOY = score_column("pluie.toy", np.zeros(1))


def worth(text: str) -> float:
    return 3.0 - 4.0 * ("fell" in text) - 1.0 * ("Monday" in text)


def test_a_judge_is_explained_once_all_variants_were_scored(tmp_path):
    cache, plan = tmp_path / "cache", ExplanationPlan(SOURCE, HYPOTHESIS)
    keys = [pair_key(SOURCE, text) for text in plan.variants]
    values = np.array([worth(text) for text in plan.variants])
    with ScoreStore(cache) as store:
        store.put(SIGNATURE, keys[:-1], values[:-1])
    with known_explanations(PAIRS, {"pluie.toy": SIGNATURE}, cache) as explain:
        assert explain(TOY, 0, 0.0) is None, "one variant has no score"
    with ScoreStore(cache) as store:
        store.put(SIGNATURE, keys[-1:], values[-1:])
    with known_explanations(PAIRS, {"pluie.toy": SIGNATURE}, cache) as explain:
        explanation = explain(TOY, 0, 0.0)
        assert explanation is not None and explanation.values == (-4.0, -1.0) and explanation.flip == (0,)
        other = Signature.from_fields("pluie.toy", {"model": "another"})
    with known_explanations(PAIRS, {"pluie.toy": other}, cache) as explain:
        assert explain(TOY, 0, 0.0) is None


@pytest.mark.parametrize("cache", [None, "nowhere", "broken"])
def test_lexical_metrics_are_computed_with_the_options_of_their_column(tmp_path, cache):
    (tmp_path / "broken").write_text("no database")
    bleu = score_column("rouge1", np.zeros(1))
    right = {"rouge1": catalogue.metric("rouge1").signature()}
    wrong = {"rouge1": Signature.from_fields("rouge1", {"version": "0"})}
    path = None if cache is None else tmp_path / cache
    for signatures, explained in (({}, True), (right, True), (wrong, False)):
        with known_explanations(PAIRS, signatures, path) as explain:
            explanation = explain(bleu, 0, 0.5)
            assert (explanation is not None) == explained
            assert explanation is None or explanation.values == pytest.approx([-0.25, -0.25])
    with known_explanations(PAIRS, {}, path) as explain:
        assert explain(score_column("own", np.zeros(1)), 0, 0.5) is None


def test_edits_are_listed_in_a_report_with_value_and_kind():
    plan = ExplanationPlan(SOURCE, HYPOTHESIS)
    explanation = plan.explain([worth(text) for text in plan.variants], 0.0)
    lines = edits_html(PAIRS, 0, explanation, True).split("<br>")
    assert lines[0] == '<span class="no">rose → fell</span> −4.00 <span class="note">antonym</span>'
    assert "Friday → Monday" in lines[1] and 'class="yes"' in edits_html(PAIRS, 0, explanation, False)


def test_a_report_shows_the_decisive_words_of_its_worst_pairs():
    labels = np.array([0, 1], dtype=np.int8)
    corpus = Corpus("c", ["a", "b"], ["A <cat> sat.", SOURCE], ["A <dog> sat.", HYPOTHESIS], label=labels)
    table = ScoreTable(2)
    table.put(np.arange(2), {"rouge1": np.array([0.9, 0.1])})
    material = build_material(corpus, table)
    report = compute_report(material, lambda done, total: None, date="", note="", pair_columns=[deciding_words(None)])
    text = report_html(report)
    assert "<th>which words decided</th>" in text, "a lexical metric needs no model to be explained"
    assert re.search(r'<td class="more"><span class="\w+">(cat → dog|rose → fell)</span>', text)


def test_effects_are_counted_by_kind_of_edit():
    plan = ExplanationPlan(SOURCE, HYPOTHESIS)
    explanation = plan.explain([worth(text) for text in plan.variants], 0.0)
    gap = plan.explain([float("nan")] * 4, 0.0)
    rows = effects_by_kind(
        [(explanation, ("antonym", "date")), (explanation, ("antonym", "antonym")), (gap, ("date", "date"))]
    )
    assert rows == (KindEffect("antonym", 3, -3.0, 2, 2), KindEffect("date", 1, -1.0, 0, 0))
    either = plan.explain([worth(text) for text in plan.variants], -1.5)
    counted = effects_by_kind([(either, ("antonym", "date")), (either, ("antonym", "antonym"))])
    assert [(row.kind, row.flips) for row in counted] == [("antonym", 2), ("date", 1)], "either edit alone turns it"
    assert kind_effect_table(rows, "t", 2).rows[1] == ("time", 1, -1.0, 0, 0)
