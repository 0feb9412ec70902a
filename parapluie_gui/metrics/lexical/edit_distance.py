"""Edit distance, the share of characters that differ (the x axis of the paper's figures), and word error rate."""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import Any

import numpy as np

from parapluie_gui.arrays import Scores
from parapluie_gui.metrics.base import Metric, MetricInfo, References, Texts
from parapluie_gui.metrics.lexical.characters import characters
from parapluie_gui.metrics.lexical.sequences import compare_sequences
from parapluie_gui.metrics.lexical.tokens import WordMetric, WordNumbers, flatten


class EditDistance(Metric):
    """Levenshtein distance on characters with unit costs, divided by the longer length; in [0, 1].

    Case and spaces count. 0 = the same text (or two empty texts), 1 = nothing in common. This is "Lev." of ParaPLUIE
    (Lemesle et al., COLING 2025, table 3) and NED of ParaScore (Shen et al., EMNLP 2022).
    """

    info = MetricInfo(
        id="edit_distance",
        title="Edit distance",
        family="lexical",
        low=0.0,
        high=1.0,
        higher_is_closer=False,
        summary="Character insertions, deletions and substitutions between the two sentences, divided by the longer "
        "length.",
        default=True,
    )
    libraries = ("rapidfuzz",)

    def fields(self) -> dict[str, object]:
        return {"unit": "character", "norm": "longer", "case": "kept"}

    def _score(self, sources: Texts, hypotheses: Texts, references: References) -> Scores:
        from rapidfuzz.distance import Levenshtein
        from rapidfuzz.process import cpdist

        # rapidfuzz uses all cores without Python's lock; two sentences of a million letters still take minutes.
        edits = _run_interruptibly(
            lambda: cpdist(sources, hypotheses, scorer=Levenshtein.distance, dtype=np.int64, workers=-1)
        )
        longer = np.fromiter(map(max, map(len, sources), map(len, hypotheses)), dtype=np.int64, count=len(sources))
        return np.asarray(edits / np.maximum(longer, 1))


def _run_interruptibly(compute: Callable[[], Any]) -> Any:
    """Compute in a thread, so that Ctrl+C interrupts a library that does not handle signals."""
    result: Future[Any] = Future()

    def work() -> None:
        try:
            result.set_result(compute())
        except BaseException as error:
            result.set_exception(error)

    thread = Thread(target=work, name="distances", daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(0.1)
    return result.result()


class WordErrorRate(WordMetric):
    """Levenshtein distance on words with unit costs, divided by the number of the source's words.

    Any white space separates words (in jiwer, only the plain space); case and punctuation are kept. 0 = the same words;
    above 1 if a long hypothesis shares little with a short source. An empty source counts as one word, so that the
    score is finite. If at least half of a pair's letters are Chinese or Japanese, which are written without spaces,
    each character counts as a word, which gives the character error rate (CER).
    """

    info = MetricInfo(
        id="wer",
        title="Word error rate",
        family="lexical",
        low=0.0,
        high=math.inf,
        higher_is_closer=False,
        summary="Word insertions, deletions and substitutions from the source to the hypothesis, divided by the number "
        "of words in the source; for Chinese or Japanese pairs, characters instead of words (CER).",
    )
    libraries = ("rapidfuzz",)

    def __init__(self) -> None:
        self.words = WordNumbers("whitespace", characters)

    def fields(self) -> dict[str, object]:
        return {"unit": "word", "norm": "source", "tok": "whitespace", "case": "kept", "cjk": "characters"}

    def _score(self, sources: Texts, hypotheses: Texts, references: References) -> Scores:
        from rapidfuzz.distance import Levenshtein

        source_rows, hypothesis_rows = self.words.pairs(sources, hypotheses)
        return np.asarray(
            compare_sequences(source_rows, hypothesis_rows, Levenshtein.distance)
            / np.maximum(flatten(source_rows)[1], 1)
        )
