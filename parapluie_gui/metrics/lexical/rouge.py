"""ROUGE-1, ROUGE-2 and ROUGE-L: words, word pairs and the longest common subsequence that two sentences share."""

from __future__ import annotations

import numpy as np

from parapluie_gui.arrays import Scores
from parapluie_gui.metrics.base import Metric, MetricInfo, References, Texts
from parapluie_gui.metrics.lexical.characters import characters_and_words, is_unspaced
from parapluie_gui.metrics.lexical.ngrams import shared_runs
from parapluie_gui.metrics.lexical.sequences import compare_sequences
from parapluie_gui.metrics.lexical.tokens import TOKENISERS, WordNumbers, flatten


def _info(id: str, title: str, what: str) -> MetricInfo:
    summary = (
        f"{what} (F measure), computed as in rouge-score: lower case, ASCII letters and digits only: accented "
        "letters separate words, and other alphabets have no score. Chinese and Japanese are compared by characters."
    )
    return MetricInfo(id, title, "lexical", 0.0, 1.0, summary=summary, parallel=True)


class Rouge(Metric):
    """ROUGE (Lin, 2004) of the hypothesis against the source, in [0, 1].

    F measure of clipped precision and recall, computed as in rouge-score 0.1.2 without stemming. Tokens are runs of
    ASCII letters and digits of the text in lower case: everything else, accented letters included, separates them. In a
    pair at least half of whose letters are Chinese or Japanese, each such character is a token as well. rouge-score
    gives a text with letters but without tokens (Arabic, Greek) a score of 0; here the score is missing (NaN), since
    nothing was compared.

    Attributes:
        order: Length of the runs of words to count; 0 for the longest common subsequence.
    """

    order: int

    def __init__(self) -> None:
        self._words = WordNumbers("ascii", characters_and_words)

    def fields(self) -> dict[str, object]:
        shape = {"measure": "F", "stem": "no", "case": "lower", "tok": "ascii", "cjk": "characters"}
        return {"rule": "rouge-score 0.1.2", **shape}

    def _score(self, sources: Texts, hypotheses: Texts, references: References) -> Scores:
        candidate_rows, target_rows = self._words.pairs(hypotheses, sources)
        candidates, targets = flatten(candidate_rows), flatten(target_rows)
        length, reference_length = candidates[1], targets[1]
        if self.order:
            shared = shared_runs(candidates, targets, self.order)[self.order - 1]
            length, reference_length = (np.maximum(count - self.order + 1, 0) for count in (length, reference_length))
        else:
            from rapidfuzz.distance import LCSseq

            shared = compare_sequences(candidate_rows, target_rows, LCSseq.similarity)
        precision = shared / np.maximum(length, 1)
        recall = shared / np.maximum(reference_length, 1)
        total = precision + recall
        scores = np.where(total > 0, 2 * precision * recall / np.where(total > 0, total, 1.0), 0.0)
        for side, texts in ((candidate_rows, hypotheses), (target_rows, sources)):
            for row in [row for row, numbers in enumerate(side) if not numbers]:
                if any(map(str.isalnum, texts[row])):
                    scores[row] = np.nan
        return scores

    def why_missing(self, source: str, hypothesis: str, reference: str | None = None) -> str:
        split = characters_and_words if is_unspaced(source, hypothesis) else TOKENISERS["ascii"]
        unreadable = any(not split(text) and any(map(str.isalnum, text)) for text in (source, hypothesis))
        return "no ASCII letters to compare" if unreadable else ""


class Rouge1(Rouge):
    """ROUGE-1: shared words."""

    info = _info("rouge1", "ROUGE-1", "Words that the two sentences share")
    order = 1


class Rouge2(Rouge):
    """ROUGE-2: shared pairs of adjacent words."""

    info = _info("rouge2", "ROUGE-2", "Pairs of neighbouring words that the two sentences share")
    order = 2


class RougeL(Rouge):
    """ROUGE-L: the longest common subsequence of words."""

    info = _info("rougeL", "ROUGE-L", "Longest sequence of words that the two sentences have in the same order")
    order = 0
