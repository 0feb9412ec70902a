"""sacreBLEU's sentence BLEU: smoothed, on the tokens of the machine translation campaigns."""

from __future__ import annotations

import numpy as np

from parapluie_gui.arrays import Scores
from parapluie_gui.metrics.base import Metric, MetricInfo, References, Texts
from parapluie_gui.metrics.lexical.bleu import ORDERS, brevity_penalty
from parapluie_gui.metrics.lexical.ngrams import shared_runs, totals
from parapluie_gui.metrics.lexical.tokens import Words, flat


class SacreBleu(Metric):
    """`sacrebleu.sentence_bleu` of the hypothesis against the source (Post, WMT 2018), in [0, 100].

    n = 1..4, or up to the hypothesis's length where that is shorter ("effective order"); an order without a match
    counts as half a match, the next such one as a quarter, and so on (Chen and Cherry, WMT 2014, method 3). A pair
    without a common word has 0. The tokeniser is the library's; the counts are taken for all pairs at once.
    """

    info = MetricInfo(
        id="sacrebleu",
        title="sacreBLEU",
        family="lexical",
        low=0.0,
        high=100.0,
        summary="Sentence BLEU as sacreBLEU computes it: tokens of mteval-v13a, exponential smoothing, 0 to 100.",
        parallel=True,
    )
    libraries = ("sacrebleu",)

    def __init__(self) -> None:
        self._words = Words("13a")

    def fields(self) -> dict[str, object]:
        """Return the fields of the library's own signature."""
        return {"nrefs": 1, "case": "mixed", "eff": "yes", "tok": "13a", "smooth": "exp"}

    def _score(self, sources: Texts, hypotheses: Texts, references: References) -> Scores:
        candidates, given = map(flat, self._words.pairs(hypotheses, sources))
        shared = shared_runs(candidates, given, ORDERS)
        total = totals(candidates[1], ORDERS)
        there = total > 0
        empty = there & (shared == 0)
        halvings = 2.0 ** np.cumsum(empty, axis=0)
        precision = np.where(empty, 1.0 / halvings, shared) / np.maximum(total, 1)
        logarithms = np.log(100 * precision, where=there, out=np.zeros(precision.shape))
        mean = logarithms.sum(axis=0) / np.maximum(there.sum(axis=0), 1)
        return np.where(shared[0] > 0, brevity_penalty(candidates[1], given[1]) * np.exp(mean), 0.0)
