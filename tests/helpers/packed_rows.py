"""Rows for the packed passes, and their expected results: unpacked attention, and transformers' logits."""

from __future__ import annotations

from typing import Any

import torch

PREFIX = [(31 * number + 3) % 800 for number in range(40)]
ROWS = [
    [*range(200, 215), 7, 8],
    [11, 12, 13],
    [*range(200, 215), 9],
    [*range(300, 340)],
    [5],
]
HEADS, GROUPS, SIZE, SCALE = 2, 3, 16, 0.2


def full_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """Plain softmax attention of the last len(q) tokens of a row: (queries, heads · groups · size)."""
    later = torch.arange(len(k))[None] > torch.arange(len(k) - len(q), len(k))[:, None]
    weights = torch.einsum("qhgd,khd->hgqk", q, k) * SCALE
    weights = weights.masked_fill(later, float("-inf")).softmax(-1)
    return torch.einsum("hgqk,khd->qhgd", weights, v).reshape(len(q), -1)


def random_tensor(*shape: int) -> torch.Tensor:
    return torch.randn(*shape)


def read_prefix(length: int) -> list[tuple[torch.Tensor, torch.Tensor]]:
    return (
        [(random_tensor(HEADS, length, SIZE), random_tensor(HEADS, length, SIZE)) for _ in range(2)] if length else []
    )


def prefix_of_layer(prefix, layer: int) -> tuple[torch.Tensor, torch.Tensor]:
    if not prefix:
        return random_tensor(0, HEADS, SIZE), random_tensor(0, HEADS, SIZE)
    return prefix[layer][0].transpose(0, 1), prefix[layer][1].transpose(0, 1)


def transformers_logits(model: Any, rows: list[list[int]], positions: int) -> list[torch.Tensor]:
    with torch.inference_mode():
        return [model(input_ids=torch.tensor([PREFIX + row])).logits[0, -positions:] for row in rows]
