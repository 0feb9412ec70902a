"""What metrics have in common that run a network of their own over pairs of sentences: batches of like lengths."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from parapluie_gui.arrays import Floats
from parapluie_gui.metrics.base import MetricContext
from parapluie_gui.metrics.neural.loading import Loaded, batches, load
from parapluie_gui.metrics.neural.model_files import Choice
from parapluie_gui.metrics.neural.model_metric import ModelMetric

if TYPE_CHECKING:
    import torch


class PairNetwork(ModelMetric):
    """A metric whose network reads both sentences of a pair; it is loaded when it is first needed.

    Attributes:
        auto: The class of transformers that makes it.
        what: What it is, in words.
    """

    chunk = 16  # what a pause can make the network do again
    auto: str
    what: str

    def __init__(self, choice: Choice) -> None:
        super().__init__(choice)
        self._loaded: Loaded | None = None

    def prepare(self, context: MetricContext) -> None:
        """Load the network, or take the one at hand."""
        files = self.choice.files()
        key = (self.auto, str(files.folder), files.revision, context.device, context.precision)
        self._loaded = context.shelf.take(key, lambda: load(files, self.auto, self.what, context))

    @property
    def loaded(self) -> Loaded:
        """The network, loaded."""
        if self._loaded is None:
            self.prepare(MetricContext())
        assert self._loaded is not None
        return self._loaded

    def in_batches(self, lengths: Sequence[int], compute: Callable[[list[int]], Any]) -> Floats:
        """Compute rows in batches of like lengths; returns what `compute` gives for each row, float64.

        Args:
            lengths: Tokens of each row.
            compute: Given the numbers of some rows, returns a tensor with a value, or a row of values, for each.
        """
        import torch

        order: list[int] = []
        parts: list[torch.Tensor] = []
        with torch.inference_mode():
            for rows in batches(lengths, self.loaded.device):
                order += rows
                parts.append(compute(rows).double().cpu())
        values: Floats = torch.cat(parts).numpy()
        result = np.empty_like(values)
        result[order] = values
        return result
