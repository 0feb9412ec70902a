"""Attention over rows of tokens laid end to end; attention to shared tokens is computed once and merged with the rest.

Softmax attention over a union of keys is the mean of the attentions over its parts, weighted by the parts' sums of
exponentials. So no row needs its own copy of the keys and values of the shared part.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

    from parapluie_gui.pluie.fast.packing import PackedBatch

#: Keys and values of one layer: two tensors (heads, tokens, head size).
KeysValues = tuple["torch.Tensor", "torch.Tensor"]


@dataclass(frozen=True)
class PastKeysValues:
    """Keys and values of the tokens of one row that an earlier pass computed.

    Attributes:
        ids: The tokens after the shared prefix.
        memory: Their keys and values, (layers, 2, heads, len(ids), head size).
    """

    ids: tuple[int, ...]
    memory: torch.Tensor


class PackedAttention:
    """Causal attention within each row of a packing.

    Args:
        packing: The rows.
        prefix: For each layer, the keys and values of the prefix of all rows; empty = no prefix.
        pasts: For each stretch of the packing, further keys and values before it, or None; may be empty.
        keep: Whether to store the computed keys and values.

    Attributes:
        stored: For each layer, keys and values of the packed tokens, (tokens, heads, head size) each.
    """

    def __init__(
        self,
        packing: PackedBatch,
        prefix: Sequence[KeysValues] = (),
        pasts: Sequence[torch.Tensor | None] = (),
        *,
        keep: bool = False,
    ) -> None:
        self._packing = packing
        self._prefix = prefix
        self._pasts = pasts
        self._keep = keep
        self.stored: list[KeysValues] = []

    def __call__(self, layer: int, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, scale: float) -> torch.Tensor:
        """Return the attention of one layer: (tokens, key heads · queries per key head · head size).

        Queries have the shape (tokens, key heads, queries per key head, head size), keys and values (tokens, key heads,
        head size). The products are scaled before the softmax.
        """
        import torch

        if self._keep:
            self.stored.append((k, v))
        groups = q.shape[2]
        queries, keys, values = q.permute(2, 1, 0, 3), k.transpose(0, 1), v.transpose(0, 1)
        parts = []
        for number, (start, end) in enumerate(self._packing.stretches):
            mine = queries[:, :, start:end]
            part = _attend(
                mine,
                _expand_heads(keys[:, start:end], groups),
                _expand_heads(values[:, start:end], groups),
                scale,
                True,
            )
            if self._pasts and (past := self._pasts[number]) is not None:
                part = merge_attention(
                    part,
                    _attend(mine, _expand_heads(past[layer, 0], groups), _expand_heads(past[layer, 1], groups), scale),
                )
            parts.append(part)
        out, sums = torch.cat([part for part, _ in parts], 2), torch.cat([part for _, part in parts], 2)
        for one in self._packing.shared:
            before, after = slice(one.start, one.end), slice(one.end, one.until)
            common = _attend(
                queries[:, :, after],
                _expand_heads(keys[:, before], groups),
                _expand_heads(values[:, before], groups),
                scale,
            )
            out[:, :, after], sums[:, :, after] = merge_attention((out[:, :, after], sums[:, :, after]), common)
        if self._prefix:
            first_keys, first_values = self._prefix[layer]
            first = _attend(queries, _expand_heads(first_keys, groups), _expand_heads(first_values, groups), scale)
            out, _ = merge_attention(first, (out, sums))
        return out.permute(2, 1, 0, 3).reshape(len(q), -1)


class StepwiseAttention:
    """Attention of one new token for each of several rows; the token's keys and values are added to the memory.

    Args:
        memory: Keys and values of the rows, (layers, 2, rows, heads, capacity, head size).
        lengths: Number of tokens of each row in the memory; the new token follows them.
        prefix: See `PackedAttention`.
        attend: The function that computes attention; None = the one for the CPU in this module.
    """

    def __init__(
        self,
        memory: torch.Tensor,
        lengths: Sequence[int],
        prefix: Sequence[KeysValues] = (),
        attend: Callable[..., tuple[torch.Tensor, torch.Tensor]] | None = None,
    ) -> None:
        import torch

        self._attend = attend or _attend
        self._memory = memory
        self._prefix = prefix
        self._rows = torch.arange(len(lengths), device=memory.device)
        self._lengths = torch.tensor(lengths, device=memory.device)
        self._longest = max(lengths) + 1
        places = torch.arange(self._longest, device=memory.device)
        self._mask = torch.zeros((len(lengths), 1, 1, self._longest), dtype=memory.dtype, device=memory.device)
        self._mask.masked_fill_(places[None, None, None] > self._lengths[:, None, None, None], float("-inf"))

    def __call__(self, layer: int, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, scale: float) -> torch.Tensor:
        """Return the attention of one layer; arguments and result as for `PackedAttention`, with one token per row."""
        keys, values = self._memory[layer]
        keys[self._rows, :, self._lengths] = k
        values[self._rows, :, self._lengths] = v
        # The queries that share a key head take the place of the tokens of a row.
        mask = self._mask.expand(len(q), q.shape[1], q.shape[2], -1)
        out, sums = self._attend(q, keys[:, :, : self._longest], values[:, :, : self._longest], scale, mask=mask)
        if self._prefix:
            first_keys, first_values = (_expand_heads(tensor, q.shape[2]) for tensor in self._prefix[layer])
            first = self._attend(q.permute(2, 1, 0, 3), first_keys, first_values, scale)
            out = merge_attention(first, (out.permute(2, 1, 0, 3), sums.permute(2, 1, 0)))[0].permute(2, 1, 0, 3)
        return out.reshape(len(q), -1)


def _expand_heads(tensor: torch.Tensor, groups: int) -> torch.Tensor:
    """Return a view of keys or values (heads, tokens, size) for each of the queries that share them."""
    return tensor[None].expand(groups, -1, -1, -1)


def _attend(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, scale: float, causal: bool = False, *, mask: Any = None
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the attention (a, heads, queries, size) and the logarithm of its exponentials' sum (a, heads, queries)."""
    import torch

    flash = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu
    out, sums = flash(q, k, v, 0.0, causal, attn_mask=mask, scale=scale)
    return out, sums


def try_mask(dtype: torch.dtype) -> None:
    """Compute attention with a mask once, like `StepwiseAttention`; an error from PyTorch is passed on if it cannot."""
    import torch

    one = torch.ones((1, 1, 1, 8), dtype=dtype)
    _attend(one, one, one, 1.0, mask=torch.zeros((1, 1, 1, 1), dtype=dtype))


def merge_attention(
    one: tuple[torch.Tensor, torch.Tensor], other: tuple[torch.Tensor, torch.Tensor]
) -> tuple[torch.Tensor, torch.Tensor]:
    """Merge the attentions over two sets of keys into the attention over both."""
    import torch

    share = torch.sigmoid(other[1] - one[1])[..., None].to(one[0].dtype)
    return torch.lerp(one[0], other[0], share), torch.logaddexp(one[1], other[1])
