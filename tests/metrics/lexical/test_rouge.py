"""ROUGE against rouge-score, and on texts in which rouge-score recognises no words."""

from __future__ import annotations

import random

import numpy as np
import pytest

from parapluie_gui.metrics.lexical.rouge import Rouge1, Rouge2, RougeL

ALL = [Rouge1, Rouge2, RougeL]


def by_library(name: str, sources, hypotheses) -> list[float]:
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer([name])
    pairs = zip(sources, hypotheses, strict=True)
    return [scorer.score(source, hypothesis)[name].fmeasure for source, hypothesis in pairs]


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.info.id)
def test_unusual_pairs_agree_with_rouge_score(kind):
    rng = random.Random(2)
    words = "the The a cat, dog. sat 3.5 U.S. don't café naïve - İstanbul 😀 a1 x_y"
    texts = [" ".join(rng.choices(words.split(), k=rng.randint(0, 14))) for _ in range(1000)]
    sources, hypotheses = [*texts[:500], "", "", "a", "?"], [*texts[500:], "", "a", "", "!"]
    assert kind().score(sources, hypotheses).tolist() == by_library(kind.info.id, sources, hypotheses)


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.info.id)
def test_mrpc_agrees_with_rouge_score(kind, mrpc):
    sources, hypotheses = mrpc.source[:300], mrpc.hypothesis[:300]
    assert kind().score(sources, hypotheses).tolist() == by_library(kind.info.id, sources, hypotheses)


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.info.id)
def test_without_ascii_letters_the_value_is_missing_with_a_reason(kind):
    rouge = kind()
    sources, hypotheses = ["안녕하세요", "שלום", "我想 ok", "😀 !", "a b"], ["안녕", "a b", "ok", "a b", "a b"]
    scores = rouge.score(sources, hypotheses)
    assert np.isnan(scores).tolist() == [True, True, False, False, False]
    for source, hypothesis in zip(sources[:2], hypotheses[:2], strict=True):
        assert rouge.why_missing(source, hypothesis) == "no ASCII letters to compare"
    assert rouge.why_missing("a b", "a b") == rouge.why_missing("我想开通", "a") == ""


def test_the_longest_common_subsequence_of_long_texts_is_computed():
    rng = np.random.default_rng(0)
    words = rng.integers(0, 5000, 10_000)
    text = " ".join(f"w{word}" for word in words)
    half = " ".join(f"w{word}" for word in words[::2])
    assert RougeL().score([text], [half])[0] == pytest.approx(2 / 3)  # P = 1, R = 1/2
