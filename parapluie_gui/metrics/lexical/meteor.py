"""METEOR: matches words exactly, by stem or as synonyms, and penalises differences in their order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

import numpy as np

from parapluie_gui.arrays import Scores
from parapluie_gui.errors import MetricError
from parapluie_gui.metrics.base import READY, MetricInfo, MetricReadiness, References, Texts
from parapluie_gui.metrics.lexical import wordnet
from parapluie_gui.metrics.lexical.characters import UNSPACED, is_unspaced, unspaced_pairs
from parapluie_gui.metrics.lexical.stems import porter_stem
from parapluie_gui.metrics.lexical.tokens import WordMetric, WordNumbers

ALPHA, BETA, GAMMA = 0.9, 3.0, 0.5

#: Number of distinct words whose synonyms are cached.
_MOST_CACHED = 1 << 18


class Meteor(WordMetric):
    """METEOR of the hypothesis against the source, computed as in nltk's `single_meteor_score`, in [0, 1].

    Lavie and Agarwal (WMT 2007): F = P·R / (α·P + (1 - α)·R) of the matched words, times 1 - γ·(chunks / matches)^β,
    with α = 0.9, β = 3, γ = 0.5. Words are the tokens of nltk's `word_tokenize(text, preserve_line=True)` in lower
    case; they match in three stages (exact, Porter stem, synonym), each from the last word backwards, to the last free
    match. As in nltk the third stage looks up the stems. Seven identical words score 0.99854, not 1; no common word or
    an empty text scores 0. Scores equal nltk's to the last bit, but one pass over each pair replaces nltk's lists, and
    every distinct word is split, stemmed and looked up once. A pair at least half of whose letters are Chinese or
    Japanese has no score (NaN): METEOR would read each sentence as one word.
    """

    info = MetricInfo(
        id="meteor",
        title="METEOR",
        family="lexical",
        low=0.0,
        high=1.0,
        needs="WordNet 3.0",
        summary="Words of the hypothesis that match words of the source exactly, by stem or as WordNet synonyms, minus "
        "a penalty for a different order.",
        parallel=True,
        languages="en",
    )
    libraries = ("nltk",)
    synonyms = True  # whether the third stage, synonyms, is computed

    def __init__(self) -> None:
        self.words = WordNumbers("treebank-lower")
        self._synonyms: Callable[[str], frozenset[str]] | None = None  # a word with its synonyms

    def readiness(self) -> MetricReadiness:
        """Check that WordNet is on this computer."""
        if not self.synonyms or wordnet.find_wordnet() is not None:
            return READY
        return MetricReadiness(f"{wordnet.MISSING}.", get=wordnet.NAME)

    def fields(self) -> dict[str, object]:
        return {
            "rule": "nltk",
            "alpha": ALPHA,
            "beta": BETA,
            "gamma": GAMMA,
            "stages": "exact+stem+synonym" if self.synonyms else "exact+stem",
            "stem": "porter",
            "wordnet": wordnet.VERSION if self.synonyms else "no",
            "case": "lower",
            "tok": "treebank",
            "cjk": "none",
        }

    def why_missing(self, source: str, hypothesis: str, reference: str | None = None) -> str:
        return UNSPACED if is_unspaced(source, hypothesis) else ""

    def remark(self, sources: Texts, hypotheses: Texts) -> str:
        """Name the pairs that are not split into words; Chinese and Japanese ones have no score."""
        scored = np.flatnonzero(~unspaced_pairs(sources, hypotheses)).tolist()
        return super().remark([sources[row] for row in scored], [hypotheses[row] for row in scored])

    def _score(self, sources: Texts, hypotheses: Texts, references: References) -> Scores:
        if self.synonyms and self._synonyms is None:
            path = wordnet.find_wordnet()
            if path is None:
                raise MetricError(f"{wordnet.MISSING}.")
            synonyms = wordnet.load(path).synonyms
            self._synonyms = lru_cache(_MOST_CACHED)(lambda word: synonyms(word) | {word})
        candidates, targets = self.words.pairs(hypotheses, sources)
        name = self.words.words.__getitem__
        words = {row: list(map(name, memoryview(row).cast("i"))) for row in {*candidates, *targets}}
        scores = (self._pair(words[one], words[other]) for one, other in zip(candidates, targets, strict=True))
        values = np.fromiter(scores, dtype=np.float64, count=len(sources))
        values[unspaced_pairs(sources, hypotheses)] = np.nan
        return values

    def _pair(self, hypothesis: list[str], reference: list[str]) -> float:
        # partner[i]: the word of the reference that the hypothesis's word i matches, or -2
        partner = [-2] * len(hypothesis)
        free: dict[str, list[int]] = {}
        for place, word in enumerate(reference):
            free.setdefault(word, []).append(place)
        left = []  # unmatched positions in the hypothesis, the last first
        for place in range(len(hypothesis) - 1, -1, -1):
            places = free.get(hypothesis[place])
            if places:
                partner[place] = places.pop()
            else:
                left.append(place)
        if left:
            right = sorted(place for places in free.values() for place in places)
            if right:
                self._match_stems(hypothesis, reference, left, right, partner)

        matches = len(hypothesis) - partner.count(-2)
        if not matches:
            return 0.0
        chunks, expected = 0, -2
        for place in partner:
            if place != expected and place != -2:
                chunks += 1
            expected = place + 1 if place != -2 else -2
        precision, recall = matches / len(hypothesis), matches / len(reference)
        mean = (precision * recall) / (ALPHA * precision + (1 - ALPHA) * recall)
        return float((1 - GAMMA * (chunks / matches) ** BETA) * mean)

    def _match_stems(
        self, hypothesis: list[str], reference: list[str], left: list[int], right: list[int], partner: list[int]
    ) -> None:
        """Match the remaining words by stem, then by synonym, completing `partner` in place.

        `left` lists the unmatched positions of the hypothesis, descending, `right` those of the reference, ascending.
        """
        free: dict[str, list[int]] = {}
        for place in right:
            free.setdefault(porter_stem(reference[place]), []).append(place)
        rest = []
        for place in left:
            word = porter_stem(hypothesis[place])
            places = free.get(word)
            if places:
                partner[place] = places.pop()
            else:
                rest.append((place, word))
        if self._synonyms is None:
            return
        free = {word: places for word, places in free.items() if places}
        for place, word in rest:
            if not free:
                break
            same = self._synonyms(word)
            # Iterates over the smaller of the two, because texts may be long.
            matches = [match for match in free if match in same] if len(free) < len(same) else same & free.keys()
            if matches:
                latest = max(matches, key=lambda match: free[match][-1])
                partner[place] = free[latest].pop()
                if not free[latest]:
                    del free[latest]


class MeteorStem(Meteor):
    """METEOR without WordNet: a separate metric, because its scores differ from METEOR's."""

    info = replace(
        Meteor.info,
        id="meteor_stem",
        title="METEOR (exact+stem)",
        needs="",
        summary="METEOR without synonyms, for computers without WordNet. Its scores are lower than METEOR's.",
    )
    synonyms = False
