"""The program's own forward pass for BERT encoders, in NumPy: rows end to end, no padding, no PyTorch.

Products are computed for all tokens of several rows at once, attention for each row. A row is either one text, in which
every token attends to every other, or the two sentences of a pair followed by a cloze
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
        parts: Number of tokens in the first sentence, in the second sentence and in the words after both. Each sentence
            begins at position 0, and the words after both at the end of the longer sentence.
    """

    ids: Sequence[int]
    parts: tuple[int, int, int]

    @property
    def positions(self) -> list[int]:
        """The model's position of each token."""
        first, second, last = self.parts
        longer = max(first, second)
        return [*range(first), *range(second), *range(longer, longer + last)]


class MissingWeight(KeyError):
    """A weight of the network is missing; the message is the weight's name."""


@dataclass(frozen=True)
class _BertLayer:
    """The weights of a layer: matrices (outputs, inputs) with biases, norms with scale and shift."""

    look: tuple[Array, Array]
    out: tuple[Array, Array]
    between: tuple[Array, Array]
    wide: tuple[Array, Array]
    narrow: tuple[Array, Array]
    after: tuple[Array, Array]


class BertEncoder:
    """An encoder with the architecture of BERT.

    Args:
        weights: float32 weights by their names in transformers.
        config: The model's configuration: heads, layers, epsilon of the norms.
        prefix: Prefix of the names, "bert." in a model with an output head.
        across: Bias of each layer and head for the products between two sentences, float32 (layers, heads).

    Raises:
        MissingWeight: A weight is missing.
    """

    def __init__(
        self, weights: Mapping[str, Any], config: Mapping[str, Any], prefix: str = "", across: Array | None = None
    ) -> None:
        self._reader = WeightReader(weights, prefix)
        self._heads, self._epsilon = int(config["num_attention_heads"]), float(config["layer_norm_eps"])
        self._across = across
        self._words = self._reader("embeddings.word_embeddings.weight")
        types = self._reader("embeddings.token_type_embeddings.weight")
        self._places = self._reader("embeddings.position_embeddings.weight") + types[0]
        self._first = self._reader.read_layer("embeddings.LayerNorm")
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
        """Return the hidden states of rows after a layer (None: the last, 0: the embeddings).

        The states of all rows are concatenated: float32 (all tokens, width). `check` is called before each layer.
        """
        x: Array = self._words[np.concatenate([row.ids for row in rows])]
        x += self._places[np.concatenate([row.positions for row in rows])]
        norm(x, *self._first, self._epsilon)
        starts = [0, *itertools.accumulate(len(row.ids) for row in rows)]
        for number, weights in enumerate(self._layers[:layer]):
            check()
            context = self._attention(number, product(x, weights.look), rows, starts)
            x = norm(product(context, weights.out, x), *weights.between, self._epsilon)
            x = norm(product(gelu(product(x, weights.wide)), weights.narrow, x), *weights.after, self._epsilon)
        return x

    def _attention(self, number: int, mixed: Array, rows: Sequence[TokenRow], starts: Sequence[int]) -> Array:
        """Return the attention of each token (tokens, width) from queries, keys and values (tokens, 3 · width)."""
        width = mixed.shape[1] // 3
        context = np.empty((len(mixed), width), np.float32)
        for row, start in zip(rows, starts, strict=False):
            here = slice(start, start + len(row.ids))
            q, k, v = mixed[here].reshape(len(row.ids), 3, self._heads, -1).transpose(1, 2, 0, 3)
            out = context[here].reshape(len(row.ids), self._heads, -1).transpose(1, 0, 2)
            first, second, last = row.parts
            # Sentences do not attend to the words after them, which attend to everything.
            both = first + second
            bias = self._across[number] if self._across is not None and second else None
            attend(q[:, :both], k[:, :both], v[:, :both], out[:, :both], bias, first)
            if last:
                attend(q[:, both:], k, v, out[:, both:])
        return context

    def _layer(self, name: str) -> _BertLayer:
        read_layer = self._reader.read_layer
        parts = [read_layer(f"{name}attention.self.{part}") for part in ("query", "key", "value")]
        scale = np.float32(1 / math.sqrt(len(parts[0][1]) // self._heads))
        parts[0] = parts[0][0] * scale, parts[0][1] * scale
        return _BertLayer(
            look=(np.concatenate([matrix for matrix, _ in parts]), np.concatenate([bias for _, bias in parts])),
            out=read_layer(f"{name}attention.output.dense"),
            between=read_layer(f"{name}attention.output.LayerNorm"),
            wide=read_layer(f"{name}intermediate.dense"),
            narrow=read_layer(f"{name}output.dense"),
            after=read_layer(f"{name}output.LayerNorm"),
        )


class WeightReader:
    """Looks up weights by their names after a prefix."""

    def __init__(self, weights: Mapping[str, Any], prefix: str) -> None:
        self._weights, self._prefix = weights, prefix

    def __call__(self, name: str) -> Array:
        """Return a weight.

        Raises:
            MissingWeight: There is no weight with this name.
        """
        try:
            weight: Array = self._weights[self._prefix + name]
        except KeyError:
            raise MissingWeight(self._prefix + name) from None
        return weight

    def read_layer(self, name: str) -> tuple[Array, Array]:
        """Return a layer's weight and bias."""
        return self(f"{name}.weight"), self(f"{name}.bias")


def product(x: Array, layer: tuple[Array, Array], plus: Array | None = None) -> Array:
    """Return the output (n, outputs) of a linear layer with a matrix (outputs, inputs) and a bias for x (n, inputs).

    `plus` (n, outputs) is added to it.
    """
    matrix, bias = layer
    out: Array = x @ matrix.T
    out += bias
    if plus is not None:
        out += plus
    return out
