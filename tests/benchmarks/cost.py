"""The cost of scoring: floating-point operations for new tokens, and the operations per second of this machine."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import torch

from parapluie_gui.pluie.fast.choice import explain_missing_products
from parapluie_gui.pluie.fast.linear import LinearLayer
from parapluie_gui.pluie.fast.packing import pack


def timed(work: Callable[[], Any]) -> tuple[float, float, Any]:
    """Return the wall-clock and CPU seconds of some work (all threads), and its result."""
    clock, processor = time.perf_counter(), time.process_time()
    result = work()
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    return time.perf_counter() - clock, time.process_time() - processor, result


def operations(config: Any, rows: Sequence[Sequence[int]], prefix: int) -> float:
    """Return the floating-point operations of one answer per row; a multiplication and addition count as two.

    Counted are the products of the layers for each token that is not shared, attention (half of a row's own square),
    keys and values alone for all but the answer's token of the last layer, and the head for the answers. Norms,
    rotations and the softmax are not counted.

    Args:
        config: Configuration of a model built like Llama.
        rows: The prompts of all pairs of a run after the prefix, up to the parts that can be shared.
        prefix: Number of tokens shared by all prompts; their cost arises once and is not counted.
    """
    packing = pack(rows)
    width, layers, heads = config.hidden_size, config.num_hidden_layers, config.num_attention_heads
    size = getattr(config, "head_dim", None) or width // heads
    keys = 2 * width * config.num_key_value_heads * size
    others = 2 * width * heads * size + 3 * width * config.intermediate_size
    seen = sum((end - start) * (prefix + (end - start + 1) / 2) for start, end in packing.stretches)
    seen += sum((each.until - each.end) * (each.end - each.start) for each in packing.shared)
    last = sum(prefix + len(row) for row in rows)
    products = (layers * keys + (layers - 1) * others) * len(packing.tokens) + others * len(rows)
    attention = 2 * heads * size * ((layers - 1) * seen + last)
    return 2.0 * (products + attention + width * config.vocab_size * len(rows))


def peak(precision: str, device: torch.device, size: int = 2048) -> tuple[float, float]:
    """Return the operations per second of a dense product of square matrices, by wall-clock and CPU time.

    The better of PyTorch's own product and oneDNN's with packed weights, the best of three.
    """
    kind = getattr(torch, precision)
    with torch.inference_mode():
        a = torch.randn(size, size, dtype=kind, device=device)
        layer = torch.nn.Linear(size, size, bias=False, dtype=kind, device=device)
        ways: list[Callable[[], torch.Tensor]] = [lambda: a @ a]
        if not explain_missing_products(device, kind):
            packed = LinearLayer(layer)
            packed.pack()
            ways.append(lambda: packed(a))
        times = []
        for way in ways:
            way()
            times += [timed(way)[:2] for _ in range(3)]
    return 2.0 * size**3 / min(clock for clock, _ in times), 2.0 * size**3 / max(1e-9, min(cpu for _, cpu in times))
