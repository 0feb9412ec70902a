"""Attention for GPUs over all rows at once, with a shared prefix computed once.

`PackedAttention` loops over the rows, and a GPU would wait for each. Here the rows' own tokens are padded into one
tensor for this step only; the keys and values of the shared prefix are neither copied nor joined to them.

PyTorch's fused attention is used where it returns the same as plain attention (checked once for each model). Elsewhere
plain attention is used, in float32 and one slice at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from parapluie_gui.pluie.fast.attention import KeysValues, merge_attention
from parapluie_gui.pluie.fast.linear import FAILURES

if TYPE_CHECKING:
    import torch

    from parapluie_gui.pluie.fast.packing import PackedBatch

#: The device types for which this attention is used.
DEVICES = ("cuda",)
#: Maximum size in bytes of the products that plain attention holds at a time.
_SLICE = 1 << 28
#: Largest accepted difference between fused and plain attention, and between the logarithms of their sums.
_NEAR = {"float32": 1e-3, "bfloat16": 0.03, "float16": 0.01}

#: Attention (a, heads, queries, size) over keys and values (a, heads, keys, size), and the logarithm of its
#: exponentials' sum (a, heads, queries): called with queries, keys, values, the scale, and whether the attention is
#: causal.
AttentionFunction = Callable[
    ["torch.Tensor", "torch.Tensor", "torch.Tensor", float, bool], tuple["torch.Tensor", "torch.Tensor"]
]


class AlignedAttention:
    """Causal attention within each row of a packing whose rows share only the prefix; see `PackedAttention`."""

    def __init__(
        self,
        packing: PackedBatch,
        prefix: Sequence[KeysValues],
        pasts: Sequence[torch.Tensor | None],
        attend: AttentionFunction,
        device: torch.device,
        *,
        keep: bool = False,
    ) -> None:
        import torch

        self._prefix = prefix
        self._attend = attend
        self._keep = keep
        self.stored: list[KeysValues] = []
        lengths = [end - start for start, end in packing.stretches]
        starts = torch.tensor([start for start, _ in packing.stretches], device=device)
        places = torch.arange(max(lengths), device=device)
        # The padding, copies of the row's last token, is on the right, where no token looks.
        last = torch.tensor(lengths, device=device)[:, None] - 1
        self._table = starts[:, None] + torch.minimum(places[None], last)
        count = len(packing.tokens)
        rows = torch.arange(len(lengths), device=device)
        self._row = torch.repeat_interleave(rows, last[:, 0] + 1, output_size=count)
        self._place = torch.arange(count, device=device) - starts[self._row]
        self._memory: torch.Tensor | None = None
        self._unseen: torch.Tensor | None = None
        if any(past is not None for past in pasts):
            self._memory, self._unseen = _pad_pasts(pasts)

    def __call__(self, layer: int, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, scale: float) -> torch.Tensor:
        """Return the attention of one layer; arguments and result as for `PackedAttention`."""
        if self._keep:
            self.stored.append((k, v))
        tokens, heads, groups, size = q.shape
        mine = q[self._table].permute(0, 2, 3, 1, 4).flatten(1, 2)
        keys, values = (self._repeat_heads(tensor[self._table].transpose(1, 2), groups) for tensor in (k, v))
        part = self._attend(mine, keys, values, scale, True)
        if self._memory is not None:
            keys, values = (self._repeat_heads(tensor, groups) for tensor in self._memory[layer])
            part = merge_attention(part, attend_plainly(mine, keys, values, scale, mask=self._unseen))
        out, sums = part[0][self._row, :, self._place], part[1][self._row, :, self._place]
        if self._prefix:
            keys, values = (tensor[None] for tensor in self._prefix[layer])
            # The queries that share a key head follow each other, so that no keys are copied.
            together = q.permute(1, 2, 0, 3).reshape(1, heads, groups * tokens, size)
            first, first_sums = self._attend(together, keys, values, scale, False)
            first = first.view(heads * groups, tokens, size).transpose(0, 1)
            out, _ = merge_attention((first, first_sums.reshape(heads * groups, tokens).T), (out, sums))
        return out.reshape(tokens, -1)

    @staticmethod
    def _repeat_heads(tensor: torch.Tensor, groups: int) -> torch.Tensor:
        """Return keys or values (rows, heads, tokens, size) repeated for each of the queries that share them."""
        return tensor[:, :, None].expand(-1, -1, groups, -1, -1).flatten(1, 2)


def _pad_pasts(pasts: Sequence[torch.Tensor | None]) -> tuple[torch.Tensor, torch.Tensor]:
    """Return padded keys and values of rows (layers, 2, rows, heads, longest, size), and a mask of the padding.

    The mask (rows, 1, 1, longest) is added to the products.
    """
    import torch

    one = next(past for past in pasts if past is not None)
    lengths = [0 if past is None else past.shape[3] for past in pasts]
    memory = one.new_zeros((*one.shape[:2], len(pasts), one.shape[2], max(lengths), one.shape[4]))
    for row, past in enumerate(pasts):
        if past is not None:
            memory[:, :, row, :, : lengths[row]] = past
    places = torch.arange(max(lengths), device=one.device)
    unseen = places[None] >= torch.tensor(lengths, device=one.device)[:, None]
    # Not infinity, because a row without a past has no other product.
    return memory, (unseen * torch.finfo(torch.float32).min / 4)[:, None, None]


def attend_plainly(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, scale: float, causal: bool = False, *, mask: Any = None
) -> tuple[torch.Tensor, torch.Tensor]:
    """Compute an `AttentionFunction` by plain products in float32; `mask` is added to the products."""
    import torch

    at_once = max(_SLICE // max(4 * k[..., 0].numel(), 1), 1)
    keys, values = k.float().transpose(-1, -2), v.float()
    parts, sums = [], []
    for start in range(0, q.shape[2], at_once):
        products = (q[:, :, start : start + at_once].float() * scale) @ keys
        if causal:
            later = torch.ones(products.shape[-2:], dtype=torch.bool, device=q.device).triu(start + 1)
            products = products.masked_fill(later, float("-inf"))
        if mask is not None:
            products = products + mask
        total = products.logsumexp(-1)
        parts.append(((products - total[..., None]).exp() @ values).to(q.dtype))
        sums.append(total)
    return torch.cat(parts, 2), torch.cat(sums, 2)


def best_attention(dtype: torch.dtype, device: torch.device, size: int) -> AttentionFunction:
    """Return the first fused attention that equals plain attention on this device; failing that, plain attention."""
    import torch

    near = _NEAR[str(dtype).removeprefix("torch.")]
    random = torch.Generator().manual_seed(0)
    q, k, v = (torch.randn(2, 4, 40, size, generator=random).to(device, dtype) for _ in range(3))
    shared_k, shared_v = (torch.randn(2, 4, 24, size, generator=random).to(device, dtype) for _ in range(2))
    for attend in _FUSED.get(device.type, ()):
        try:
            fused = [attend(q, k, v, 0.3, True), attend(q, shared_k, shared_v, 0.3, False)]
        except FAILURES:
            continue
        expected = [attend_plainly(q, k, v, 0.3, True), attend_plainly(q, shared_k, shared_v, 0.3)]
        if all(
            one.shape == other.shape and torch.allclose(one.float(), other.float(), rtol=near, atol=near)
            for result, plain in zip(fused, expected, strict=True)
            for one, other in zip(result, plain, strict=True)
        ):
            return attend
    return attend_plainly


def _attend_flash(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, scale: float, causal: bool
) -> tuple[torch.Tensor, torch.Tensor]:
    import torch

    out, sums, *_ = torch.ops.aten._scaled_dot_product_flash_attention(q, k, v, 0.0, causal, False, scale=scale)
    return out, sums


def _attend_efficiently(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, scale: float, causal: bool
) -> tuple[torch.Tensor, torch.Tensor]:
    import torch

    attend = torch.ops.aten._scaled_dot_product_efficient_attention
    out, sums, *_ = attend(q, k, v, None, True, 0.0, causal, scale=scale)
    return out, sums[:, :, : q.shape[2]]  # the operator pads the sums to a multiple of 32


def _attend_flash_on_cpu(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, scale: float, causal: bool
) -> tuple[torch.Tensor, torch.Tensor]:
    import torch

    out, sums = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(q, k, v, 0.0, causal, scale=scale)
    return out, sums


#: The fused attentions of each type of device; on a CPU only tests use them.
_FUSED: dict[str, tuple[AttentionFunction, ...]] = {
    "cuda": (_attend_flash, _attend_efficiently),
    "cpu": (_attend_flash_on_cpu,),
}
