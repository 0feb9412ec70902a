"""Word error rate: the share of words that differ."""

from __future__ import annotations

import math
from collections.abc import Sequence
from importlib.metadata import version

import numpy as np

from parapluie_gui import __version__
from parapluie_gui.metrics.base import MetricInfo
from parapluie_gui.metrics.lexical.sequences import compare
from parapluie_gui.metrics.lexical.tokens import Words, flat
from parapluie_gui.scores.signature import Signature

INFO = MetricInfo(
    id="wer",
    title="Word error rate",
    family="lexical",
    low=0.0,
    high=math.inf,
    higher_is_closer=False,
    summary="Word insertions, deletions and substitutions from the source to the hypothesis, over the source's words.",
)


class WordErrorRate:
    """Levenshtein distance on words with unit costs, divided by the number of the source's words.

    Words are what white space separates, case and punctuation kept. 0 = the same words; above 1 where a long
    hypothesis has little of a short source. An empty source counts as one word, so that the number is finite.
    """

    def __init__(self) -> None:
        self._words = Words("whitespace")

    @property
    def info(self) -> MetricInfo:
        """Return what its numbers mean."""
        return INFO

    def signature(self) -> Signature:
        """Return what its numbers depend on."""
        fields = {
            "name": INFO.id,
            "unit": "word",
            "norm": "source",
            "tok": "whitespace",
            "case": "kept",
            "version": __version__,
            "rapidfuzz": version("rapidfuzz"),
        }
        return Signature.of(INFO.id, fields)

    def score(
        self, sources: Sequence[str], hypotheses: Sequence[str], references: Sequence[str | None] | None = None
    ) -> np.ndarray:
        """Return the rate of each pair, float64 of shape (n,), 0 or more; references are not used."""
        if len(sources) != len(hypotheses):
            raise ValueError(f"{len(sources)} sources but {len(hypotheses)} hypotheses")
        from rapidfuzz.distance import Levenshtein

        rows = self._words.number([*sources, *hypotheses])
        given, said = rows[: len(sources)], rows[len(sources) :]
        return np.asarray(compare(given, said, Levenshtein.distance) / np.maximum(flat(given)[1], 1))
