"""How many tokens a pass may have: from the shape of a model and the memory that is free on its device."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

#: Most tokens (padding included, shared prefix not) of one forward pass. On a CPU larger batches gain nothing and
#: make the scatter fill in jerks; a GPU needs them to be busy.
BATCH_TOKENS = {"cpu": 1024, "mps": 4096, "cuda": 16384}
#: Most rows that write at a time where rows that have ended leave the batch: a step reads all weights once for all.
WRITERS = {"cpu": 32, "mps": 32, "cuda": 64}
#: The share of the free memory that a pass is planned for; the rest is for logits, fragments and other programs.
_PLANNED = 0.5
#: Numbers that a layer holds at a time for each token: about so many vectors of the hidden size and of the inner one.
_HIDDEN, _INNER = 8, 3


@dataclass(frozen=True)
class ModelShape:
    """The sizes of a model that its memory depends on.

    Attributes:
        hidden, inner: Widths of a token's state, and of the widest product within a layer.
        layers: How many there are.
        kept: How many numbers of a token's keys and values a layer keeps.
        size: Bytes of a number.
    """

    hidden: int
    inner: int
    layers: int
    kept: int
    size: int

    @classmethod
    def of(cls, config: Any, size: int) -> ModelShape:
        """Read it from a model's configuration, whose names differ between architectures."""
        hidden, heads = int(config.hidden_size), int(getattr(config, "num_attention_heads", 0) or 1)
        width = int(getattr(config, "head_dim", 0) or hidden // heads)
        return cls(
            hidden,
            int(getattr(config, "intermediate_size", 0) or getattr(config, "n_inner", 0) or 4 * hidden),
            int(config.num_hidden_layers),
            2 * width * int(getattr(config, "num_key_value_heads", 0) or heads),
            size,
        )

    @property
    def working(self) -> int:
        """Bytes of a token in the layer that is computed."""
        return (_HIDDEN * self.hidden + _INNER * self.inner) * self.size

    @property
    def memory(self) -> int:
        """Bytes of a token's keys and values in all layers."""
        return self.layers * self.kept * self.size


def count_copied_tokens(shape: ModelShape, shared: int) -> int:
    """Return what a row's own copy of a prefix's keys and values takes, counted in tokens of a pass."""
    return -(-shared * shape.memory // (shape.working + shape.memory))


def plan_pass_tokens(most: int, free: int | None, shape: ModelShape) -> int:
    """Return how many tokens a pass may have where so many bytes are free (None: unknown), `most` at most."""
    if free is None:
        return most
    return max(min(most, int(_PLANNED * free) // (shape.working + shape.memory)), 1)
