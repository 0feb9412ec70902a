"""Loading: refused models and their messages; the float32 head; models that can reuse a prefix."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file
from transformers import (
    AutoModelForCausalLM,
    BartConfig,
    BartForConditionalGeneration,
    BertConfig,
    BertForMaskedLM,
    BertLMHeadModel,
    Lfm2Config,
    LlamaConfig,
    LlamaForSequenceClassification,
    Qwen2MoeConfig,
    T5Config,
    T5ForConditionalGeneration,
)

from parapluie_gui.errors import ModelError
from parapluie_gui.models.catalogue import find_model
from parapluie_gui.models.device import choose_device, choose_precision
from parapluie_gui.models.loading import quiet
from parapluie_gui.pluie.causal import CausalJudge
from parapluie_gui.pluie.causal_scorer import CausalScorer

TINY = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 1, "vocab_size": 900}
BART = {"d_model": 16, "encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": 1, "vocab_size": 900}
BART |= {"decoder_attention_heads": 1, "encoder_ffn_dim": 16, "decoder_ffn_dim": 16}


def saved(model, tokenizer, folder: Path) -> Path:
    with quiet():
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
    return folder


def refusal(folder: Path) -> str:
    with pytest.raises(ModelError) as caught:
        CausalJudge.load(find_model(str(folder)), "cpu", "float32")
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (lambda: T5ForConditionalGeneration(T5Config(d_model=16, d_ff=16, num_layers=1, num_heads=1, vocab_size=900)),
         "is an encoder-decoder model (t5); ParaPLUIE needs a causal language model."),
        (lambda: BartForConditionalGeneration(BartConfig(**BART)),
         "is an encoder-decoder model (bart); ParaPLUIE needs a causal language model."),
        (lambda: LlamaForSequenceClassification(LlamaConfig(**TINY, pad_token_id=0)),
         "does not write text (LlamaForSequenceClassification). Choose a causal language model."),
        (lambda: BertForMaskedLM(BertConfig(**TINY)),
         "does not write text (BertForMaskedLM). Choose a causal language model."),
        (lambda: BertLMHeadModel(BertConfig(**TINY, initializer_range=0.5)),
         "reads texts in both directions; ParaPLUIE needs a causal language model."),
    ],
)  # fmt: skip
def test_models_that_cannot_judge_are_refused(model, sentence, tokenizers, tmp_path):
    torch.manual_seed(0)  # random weights may by chance hardly depend on later tokens
    with quiet():
        folder = saved(model(), tokenizers("qwen2"), tmp_path / "wrong")
    assert refusal(folder) == f"wrong {sentence}"


def test_missing_weights_are_not_replaced_by_random_weights(folders, tmp_path):
    folder = shutil.copytree(folders("llama"), tmp_path / "headless")
    weights = load_file(folder / "model.safetensors")
    save_file(
        {k: v for k, v in weights.items() if k != "lm_head.weight"}, folder / "model.safetensors", {"format": "pt"}
    )
    assert refusal(folder).startswith(
        "headless lacks weights that a causal language model needs (lm_head.weight). Fetch it again"
    )


def test_broken_files_are_reported_in_one_sentence(folders, tmp_path):
    for number, (file, content) in enumerate(
        [
            ("model.safetensors", b"\x00\x01garbage"),
            ("config.json", b"{not json"),
            ("config.json", b'{"model_type": "no-such-model"}'),
            ("tokenizer.json", b"{}"),
            ("config.json", b"[" * 100_000),
            ("tokenizer_config.json", b"[" * 100_000),
        ]
    ):
        folder = shutil.copytree(folders("llama"), tmp_path / f"broken{number}")
        (folder / file).write_bytes(content)
        sentence = refusal(folder)
        assert sentence.startswith(f"broken{number} cannot be loaded as a causal language model: ")
        assert sentence.endswith(("choose a different model.", "Fetch or copy the model again.", "copy them again."))
        if content[:1] == b"[":
            assert f": {file} is " in sentence


def test_remote_code_is_not_run(folders, tmp_path):
    folder = shutil.copytree(folders("llama"), tmp_path / "foreign")
    config = json.loads((folder / "config.json").read_text("utf-8"))
    config |= {"auto_map": {"AutoConfig": "evil.Config", "AutoModelForCausalLM": "evil.Model"}, "model_type": "evil"}
    (folder / "config.json").write_text(json.dumps(config), "utf-8")
    (folder / "evil.py").write_text("raise SystemExit('it ran')", "utf-8")
    assert refusal(folder).endswith(
        "third-party code is never run. Choose a model that transformers can load without such code."
    )


def test_other_broken_files_are_reported(folders, tmp_path):
    cut = shutil.copytree(folders("llama"), tmp_path / "cut")
    whole = (cut / "model.safetensors").read_bytes()
    (cut / "model.safetensors").write_bytes(whole[: len(whole) // 2])
    assert "cannot be loaded" in refusal(cut)
    bare = shutil.copytree(folders("llama"), tmp_path / "bare")
    for file in bare.glob("*token*"):
        file.unlink()
    assert "cannot be loaded" in refusal(bare)


@pytest.mark.parametrize("missing", ["sentencepiece", "protobuf"])
def test_a_sentencepiece_file_without_its_packages_names_the_extra(missing, folders, tmp_path, monkeypatch):
    folder = shutil.copytree(folders("llama"), tmp_path / "slow")
    for file in folder.glob("*token*"):
        file.unlink()
    (folder / "tokenizer.model").write_bytes(b"\x0a\x0e not one")
    assert "slow-tokenizers" not in refusal(folder)
    monkeypatch.setattr(transformers.utils.import_utils, f"is_{missing}_available", lambda: False)
    assert refusal(folder) == (
        "slow cannot be loaded as a causal language model: its tokenizer is a SentencePiece file, but the packages for "
        "that are missing. Install them with `pip install 'parapluie_gui[slow-tokenizers]'`."
    )


def test_devices_and_precisions_are_chosen(folders):
    assert choose_device("cpu").type == "cpu"
    with pytest.raises(ModelError, match="There is no device called abacus"):
        choose_device("abacus")
    if not torch.cuda.is_available():
        with pytest.raises(ModelError, match="This computer has no cuda device"):
            choose_device("cuda")
    with pytest.raises(ModelError, match="This computer has no meta device"):
        choose_device("meta")
    with pytest.raises(ModelError, match="There is no precision called float8"):
        choose_precision("float8", torch.device("cpu"))
    assert choose_precision("auto", torch.device("cpu")) in ("float32", "bfloat16")
    assert choose_precision("auto", torch.device("mps")) == "float32"


def test_models_that_can_share_a_prefix_are_recognised(judges):
    shares = {
        family: judges(family).backend.can_share for family in ("llama", "mistral-sliding", "gemma2", "gpt2", "mamba")
    }
    assert shares == {"llama": True, "mistral-sliding": True, "gemma2": True, "gpt2": True, "mamba": False}
    assert judges("mamba").backend.share([1, 2, 3]) is None
    assert judges("llama").backend.share([]) is None
    assert (
        judges("llama").backend.length_limits.most == 2048 and judges("mamba").backend.length_limits.most == 1_000_000
    )


def test_hybrid_models_share_no_prefix(tokenizers, templates, tmp_path):
    # Their convolution states would remain those of the first row.
    torch.manual_seed(0)
    settings = {**TINY, "num_hidden_layers": 2, "num_key_value_heads": 1, "initializer_range": 0.3}
    with quiet():
        model = AutoModelForCausalLM.from_config(
            Lfm2Config(**settings, layer_types=["conv", "full_attention"], block_multiple_of=8)
        )
        folder = saved(model, tokenizers("qwen2"), tmp_path / "lfm2")
    files = find_model(str(folder))
    backend = CausalJudge.load(files, "cpu", "float32")
    assert not backend.can_share
    pairs = [f"Sentence {'x ' * number}" for number in range(6)], ["Other."] * 6
    runs = [
        {
            one.row: one.score
            for batch in CausalScorer(backend, templates["DIRECT"], exact=exact).score(*pairs)
            for one in batch
        }
        for exact in (True, False)
    ]
    assert runs[0] == pytest.approx(runs[1], abs=1e-4)


def test_the_gate_is_before_every_layer_not_every_expert(tokenizers, tmp_path):
    settings = {**TINY, "num_hidden_layers": 3, "num_key_value_heads": 1, "num_experts": 8, "moe_intermediate_size": 8}
    with quiet():
        model = AutoModelForCausalLM.from_config(Qwen2MoeConfig(**settings, shared_expert_intermediate_size=8))
        folder = saved(model, tokenizers("qwen2"), tmp_path / "moe")
    calls = []
    backend = CausalJudge.load(find_model(str(folder)), "cpu", "float32", lambda: calls.append(1))
    backend.answer_logits([[1, 2, 3]])
    assert len(calls) == 3


def test_the_models_own_generation_settings_are_ignored(folders, tmp_path):
    # Qwen2.5's own settings would penalise repetitions even in greedy decoding.
    folder = shutil.copytree(folders("qwen2"), tmp_path / "talkative")
    own = {"do_sample": True, "repetition_penalty": 5.0, "temperature": 0.7, "eos_token_id": [1, 0], "pad_token_id": 0}
    (folder / "generation_config.json").write_text(json.dumps(own))
    prompts = [[5, 6, 7, 8] * 4, [9, 10]]
    plain = CausalJudge.load(find_model(str(folders("qwen2"))), "cpu", "float32")
    talkative = CausalJudge.load(find_model(str(folder)), "cpu", "float32")
    assert talkative.write(prompts, 12) == plain.write(prompts, 12)
    assert set(talkative._ends) >= {0, 1}


def test_a_model_without_special_tokens_is_loaded(folders, tokenizers, tmp_path):
    folder = shutil.copytree(folders("gpt2"), tmp_path / "plain")
    tokenizer = json.loads((folder / "tokenizer.json").read_text())
    tokenizer["added_tokens"] = []
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    config = json.loads((folder / "config.json").read_text())
    config.update(bos_token_id=None, eos_token_id=None)
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "generation_config.json").unlink(missing_ok=True)
    (folder / "tokenizer_config.json").write_text('{"tokenizer_class": "PreTrainedTokenizerFast"}')
    backend = CausalJudge.load(find_model(str(folder)), "cpu", "float32")
    assert backend._ends == []
    assert len(backend.write([[5, 6], [7]], 3)) == 2


@pytest.mark.parametrize("family", ["llama", "qwen2", "mamba"])
def test_parameters_are_counted_once(family, judges, folders):
    wanted = sum(weight.numel() for weight in judges(family).plain.parameters())
    for precision in ("float32", "bfloat16"):
        backend = CausalJudge.load(find_model(str(folders(family))), "cpu", precision)
        described = f"{family}: {wanted / 1e6:.1f} M parameters, {precision} on cpu, computed by "
        assert backend.describe().startswith(described)


def test_a_float32_head_halves_the_error_of_bfloat16(small, templates):
    scorer = CausalScorer(small.backend, templates["DIRECT"])
    things = ("cat", "king", "rain", "dog")
    pairs = [f"The {word} is here." for word in things], ["It is a cat."] * len(things)
    rows = [prompt.ids for prompt in scorer._question.encode(range(len(things)), *pairs)]
    ours = CausalJudge.load(small.files, "cpu", "bfloat16")
    assert ours.model.get_input_embeddings().weight.dtype == torch.bfloat16
    assert ours.model.get_output_embeddings().weight.dtype == torch.float32
    words = [small.tokenizer.convert_tokens_to_ids(word) for word in ("Yes", "No", "The", "I", "yes", "no")]
    errors: dict[str, list[torch.Tensor]] = {"ours": [], "plain": []}
    hidden_states: list[torch.Tensor] = []
    head = ours.model.get_output_embeddings()
    head.register_forward_pre_hook(lambda module, inputs: hidden_states.append(inputs[0].flatten(0, -2)[-1]))
    with torch.inference_mode():
        for row in rows:
            true = small.plain(input_ids=torch.tensor([row])).logits[0, -1]
            mine = ours.answer_logits([row])[0, 0]
            assert mine.dtype == torch.float32
            hidden = hidden_states.pop()
            assert torch.equal(hidden.bfloat16().float(), hidden.float())
            theirs = torch.nn.functional.linear(hidden.bfloat16(), ours.model.get_input_embeddings().weight)
            assert theirs.dtype == torch.bfloat16
            # Differences from the mean, as a score is a difference: a common shift does not affect it.
            for name, result in (("ours", mine), ("plain", theirs.float())):
                off = (result - true)[words]
                errors[name].append(off - off.mean())
    rms = {name: float(torch.cat(parts).square().mean().sqrt()) for name, parts in errors.items()}
    assert 0 < rms["ours"] < 0.7 * rms["plain"], rms
