"""What every metric offers: a name, what its numbers mean, and a function from sentences to numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from parapluie_gui.scores.signature import Signature


@dataclass(frozen=True)
class MetricInfo:
    """What a user has to know to read a metric's numbers.

    Attributes:
        id: The name on the command line and the score column ("edit_distance").
        title: The name a person reads ("Edit distance").
        family: "lexical", "embedding", "generation", "classifier", "pivot", "external" or "user".
        low, high: The range of its values (infinite where unbounded).
        higher_is_closer: False for distances.
        threshold: The value at or beyond which a pair counts as a paraphrase, if the metric has one by nature.
        uses_reference: Whether the number changes with the corpus's reference.
        needs: What has to be at hand, in words ("" when nothing).
        summary: One sentence on what it measures.
    """

    id: str
    title: str
    family: str
    low: float
    high: float
    higher_is_closer: bool = True
    threshold: float | None = None
    uses_reference: bool = False
    needs: str = ""
    summary: str = ""


class Metric(Protocol):
    """A baseline metric. Instances are cheap to make; anything heavy is loaded at the first `score`."""

    @property
    def info(self) -> MetricInfo:
        """Return what its numbers mean."""

    def signature(self) -> Signature:
        """Return what its numbers depend on."""

    def score(
        self, sources: Sequence[str], hypotheses: Sequence[str], references: Sequence[str | None] | None = None
    ) -> np.ndarray:
        """Return one number per pair, float64 of shape (n,); NaN where the metric is not defined."""
