"""Models whose positions depend on the length of the text: the default mode gives the score of the text alone."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from families import SMALL, TinyJudge, load_judge, tokenizer_of
from transformers import LlamaConfig, Phi3Config
from transformers.models.auto.modeling_auto import AutoModelForCausalLM

from parapluie_gui.models.loading import quiet
from parapluie_gui.pluie.causal_scorer import CausalScorer
from parapluie_gui.pluie.judge import pluie_signature
from parapluie_gui.pluie.positions import LengthLimits, length_limits, length_matters

#: The limit of the tiny models; DIRECT's prompts of these pairs have about 60 to 500 tokens.
LIMIT = 128
SOURCES = [f"Sentence {number} is about {'very ' * (number * 14)}little." for number in range(6)]
HYPOTHESES = [f"Number {number * number}." for number in range(6)]

_HALF = SMALL["hidden_size"] // SMALL["num_attention_heads"] // 2
LONGROPE = {
    "rope_type": "longrope",
    "rope_theta": 1e4,
    "factor": 16.0,
    "short_factor": [1.0 + 0.1 * number for number in range(_HALF)],
    "long_factor": [3.0 + number for number in range(_HALF)],
    "original_max_position_embeddings": LIMIT,
}
SETTINGS = {**SMALL, "tie_word_embeddings": False}
CONFIGS = {
    "longrope": lambda **more: Phi3Config(
        **SETTINGS, original_max_position_embeddings=LIMIT, rope_parameters=LONGROPE, **more
    ),
    "dynamic": lambda **more: LlamaConfig(
        **{**SETTINGS, "max_position_embeddings": LIMIT},
        rope_parameters={"rope_type": "dynamic", "rope_theta": 1e4, "factor": 16.0},
        **more,
    ),
}


@pytest.fixture(scope="module", params=CONFIGS)
def judge(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TinyJudge]:
    folder = tmp_path_factory.mktemp("models") / request.param
    tokenizer = tokenizer_of("llama")
    ids = {"bos_token_id": tokenizer.bos_token_id, "eos_token_id": tokenizer.eos_token_id, "pad_token_id": None}
    torch.manual_seed(1)
    with quiet():
        AutoModelForCausalLM.from_config(CONFIGS[request.param](vocab_size=len(tokenizer), **ids)).save_pretrained(
            folder
        )
        tokenizer.save_pretrained(folder)
    return load_judge(folder)


def scores(judge, template, sources=SOURCES, hypotheses=HYPOTHESES, **options):
    scorer = CausalScorer(judge.backend, template, **options)
    return {one.row: one for batch in scorer.score(sources, hypotheses, 0) for one in batch}


def reference_model(judge):
    """The model as transformers loads it, so that earlier inputs cannot matter."""
    with quiet():
        return AutoModelForCausalLM.from_pretrained(judge.files.folder, dtype=torch.float32).eval()


@pytest.mark.parametrize("name", ["DIRECT", "FS-DIRECT"])
@pytest.mark.parametrize("exact", [False, True])
def test_long_and_short_prompts_match_the_model_alone(judge, templates, messages, name, exact):
    result = scores(judge, templates[name], exact=exact)
    assert len(result) == 6
    lengths = [result[row].evidence.tokens for row in range(6)]
    assert name != "DIRECT" or min(lengths) < LIMIT < sorted(lengths)[3], "both sides of the limit"
    yes, no = (judge.tokenizer.convert_tokens_to_ids(word) for word in ("Yes", "No"))
    for row in range(1, 6, 2):
        spoken = messages(templates[name], SOURCES[row], HYPOTHESES[row])
        ids = judge.tokenizer.apply_chat_template(spoken, add_generation_prompt=True)["input_ids"]
        with torch.inference_mode():
            logits = reference_model(judge)(input_ids=torch.tensor([ids]), use_cache=False).logits[0, -1]
        assert result[row].score == pytest.approx(float(logits[yes] - logits[no]), abs=1e-4)
        assert result[row].evidence.tokens == len(ids)


def test_answers_of_several_tokens_and_explanations_match_exact_mode(judge, templates):
    several = dataclasses.replace(templates["DIRECT"], yes="Absolutely yes", no="never")
    turns = [
        dataclasses.replace(turn, max_new_tokens=6) if turn.generate else turn for turn in templates["INDIRECT"].turns
    ]
    for template in (several, dataclasses.replace(templates["INDIRECT"], turns=tuple(turns))):
        result, exact = scores(judge, template), scores(judge, template, exact=True)
        assert [result[row].evidence.explanation for row in range(6)] == [
            exact[row].evidence.explanation for row in range(6)
        ]
        assert [result[row].score for row in range(6)] == pytest.approx(
            [exact[row].score for row in range(6)], abs=1e-4
        )


def test_earlier_inputs_do_not_matter(judge, templates):
    result = scores(judge, templates["DIRECT"], exact=True)
    for row in (5, 1, 4):
        alone = scores(judge, templates["DIRECT"], [SOURCES[row]], [HYPOTHESES[row]], exact=True)
        assert alone[0].score == result[row].score


def test_the_signature_changes_only_for_such_models(judge, judges, templates):
    assert "scorer:2" in str(pluie_signature(judge.files, templates["DIRECT"], "float32", exact=False))
    plain = pluie_signature(judges("llama").files, templates["DIRECT"], "float32", exact=False)
    assert "scorer:1" in str(plain)


def test_beyond_the_models_maximum_length_there_is_no_score(judge, templates):
    warnings: list[str] = []
    result = scores(judge, templates["DIRECT"], ["long " * 3000], ["x"], warn=warnings.append)
    assert math.isnan(result[0].score)
    assert warnings == ["DIRECT: pairs longer than the model's 2,048 tokens get no score."]


def test_the_maximum_length_is_read_from_the_configuration():
    plain = {"rope_type": "default", "rope_theta": 1e4}
    long = {"rope_type": "longrope", "original_max_position_embeddings": 512}

    def configured(**settings):
        return length_limits(SimpleNamespace(**settings))

    assert configured() == LengthLimits(1_000_000, 1_000_000)
    assert configured(max_position_embeddings=4096, rope_parameters=plain) == LengthLimits(4096, 4096)
    assert configured(max_position_embeddings=4096, rope_parameters=long) == LengthLimits(4096, 512)
    assert configured(max_position_embeddings=4096, rope_parameters={"a": plain, "b": long}) == LengthLimits(4096, 512)
    dynamic = {"rope_type": "dynamic", "factor": 2.0}
    assert configured(max_position_embeddings=4096, rope_parameters=dynamic) == LengthLimits(8192, 4096)


@pytest.mark.parametrize(
    ("config", "matters"),
    [
        ({"model_type": "llama", "rope_scaling": {"type": "dynamic", "factor": 2.0}}, True),
        ({"model_type": "phi3", "rope_scaling": {"type": "su"}}, True),
        ({"model_type": "phi3", "rope_scaling": None}, False),
        ({"model_type": "qwen2", "rope_scaling": {"type": "yarn", "factor": 2.0}}, False),
        ({"model_type": "x", "text_config": {"rope_parameters": {"full": {"rope_type": "longrope"}}}}, True),
        (["no configuration"], False),
    ],
)
def test_such_a_model_is_recognised_by_its_configuration(config, matters, tmp_path: Path):
    (tmp_path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    assert length_matters(SimpleNamespace(folder=tmp_path)) is matters
    assert not length_matters(SimpleNamespace(folder=tmp_path / "nowhere"))
