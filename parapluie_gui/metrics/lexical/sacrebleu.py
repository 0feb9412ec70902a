"""sacreBLEU's sentence BLEU: smoothed, on the tokens of the machine translation campaigns."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version

import numpy as np

from parapluie_gui import __version__
from parapluie_gui.metrics.base import MetricInfo
from parapluie_gui.metrics.lexical.ngrams import shared_runs, totals
from parapluie_gui.metrics.lexical.tokens import Words, flat
from parapluie_gui.scores.signature import Signature

INFO = MetricInfo(
    id="sacrebleu",
    title="sacreBLEU",
    family="lexical",
    low=0.0,
    high=100.0,
    summary="Sentence BLEU as sacreBLEU computes it: tokens of mteval-v13a, exponential smoothing, 0 to 100.",
    parallel=True,
)

ORDERS = 4


class SacreBleu:
    """`sacrebleu.sentence_bleu` of the hypothesis against the source (Post, WMT 2018), in [0, 100].

    n = 1..4, or up to the hypothesis's length where that is shorter ("effective order"); an order without a match
    counts as half a match, the next such one as a quarter, and so on (Chen and Cherry, WMT 2014, method 3). A pair
    without a common word has 0. The tokeniser is the library's; the counts are taken for all pairs at once.
    """

    def __init__(self) -> None:
        self._words = Words("13a")

    @property
    def info(self) -> MetricInfo:
        """Return what its numbers mean."""
        return INFO

    def signature(self) -> Signature:
        """Return what its numbers depend on, the library's own signature among it."""
        return Signature.of(
            INFO.id,
            {
                "name": INFO.id,
                "nrefs": 1,
                "case": "mixed",
                "eff": "yes",
                "tok": "13a",
                "smooth": "exp",
                "version": __version__,
                "sacrebleu": version("sacrebleu"),
            },
        )

    def score(
        self, sources: Sequence[str], hypotheses: Sequence[str], references: Sequence[str | None] | None = None
    ) -> np.ndarray:
        """Return the sentence BLEU of each pair, float64 of shape (n,) in [0, 100]; references are not used."""
        if len(sources) != len(hypotheses):
            raise ValueError(f"{len(sources)} sources but {len(hypotheses)} hypotheses")
        rows = self._words.number([*hypotheses, *sources])
        candidate, length = flat(rows[: len(hypotheses)])
        reference, reference_length = flat(rows[len(hypotheses) :])
        shared = shared_runs(candidate, length, reference, reference_length, ORDERS)

        total = totals(length, ORDERS)
        there = total > 0
        empty = there & (shared == 0)
        halvings = 2.0 ** np.cumsum(empty, axis=0)
        precision = np.where(empty, 1.0 / halvings, shared) / np.maximum(total, 1)
        logarithms = np.log(100 * precision, where=there, out=np.zeros(precision.shape))
        mean = logarithms.sum(axis=0) / np.maximum(there.sum(axis=0), 1)
        brevity = np.exp(np.minimum(1.0 - reference_length / np.maximum(length, 1), 0.0))
        return np.where(shared[0] > 0, brevity * np.exp(mean), 0.0)
