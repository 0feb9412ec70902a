"""The program's own forward pass for models built like Llama, used if it gives the same numbers as transformers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from parapluie_gui.errors import first_line
from parapluie_gui.models.loading import cache_argument
from parapluie_gui.pluie.fast import aligned
from parapluie_gui.pluie.fast.attention import KeysValues, PackedAttention, StepwiseAttention, try_mask
from parapluie_gui.pluie.fast.linear import FAILURES, LinearLayer
from parapluie_gui.pluie.fast.packing import PackedBatch, pack

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel

#: Largest accepted difference between the two passes on the tokens of the probe, relative to the size of the hidden
#: states.
_NEAR = {"float32": 1e-4, "bfloat16": 0.03, "float16": 0.01}

Attention = Callable[[int, "torch.Tensor", "torch.Tensor", "torch.Tensor", float], "torch.Tensor"]


class UnsuitableModel(Exception):
    """The packed pass cannot compute a model; the message is the reason."""


class PackedForward:
    """A pass that computes the last hidden states of a model without repeating tokens.

    Unlike in the pass of transformers, there is no padding, the keys and values of a shared prefix are neither copied
    nor joined to those of each row, and the last layer computes only the wanted tokens. On a CPU the weights are
    packed, and products are fused with the next operation.

    Attributes:
        check: Called before each layer, as `check_before_layers` does in the pass of transformers.

    Raises:
        UnsuitableModel: The numbers differ from those of transformers.
        Exception: One of `FAILURES`, if an operator is missing or fails.
    """

    def __init__(self, model: PreTrainedModel) -> None:
        import torch

        base: Any = model.base_model
        parts = [part for layer in base.layers for part in (layer.self_attn, layer.mlp)]
        if any(type(module) is not torch.nn.Linear for part in parts for module in _list_projections(part)):
            raise UnsuitableModel("this model's layers are not plain matrices")
        self._embedding = base.embed_tokens
        self._rotary = base.rotary_emb
        self._norm = base.norm
        self._layers = [_PackedLayer(layer) for layer in base.layers]
        self.check: Callable[[], None] = lambda: None
        self._attend: aligned.AttentionFunction | None = None
        if model.device.type in aligned.DEVICES:
            self._attend = aligned.best_attention(model.dtype, model.device, base.layers[0].self_attn.head_dim)
        else:
            try_mask(model.dtype)
        self._probe, expected = _make_probe(model)
        if not _is_near(self._probe(self), expected, 1):
            raise UnsuitableModel("the packed pass gives different numbers for this model")

    @property
    def shares_beginnings(self) -> bool:
        """Whether beginnings that rows share after the prefix are computed once; not on a GPU."""
        return self._attend is None

    def row_attention(
        self,
        packing: PackedBatch,
        prefix: Sequence[KeysValues],
        pasts: Sequence[torch.Tensor | None] = (),
        *,
        keep: bool = False,
    ) -> PackedAttention | aligned.AlignedAttention:
        """Return the attention within each row of a packing; see `PackedAttention`."""
        if self._attend is None:
            return PackedAttention(packing, prefix, pasts, keep=keep)
        return aligned.AlignedAttention(packing, prefix, pasts, self._attend, self._embedding.weight.device, keep=keep)

    def step_attention(
        self, memory: torch.Tensor, lengths: Sequence[int], prefix: Sequence[KeysValues]
    ) -> StepwiseAttention:
        """Return the attention of one new token for each row; see `StepwiseAttention`."""
        return StepwiseAttention(memory, lengths, prefix, None if self._attend is None else aligned.attend_plainly)

    def pack(self) -> str:
        """Pack the weights if the results are the same; return the reason if they are not packed, otherwise "".

        Packed weights replace those of the model's layers; if the results differ, the layers get their weights back.
        """
        plain = self._probe(self)
        try:
            for layer in self._layers:
                layer.change_matrices(LinearLayer.pack)
            if _is_near(self._probe(self), plain, 3):
                return ""
            reason = "packed products give different numbers for this model"
        except FAILURES as error:
            reason = f"packed products fail for this model: {first_line(error)}"
        for layer in self._layers:
            layer.change_matrices(LinearLayer.unpack)
        return reason

    def __call__(
        self, tokens: Sequence[int], positions: Sequence[int], attention: Attention, wanted: Sequence[int] | None = None
    ) -> torch.Tensor:
        """Return the hidden states after the last norm of the tokens `wanted` (None: of all tokens).

        `positions` are the tokens' positions in their rows, including the prefix. Shape (len(wanted), hidden size), in
        the model's precision.
        """
        import torch

        device = self._embedding.weight.device
        x = self._embedding(torch.tensor(tokens, device=device))
        cos, sin = self._rotary(x[None], torch.tensor(positions, device=device)[None])
        half = cos.shape[-1] // 2
        turn = cos[0, :, None, :half].contiguous(), sin[0, :, None, :half].contiguous()
        last = None if wanted is None else torch.tensor(wanted, device=device)
        for number, layer in enumerate(self._layers):
            self.check()
            x = layer(number, x, turn, attention, last if number == len(self._layers) - 1 else None)
        hidden: torch.Tensor = self._norm(x)
        return hidden


class _PackedLayer:
    """One layer: attention and a gated MLP, each applied to the normed input and added to it."""

    def __init__(self, layer: Any) -> None:
        own, mlp = layer.self_attn, layer.mlp
        self._before, self._between = layer.input_layernorm, layer.post_attention_layernorm
        self._q, self._k, self._v, self._o = (LinearLayer(getattr(own, f"{name}_proj")) for name in "qkvo")
        self._gate, self._up, self._down = (
            LinearLayer(linear) for linear in (mlp.gate_proj, mlp.up_proj, mlp.down_proj)
        )
        self._norms = (own.q_norm, own.k_norm) if hasattr(own, "q_norm") else None
        self._size, self._groups, self._scale = own.head_dim, own.num_key_value_groups, own.scaling

    def __call__(
        self,
        number: int,
        x: torch.Tensor,
        turn: tuple[torch.Tensor, torch.Tensor],
        attention: Attention,
        last: torch.Tensor | None,
    ) -> torch.Tensor:
        tokens = len(x)
        normal = self._before(x)
        q, k, v = (product(normal).view(tokens, -1, self._size) for product in (self._q, self._k, self._v))
        if self._norms is not None:
            q, k = self._norms[0](q), self._norms[1](k)
        q, k = _rotate(q, *turn), _rotate(k, *turn)
        context = attention(number, q.view(tokens, -1, self._groups, self._size), k, v, self._scale)
        if last is not None:
            context, x = context[last], x[last]
        x = self._o(context, "add", x)
        normal = self._between(x)
        return self._down(self._up(normal, "mul", self._gate(normal, "silu")), "add", x)

    def change_matrices(self, change: Callable[[LinearLayer], None]) -> None:
        """Apply a change, packing or unpacking, to all matrices of the layer."""
        for matrix in (self._q, self._k, self._v, self._o, self._gate, self._up, self._down):
            change(matrix)


def _rotate(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    """Rotate queries or keys (tokens, heads, size) by their positions."""
    import torch

    half = x.shape[-1] // 2
    first, second = x[..., :half], x[..., half:]
    out = torch.empty_like(x)
    torch.mul(first, cos, out=out[..., :half]).addcmul_(second, sin, value=-1)
    torch.mul(second, cos, out=out[..., half:]).addcmul_(first, sin)
    return out


def read_prefix(cache: Any) -> list[KeysValues]:
    """Return the keys and values of each layer from a cache of transformers with one row."""
    return [(layer.keys[0], layer.values[0]) for layer in cache.layers]


def _list_projections(part: Any) -> list[Any]:
    return [module for name, module in part.named_children() if name.endswith("_proj")]


def _make_probe(model: PreTrainedModel) -> tuple[Callable[[PackedForward], torch.Tensor], torch.Tensor]:
    """Return a function that runs a packed pass on a few tokens, and the hidden states of transformers for them."""
    import torch
    from transformers import DynamicCache

    vocabulary = model.config.vocab_size
    ids = [(7919 * number + 11) % vocabulary for number in range(24)]
    start, rows = ids[:4], [ids[4:15], [*ids[4:13], *ids[15:18]], ids[18:24]]
    cache = DynamicCache(config=model.config)
    device = model.device
    model.base_model(input_ids=torch.tensor([start], device=device), **cache_argument(model.base_model, cache))
    prefix = read_prefix(cache)
    texts = [torch.tensor([start + row], device=device) for row in rows]
    expected = [model.base_model(input_ids=text, use_cache=False).last_hidden_state[0, -1] for text in texts]

    def probe(own: PackedForward) -> torch.Tensor:
        packing = pack(rows, share=own.shares_beginnings)
        places = [place + len(start) for place in packing.positions]
        return own(packing.tokens, places, own.row_attention(packing, prefix), [end - 1 for end in packing.ends])

    return probe, torch.stack(expected)


def _is_near(hidden: torch.Tensor, expected: torch.Tensor, times: float) -> bool:
    """Return whether each row of hidden states is near the expected row, within `times` the precision's bound."""
    distance = (hidden - expected).float().norm(dim=-1)
    return bool((distance <= times * _NEAR[str(hidden.dtype)[6:]] * expected.float().norm(dim=-1)).all())
