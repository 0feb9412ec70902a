"""Batches, order, evidence, memory, the judge's own explanations, and interrupted work."""

from __future__ import annotations

import copy
import dataclasses
import math

import pytest
import torch

from parapluie_gui.errors import ModelError
from parapluie_gui.pluie.causal_scorer import CausalScorer
from parapluie_gui.pluie.evidence import AnswerEvidence
from parapluie_gui.pluie.judge import pluie_signature
from parapluie_gui.pluie.rendering import TemplateRenderer
from parapluie_gui.pluie.turns import ChatTurn

SOURCES = [f"Sentence {number} is about {'very ' * (number % 7)}little." for number in range(40)]
HYPOTHESES = [f"Number {number * number}." for number in range(40)]


def run(judge, template, sources=SOURCES, hypotheses=HYPOTHESES, seed=0, **options):
    return list(CausalScorer(judge.backend, template, **options).score(sources, hypotheses, seed))


def by_row(batches):
    return {one.row: one.score for batch in batches for one in batch}


@pytest.fixture
def llama(judges):
    return judges("llama")


@pytest.fixture
def expected(llama, templates):
    return by_row(run(llama, templates["DIRECT"], exact=True))


def test_every_row_comes_once_in_an_order_determined_by_the_seed(llama, templates, expected):
    orders = []
    for seed in (0, 1, 0):
        batches = run(llama, templates["DIRECT"], seed=seed, batch_tokens=300)
        assert len(batches) > 4
        rows = [one.row for batch in batches for one in batch]
        assert sorted(rows) == list(range(40))
        assert by_row(batches) == pytest.approx(expected, abs=1e-4)
        orders.append(rows)
    assert orders[0] == orders[2] != orders[1]
    assert orders[0] != sorted(orders[0])


def test_no_pairs_give_no_scores(llama, templates):
    assert run(llama, templates["DIRECT"], [], []) == []


def test_exact_mode_runs_one_pair_per_forward_without_a_cache(llama, templates, monkeypatch):
    seen = []
    forward = llama.backend.answer_logits

    def spy(rows, positions=1, prefix=None):
        seen.append((len(rows), prefix))
        return forward(rows, positions, prefix)

    monkeypatch.setattr(llama.backend, "answer_logits", spy)
    monkeypatch.setattr(llama.backend, "share", lambda ids: pytest.fail("exact mode shares nothing"))
    run(llama, templates["DIRECT"], SOURCES[:5], HYPOTHESES[:5], exact=True)
    assert seen == [(1, None)] * 5


def test_the_prefix_is_computed_once_and_never_modified(llama, templates):
    scorer = CausalScorer(llama.backend, templates["FS-DIRECT"])
    list(scorer.score(SOURCES[:8], HYPOTHESES[:8]))
    prefix = scorer._prefix
    before = [layer.keys.clone() for layer in prefix.cache.layers]
    list(scorer.score(SOURCES[8:16], HYPOTHESES[8:16]))
    assert scorer._prefix is prefix
    assert all(torch.equal(old, layer.keys) for old, layer in zip(before, prefix.cache.layers, strict=True))
    assert len(prefix.ids) > 300


def test_prompts_that_do_not_begin_with_the_prefix_are_scored_alone(llama, templates, expected, monkeypatch):
    scorer = CausalScorer(llama.backend, templates["DIRECT"])
    first = scorer._question.encode([0], SOURCES[:1], HYPOTHESES[:1])[0].ids
    prefixes = []
    forward = llama.backend.answer_logits

    def spy(rows, positions=1, prefix=None):
        prefixes.append(prefix is not None)
        return forward(rows, positions, prefix)

    monkeypatch.setattr(llama.backend, "answer_logits", spy)
    # A prefix that extends into the number in the first sentence: only some prompts begin with it.
    scorer._prefix = llama.backend.share(first[: len(scorer._question.shared) + 4])
    assert by_row(scorer.score(SOURCES, HYPOTHESES)) == pytest.approx(expected, abs=1e-4)
    assert {True, False} == set(prefixes)


@pytest.mark.parametrize(
    "error", [torch.OutOfMemoryError("CUDA"), RuntimeError("DefaultCPUAllocator: can't allocate memory")]
)
def test_running_out_of_memory_halves_the_batch(llama, templates, expected, monkeypatch, error):
    forward = llama.backend.answer_logits

    def small_memory(rows, positions=1, prefix=None):
        if len(rows) > 3:
            raise error
        return forward(rows, positions, prefix)

    monkeypatch.setattr(llama.backend, "answer_logits", small_memory)
    warnings: list[str] = []
    batches = run(llama, templates["DIRECT"], warn=warnings.append)
    assert by_row(batches) == pytest.approx(expected, abs=1e-4)
    assert all(warning.startswith("Memory ran out with ") for warning in warnings) and warnings


