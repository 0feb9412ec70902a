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
from parapluie_gui.metrics.lexical.sequences import compare
from parapluie_gui.metrics.lexical.tokens import WordNumbers, flat


class EditDistance(Metric):
    """Levenshtein distance on characters with unit costs, divided by the longer length; in [0, 1].

    Case-sensitive, spaces included. 0 = the same text (two empty texts too), 1 = nothing in common.
    This is "Lev." of ParaPLUIE (Lemesle et al., COLING 2025, table 3) and NED of ParaScore (Shen et al., EMNLP 2022).
    """

    info = MetricInfo(
        id="edit_distance",
        title="Edit distance",
        family="lexical",
        low=0.0,
        high=1.0,
        higher_is_closer=False,
        summary="Character insertions, deletions and substitutions between the two sentences, over the longer length.",
        default=True,
    )
    libraries = ("rapidfuzz",)

    def fields(self) -> dict[str, object]:
        return {"unit": "character", "norm": "longer", "case": "kept"}

    def _score(self, sources: Texts, hypotheses: Texts, references: References) -> Scores:
        from rapidfuzz.distance import Levenshtein
        from rapidfuzz.process import cpdist

        # On all cores, without Python's lock; two sentences of a million letters take minutes.
        edits = _interruptible(
            lambda: cpdist(sources, hypotheses, scorer=Levenshtein.distance, dtype=np.int64, workers=-1)
        )
        longer = np.fromiter(map(max, map(len, sources), map(len, hypotheses)), dtype=np.int64, count=len(sources))
        return np.asarray(edits / np.maximum(longer, 1))


def _interruptible(compute: Callable[[], Any]) -> Any:
    """Return what a library computes that never looks at signals: in a thread, so that Ctrl+C acts at once."""
    found: Future[Any] = Future()

    def work() -> None:
        try:
            found.set_result(compute())
        except BaseException as error:
            found.set_exception(error)

    thread = Thread(target=work, name="distances", daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(0.1)
    return found.result()


class WordErrorRate(Metric):
    """Levenshtein distance on words with unit costs, divided by the number of the source's words.

    Words are what white space of any kind separates (jiwer parts words at the plain space alone), case and punctuation
    kept. 0 = the same words; above 1 where a long hypothesis has little of a short source. An empty source counts as
    one word, so that the number is finite. A pair at least half of whose letters are Chinese or Japanese, which are
    written without spaces, has the character error rate (CER): each character counts as a word.
    """

    info = MetricInfo(
        id="wer",
        title="Word error rate",
        family="lexical",
        low=0.0,
        high=math.inf,
        higher_is_closer=False,
        summary="Word insertions, deletions and substitutions from the source to the hypothesis, over the source's "
        "words; of characters where a pair is Chinese or Japanese (CER).",
    )
    libraries = ("rapidfuzz",)

    def __init__(self) -> None:
        self._words = WordNumbers("whitespace", characters)

    def fields(self) -> dict[str, object]:
        return {"unit": "word", "norm": "source", "tok": "whitespace", "case": "kept", "cjk": "characters"}

    def _score(self, sources: Texts, hypotheses: Texts, references: References) -> Scores:
        from rapidfuzz.distance import Levenshtein

        given, written = self._words.pairs(sources, hypotheses)
        return np.asarray(compare(given, written, Levenshtein.distance) / np.maximum(flat(given)[1], 1))
