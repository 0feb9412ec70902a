"""chrF: how many runs of one to six characters the hypothesis shares with the source."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from parapluie_gui import __version__
from parapluie_gui.metrics.base import MetricInfo
from parapluie_gui.metrics.lexical.ngrams import shared_runs, totals
from parapluie_gui.scores.signature import Signature

INFO = MetricInfo(
    id="chrf",
    title="chrF",
    family="lexical",
    low=0.0,
    high=100.0,
    summary="Runs of one to six characters in both sentences, recall counting twice as much as precision, 0 to 100.",
)

ORDERS = 6
BETA = 2


class ChrF:
    """chrF2 (Popović, WMT 2015) of the hypothesis against the source as `sacrebleu.sentence_chrf` has it, in [0, 100].

    Characters without white space, case kept; precision and recall are averaged over the orders that both texts are
    long enough for, then F with β = 2. Two texts that share no character have 0, so do two empty ones.
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
                "rule": "sacrebleu",
                "nrefs": 1,
                "case": "mixed",
                "eff": "yes",
                "nc": ORDERS,
                "nw": 0,
                "space": "no",
                "beta": BETA,
                "version": __version__,
            },
        )

    def score(
        self, sources: Sequence[str], hypotheses: Sequence[str], references: Sequence[str | None] | None = None
    ) -> np.ndarray:
        """Return the chrF of each pair, float64 of shape (n,) in [0, 100]; references are not used."""
        if len(sources) != len(hypotheses):
            raise ValueError(f"{len(sources)} sources but {len(hypotheses)} hypotheses")
        candidate, length = _characters(hypotheses)
        reference, reference_length = _characters(sources)
        shared = shared_runs(candidate, length, reference, reference_length, ORDERS)

        total, reference_total = totals(length, ORDERS), totals(reference_length, ORDERS)
        there = (total > 0) & (reference_total > 0)
        orders = np.maximum(there.sum(axis=0), 1)
        precision = np.where(there, shared / np.maximum(total, 1), 0.0).sum(axis=0) / orders
        recall = np.where(there, shared / np.maximum(reference_total, 1), 0.0).sum(axis=0) / orders
        weight = BETA**2
        below = weight * precision + recall
        return np.where(below > 0, 100 * (1 + weight) * precision * recall / np.where(below > 0, below, 1.0), 0.0)


def _characters(texts: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Return the code points of all texts without white space, and how many each has."""
    bare = ["".join(text.split()) for text in texts]
    lengths = np.fromiter(map(len, bare), dtype=np.int64, count=len(bare))
    return np.frombuffer("".join(bare).encode("utf-32-le", "surrogatepass"), dtype=np.int32), lengths
