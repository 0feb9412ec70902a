"""Base classes of metrics that run a neural network."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from parapluie_gui.arrays import Floats
from parapluie_gui.metrics.base import Metric, MetricContext, MetricReadiness, Texts
from parapluie_gui.metrics.neural.loading import LoadedNetwork, batches, load
from parapluie_gui.metrics.neural.model_files import NetworkChoice
from parapluie_gui.models.unread import describe_unread_pairs, find_unread_pairs
from parapluie_gui.packages import is_installed, missing_package_message

if TYPE_CHECKING:
    import torch


#: Number of pairs per call of `score` on a GPU; the metric divides them into passes by memory and time.
GPU_CHUNK = 512


class ModelMetric(Metric):
    """A metric that runs a transformers model."""

    libraries = ("transformers",)

    def __init__(self, choice: NetworkChoice) -> None:
        self.choice = choice

    def readiness(self) -> MetricReadiness:
        """Check that the libraries and the model are on this computer."""
        for package in ("torch", "transformers"):
            if not is_installed(package):
                return MetricReadiness(missing_package_message(package, self.info.title))
        return self.choice.readiness()

    def remark(self, sources: Texts, hypotheses: Texts) -> str:
        """Name the pairs whose differences the model cannot read."""
        self.unread = find_unread_pairs(self.choice.files().folder, sources, hypotheses)
        return describe_unread_pairs(self.info.title, self.unread, sources, hypotheses)

    def was_cut(self, text: str) -> bool:
        """Return whether a text that was scored is longer than the network reads."""
        return False

    def adapt_chunk(self, device: torch.device) -> None:
        """Increase `chunk` if the model runs on a GPU."""
        if device.type != "cpu":
            self.chunk = GPU_CHUNK

    def model_fields(self, **own: object) -> dict[str, object]:
        """Return the signature fields of the model, with the metric's own fields inserted."""
        files = self.choice.files()
        return {"model": files.name, "rev": files.revision, "tok": "model", **own, "precision": "float32"}


class PairNetwork(ModelMetric):
    """A metric whose network, loaded by the transformers class `auto`, reads both sentences of a pair."""

    chunk = 16  # a pause may repeat the work on these pairs
    auto: str
    what: str
    most_tokens: int

    def __init__(self, choice: NetworkChoice) -> None:
        super().__init__(choice)
        self._loaded: LoadedNetwork | None = None

    def prepare(self, context: MetricContext) -> None:
        """Load the network, or reuse the loaded one."""
        files = self.choice.files()
        key = (self.auto, str(files.folder), files.revision, context.device, context.precision)
        self._loaded = context.models.take(key, lambda: load(files, self.auto, self.what, context))
        self.adapt_chunk(self._loaded.device)

    def was_cut(self, text: str) -> bool:
        return self._loaded is not None and self._loaded.was_cut(text, self.most_tokens)

    @property
    def network(self) -> LoadedNetwork:
        """The network, loaded at first use."""
        if self._loaded is None:
            self.prepare(MetricContext())
        assert self._loaded is not None
        return self._loaded

    def compute_in_batches(self, lengths: Sequence[int], compute: Callable[[list[int]], Any]) -> Floats:
        """Compute values for n rows of the given lengths (in tokens), in batches of similar length.

        `compute` receives row numbers and returns a tensor with a value, or a row of values, for each row. Returns
        these values in order, float64 of shape (n, ...).
        """
        import torch

        order: list[int] = []
        parts: list[torch.Tensor] = []
        with torch.inference_mode():
            for rows in batches(lengths, self.network.device):
                order += rows
                # float64 only on the CPU, because Apple's GPUs do not support it.
                parts += self.network.memory.run_within_budget(
                    rows, lambda part: [compute(part).cpu().double()], lambda part: len(part) * lengths[part[-1]]
                )
        values: Floats = torch.cat(parts).numpy()
        result = np.empty_like(values)
        result[order] = values
        return result