def test_insufficient_memory_for_one_pair_is_reported(llama, templates, monkeypatch):
    def none(rows, positions=1, prefix=None):
        raise torch.OutOfMemoryError("CUDA")

    monkeypatch.setattr(llama.backend, "answer_logits", none)
    few = SOURCES[:3], HYPOTHESES[:3]
    with pytest.raises(ModelError, match=r"Not even one pair fits into the memory of cpu. Choose a smaller model"):
        run(llama, templates["DIRECT"], *few)
    monkeypatch.setattr(llama.backend, "share", none)
    with pytest.raises(ModelError, match="Not even one pair fits"):
        run(llama, templates["DIRECT"], *few)


def test_other_errors_are_not_mistaken_for_lack_of_memory(llama, templates, monkeypatch):
    def wrong(rows, positions=1, prefix=None):
        raise RuntimeError("shapes do not match")

    monkeypatch.setattr(llama.backend, "answer_logits", wrong)
    with pytest.raises(RuntimeError, match="shapes"):
        run(llama, templates["DIRECT"])


def test_too_long_pairs_get_nan_and_one_sentence(llama, templates):
    warnings: list[str] = []
    sources = ["Short.", "long " * 3000, "Short again."]
    batches = run(llama, templates["DIRECT"], sources, ["x"] * 3, warn=warnings.append)
    result = by_row(batches)
    assert math.isnan(result[1]) and not math.isnan(result[0] + result[2])
    assert warnings == ["DIRECT: pairs longer than the model's 2,048 tokens get no score."]
    evidence = next(one.evidence for batch in batches for one in batch if one.row == 1)
    assert math.isnan(evidence.p_yes) and evidence.tokens > 3000
    assert math.isnan(AnswerEvidence.from_json(evidence.to_json()).p_no)


def test_evidence_is_the_softmax_of_a_plain_forward_pass(llama, templates, messages):
    template = templates["DIRECT"]
    for batch in run(llama, template, SOURCES[:3], HYPOTHESES[:3]):
        for one in batch:
            spoken = messages(template, SOURCES[one.row], HYPOTHESES[one.row])
            ids = llama.tokenizer.apply_chat_template(spoken, add_generation_prompt=True)["input_ids"]
            with torch.inference_mode():
                chances = llama.plain(input_ids=torch.tensor([ids])).logits[0, -1].softmax(-1)
            yes, no = (llama.tokenizer.convert_tokens_to_ids(word) for word in ("Yes", "No"))
            evidence = one.evidence
            assert (evidence.p_yes, evidence.p_no) == pytest.approx((float(chances[yes]), float(chances[no])), rel=1e-4)
            assert evidence.mass == evidence.p_yes + evidence.p_no
            assert one.score == pytest.approx(math.log(evidence.p_yes / evidence.p_no), abs=1e-4)
            top = chances.topk(5)
            assert [chance for _, chance in evidence.top] == pytest.approx(top.values.tolist(), rel=1e-4)
            assert [text for text, _ in evidence.top] == [llama.tokenizer.decode([id]) for id in top.indices.tolist()]
            assert evidence.tokens == len(ids)
            assert evidence.explanation is None and not evidence.neutralised
            assert AnswerEvidence.from_json(evidence.to_json()) == evidence


def greedy(judge, ids: list[int], most: int, ends: set[int]) -> list[int]:
    """Generate greedily with one prompt at a time and no cache."""
    written: list[int] = []
    if judge.plain.config.num_hidden_layers > 2:  # a real model uses transformers' own loop, whose cache is fast
        with torch.inference_mode():
            whole = judge.plain.generate(torch.tensor([ids]), do_sample=False, max_new_tokens=most)[0].tolist()
        return [id for id in whole[len(ids) :] if id not in ends]
    while len(written) < most:
        with torch.inference_mode():
            likeliest = int(judge.plain(input_ids=torch.tensor([ids + written])).logits[0, -1].argmax())
        if likeliest in ends:
            break
        written.append(likeliest)
    return written


def shortened(template, most: int):
    turns = [dataclasses.replace(turn, max_new_tokens=most) if turn.generate else turn for turn in template.turns]
    return dataclasses.replace(template, turns=tuple(turns))


def opening(judge, template, messages, pair) -> list[int]:
    spoken = messages(template, *pair)[:3]
    if judge.tokenizer.chat_template:
        return judge.tokenizer.apply_chat_template(spoken, add_generation_prompt=True)["input_ids"]
    lines = "".join(f"{turn['role'].capitalize()}: {turn['content']}\n" for turn in spoken)
    return judge.tokenizer(f"{lines}Assistant:")["input_ids"]


