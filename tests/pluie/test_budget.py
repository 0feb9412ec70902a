"""How many tokens fit: arithmetic over shapes of real judges."""

from __future__ import annotations

import types

import torch
from transformers import GPT2Config, LlamaConfig, MistralConfig

from parapluie_gui.models import device
from parapluie_gui.pluie.budget import BATCH_TOKENS, Shape, copied, planned

GB = 10**9
MISTRAL_7B = Shape.of(MistralConfig(), 2)
LLAMA2_7B = Shape.of(LlamaConfig(), 2)


def test_shapes():
    assert Shape(4096, 14336, 32, 2048, 2) == MISTRAL_7B
    assert MISTRAL_7B.memory == 131_072 and LLAMA2_7B.memory == 524_288
    assert Shape.of(GPT2Config(), 4) == Shape(768, 3072, 12, 1536, 4)


def test_a_prefix_that_is_copied_for_each_row_counts():
    # FS-DIRECT's prefix and 61 tokens of its own for each of Mistral-7B's rows.
    row = 61 + copied(MISTRAL_7B, 600)
    rows = BATCH_TOKENS["cuda"] // row
    taken = rows * ((600 + 61) * MISTRAL_7B.memory + 61 * MISTRAL_7B.working)
    assert taken < 6 * GB < 268 * 661 * MISTRAL_7B.memory
    assert copied(LLAMA2_7B, 600) > copied(MISTRAL_7B, 600) and copied(MISTRAL_7B, 0) == 0


def test_a_pass_is_planned_for_the_memory_that_is_free():
    assert planned(16_384, None, MISTRAL_7B) == planned(16_384, 60 * GB, MISTRAL_7B) == 16_384
    few = planned(16_384, GB, MISTRAL_7B)
    assert 500 < few < 5000 and few * (MISTRAL_7B.working + MISTRAL_7B.memory) <= GB
    assert planned(16_384, 0, MISTRAL_7B) == 1


def test_the_reserve_of_pytorch_is_free(monkeypatch):
    cuda = types.SimpleNamespace(
        mem_get_info=lambda device: (3 * GB, 24 * GB),
        memory_reserved=lambda device: 5 * GB,
        memory_allocated=lambda device: 4 * GB,
    )
    monkeypatch.setattr(torch, "cuda", cuda)
    assert device.free_bytes(torch.device("cuda", 0)) == 4 * GB
    assert device.free_bytes(torch.device("cpu")) is None
