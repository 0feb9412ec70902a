"""A forward pass of our own for models built like Llama, over tokens laid end to end; used only where proven equal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from parapluie_gui.pluie.fast.attention import KeysValues, Packed
from parapluie_gui.pluie.fast.linear import Matrix, can_pack
from parapluie_gui.pluie.fast.packing import pack

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel

#: The architectures that this pass computes, if their configuration asks for nothing unusual.
_ALIKE = ("LlamaForCausalLM", "MistralForCausalLM", "Qwen2ForCausalLM", "Qwen3ForCausalLM")
#: Kinds of rotary positions whose angles do not depend on the length of the text.
_FIXED_ROPE = ("default", "linear", "llama3", "yarn")

#: How far the two passes may lie apart on the proof's tokens, against the size of the hidden states.
_NEAR = {"float32": 1e-4, "bfloat16": 0.03}

Attention = Callable[[int, "torch.Tensor", "torch.Tensor", "torch.Tensor", float], "torch.Tensor"]


class Forward:
    """Computes the last hidden states of a model, each token once.

    Made by `of`, which returns none for a model that it does not fit. Differs from transformers' own pass in that there
    is no padding, the keys and values of a shared prefix are neither copied nor joined to each row's, on a CPU the
    weights are packed and products joined with what follows them, and the last layer ends at the tokens asked for.

    Args:
        model: A model whose layers are Llama's.
    """

    def __init__(self, model: PreTrainedModel) -> None:
        base: Any = model.base_model
        self._embedding = base.embed_tokens
        self._rotary = base.rotary_emb
        self._norm = base.norm
        self._check: Callable[[], None] = lambda: None
        self._layers = [_Layer(layer) for layer in base.layers]

    @classmethod
    def of(cls, model: PreTrainedModel, check: Callable[[], None]) -> Forward | None:
        """Return the pass for a model, or None where it does not fit, or gives other numbers than transformers'.

        Args:
            model: As transformers loads it; on a CPU its layers lose their weights to the packed ones.
            check: Called before each layer, as `hooks.check_before_layers` does in transformers' pass.
        """
        import torch

        if not _fits(model):
            return None
        with torch.inference_mode():
            own = cls(model)
            if not _equal(own, model):
                return None
            if can_pack(model.device, model.dtype):
                own._pack()
        own._check = check
        return own

    def __call__(
        self, tokens: Sequence[int], positions: Sequence[int], attention: Attention, wanted: Sequence[int] | None = None
    ) -> torch.Tensor:
        """Return hidden states after the last norm.

        Args:
            tokens: T token ids.
            positions: T places in their rows, prefix included.
            attention: Which tokens see which.
            wanted: Which of the T are asked for, in order; None = all.

        Returns:
            (len(wanted), hidden size), in the model's precision.
        """
        import torch

        device = self._embedding.weight.device
        x = self._embedding(torch.tensor(tokens, device=device))
        cos, sin = self._rotary(x[None], torch.tensor(positions, device=device)[None])
        half = cos.shape[-1] // 2
        turn = cos[0, :, None, :half].contiguous(), sin[0, :, None, :half].contiguous()
        last = None if wanted is None else torch.tensor(wanted, device=device)
        for number, layer in enumerate(self._layers):
            self._check()
            x = layer(number, x, turn, attention, last if number == len(self._layers) - 1 else None)
        hidden: torch.Tensor = self._norm(x)
        return hidden

    def _pack(self) -> None:
        for layer in self._layers:
            layer.pack()


class _Layer:
    """One layer: attention and a gated MLP, each added to its input after a norm."""

    def __init__(self, layer: Any) -> None:
        own, mlp = layer.self_attn, layer.mlp
        self._before, self._between = layer.input_layernorm, layer.post_attention_layernorm
        self._q, self._k, self._v, self._o = (Matrix(getattr(own, f"{name}_proj")) for name in "qkvo")
        self._gate, self._up, self._down = (Matrix(each) for each in (mlp.gate_proj, mlp.up_proj, mlp.down_proj))
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
        q, k = _turned(q, *turn), _turned(k, *turn)
        seen = attention(number, q.view(tokens, -1, self._groups, self._size), k, v, self._scale)
        if last is not None:
            seen, x = seen[last], x[last]
        x = self._o(seen, "add", x)
        normal = self._between(x)
        return self._down(self._up(normal, "mul", self._gate(normal, "silu")), "add", x)

    def pack(self) -> None:
        for each in (self._q, self._k, self._v, self._o, self._gate, self._up, self._down):
            each.pack()


def _turned(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    """Rotate queries or keys (tokens, heads, size) by their positions."""
    import torch

    half = x.shape[-1] // 2
    first, second = x[..., :half], x[..., half:]
    out = torch.empty_like(x)
    torch.mul(first, cos, out=out[..., :half]).addcmul_(second, sin, value=-1)
    torch.mul(second, cos, out=out[..., half:]).addcmul_(first, sin)
    return out


def prefix_of(cache: Any) -> list[KeysValues]:
    """Return the keys and values of transformers' cache with one row in it, layer by layer."""
    return [(layer.keys[0], layer.values[0]) for layer in cache.layers]


def _fits(model: PreTrainedModel) -> bool:
    """Whether a model is one that this pass is written for."""
    import torch

    config: Any = model.config
    if type(model).__name__ not in _ALIKE or model.device.type != "cpu" or str(model.dtype)[6:] not in _NEAR:
        return False
    if getattr(config, "sliding_window", None) and getattr(config, "use_sliding_window", True):
        return False
    if any(kind != "full_attention" for kind in getattr(config, "layer_types", None) or ()):
        return False
    if (getattr(config, "rope_parameters", None) or {}).get("rope_type", "default") not in _FIXED_ROPE:
        return False
    base: Any = model.base_model
    linear = (each for layer in base.layers for each in (*_products(layer.self_attn), *_products(layer.mlp)))
    return config.hidden_act == "silu" and all(type(each) is torch.nn.Linear for each in linear)


def _products(part: Any) -> list[Any]:
    return [each for name, each in part.named_children() if name.endswith("_proj")]


def _equal(own: Forward, model: PreTrainedModel) -> bool:
    """Prove on a few tokens, some of them shared between rows, that both passes give the same hidden states."""
    import torch
    from transformers import DynamicCache

    vocabulary = model.config.vocab_size
    ids = [(7919 * number + 11) % vocabulary for number in range(24)]
    start, rows = ids[:4], [ids[4:15], [*ids[4:13], *ids[15:18]], ids[18:24]]
    cache = DynamicCache(config=model.config)
    model.base_model(input_ids=torch.tensor([start]), past_key_values=cache, use_cache=True)
    packing = pack(rows)
    places = [place + len(start) for place in packing.positions]
    found = own(packing.tokens, places, Packed(packing, prefix_of(cache)), [end - 1 for end in packing.ends])
    for row, mine in zip(rows, found, strict=True):
        theirs = model.base_model(input_ids=torch.tensor([start + row]), use_cache=False).last_hidden_state[0, -1]
        if not float((mine - theirs).float().norm()) <= _NEAR[str(model.dtype)[6:]] * float(theirs.float().norm()):
            return False
    return True
