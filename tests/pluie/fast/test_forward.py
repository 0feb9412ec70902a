"""Our own forward pass against transformers': for which models it is used, its numbers, and its generated text."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from packed_rows import PREFIX, ROWS, transformers_logits
from transformers import LlamaConfig, Qwen3Config
from transformers.models.auto.modeling_auto import AutoModelForCausalLM

from parapluie_gui.models.catalogue import find_model
from parapluie_gui.models.loading import quiet
from parapluie_gui.pluie.causal import CausalJudge
from parapluie_gui.pluie.causal_scorer import CausalScorer
from parapluie_gui.pluie.fast.choice import PassChoice, choose_causal
from parapluie_gui.pluie.rendering import common_prefix

SETTINGS = {
    "hidden_size": 48,
    "intermediate_size": 64,
    "num_hidden_layers": 3,
    "num_attention_heads": 6,
    "vocab_size": 900,
}
SETTINGS |= {"num_key_value_heads": 2, "initializer_range": 0.3, "max_position_embeddings": 512}
LLAMA3_ROPE = {"rope_type": "llama3", "rope_theta": 1e4, "factor": 8.0, "low_freq_factor": 1.0}
LLAMA3_ROPE |= {"high_freq_factor": 4.0, "original_max_position_embeddings": 64}
UNUSUAL = {
    "biases": LlamaConfig(**SETTINGS, attention_bias=True, mlp_bias=True),
    "llama3 rope": LlamaConfig(**SETTINGS, rope_parameters=LLAMA3_ROPE),
    "qwen3": Qwen3Config(**SETTINGS, head_dim=16),
}


def made(config) -> torch.nn.Module:
    torch.manual_seed(0)
    with quiet():
        return AutoModelForCausalLM.from_config(config).eval()


def saved(config, tokenizer, folder: Path):
    """Save a model with random biases and norms, which transformers would leave at zero and one."""
    model = made(config)
    with torch.no_grad():
        for weight in model.parameters():
            if weight.dim() == 1:
                weight.add_(torch.randn_like(weight) * 0.2)
    with quiet():
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
    return CausalJudge.load(find_model(str(folder)), "cpu", "float32"), model


def test_supported_families_are_recognised(judges):
    families = ("llama", "llama2", "mistral", "qwen2", "mistral-sliding", "gemma", "gemma2", "gpt2", "mamba")
    assert [family for family in families if judges(family).backend.packs] == ["llama", "llama2", "mistral", "qwen2"]


@pytest.mark.parametrize("positions", [1, 3])
@pytest.mark.parametrize("family", ["llama", "mistral", "qwen2"])
def test_logits_match_transformers(family, positions, judges):
    judge = judges(family)
    rows = ROWS if positions == 1 else ROWS[:4]
    result = judge.backend.answer_logits(rows, positions, judge.backend.share(PREFIX))
    for mine, theirs in zip(result, transformers_logits(judge.plain, rows, positions), strict=True):
        assert mine.shape == theirs.shape
        assert torch.allclose(mine, theirs, atol=1e-4)


@pytest.mark.parametrize("name", UNUSUAL)
def test_unusual_configurations_are_supported(name, tokenizers, tmp_path):
    backend, plain = saved(UNUSUAL[name], tokenizers("qwen2"), tmp_path)
    assert backend.packs
    result = backend.answer_logits(ROWS, 1, backend.share(PREFIX))[:, 0]
    assert torch.allclose(result, torch.cat(transformers_logits(plain, ROWS, 1)), atol=1e-4)
    # Without a prefix transformers' own pass runs, on the packed weights.
    alone = torch.cat([backend.answer_logits([PREFIX + row])[:, 0] for row in ROWS])
    assert torch.allclose(alone, result, atol=1e-4)


@pytest.mark.parametrize("rope", ["dynamic", "longrope"])
def test_positions_that_depend_on_the_length_are_left_to_transformers(rope):
    parameters = {"rope_type": rope, "rope_theta": 1e4, "factor": 2.0}
    if rope == "longrope":
        parameters |= {"short_factor": [1.0] * 4, "long_factor": [2.0] * 4, "original_max_position_embeddings": 64}
    assert choose_causal(made(LlamaConfig(**SETTINGS, rope_parameters=parameters)), lambda: None) == (
        None,
        PassChoice(reason="this model's positions depend on the length of the text"),
    )


def test_a_model_with_deviating_numbers_is_left_to_transformers():
    model = made(LlamaConfig(**SETTINGS))
    # As a patched model class would behave: the layers are Llama's, the computation is not.
    hook = model.model.layers[1].mlp.register_forward_hook(lambda _module, _inputs, output: output * 1.01)
    refused = None, PassChoice(reason="the packed pass gives different numbers for this model")
    assert choose_causal(model, lambda: None) == refused
    assert model.model.layers[0].mlp.up_proj.weight is not None
    hook.remove()
    assert choose_causal(model, lambda: None)[0] is not None


def test_bfloat16_is_as_accurate_as_in_transformers(judges, folders):
    backend = CausalJudge.load(judges("llama").files, "cpu", "bfloat16")
    assert backend.packs
    exact = torch.cat(transformers_logits(judges("llama").plain, ROWS, 1))
    packed = backend.answer_logits(ROWS, 1, backend.share(PREFIX))[:, 0]
    alone = torch.cat([backend.answer_logits([PREFIX + row])[:, 0] for row in ROWS])
    errors = [float((result - exact).square().mean().sqrt()) for result in (packed, alone)]
    assert errors[0] < 1.5 * errors[1]


@pytest.mark.parametrize("family", ["llama", "mistral", "qwen2"])
def test_rows_generate_the_same_text_as_alone(family, judges, monkeypatch):
    judge = judges(family)
    prefix = judge.backend.share(PREFIX)
    limit = 14
    alone = []
    with torch.inference_mode():
        for row in ROWS:
            whole = judge.plain.generate(
                torch.tensor([PREFIX + row]), do_sample=False, max_new_tokens=limit, eos_token_id=None, pad_token_id=0
            )
            alone.append(whole[0, len(PREFIX) + len(row) :].tolist())
    # Every row ends at a different position: the cache is truncated several times.
    ends = [alone[0][2], alone[3][9]]
    monkeypatch.setattr(judge.backend, "_ends", ends)
    expected = [each[: next((at for at, id in enumerate(each) if id in ends), limit)] for each in alone]
    assert len({len(each) for each in expected}) > 1
    result = judge.backend.write(ROWS, limit, prefix)
    assert [text for text, _ in result] == [judge.backend._decode(each) for each in expected]
    for row, each, (_, past) in zip(ROWS, expected, result, strict=True):
        known = [*row, *each]
        assert list(past.ids) == known[: len(past.ids)] and len(past.ids) >= len(known) - 1
        assert past.memory.shape[-2] == len(past.ids)
    # The next prompt continues from there, even if its beginning was encoded differently.
    questions = [[*row, *each, 17, 18, 19] for row, each in zip(ROWS, expected, strict=True)]
    questions[3] = [*ROWS[3][:20], 400, *questions[3][21:]]
    pasts = [past for _, past in result]
    again = judge.backend.answer_logits(questions, 1, prefix, [*pasts[:4], None])[:, 0]
    assert torch.allclose(again, torch.cat(transformers_logits(judge.plain, questions, 1)), atol=1e-4)


def test_many_pairs_with_few_sources_have_the_same_scores(judges, templates):
    judge = judges("llama")
    chance = random.Random(1)
    words = ["the", "a", "quick", "lazy", "dog", "fox", "jumps", "over", "under", "tree", "house", "red", "blue"]
    sentences = [" ".join(chance.choices(words, k=12)) for _ in range(3)]
    sources = [sentences[number % 3] for number in range(24)]
    hypotheses = [" ".join(chance.choices(words, k=chance.randrange(1, 9))) for _ in range(24)]
    scores = []
    for exact in (False, True):
        scorer = CausalScorer(judge.backend, templates["DIRECT"], exact=exact, batch_tokens=200)
        batches = list(scorer.score(sources, hypotheses))
        scores.append({one.row: one.score for batch in batches for one in batch})
        if not exact:
            # Pairs with the same source come together: a batch rarely contains more than two sources.
            assert max(len({sources[one.row] for one in batch}) for batch in batches) <= 2
            assert max(len(batch) for batch in batches) > 4
    assert scores[0] == pytest.approx(scores[1], abs=1e-4)


def test_the_second_prompt_continues_from_the_first(judges, templates, monkeypatch):
    judge = judges("qwen2")
    forward, reused = judge.backend.answer_logits, []

    def spy(rows, positions=1, prefix=None, pasts=()):
        reused.extend(common_prefix(row, past.ids) for row, past in zip(rows, pasts, strict=True))
        return forward(rows, positions, prefix, pasts)

    monkeypatch.setattr(judge.backend, "answer_logits", spy)
    turns = [replace(turn, max_new_tokens=3) if turn.generate else turn for turn in templates["INDIRECT"].turns]
    scorer = CausalScorer(judge.backend, replace(templates["INDIRECT"], turns=tuple(turns)))
    prompts = scorer._opening.encode(range(3), ["One cat.", "Two cats.", "No cat."], ["A cat."] * 3)
    list(scorer.score(["One cat.", "Two cats.", "No cat."], ["A cat."] * 3))
    # At least the whole opening, except for the prefix that all prompts share.
    own = sorted(len(prompt.ids) - len(scorer._prefix.ids) for prompt in prompts)
    assert all(known >= least > 0 for known, least in zip(sorted(reused), own, strict=True))
