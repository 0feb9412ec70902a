"""chrF: F score of the runs of one to six characters that the hypothesis shares with the source."""

from __future__ import annotations

import numpy as np

from parapluie_gui.arrays import Scores
from parapluie_gui.metrics.base import Metric, MetricInfo, References, Texts
from parapluie_gui.metrics.lexical.ngrams import Tokens, shared_runs, totals

ORDERS = 6
BETA = 2


class ChrF(Metric):
    """chrF2 (Popović, WMT 2015) of the hypothesis against the source, as in `sacrebleu.sentence_chrf`; in [0, 100].

    White space is ignored and case is kept. Precision and recall are averaged over the orders that both texts are long
    enough for; F is computed from these averages with β = 2. Two texts without a common character score 0, as do two
    empty ones.
    """

    info = MetricInfo(
        id="chrf",
        title="chrF",
        family="lexical",
        low=0.0,
        high=100.0,
        summary="Shared runs of one to six characters, with recall counting twice as much as precision, 0 to 100.",
    )

    def fields(self) -> dict[str, object]:
        """Return the fields of sacreBLEU's own signature."""
        shape = {"nc": ORDERS, "nw": 0, "space": "no", "beta": BETA}
        return {"rule": "sacrebleu", "nrefs": 1, "case": "mixed", "eff": "yes", **shape}

    def _score(self, sources: Texts, hypotheses: Texts, references: References) -> Scores:
        candidates, targets = _characters(hypotheses), _characters(sources)
        shared = shared_runs(candidates, targets, ORDERS)
        total, reference_total = totals(candidates[1], ORDERS), totals(targets[1], ORDERS)
        possible = (total > 0) & (reference_total > 0)
        orders = np.maximum(possible.sum(axis=0), 1)
        precision = np.where(possible, shared / np.maximum(total, 1), 0.0).sum(axis=0) / orders
        recall = np.where(possible, shared / np.maximum(reference_total, 1), 0.0).sum(axis=0) / orders
        weight = BETA**2
        denominator = weight * precision + recall
        return np.where(
            denominator > 0, 100 * (1 + weight) * precision * recall / np.where(denominator > 0, denominator, 1.0), 0.0
        )


def _characters(texts: Texts) -> Tokens:
    """Return the code points of all texts without white space, and the number of them in each text."""
    bare = ["".join(text.split()) for text in texts]
    lengths = np.fromiter(map(len, bare), dtype=np.int64, count=len(bare))
    return np.frombuffer("".join(bare).encode("utf-32-le", "surrogatepass"), dtype=np.int32), lengths
