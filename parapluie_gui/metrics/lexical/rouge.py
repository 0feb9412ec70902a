"""ROUGE-1, ROUGE-2 and ROUGE-L: words, pairs of words and the longest common subsequence of the two sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from parapluie_gui import __version__
from parapluie_gui.metrics.base import MetricInfo
from parapluie_gui.metrics.lexical.ngrams import shared_runs
from parapluie_gui.metrics.lexical.sequences import compare
from parapluie_gui.metrics.lexical.tokens import Words, flat
from parapluie_gui.scores.signature import Signature

_NOTE = "as rouge-score has it: lower case, ASCII letters and digits only"

ROUGE1 = MetricInfo(
    id="rouge1",
    title="ROUGE-1",
    family="lexical",
    low=0.0,
    high=1.0,
    summary=f"Words that the two sentences share (F measure), {_NOTE}.",
    parallel=True,
)
ROUGE2 = MetricInfo(
    id="rouge2",
    title="ROUGE-2",
    family="lexical",
    low=0.0,
    high=1.0,
    summary=f"Pairs of neighbouring words that the two sentences share (F measure), {_NOTE}.",
    parallel=True,
)
ROUGE_L = MetricInfo(
    id="rougeL",
    title="ROUGE-L",
    family="lexical",
    low=0.0,
    high=1.0,
    summary=f"The longest series of words that both sentences have in the same order (F measure), {_NOTE}.",
    parallel=True,
)


class Rouge:
    """ROUGE (Lin, 2004) of the hypothesis against the source as rouge-score 0.1.2 has it without stemming, in [0, 1].

    F measure of clipped precision and recall. Tokens are runs of ASCII letters and digits of the text in lower case:
    all else, accented letters too, separates them. A text that has letters but none in ASCII (Chinese, Arabic) has no
    token, which rouge-score scores 0; here the number is missing (NaN), since nothing was compared.

    Args:
        info: `ROUGE1`, `ROUGE2` or `ROUGE_L`.
    """

    def __init__(self, info: MetricInfo = ROUGE1) -> None:
        self.info = info
        self._words = Words("ascii")

    def signature(self) -> Signature:
        """Return what its numbers depend on."""
        fields = {
            "name": self.info.id,
            "rule": "rouge-score 0.1.2",
            "measure": "F",
            "stem": "no",
            "case": "lower",
            "tok": "ascii",
            "version": __version__,
        }
        return Signature.of(self.info.id, fields)

    def score(
        self, sources: Sequence[str], hypotheses: Sequence[str], references: Sequence[str | None] | None = None
    ) -> np.ndarray:
        """Return ROUGE of each pair, float64 of shape (n,) in [0, 1], NaN where a text has no ASCII letters.

        References are not used.
        """
        if len(sources) != len(hypotheses):
            raise ValueError(f"{len(sources)} sources but {len(hypotheses)} hypotheses")
        rows = self._words.number([*hypotheses, *sources])
        ours, theirs = rows[: len(hypotheses)], rows[len(hypotheses) :]
        candidate, length = flat(ours)
        reference, reference_length = flat(theirs)
        if self.info.id == "rougeL":
            from rapidfuzz.distance import LCSseq

            shared = compare(ours, theirs, LCSseq.similarity)
        else:
            order = int(self.info.id[-1])
            shared = shared_runs(candidate, length, reference, reference_length, order)[order - 1]
            length, reference_length = (np.maximum(each - order + 1, 0) for each in (length, reference_length))
        precision = shared / np.maximum(length, 1)
        recall = shared / np.maximum(reference_length, 1)
        both = precision + recall
        scores = np.where(both > 0, 2 * precision * recall / np.where(both > 0, both, 1.0), 0.0)
        for side, texts in ((ours, hypotheses), (theirs, sources)):
            for row in [row for row, numbers in enumerate(side) if not numbers]:
                if _foreign(texts[row]):
                    scores[row] = np.nan
        return scores

    def why_missing(self, source: str, hypothesis: str, reference: str | None = None) -> str:
        """Return why a pair has no number."""
        return "no ASCII letters to compare" if _foreign(source) or _foreign(hypothesis) else ""


_ASCII = re.compile("[a-z0-9]")


def _foreign(text: str) -> bool:
    """Return whether a text has letters or digits, and none of them ASCII."""
    return not _ASCII.search(text.lower()) and any(map(str.isalnum, text))
