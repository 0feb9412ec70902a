"""BLEU against a simple version of torchtext's rule, published values and nltk's BLEU."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parapluie_gui.errors import MetricError
from parapluie_gui.metrics import catalogue
from parapluie_gui.metrics.lexical.bleu import ALPHA, Bleu, IBleu


def torchtext_rule(candidate: list[str], reference: list[str]) -> float:
    """torchtext.data.metrics.bleu_score for one candidate and one reference, in float64."""

    def grams(tokens: list[str]) -> Counter:
        return Counter(tuple(tokens[i : i + n]) for n in range(1, 5) for i in range(len(tokens) - n + 1))

    clipped = [0] * 4
    for gram, count in (grams(candidate) & grams(reference)).items():
        clipped[len(gram) - 1] += count
    if min(clipped) == 0:
        return 0.0
    totals = [max(len(candidate) - n, 0) for n in range(4)]
    precision = math.exp(sum(0.25 * math.log(part / total) for part, total in zip(clipped, totals, strict=True)))
    return math.exp(min(1 - len(reference) / len(candidate), 0)) * precision


def bleu(candidates: list[list[str]], references: list[list[str]]) -> np.ndarray:
    return Bleu("whitespace").score([" ".join(text) for text in references], [" ".join(text) for text in candidates])


sentences = st.lists(st.sampled_from("abcd"), max_size=14)


@given(st.lists(st.tuples(sentences, sentences), max_size=6))
def test_bleu_agrees_with_the_rule(pairs):
    scores = bleu([pair[0] for pair in pairs], [pair[1] for pair in pairs])
    expected = [torchtext_rule(*pair) for pair in pairs]
    np.testing.assert_allclose(scores, expected, rtol=1e-13, atol=0)
    assert [score == 0.0 for score in scores] == [value == 0.0 for value in expected]


def test_bleu_agrees_with_nltk_where_every_order_matches():
    from nltk.translate.bleu_score import sentence_bleu

    rng = np.random.default_rng(0)
    tokens = [[["abc"[i] for i in rng.integers(0, 3, rng.integers(4, 30))] for _ in range(2)] for _ in range(300)]
    scores = bleu([pair[0] for pair in tokens], [pair[1] for pair in tokens])
    checked = 0
    for (candidate, reference), score in zip(tokens, scores, strict=True):
        if score > 0:
            assert score == pytest.approx(sentence_bleu([reference], candidate), rel=1e-12)
            checked += 1
    assert checked > 150


def test_the_tsunami_pair_has_its_known_value():
    # computed with torchtext's rule in float64 on white-space tokens (the ParaPLUIE paper's example pair)
    score = Bleu("whitespace").score(["Have you ever seen a tsunami ?"], ["Have you ever seen a tiramisu ?"])
    assert score.dtype == np.float64
    assert score[0] == pytest.approx(0.643458884160762, abs=2e-15)


@pytest.mark.parametrize(
    ("source", "hypothesis", "expected"),
    [
        ("a b c d e", "a b c d e", 1.0),
        ("a b c", "a b c", 0.0),  # under four tokens there is no 4-gram
        ("", "", 0.0),
        ("", "a b c d", 0.0),
        ("a b c d", "", 0.0),
        ("a b c x d", "a b c y d", 0.0),  # n-grams of one to three words match, no 4-gram
        ("a b c d e f g h", "a b c d", math.exp(-1)),  # everything matches, half the length
        ("a b c d", "a b c d e f g h", (4 / 8 * 3 / 7 * 2 / 6 * 1 / 5) ** 0.25),  # no bonus for a longer hypothesis
        ("a a b c d", "a a a a a b c d", (5 / 8 * 4 / 7 * 3 / 6 * 2 / 5) ** 0.25),  # repeated words are clipped
    ],
)
def test_the_rule_matches_computation_by_hand(source, hypothesis, expected):
    assert Bleu("whitespace").score([source], [hypothesis])[0] == pytest.approx(expected, rel=1e-14)


def test_pairs_do_not_influence_each_other():
    sources = ["a b c d e", "v w x y z", "a b c d e"]
    hypotheses = ["v w x y z", "v w x y z", "a b c d f"]
    together = Bleu("whitespace").score(sources, hypotheses)
    alone = [Bleu("whitespace").score([s], [h])[0] for s, h in zip(sources, hypotheses, strict=True)]
    assert together.tolist() == alone == [0.0, 1.0, pytest.approx((4 / 5 * 3 / 4 * 2 / 3 * 1 / 2) ** 0.25)]
    with pytest.raises(ValueError):
        Bleu("whitespace").score(sources, hypotheses[:2])


def test_pairs_are_scored_in_several_chunks():
    sources = [f"a b c d {row}" for row in range(10_000)]
    scores = Bleu("whitespace").score(sources, sources)
    assert scores.shape == (10_000,) and (scores == 1.0).all()


def test_the_tokenizer_is_in_the_signature():
    assert "tok:treebank" in str(Bleu().signature()) and "nltk:" in str(Bleu().signature())
    assert Bleu().signature() != Bleu("whitespace").signature()


@pytest.mark.parametrize(
    ("source", "hypothesis", "words"),
    [
        ("Run away.", "Run away.", "The hypothesis has 3 words, so it has no run of 4"),
        ("A cat sat on the mat.", "Rain fell on Rome.", "here, no run of 2 words is."),
        ("A cat.", "It rains in Rome", "here, no word is."),
    ],
)
def test_a_zero_has_a_reason(source, hypothesis, words):
    assert Bleu().score([source], [hypothesis])[0] == 0
    assert words in catalogue.why_zero("bleu", source, hypothesis)
    assert catalogue.why_zero("edit_distance", source, hypothesis) == catalogue.why_zero("own.x", "", "") == ""


def test_an_unknown_tokenizer_is_refused():
    with pytest.raises(MetricError, match=r'needs treebank or whitespace for tok, not "13b"\.'):
        catalogue.metric("bleu,tok=13b")


def test_bleu_on_mrpc_has_the_published_means(mrpc):
    # the ParaPLUIE paper's table 1: 0.40±0.21 for paraphrases, 0.28±0.18 for non-paraphrases; the tokenizer is not
    # named
    scores = Bleu().score(mrpc.source, mrpc.hypothesis)
    for label, mean, deviation in ((1, 0.40, 0.21), (0, 0.28, 0.18)):
        assert scores[mrpc.label == label].mean() == pytest.approx(mean, abs=0.02)
        assert scores[mrpc.label == label].std() == pytest.approx(deviation, abs=0.01)


def test_ibleu_is_the_difference_of_two_bleu_scores():
    sources, hypotheses = ["a b c d e", "a b c d e", "v w x y z"], ["a b c d f", "a b c d e", "a b c d e"]
    references = ["a b c d f", None, "a b c d e"]
    copied, close = Bleu().score(sources, hypotheses), [1.0, 1.0, 1.0]
    scores = IBleu().score(sources, hypotheses, references)
    np.testing.assert_allclose(scores, close - ALPHA * copied, rtol=1e-14)
    np.testing.assert_allclose(IBleu().score(sources, hypotheses), (1 - ALPHA) * copied, rtol=1e-14)
    assert "alpha:0.2|no_reference:source" in str(IBleu().signature())
    alpha = catalogue.metric("ibleu,alpha=0.3")
    np.testing.assert_allclose(alpha.score(sources, hypotheses, references), close - 0.3 * copied, rtol=1e-14)
    assert "alpha:0.3|" in str(alpha.signature()) and alpha.info.id == "ibleu.alpha_0.3"
    for wrong in ("1.5", "-1", "x", "nan"):
        with pytest.raises(MetricError, match=r"^iBLEU needs a number from 0 to 1 for alpha, not"):
            catalogue.metric(f"ibleu,alpha={wrong}")
    assert IBleu().info.uses_reference and not IBleu().info.reference_form
