"""The score against the paper's own computation, (T + 1)·(loss(Tpl∘no) − loss(Tpl∘yes)), for every family of models."""

from __future__ import annotations

import dataclasses

import pytest

from parapluie_gui.pluie.causal_scorer import CausalScorer

FAMILIES = ("llama", "llama2", "mistral", "mistral-sliding", "qwen2", "gemma", "gemma2", "mamba", "gpt2")
PAIRS = (
    ("Have you ever seen a tsunami ?", "Have you ever seen a tiramisu ?"),
    ("The cat drinks water.", "Water is drunk by the cat."),
    ("Élodie a vu 3 chats 🐈 à l'Île-de-Ré, n'est-ce pas ?", "«Oui», dit-elle."),
    ("I", "x" * 90),
    ("<b>bold</b> a < b [1] me@example.org", 'a quote " and 日本語の文 {source} %s {}'),
    ("No.", "Yes."),
)


def scores(judge, template, pairs, **options):
    scorer = CausalScorer(judge.backend, template, **options)
    result = {one.row: one.score for batch in scorer.score(*zip(*pairs, strict=True)) for one in batch}
    return [result[row] for row in range(len(pairs))]


@pytest.mark.parametrize("name", ["DIRECT", "P1", "FS-DIRECT"])
@pytest.mark.parametrize("family", FAMILIES)
def test_batched_and_exact_equal_the_two_losses(family, name, judges, templates, two_losses):
    judge, template = judges(family), templates[name]
    pairs = PAIRS[:3] if name == "FS-DIRECT" else PAIRS
    wanted = [two_losses(judge, template, *pair) for pair in pairs]
    batched, exact = scores(judge, template, pairs), scores(judge, template, pairs, exact=True)
    assert batched == pytest.approx(exact, abs=1e-4)
    assert exact == pytest.approx(wanted, abs=1e-4)
    assert max(wanted) - min(wanted) > 0.01, "the tiny model must distinguish the pairs, or this test shows nothing"


@pytest.mark.parametrize("family", ["llama", "mistral", "qwen2", "gemma2", "mamba"])
def test_answers_of_several_tokens_are_summed(family, judges, templates, two_losses):
    template = dataclasses.replace(templates["DIRECT"], yes="Absolutely yes", no="Never, never")
    judge = judges(family)
    wanted = [two_losses(judge, template, *pair) for pair in PAIRS]
    assert scores(judge, template, PAIRS) == pytest.approx(wanted, abs=1e-4)
    assert scores(judge, template, PAIRS, exact=True) == pytest.approx(wanted, abs=1e-4)


@pytest.mark.parametrize("name", ["DIRECT", "FS-DIRECT"])
def test_smollm2_scores_the_papers_example(name, small, templates, two_losses):
    pair = PAIRS[0]
    wanted = two_losses(small, templates[name], *pair)
    assert scores(small, templates[name], [pair], exact=True) == pytest.approx([wanted], abs=1e-4)


def test_smollm2_batched_equals_exact(small, templates):
    pairs = PAIRS[:4]
    batched = scores(small, templates["DIRECT"], pairs)
    assert batched == pytest.approx(scores(small, templates["DIRECT"], pairs, exact=True), abs=1e-4)
