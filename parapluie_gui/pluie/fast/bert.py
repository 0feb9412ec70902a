"""A forward pass of our own for encoders of BERT's build, in NumPy: rows end to end, no padding, no PyTorch.

Products are computed for all tokens of several rows at once, attention row by row. A row may be one text, in which
every token looks at every other, or the two sentences of a pair and a cloze behind them
(`parapluie_gui.pluie.symmetric`).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from parapluie_gui.pluie.fast.arithmetic import Array, attend, gelu, norm


@dataclass(frozen=True)
class TokenRow:
    """The tokens of one row.

    Attributes:
        ids: Token ids.
        parts: How many of them belong to the first sentence, to the second, and to the words behind both, in this
            order. Each sentence is read from position 0 on, the words behind from the end of the longer one.
    """

    ids: Sequence[int]
    parts: tuple[int, int, int]

    @property
    def positions(self) -> list[int]:
        """Where each token stands, to the model."""
        first, second, behind = self.parts
        return [*range(first), *range(second), *range(max(first, second), max(first, second) + behind)]


class MissingWeight(KeyError):
    """The weights lack one that the network needs; its text is the weight's name."""


@dataclass(frozen=True)
class _Layer:
    """The weights of a layer: matrices (outputs, inputs) with their biases, norms with scale and shift."""

    look: tuple[Array, Array]
    out: tuple[Array, Array]
    between: tuple[Array, Array]
    wide: tuple[Array, Array]
    narrow: tuple[Array, Array]
    after: tuple[Array, Array]


class BertEncoder:
    """An encoder of BERT's build.

    Args:
        weights: float32, by their names in transformers.
        config: The model's configuration: heads, layers, epsilon of the norms.
        prefix: What the names begin with, "bert." in a model with a head.
        across: For each layer and head what is added to the products between two sentences, float32 (layers, heads).

    Raises:
        MissingWeight: A weight is not there.
    """

    def __init__(
        self, weights: Mapping[str, Any], config: Mapping[str, Any], prefix: str = "", across: Array | None = None
    ) -> None:
        self._take = WeightReader(weights, prefix)
        self._heads, self._epsilon = int(config["num_attention_heads"]), float(config["layer_norm_eps"])
        self._across = across
        self._words = self._take("embeddings.word_embeddings.weight")
        types = self._take("embeddings.token_type_embeddings.weight")
        self._places = self._take("embeddings.position_embeddings.weight") + types[0]
        self._first = self._take.both("embeddings.LayerNorm")
        self._layers = [self._layer(f"encoder.layer.{number}.") for number in range(config["num_hidden_layers"])]

    @property
    def depth(self) -> int:
        """Number of layers."""
        return len(self._layers)

    @property
    def words(self) -> Array:
        """The word embeddings, float32 (vocabulary, width)."""
        return self._words

    def states(
        self, rows: Sequence[TokenRow], check: Callable[[], None] = lambda: None, layer: int | None = None
    ) -> Array:
        """Return the hidden states after a layer (None: the last, 0: the embeddings) of rows, end to end.

        `check` is called before each layer. Shape (all tokens, width), float32.
        """
        x: Array = self._words[np.concatenate([row.ids for row in rows])]
        x += self._places[np.concatenate([row.positions for row in rows])]
        norm(x, *self._first, self._epsilon)
        starts = [0, *itertools.accumulate(len(row.ids) for row in rows)]
        for number, each in enumerate(self._layers[:layer]):
            check()
            seen = self._attention(number, product(x, each.look), rows, starts)
            x = norm(product(seen, each.out, x), *each.between, self._epsilon)
            x = norm(product(gelu(product(x, each.wide)), each.narrow, x), *each.after, self._epsilon)
        return x

    def _attention(self, number: int, mixed: Array, rows: Sequence[TokenRow], starts: Sequence[int]) -> Array:
        """Return what each token sees (tokens, width), from queries, keys and values (tokens, 3 · width)."""
        width = mixed.shape[1] // 3
        seen = np.empty((len(mixed), width), np.float32)
        for row, start in zip(rows, starts, strict=False):
            here = slice(start, start + len(row.ids))
            q, k, v = mixed[here].reshape(len(row.ids), 3, self._heads, -1).transpose(1, 2, 0, 3)
            out = seen[here].reshape(len(row.ids), self._heads, -1).transpose(1, 0, 2)
            first, second, behind = row.parts
            # Sentences do not look at the words behind them, which look at everything.
            both = first + second
            bias = self._across[number] if self._across is not None and second else None
            attend(q[:, :both], k[:, :both], v[:, :both], out[:, :both], bias, first)
            if behind:
                attend(q[:, both:], k, v, out[:, both:])
        return seen

    def _layer(self, name: str) -> _Layer:
        take, own = self._take, f"{name}attention.self."
        parts = [take.both(own + which) for which in ("query", "key", "value")]
        scale = np.float32(1 / math.sqrt(len(parts[0][1]) // self._heads))
        parts[0] = parts[0][0] * scale, parts[0][1] * scale
        return _Layer(
            look=(np.concatenate([matrix for matrix, _ in parts]), np.concatenate([bias for _, bias in parts])),
            out=take.both(f"{name}attention.output.dense"),
            between=take.both(f"{name}attention.output.LayerNorm"),
            wide=take.both(f"{name}intermediate.dense"),
            narrow=take.both(f"{name}output.dense"),
            after=take.both(f"{name}output.LayerNorm"),
        )


class WeightReader:
    """Weights by the rest of their names."""

    def __init__(self, weights: Mapping[str, Any], prefix: str) -> None:
        self._weights, self._prefix = weights, prefix

    def __call__(self, name: str) -> Array:
        """Return a weight.

        Raises:
            MissingWeight: It is not there.
        """
        try:
            found: Array = self._weights[self._prefix + name]
        except KeyError:
            raise MissingWeight(self._prefix + name) from None
        return found

    def both(self, name: str) -> tuple[Array, Array]:
        """Return a layer's weight and bias."""
        return self(f"{name}.weight"), self(f"{name}.bias")


def product(x: Array, layer: tuple[Array, Array], plus: Array | None = None) -> Array:
    """Return x (n, inputs) through a linear layer with its matrix (outputs, inputs) and bias, and something added."""
    matrix, bias = layer
    found: Array = x @ matrix.T
    found += bias
    if plus is not None:
        found += plus
    return found
