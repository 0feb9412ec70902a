"""The attention for GPUs, computed on the CPU: rows side by side, against attention in one piece and transformers."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from packed_rows import (
    GROUPS,
    HEADS,
    PREFIX,
    ROWS,
    SCALE,
    SIZE,
    full_attention,
    prefix_of_layer,
    random_tensor,
    read_prefix,
    transformers_logits,
)

from parapluie_gui.pluie.causal import CausalJudge
from parapluie_gui.pluie.causal_scorer import CausalScorer
from parapluie_gui.pluie.fast import aligned
from parapluie_gui.pluie.fast.aligned import AlignedAttention, attend_plainly, best_attention
from parapluie_gui.pluie.fast.choice import explain_unlike_llama
from parapluie_gui.pluie.fast.packing import pack

CPU = torch.device("cpu")
SENTENCES = ["One cat sat.", "Two cats ran over the hill and far away.", "No cat.", "A dog"]


@pytest.fixture(params=["plain", "fused"])
def attend(request, monkeypatch):
    """Attention computed directly, a few queries at a time, or by the processor's fused kernel."""
    if request.param == "fused":
        return aligned._attend_flash_on_cpu
    monkeypatch.setattr(aligned, "_SLICE", 4 * 2 * HEADS * GROUPS * 37)
    return attend_plainly


@pytest.mark.parametrize("length", [0, 1, 37])
def test_rows_of_any_length_agree_with_attention_in_one_piece(length, attend):
    torch.manual_seed(length)
    rows = [[1, 2, 3, 4, 5, 6, 7], [5, 6, 7], [9]]
    packing, prefix = pack(rows, share=False), read_prefix(length)
    q, k, v = random_tensor(11, HEADS, GROUPS, SIZE), random_tensor(11, HEADS, SIZE), random_tensor(11, HEADS, SIZE)
    attention = AlignedAttention(packing, prefix, [], attend, CPU, keep=True)
    result = attention(1, q, k, v, SCALE)
    first = prefix_of_layer(prefix, 1)
    for start, end in packing.stretches:
        own = slice(start, end)
        expected = full_attention(q[own], torch.cat([first[0], k[own]]), torch.cat([first[1], v[own]]))
        assert torch.allclose(result[own], expected, atol=1e-5)
    assert attention.stored == [(k, v)]


def test_rows_continue_from_the_stored_prefix(attend):
    torch.manual_seed(0)
    packing, prefix = pack([[1, 2, 3], [4, 5], [6]], share=False), read_prefix(11)
    pasts = [random_tensor(2, 2, HEADS, 7, SIZE), None, random_tensor(2, 2, HEADS, 2, SIZE)]
    q, k, v = random_tensor(6, HEADS, GROUPS, SIZE), random_tensor(6, HEADS, SIZE), random_tensor(6, HEADS, SIZE)
    result = AlignedAttention(packing, prefix, pasts, attend, CPU)(1, q, k, v, SCALE)
    first = prefix_of_layer(prefix, 1)
    for (start, end), past in zip(packing.stretches, pasts, strict=True):
        old = (random_tensor(0, HEADS, SIZE),) * 2 if past is None else past[1].transpose(1, 2)
        keys, values = (torch.cat([first[kind], old[kind], each[start:end]]) for kind, each in enumerate((k, v)))
        assert torch.allclose(result[start:end], full_attention(q[start:end], keys, values), atol=1e-5)


def test_a_fused_attention_is_tested_before_it_is_used(monkeypatch):
    assert best_attention(torch.float32, CPU, 16) is aligned._attend_flash_on_cpu
    assert best_attention(torch.bfloat16, CPU, 64) is aligned._attend_flash_on_cpu

    def missing(*arguments):
        raise AttributeError("no such operator")

    def other_sums(q, k, v, scale, causal):
        out, sums = attend_plainly(q, k, v, scale, causal)
        return out, sums / 2

    def other_shape(q, k, v, scale, causal):
        out, sums = attend_plainly(q, k, v, scale, causal)
        return out, torch.nn.functional.pad(sums, (0, 24))

    for broken in (missing, other_sums, other_shape):
        monkeypatch.setattr(aligned, "_FUSED", {"cpu": (broken,)})
        assert best_attention(torch.float32, CPU, 16) is attend_plainly


