"""ROUGE-1, ROUGE-2 and ROUGE-L: words, pairs of words and the longest common subsequence of the two sentences."""

from __future__ import annotations

import numpy as np

from parapluie_gui.arrays import Scores
from parapluie_gui.metrics.base import Metric, MetricInfo, References, Texts
from parapluie_gui.metrics.lexical.characters import characters_and_words, without_spaces
from parapluie_gui.metrics.lexical.ngrams import shared_runs
from parapluie_gui.metrics.lexical.sequences import compare
from parapluie_gui.metrics.lexical.tokens import TOKENISERS, WordNumbers, flat


def _info(id: str, title: str, what: str) -> MetricInfo:
    summary = (
        f"{what} (F measure), as rouge-score has it: lower case, ASCII letters and digits only. "
        "Chinese and Japanese are compared by characters."
    )
    return MetricInfo(id, title, "lexical", 0.0, 1.0, summary=summary, parallel=True)


class Rouge(Metric):
    """ROUGE (Lin, 2004) of the hypothesis against the source as rouge-score 0.1.2 has it without stemming, in [0, 1].

    F measure of clipped precision and recall. Tokens are runs of ASCII letters and digits of the text in lower case:
    all else, accented letters too, separates them. In a pair at least half of whose letters are Chinese or Japanese,
    each such character is a token too. A text that has letters but no token (Arabic, Greek) is scored 0 by rouge-score;
    here the number is missing (NaN), since nothing was compared.

    Attributes:
        order: Length of the runs of words that are counted; 0 for the longest common subsequence.
    """

    order: int

    def __init__(self) -> None:
        self._words = WordNumbers("ascii", characters_and_words)

    def fields(self) -> dict[str, object]:
        shape = {"measure": "F", "stem": "no", "case": "lower", "tok": "ascii", "cjk": "characters"}
        return {"rule": "rouge-score 0.1.2", **shape}

    def _score(self, sources: Texts, hypotheses: Texts, references: References) -> Scores:
        ours, theirs = self._words.pairs(hypotheses, sources)
        candidates, given = flat(ours), flat(theirs)
        length, reference_length = candidates[1], given[1]
        if self.order:
            shared = shared_runs(candidates, given, self.order)[self.order - 1]
            length, reference_length = (np.maximum(each - self.order + 1, 0) for each in (length, reference_length))
        else:
            from rapidfuzz.distance import LCSseq

            shared = compare(ours, theirs, LCSseq.similarity)
        precision = shared / np.maximum(length, 1)
        recall = shared / np.maximum(reference_length, 1)
        both = precision + recall
        scores = np.where(both > 0, 2 * precision * recall / np.where(both > 0, both, 1.0), 0.0)
        for side, texts in ((ours, hypotheses), (theirs, sources)):
            for row in [row for row, numbers in enumerate(side) if not numbers]:
                if any(map(str.isalnum, texts[row])):
                    scores[row] = np.nan
        return scores

    def why_missing(self, source: str, hypothesis: str, reference: str | None = None) -> str:
        split = characters_and_words if without_spaces(source, hypothesis) else TOKENISERS["ascii"]
        lost = any(not split(text) and any(map(str.isalnum, text)) for text in (source, hypothesis))
        return "no ASCII letters to compare" if lost else ""


class Rouge1(Rouge):
    """Words that both sentences have."""

    info = _info("rouge1", "ROUGE-1", "Words that the two sentences share")
    order = 1


class Rouge2(Rouge):
    """Pairs of words."""

    info = _info("rouge2", "ROUGE-2", "Pairs of neighbouring words that the two sentences share")
    order = 2


class RougeL(Rouge):
    """The longest common subsequence of words."""

    info = _info("rougeL", "ROUGE-L", "The longest series of words that both sentences have in the same order")
    order = 0
