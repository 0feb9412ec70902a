"""Judges made of a base and a LoRA adapter: equality with peft's own merging, locating the base, and refusals."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest
import torch
from masked_models import save_masked
from transformers.models.auto.modeling_auto import AutoModelForCausalLM, AutoModelForMaskedLM

from parapluie_gui.errors import ModelError
from parapluie_gui.models.catalogue import find_kind, find_model
from parapluie_gui.models.kind import CAUSAL, MASKED
from parapluie_gui.models.loading import quiet
from parapluie_gui.pluie.causal import CausalJudge
from parapluie_gui.pluie.causal_scorer import CausalScorer
from parapluie_gui.pluie.cloze import ClozeRow
from parapluie_gui.pluie.masked import MaskedJudge

peft = pytest.importorskip("peft")

ROW = ClozeRow([2, 9, 8, 7, 3, 4, 3], [0] * 3 + [1] * 4, 5)


@pytest.fixture(scope="module")
def bert(tmp_path_factory) -> Path:
    return save_masked(tmp_path_factory.mktemp("base") / "bert")


def adapt(base: Path, auto: type, folder: Path, task: str | None = None, **settings) -> object:
    """Save a random adapter of a base, and return peft's merged model."""
    torch.manual_seed(1)
    with quiet():
        model = auto.from_pretrained(base, dtype=torch.float32).eval()
    config = peft.LoraConfig(r=4, lora_alpha=16, init_lora_weights=False, task_type=task, **settings)
    joined = peft.get_peft_model(model, config)
    for name, weight in joined.named_parameters():
        if "modules_to_save" in name:
            torch.nn.init.normal_(weight, std=0.3)
    joined.save_pretrained(folder)
    return joined.merge_and_unload().eval()


@pytest.mark.parametrize(
    "settings",
    [
        {"target_modules": ["query", "value"]},
        {"target_modules": "all-linear", "use_rslora": True},
        {"target_modules": ["query"], "modules_to_save": ["transform"]},
        {"target_modules": ["query", "dense"], "rank_pattern": {"query": 2}, "alpha_pattern": {"dense": 3}},
        {"target_modules": ["key"], "use_dora": True},
    ],
    ids=["plain", "rslora", "whole", "patterns", "dora"],
)
def test_a_masked_judge_equals_pefts_merged_model(bert, tmp_path, settings):
    merged = adapt(bert, AutoModelForMaskedLM, tmp_path / "mine", **settings)
    files = find_model(str(tmp_path / "mine"))
    assert (files.name, files.folder, files.kind, find_kind(str(tmp_path / "mine"))) == ("mine", bert, MASKED, MASKED)
    result = MaskedJudge.load(files, "cpu", "float32").gap_logits([ROW])[0]
    tokens = torch.tensor([ROW.ids]), torch.tensor([ROW.types])
    with torch.inference_mode():
        expected = merged(input_ids=tokens[0], token_type_ids=tokens[1]).logits[0, ROW.gap]
    torch.testing.assert_close(result, expected, rtol=1e-4, atol=1e-4)
    base = MaskedJudge.load(find_model(str(bert)), "cpu", "float32").gap_logits([ROW])[0]
    assert not torch.allclose(result, base, atol=0.05)


@pytest.mark.parametrize(
    ("family", "settings"),
    [
        ("llama", {"target_modules": "all-linear"}),
        ("gpt2", {"target_modules": ["c_attn"], "fan_in_fan_out": True}),
        ("llama", {"target_modules": ["q_proj"], "modules_to_save": ["lm_head"]}),
    ],
)
def test_a_causal_judge_equals_pefts_merged_model(folders, templates, tmp_path, family, settings):
    merged = adapt(folders(family), AutoModelForCausalLM, tmp_path / "mine", "CAUSAL_LM", **settings)
    files = find_model(str(tmp_path / "mine"))
    assert files.kind == CAUSAL
    backend = CausalJudge.load(files, "cpu", "float32")
    ids = [5, 6, 7, 8, 9]
    with torch.inference_mode():
        expected = merged(input_ids=torch.tensor([ids])).logits[0, -1]
    torch.testing.assert_close(backend.answer_logits([ids])[0, 0], expected, rtol=1e-4, atol=1e-4)
    (scored,) = next(CausalScorer(backend, templates["DIRECT"]).score(["The cat."], ["A dog."]))
    plain = CausalJudge.load(find_model(str(folders(family))), "cpu", "float32")
    (other,) = next(CausalScorer(plain, templates["DIRECT"]).score(["The cat."], ["A dog."]))
    assert abs(scored.score - other.score) > 1e-3


def test_the_revision_follows_base_and_adapter(bert, tmp_path):
    adapt(bert, AutoModelForMaskedLM, tmp_path / "mine", target_modules=["query"])
    first = find_model(str(tmp_path / "mine")).revision
    assert first != find_model(str(bert)).revision
    weights = tmp_path / "mine" / "adapter_model.safetensors"
    content = bytearray(weights.read_bytes())
    content[-1] ^= 1
    weights.write_bytes(content)
    assert find_model(str(tmp_path / "mine")).revision != first


def change(folder: Path, **entries: object) -> Path:
    config = json.loads((folder / "adapter_config.json").read_text())
    (folder / "adapter_config.json").write_text(json.dumps(config | entries))
    return folder


