"""Edit distance: the share of characters that differ, the x axis of the paper's figures."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version

import numpy as np

from parapluie_gui import __version__
from parapluie_gui.metrics.base import MetricInfo
from parapluie_gui.scores.signature import Signature

INFO = MetricInfo(
    id="edit_distance",
    title="Edit distance",
    family="lexical",
    low=0.0,
    high=1.0,
    higher_is_closer=False,
    summary="Character insertions, deletions and substitutions between the two sentences, over the longer length.",
    default=True,
)


class EditDistance:
    """Levenshtein distance on characters with unit costs, divided by the longer length.

    Case-sensitive, spaces included. 0 = the same text (two empty texts too), 1 = nothing in common.
    This is "Lev." of ParaPLUIE (Lemesle et al., COLING 2025, table 3) and NED of ParaScore (Shen et al., EMNLP 2022).
    """

    @property
    def info(self) -> MetricInfo:
        """Return what its numbers mean."""
        return INFO

    def signature(self) -> Signature:
        """Return what its numbers depend on."""
        return Signature.of(
            INFO.id,
            {
                "name": INFO.id,
                "unit": "character",
                "norm": "longer",
                "case": "kept",
                "version": __version__,
                "rapidfuzz": version("rapidfuzz"),
            },
        )

    def score(
        self, sources: Sequence[str], hypotheses: Sequence[str], references: Sequence[str | None] | None = None
    ) -> np.ndarray:
        """Return the distance of each pair, float64 of shape (n,) in [0, 1]; references are not used."""
        from rapidfuzz.distance import Levenshtein
        from rapidfuzz.process import cpdist

        if len(sources) != len(hypotheses):
            raise ValueError(f"{len(sources)} sources but {len(hypotheses)} hypotheses")
        # On all cores, without Python's lock.
        edits = cpdist(sources, hypotheses, scorer=Levenshtein.distance, dtype=np.int64, workers=-1)
        longer = np.fromiter(map(max, map(len, sources), map(len, hypotheses)), dtype=np.int64, count=len(sources))
        return np.asarray(edits / np.maximum(longer, 1))