@pytest.fixture
def as_on_a_gpu(monkeypatch, judges):
    """Return a function that loads a tiny judge, computed on the CPU as it would be on a GPU."""

    def load(family: str, *fused) -> CausalJudge:
        files = judges(family).files  # loads the shared judge before anything is patched
        monkeypatch.setattr(aligned, "DEVICES", ("cpu",))
        monkeypatch.setattr(aligned, "_FUSED", {"cpu": fused})
        judge = CausalJudge.load(files, "cpu", "float32")
        assert judge.packs and not judge.packs_beginnings
        return judge

    return load


@pytest.mark.parametrize("positions", [1, 3])
@pytest.mark.parametrize("family", ["llama", "llama2", "qwen2"])
def test_logits_match_transformers(family, positions, judges, as_on_a_gpu):
    rows = ROWS if positions == 1 else ROWS[:4]
    for fused in ((), (aligned._attend_flash_on_cpu,)):
        judge = as_on_a_gpu(family, *fused)
        result = judge.answer_logits(rows, positions, judge.share(PREFIX))
        for mine, theirs in zip(result, transformers_logits(judges(family).plain, rows, positions), strict=True):
            assert torch.allclose(mine, theirs, atol=1e-4)


def test_rows_generate_and_continue_as_on_a_cpu(judges, as_on_a_gpu):
    plain, judge = judges("qwen2").backend, as_on_a_gpu("qwen2")
    prefix = judge.share(PREFIX)
    expected, result = plain.write(ROWS, 12, plain.share(PREFIX)), judge.write(ROWS, 12, prefix)
    assert [text for text, _ in result] == [text for text, _ in expected]
    pasts = [past for _, past in result]
    for past, (_, other) in zip(pasts, expected, strict=True):
        assert past.ids == other.ids and torch.allclose(past.memory, other.memory, atol=1e-4)
    questions = [[*past.ids, 17, 18, 19] for past in pasts]
    again = judge.answer_logits(questions, 1, prefix, [None, *pasts[1:]])[:, 0]
    assert torch.allclose(again, torch.cat(transformers_logits(judges("qwen2").plain, questions, 1)), atol=1e-4)


@pytest.mark.parametrize("name", ["DIRECT", "FS-DIRECT", "INDIRECT"])
def test_scores_match_single_pairs(name, judges, as_on_a_gpu, templates):
    judge, template = as_on_a_gpu("qwen2"), templates[name]
    turns = tuple(replace(turn, max_new_tokens=3) if turn.generate else turn for turn in template.turns)
    template = replace(template, turns=turns)
    sources, hypotheses = SENTENCES * 2, ["A cat."] * 4 + ["No dog."] * 4
    scores = []
    for scorer in (CausalScorer(judge, template), CausalScorer(judges("qwen2").backend, template, exact=True)):
        batches = list(scorer.score(sources, hypotheses))
        scores.append({one.row: one.score for batch in batches for one in batch})
    assert scores[0] == pytest.approx(scores[1], abs=1e-4)


def test_devices_with_the_attention_are_recognised(judges):
    config = judges("llama").plain.config
    assert explain_unlike_llama("LlamaForCausalLM", config, "cuda", torch.float16) == ""
    assert explain_unlike_llama("LlamaForCausalLM", config, "cpu", torch.float16) == "no packed pass in float16"
    assert explain_unlike_llama("LlamaForCausalLM", config, "mps", torch.float32) == "there is no packed pass on mps"


def test_all_tensors_are_created_on_the_judges_device(as_on_a_gpu, monkeypatch):
    """On `meta` nothing is computed, but a tensor left on the CPU is refused as on a GPU."""
    from parapluie_gui.pluie.fast import choice

    monkeypatch.setattr(choice, "explain_missing_products", lambda *_: "not here")
    judge = as_on_a_gpu("qwen2")
    judge.model.to("meta")
    judge.device = torch.device("meta")
    prefix = judge.share(PREFIX)
    assert judge.answer_logits(ROWS, 2, prefix).shape == (5, 2, 900)
    drawn = judge.sample(ROWS, 4, prefix, lambda logits, rows: [17] * len(rows))
    assert [cut for _, cut in drawn] == [True] * 5
    written = judge._write_rows(ROWS, 4, prefix, lambda logits, rows: [17] * len(rows))
    again = judge.answer_logits([[*each.past.ids, 3] for each in written], 1, prefix, [each.past for each in written])
    assert again.device.type == "meta" and again.shape == (5, 1, 900)