def test_the_base_is_located_by_its_path_or_name(bert, tmp_path, monkeypatch):
    adapt(bert, AutoModelForMaskedLM, tmp_path / "mine", target_modules=["query"])
    mine = change(tmp_path / "mine", base_model_name_or_path="../base")
    shutil.copytree(bert, tmp_path / "base")
    assert find_model(str(mine)).folder == tmp_path / "base"
    commit = "0123456789abcdef0123456789abcdef01234567"
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    cached = tmp_path / "hub" / "models--me--bert" / "snapshots" / commit
    change(mine, base_model_name_or_path="me/bert")
    with pytest.raises(ModelError) as caught:
        find_model(str(mine))
    assert str(caught.value).startswith(
        "mine is an adapter and needs its base model me/bert. me/bert is not on this computer; `parapluie models"
    )
    shutil.copytree(bert, cached)
    assert find_kind("me/bert") == find_kind(str(mine)) == MASKED
    change(mine, base_model_name_or_path="smollm2-135m")
    with pytest.raises(ModelError, match=r"and needs its base .*\. smollm2-135m is not on this computer yet"):
        find_model(str(mine))
    shutil.copytree(mine, tmp_path / "other")
    change(tmp_path / "other", base_model_name_or_path="../base")
    change(mine, base_model_name_or_path="../other")
    with pytest.raises(ModelError, match=r"mine is an adapter of \.\./other, which is itself an adapter. Merge"):
        find_model(str(mine))
    change(tmp_path / "other", base_model_name_or_path="../mine")  # two adapters that name each other
    with pytest.raises(ModelError, match=r"mine is an adapter of \.\./other, which is itself an adapter. Merge"):
        find_model(str(mine))
    for itself in (str(mine), ".", "../mine"):
        change(mine, base_model_name_or_path=itself)
        with pytest.raises(ModelError, match=r"names itself as its base model\. Name the base model"):
            find_model(str(mine))


def test_unusable_adapters_are_refused(bert, tmp_path):
    adapt(bert, AutoModelForMaskedLM, tmp_path / "mine", target_modules=["query", "value"])
    for entry, sentence in (
        ({"peft_type": "IA3"}, "mine is an adapter of the kind IA3; only LoRA adapters can be judges."),
        ({"base_model_name_or_path": None}, "mine does not name its base model. Put base_model_name_or_path"),
    ):
        folder = shutil.copytree(tmp_path / "mine", tmp_path / next(iter(entry)) / "mine")
        with pytest.raises(ModelError) as caught:
            find_model(str(change(folder, **entry)))
        assert str(caught.value).startswith(sentence)
    unreadable = shutil.copytree(tmp_path / "mine", tmp_path / "u" / "mine")
    (unreadable / "adapter_config.json").write_text("{")
    with pytest.raises(ModelError, match=r"mine: its adapter_config.json cannot be read. Save the adapter again"):
        find_model(str(unreadable))
    pickled = shutil.copytree(tmp_path / "mine", tmp_path / "p" / "mine")
    (pickled / "adapter_model.safetensors").rename(pickled / "adapter_model.bin")
    with pytest.raises(ModelError, match="pickled weights"):
        find_model(str(pickled))


def test_an_adapter_that_lacks_a_change_is_refused(bert, tmp_path):
    from safetensors.torch import load_file, save_file

    adapt(bert, AutoModelForMaskedLM, tmp_path / "mine", target_modules=["query", "value"])
    weights = tmp_path / "mine" / "adapter_model.safetensors"
    tensors = load_file(weights)
    save_file({name: tensor for name, tensor in tensors.items() if "layer.1.attention.self.value" not in name}, weights)
    with pytest.raises(ModelError, match=r"mine lacks some of the changes that its adapter_config\.json names"):
        MaskedJudge.load(find_model(str(tmp_path / "mine")), "cpu", "float32")
    weights.write_bytes(weights.read_bytes()[:500])
    with pytest.raises(ModelError, match=r"mine cannot be used as an adapter of .*: "):
        MaskedJudge.load(find_model(str(tmp_path / "mine")), "cpu", "float32")


def test_without_peft_the_error_tells_how_to_install_it(bert, tmp_path, monkeypatch):
    adapt(bert, AutoModelForMaskedLM, tmp_path / "mine", target_modules=["query"])
    monkeypatch.setitem(sys.modules, "peft", None)
    with pytest.raises(ModelError) as caught:
        MaskedJudge.load(find_model(str(tmp_path / "mine")), "cpu", "float32")
    assert str(caught.value) == (
        "mine is a LoRA adapter, but the package for adapters is missing. "
        "Install it with `pip install 'parapluie_gui[adapters]'`."
    )


def test_the_adapters_own_tokeniser_is_used_if_it_fits(bert, tmp_path):
    adapt(bert, AutoModelForMaskedLM, tmp_path / "mine", target_modules=["query"])
    tokenizer = MaskedJudge.load(find_model(str(bert)), "cpu", "float32").tokenizer
    tokenizer.add_tokens(["extra"])
    tokenizer.save_pretrained(tmp_path / "mine")
    with pytest.raises(ModelError, match=r"mine has a larger vocabulary than its base .*bert"):
        MaskedJudge.load(find_model(str(tmp_path / "mine")), "cpu", "float32")
