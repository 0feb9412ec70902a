"""How many tokens fit into memory: arithmetic on the shapes of real judges."""

from __future__ import annotations

import types

import torch
from transformers import GPT2Config, GPT2LMHeadModel, LlamaConfig, MistralConfig

from parapluie_gui.models import device
from parapluie_gui.pluie.budget import BATCH_TOKENS, ModelShape, count_copied_tokens, plan_pass_tokens
from parapluie_gui.pluie.fast import hooks

GB = 10**9
MISTRAL_7B = ModelShape.from_config(MistralConfig(), 2)
LLAMA2_7B = ModelShape.from_config(LlamaConfig(), 2)


def test_shapes_are_read_from_configurations():
    assert ModelShape(4096, 14336, 32, 2048, 2) == MISTRAL_7B
    assert MISTRAL_7B.cache_bytes == 131_072 and LLAMA2_7B.cache_bytes == 524_288
    assert ModelShape.from_config(GPT2Config(), 4) == ModelShape(768, 3072, 12, 1536, 4)


def test_a_prefix_copied_for_every_row_counts():
    # FS-DIRECT's prefix and 61 further tokens for each of Mistral-7B's rows.
    row = 61 + count_copied_tokens(MISTRAL_7B, 600)
    rows = BATCH_TOKENS["cuda"] // row
    taken = rows * ((600 + 61) * MISTRAL_7B.cache_bytes + 61 * MISTRAL_7B.working_bytes)
    assert taken < 6 * GB < 268 * 661 * MISTRAL_7B.cache_bytes
    assert (
        count_copied_tokens(LLAMA2_7B, 600) > count_copied_tokens(MISTRAL_7B, 600)
        and count_copied_tokens(MISTRAL_7B, 0) == 0
    )


def test_a_pass_is_planned_for_the_free_memory():
    assert plan_pass_tokens(16_384, None, MISTRAL_7B) == plan_pass_tokens(16_384, 60 * GB, MISTRAL_7B) == 16_384
    few = plan_pass_tokens(16_384, GB, MISTRAL_7B)
    assert 500 < few < 5000 and few * (MISTRAL_7B.working_bytes + MISTRAL_7B.cache_bytes) <= GB
    assert plan_pass_tokens(16_384, 0, MISTRAL_7B) == 1


def test_memory_reserved_by_pytorch_counts_as_free(monkeypatch):
    cuda = types.SimpleNamespace(
        mem_get_info=lambda device: (3 * GB, 24 * GB),
        memory_reserved=lambda device: 5 * GB,
        memory_allocated=lambda device: 4 * GB,
    )
    monkeypatch.setattr(torch, "cuda", cuda)
    assert device.free_bytes(torch.device("cuda", 0)) == 4 * GB
    assert device.free_bytes(torch.device("cpu")) is None


def test_apple_gpus_are_supported(monkeypatch):
    """Uses stand-ins for PyTorch's answers, as no such computer was available."""
    emptied: list[int] = []
    mps = types.SimpleNamespace(
        recommended_max_memory=lambda: 12 * GB,
        current_allocated_memory=lambda: 5 * GB,
        empty_cache=lambda: emptied.append(1),
    )
    monkeypatch.setattr(torch, "mps", mps)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    assert device.free_bytes(torch.device("mps")) == 7 * GB
    device.free_memory()
    assert emptied == [1]
    for recent, precision in ((True, "bfloat16"), (False, "float32")):
        monkeypatch.setattr(torch.backends.mps, "is_macos_or_newer", lambda major, minor, recent=recent: recent)
        assert device.choose_precision("auto", torch.device("mps")) == precision
    assert device.choose_precision("float16", torch.device("mps")) == "float16"


def test_a_large_head_is_computed_in_slices(monkeypatch):
    """On the CPU, as if its memory were a GPU's: the same numbers as with a float32 copy of the head."""
    hidden = torch.randn(2, 5, 48).to(torch.bfloat16)
    places = torch.tensor([[4], [2]])

    def answered():
        torch.manual_seed(0)
        model = GPT2LMHeadModel(GPT2Config(n_embd=48, n_layer=1, n_head=2, vocab_size=1000)).to(torch.bfloat16)
        hooks.answer_in_float32(model, lambda: places)
        head = model.get_output_embeddings()
        with torch.inference_mode():
            return head.weight.dtype, head(hidden)

    copied_type, copied_logits = answered()
    monkeypatch.setattr(hooks, "free_bytes", lambda device: 1_000_000)
    monkeypatch.setattr(hooks, "_SLICE", 48 * 300)
    sliced_type, sliced_logits = answered()
    assert (copied_type, sliced_type) == (torch.float32, torch.bfloat16)
    assert sliced_logits.dtype == torch.float32 and sliced_logits.shape == (2, 1, 1000)
    torch.testing.assert_close(sliced_logits, copied_logits, rtol=1e-5, atol=1e-5)
