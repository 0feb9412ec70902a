"""The device in signatures, and models that are too large for a device."""

from __future__ import annotations

import contextlib
import os

import pytest
import torch
from transformers.models.auto.modeling_auto import AutoModelForCausalLM

from parapluie_gui.errors import ModelError
from parapluie_gui.models.catalogue import find_model
from parapluie_gui.models.device import ALL_GPUS, EACH_GPU, choose_device, half_precision_on
from parapluie_gui.models.loading import check_memory, load_files
from parapluie_gui.pluie.fast.choice import choose_causal
from parapluie_gui.pluie.judge import pluie_signature
from parapluie_gui.pluie.templates import load_templates


def test_half_precision_on_a_gpu_gives_a_different_score(folders, tmp_path):
    files, template = find_model(str(folders("llama"))), load_templates(tmp_path)[0][0]

    def signature(precision: str, device: str):
        return pluie_signature(files, template, precision, exact=False, device=device)

    assert signature("bfloat16", "cpu") != signature("bfloat16", "cuda") != signature("bfloat16", "mps")
    assert dict(signature("bfloat16", "cuda").fields)["device"] == "cuda"
    assert signature("float32", "cpu") == signature("float32", "cuda")
    assert half_precision_on("cpu", "bfloat16") == {}


@pytest.mark.parametrize("error", [torch.OutOfMemoryError("CUDA out of memory"), MemoryError()])
def test_a_model_that_is_too_large_is_reported(error):
    with (
        pytest.raises(
            ModelError, match=r"^big does not fit into the memory of cuda:1\. Choose a smaller model, a lower"
        ),
        check_memory("big", torch.device("cuda", 1)),
    ):
        raise error
    with pytest.raises(RuntimeError, match="shapes"), check_memory("big", torch.device("cpu")):
        raise RuntimeError("shapes do not match")


def test_all_gpus_together_start_with_the_first(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.delenv("CUDA_DEVICE_ORDER", raising=False)
    assert choose_device(ALL_GPUS) == choose_device(EACH_GPU) == choose_device("cuda:0") == torch.device("cuda", 0)
    assert os.environ["CUDA_DEVICE_ORDER"] == "PCI_BUS_ID", "as the driver numbers them"
    with pytest.raises(ModelError, match=r"2 CUDA device\(s\); cuda:2 is not one"):
        choose_device("cuda:2")
    with pytest.raises(ModelError, match="Use auto, cpu, cuda, cuda:1, cuda:all, cuda:each or mps"):
        choose_device("gpu")


@pytest.mark.parametrize("rest", ["cuda:1", "cpu"])
def test_a_model_is_distributed_over_gpus_only(folders, monkeypatch, rest):
    asked = []

    def load(folder, **how):
        asked.append(how["device_map"])
        model = plain(folder, **{**how, "device_map": None})
        model[0].hf_device_map = {"model": "cuda:0", "lm_head": rest}
        return model

    plain = AutoModelForCausalLM.from_pretrained
    monkeypatch.setattr(AutoModelForCausalLM, "from_pretrained", load)
    files, meta = find_model(str(folders("llama"))), torch.device("cuda", 0)
    with contextlib.nullcontext() if rest != "cpu" else pytest.raises(ModelError, match="of all GPUs together"):
        model, _ = load_files(files, meta, "float32", spread=True)
        result, why = choose_causal(model, lambda: None)
        assert result is None and why.reason == "this model is spread over several GPUs"
    assert asked == ["auto"]
