"""What metrics that run a neural network have in common: which model, and what their numbers owe to it."""

from __future__ import annotations

from parapluie_gui.metrics.base import Metric, Readiness
from parapluie_gui.metrics.neural.model_files import Choice


class ModelMetric(Metric):
    """A metric that runs a model of transformers.

    Attributes:
        choice: Which model.
    """

    libraries = ("transformers",)

    def __init__(self, choice: Choice) -> None:
        self.choice = choice

    def readiness(self) -> Readiness:
        """Return whether the model is on this computer."""
        return self.choice.readiness()

    def model_fields(self, **own: object) -> dict[str, object]:
        """Return the model's fields of the signature, with the metric's own in their place."""
        files = self.choice.files()
        return {"model": files.name, "rev": files.revision, "tok": "model", **own, "precision": "float32"}
