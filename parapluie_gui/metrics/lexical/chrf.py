"""chrF: how many runs of one to six characters the hypothesis shares with the source."""

from __future__ import annotations

import numpy as np

from parapluie_gui.arrays import Scores
from parapluie_gui.metrics.base import Metric, MetricInfo, References, Texts
from parapluie_gui.metrics.lexical.ngrams import Tokens, shared_runs, totals

ORDERS = 6
BETA = 2


class ChrF(Metric):
    """chrF2 (Popović, WMT 2015) of the hypothesis against the source as `sacrebleu.sentence_chrf` has it, in [0, 100].

    Characters without white space, case kept; precision and recall are averaged over the orders that both texts are
    long enough for, then F with β = 2. Two texts that share no character have 0, so do two empty ones.
    """

    info = MetricInfo(
        id="chrf",
        title="chrF",
        family="lexical",
        low=0.0,
        high=100.0,
        summary="Runs of one to six characters in both sentences, recall counting twice as much as precision, 0 to "
        "100.",
    )

    def fields(self) -> dict[str, object]:
        """Return the fields of the library's own signature."""
        shape = {"nc": ORDERS, "nw": 0, "space": "no", "beta": BETA}
        return {"rule": "sacrebleu", "nrefs": 1, "case": "mixed", "eff": "yes", **shape}

    def _score(self, sources: Texts, hypotheses: Texts, references: References) -> Scores:
        candidates, given = _characters(hypotheses), _characters(sources)
        shared = shared_runs(candidates, given, ORDERS)
        total, reference_total = totals(candidates[1], ORDERS), totals(given[1], ORDERS)
        there = (total > 0) & (reference_total > 0)
        orders = np.maximum(there.sum(axis=0), 1)
        precision = np.where(there, shared / np.maximum(total, 1), 0.0).sum(axis=0) / orders
        recall = np.where(there, shared / np.maximum(reference_total, 1), 0.0).sum(axis=0) / orders
        weight = BETA**2
        below = weight * precision + recall
        return np.where(below > 0, 100 * (1 + weight) * precision * recall / np.where(below > 0, below, 1.0), 0.0)


def _characters(texts: Texts) -> Tokens:
    """Return the code points of all texts without white space, and how many each has."""
    bare = ["".join(text.split()) for text in texts]
    lengths = np.fromiter(map(len, bare), dtype=np.int64, count=len(bare))
    return np.frombuffer("".join(bare).encode("utf-32-le", "surrogatepass"), dtype=np.int32), lengths
