"""Attention in parts against attention in one piece, as PyTorch computes it."""

from __future__ import annotations

import pytest
import torch
from packed_rows import GROUPS, HEADS, SCALE, SIZE, full_attention, prefix_of_layer, random_tensor, read_prefix

from parapluie_gui.pluie.fast.attention import PackedAttention, StepwiseAttention
from parapluie_gui.pluie.fast.packing import pack


@pytest.mark.parametrize("length", [0, 1, 37])
def test_rows_with_a_shared_prefix_agree(length):
    torch.manual_seed(length)
    rows = [[*range(100, 112), 1, 2], [5, 6, 7], [*range(100, 112), 3], [9]]
    packing, prefix = pack(rows), read_prefix(length)
    assert packing.shared
    total = len(packing.tokens)
    q, k, v = (
        random_tensor(total, HEADS, GROUPS, SIZE),
        random_tensor(total, HEADS, SIZE),
        random_tensor(total, HEADS, SIZE),
    )
    result = PackedAttention(packing, prefix)(1, q, k, v, SCALE)
    for row, end in zip(rows, packing.ends, strict=True):
        start = next(start for start, stop in packing.stretches if stop == end)
        shared = [each for each in packing.shared if each.end <= start < each.until]
        places = [*(range(shared[0].start, shared[0].end) if shared else ()), *range(start, end)]
        assert len(places) == len(row)
        first = prefix_of_layer(prefix, 1)
        expected = full_attention(q[places], torch.cat([first[0], k[places]]), torch.cat([first[1], v[places]]))
        assert torch.allclose(result[places], expected, atol=1e-5)


def test_rows_continue_from_the_stored_prefix():
    torch.manual_seed(0)
    packing, prefix = pack([[1, 2, 3], [4, 5]], share=False), read_prefix(11)
    memory = random_tensor(2, 2, HEADS, 7, SIZE)
    q, k, v = random_tensor(5, HEADS, GROUPS, SIZE), random_tensor(5, HEADS, SIZE), random_tensor(5, HEADS, SIZE)
    result = PackedAttention(packing, prefix, [memory, None])(1, q, k, v, SCALE)
    first = prefix_of_layer(prefix, 1)
    past = memory[1].transpose(1, 2)
    expected = [
        full_attention(q[:3], torch.cat([first[0], past[0], k[:3]]), torch.cat([first[1], past[1], v[:3]])),
        full_attention(q[3:], torch.cat([first[0], k[3:]]), torch.cat([first[1], v[3:]])),
    ]
    assert torch.allclose(result, torch.cat(expected), atol=1e-5)


@pytest.mark.parametrize("length", [0, 9])
def test_every_row_continues_by_one_token(length):
    torch.manual_seed(length)
    prefix, lengths = read_prefix(length), [4, 0, 6]
    memory = random_tensor(2, 2, 3, HEADS, 8, SIZE)
    old = memory.clone()
    q, k, v = random_tensor(3, HEADS, GROUPS, SIZE), random_tensor(3, HEADS, SIZE), random_tensor(3, HEADS, SIZE)
    result = StepwiseAttention(memory, lengths, prefix)(0, q, k, v, SCALE)
    first = prefix_of_layer(prefix, 0)
    for row, known in enumerate(lengths):
        past = old[0, :, row, :, :known].transpose(1, 2)
        keys = torch.cat([first[0], past[0], k[row : row + 1]])
        values = torch.cat([first[1], past[1], v[row : row + 1]])
        assert torch.allclose(result[row], full_attention(q[row : row + 1], keys, values)[0], atol=1e-5)
        assert torch.equal(memory[0, 0, row, :, known], k[row]) and torch.equal(memory[0, 1, row, :, known], v[row])
    assert torch.equal(memory[1], old[1])
