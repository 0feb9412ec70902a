"""Scores against several references, compared with sacreBLEU and nltk."""

from __future__ import annotations

import json

import numpy as np
import pytest
import sacrebleu
from hypothesis import given
from hypothesis import strategies as st
from nltk.translate.bleu_score import sentence_bleu

import parapluie_gui as pp
from parapluie_gui.metrics import catalogue

words = st.lists(st.sampled_from(["a", "bb", "the", "Cat", "sat", "mat"]), min_size=4, max_size=14).map(" ".join)
examples = st.lists(st.tuples(words, st.lists(words, min_size=1, max_size=4)), min_size=1, max_size=4)

HYPOTHESIS = "A cat is sitting on the mat today."
REFERENCES = ("The cat sits on the mat today.", "A cat was sitting on a mat today.", "Today a cat sat on the mat.")


def scores(spec, examples):
    hypotheses, references = zip(*examples, strict=True)
    return catalogue.metric(spec).score(hypotheses, hypotheses, [tuple(texts) for texts in references])


@given(examples)
def test_sacrebleu_and_chrf_agree_with_the_library(examples):
    for spec, score in (("sacrebleu.ref", sacrebleu.sentence_bleu), ("chrf.ref", sacrebleu.sentence_chrf)):
        expected = [score(hypothesis, references).score for hypothesis, references in examples]
        np.testing.assert_allclose(scores(spec, examples), expected, rtol=1e-9, atol=1e-9)


@given(examples)
def test_bleu_agrees_with_nltk_where_all_orders_match(examples):
    for (hypothesis, references), score in zip(examples, scores("bleu.ref,tok=whitespace", examples), strict=True):
        if score:
            expected = sentence_bleu([text.split() for text in references], hypothesis.split())
            assert score == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("name", ["chrf", "rougeL", "meteor_stem", "edit_distance", "wer", "ld"])
def test_the_nearest_reference_counts(name):
    metric = catalogue.metric(f"{name}.ref")
    single = [metric.score([HYPOTHESIS], [HYPOTHESIS], [text])[0] for text in REFERENCES]
    best = max(single) if metric.info.higher_is_closer else min(single)
    assert metric.score([HYPOTHESIS], [HYPOTHESIS], [REFERENCES]) == [best]


def test_ibleu_clips_by_all_references_and_uses_the_source_without_any():
    metric, bleu = catalogue.metric("ibleu"), catalogue.metric("bleu")
    sources = ["The cat sat on the mat today."] * 2
    copied = bleu.score(sources, [HYPOTHESIS] * 2)
    close = bleu.score_against([HYPOTHESIS], [REFERENCES])[0]
    np.testing.assert_allclose(
        metric.score(sources, [HYPOTHESIS] * 2, [REFERENCES, None]), [close - 0.2 * copied[0], 0.8 * copied[1]]
    )


def test_a_metric_without_references_is_unchanged():
    assert catalogue.metric("bleu").score(["a b c d e"], ["a b c d f"], [("x", "y")]) == catalogue.metric("bleu").score(
        ["a b c d e"], ["a b c d f"]
    )


def lists(*references):
    return {
        "pairs": ["The cat sat on the mat today."],
        "hypotheses": [HYPOTHESIS],
        "references": [list(references)],
    }


def test_the_signature_gives_the_number_of_references():
    signature = pp.score(**lists(*REFERENCES), metrics=["bleu.ref", "bleu"]).signatures["bleu.ref"]
    assert dict(signature.fields)["nrefs"] == "3"
    assert json.loads(dict(signature.fields)["columns"]) == ["reference", "reference 2", "reference 3"]
    one = pp.score(**lists(REFERENCES[0]), metrics=["bleu.ref", "sacrebleu.ref"]).signatures
    assert "nrefs" not in dict(one["bleu.ref"].fields)
    assert dict(one["sacrebleu.ref"].fields)["nrefs"] == "1"


def test_a_stored_score_belongs_to_all_its_references():
    first = pp.score(**lists(*REFERENCES), metrics=["chrf.ref"])
    again = pp.score(**lists(*REFERENCES), metrics=["chrf.ref"])
    other = pp.score(**lists(*REFERENCES[:2], HYPOTHESIS), metrics=["chrf.ref"])
    assert first["chrf.ref"] == again["chrf.ref"]
    assert other["chrf.ref"] == [pytest.approx(100)]


def test_pairs_may_have_different_numbers_of_references_or_none():
    texts = ["The cat sat on the mat today."] * 3
    references = [None, [REFERENCES[0], REFERENCES[1]], REFERENCES[1]]
    scored = pp.score(texts, hypotheses=[HYPOTHESIS] * 3, references=references, metrics=["wer.ref"])["wer.ref"]
    assert np.isnan(scored[0])
    assert scored[1] == scored[2]


def test_a_list_with_values_other_than_texts_is_refused():
    with pytest.raises(pp.ParapluieError, match="Reference 0 is not a text, a list of texts or None"):
        pp.score(["a"], hypotheses=["b"], references=[["c", 3]], metrics=["bleu.ref"])