@pytest.mark.parametrize("family", ["qwen2", "mistral-sliding", "gemma2", "mamba", "gpt2", "smollm2"])
def test_explanations_are_generated_greedily_and_then_judged(family, judges, request, templates, messages, two_losses):
    judge = request.getfixturevalue("small") if family == "smollm2" else judges(family)
    template = shortened(templates["INDIRECT"], 10)
    count = 1 if family == "smollm2" else 5
    ends = set(judge.backend._ends)
    assert judge.tokenizer.eos_token_id in ends
    batches = run(judge, template, SOURCES[:count], HYPOTHESES[:count])
    assert [one for batch in batches for one in batch], "nothing was judged"
    for one in (one for batch in batches for one in batch):
        pair = (SOURCES[one.row], HYPOTHESES[one.row])
        written = greedy(judge, opening(judge, template, messages, pair), 10, ends)
        explanation = judge.tokenizer.decode(written, skip_special_tokens=True).strip()
        assert one.evidence.explanation == explanation
        if explanation and not one.evidence.neutralised:
            turns = [ChatTurn("assistant", explanation) if turn.generate else turn for turn in template.turns]
            wanted = two_losses(judge, dataclasses.replace(template, turns=tuple(turns)), *pair)
            assert one.score == pytest.approx(wanted, abs=1e-4)


def test_an_explanation_ends_with_the_turn(judges, templates, messages, monkeypatch):
    judge, template = judges("qwen2"), shortened(templates["INDIRECT"], 10)
    pair = (SOURCES[0], HYPOTHESES[0])
    written = greedy(judge, opening(judge, template, messages, pair), 10, set())
    end = written[4]
    kept = written[: written.index(end)]
    monkeypatch.setattr(judge.backend, "_ends", [end])
    kept_config = judge.backend.model.generation_config
    judge.backend._write_plainly()
    try:
        scored = run(judge, template, [pair[0]], [pair[1]])[0][0]
    finally:
        judge.backend.model.generation_config = kept_config
    assert scored.evidence.explanation == judge.tokenizer.decode(kept, skip_special_tokens=True).strip()


def test_pairs_too_long_to_explain_are_not_given_to_the_model(judges, templates):
    judge, warnings = judges("gpt2"), []
    sources = ["Short.", "long " * 3000]
    batches = run(judge, shortened(templates["INDIRECT"], 4), sources, ["x", "x"], warn=warnings.append)
    result = by_row(batches)
    assert math.isnan(result[1]) and not math.isnan(result[0])
    assert warnings[1:] == ["INDIRECT: pairs longer than the model's 1,024 tokens get no score."]


def test_a_prompt_whose_last_token_merges_with_the_answer_is_handled(llama, templates, two_losses, monkeypatch):
    tokenizer = copy.deepcopy(llama.tokenizer)
    tokenizer.chat_template = (
        "{% for m in messages %}{{ m['role'] + ': ' + m['content'] + '\n' }}{% endfor %}"
        "{% if add_generation_prompt %}{{ 'assistant: ' }}{% endif %}"
    )
    monkeypatch.setattr(llama.backend, "tokenizer", tokenizer)
    monkeypatch.setattr(llama.backend, "renderer", TemplateRenderer(tokenizer))
    rendering = llama.backend.renderer.render(templates["DIRECT"])
    assert rendering.drop == 1 and rendering.one_token
    result = by_row(run(llama, templates["DIRECT"], SOURCES[:4], HYPOTHESES[:4]))
    for row in range(4):
        assert result[row] == pytest.approx(
            two_losses(llama, templates["DIRECT"], SOURCES[row], HYPOTHESES[row]), abs=1e-4
        )


class Stop(Exception):
    """The exception that the gate raises."""


@pytest.mark.parametrize("family", ["llama", "mamba"])
def test_an_interrupted_batch_leaves_no_state(family, folders, judges, templates):
    from parapluie_gui.pluie.causal import CausalJudge

    calls = []

    def check() -> None:
        calls.append(1)
        if len(calls) == limit:
            raise Stop

    limit = -1
    judge = dataclasses.replace(judges(family), backend=CausalJudge.load(judges(family).files, "cpu", "float32", check))
    wanted = by_row(run(judges(family), templates["DIRECT"]))
    scorer = CausalScorer(judge.backend, templates["DIRECT"])
    list(scorer.score(SOURCES[:1], HYPOTHESES[:1]))
    assert len(calls) in (2, 4), "two layers, and two of the prefix"
    for name in ("DIRECT", "INDIRECT"):
        limit = len(calls) + 2
        with pytest.raises(Stop):
            run(judge, shortened(templates[name], 3), SOURCES[:2], HYPOTHESES[:2])
    assert by_row(scorer.score(SOURCES, HYPOTHESES)) == pytest.approx(wanted, abs=1e-4)


def test_a_guard_may_repeat_a_batch(llama, templates, expected):
    result = by_row(run(llama, templates["DIRECT"], guard=lambda work: (work(), work())[1]))
    assert result == pytest.approx(expected, abs=1e-4)


def test_the_signature_names_everything_the_score_depends_on(llama, templates):
    signatures = {
        str(pluie_signature(llama.files, template, precision, exact=exact))
        for template in (templates["DIRECT"], dataclasses.replace(templates["DIRECT"], yes="yes"))
        for precision in ("float32", "bfloat16")
        for exact in (True, False)
    }
    assert len(signatures) == 8
