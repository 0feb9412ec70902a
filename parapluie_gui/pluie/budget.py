"""The size of a pass in tokens, planned from the shape of a model and the free memory of its device."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

#: Maximum number of tokens (padding included, shared prefix not) of one forward pass. On a CPU larger batches are
#: no faster and make points appear in bursts; a GPU needs them to be busy.
BATCH_TOKENS = {"cpu": 1024, "mps": 4096, "cuda": 16384}
#: Maximum number of rows that are written at a time. Rows that have ended leave the batch; a step reads the weights
#: once for all.
WRITERS = {"cpu": 32, "mps": 32, "cuda": 64}
#: Share of the free memory that a pass may use; the remainder is for logits, fragmentation and other programs.
_PLANNED = 0.5
#: Approximate number of vectors of the hidden size, and of the inner size, that a layer holds at a time for each token.
_HIDDEN, _INNER = 8, 3


@dataclass(frozen=True)
class ModelShape:
    """The dimensions of a model that determine its memory.

    Attributes:
        hidden, inner: Widths of a token's state and of the widest product within a layer.
        layers: Number of layers.
        cached: Count of numbers in the keys and values of one token in one layer.
        size: Bytes of a number.
    """

    hidden: int
    inner: int
    layers: int
    cached: int
    size: int

    @classmethod
    def from_config(cls, config: Any, size: int) -> ModelShape:
        """Read the shape from a model's configuration, whose names differ between architectures."""
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
    def working_bytes(self) -> int:
        """Bytes that a token takes in the layer that is being computed."""
        return (_HIDDEN * self.hidden + _INNER * self.inner) * self.size

    @property
    def cache_bytes(self) -> int:
        """Bytes of a token's keys and values in all layers."""
        return self.layers * self.cached * self.size


def count_copied_tokens(shape: ModelShape, shared: int) -> int:
    """Return the memory that a row's copy of a prefix of `shared` tokens takes, counted in tokens of a pass."""
    return -(-shared * shape.cache_bytes // (shape.working_bytes + shape.cache_bytes))


def plan_pass_tokens(most: int, free: int | None, shape: ModelShape) -> int:
    """Return how many tokens a pass may have, from 1 to `most`, with `free` bytes of memory (None: unknown)."""
    if free is None:
        return most
    return max(min(most, int(_PLANNED * free) // (shape.working_bytes + shape.cache_bytes)), 1)
