"""The scorer of PEM, which analyses each distinct sentence once."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from parapluie_gui.arrays import Floats, Scores
from parapluie_gui.features.pem import network, phrases
from parapluie_gui.features.pem.evidence import ConfusionColumn, PemEvidence
from parapluie_gui.features.pem.language import FIRST, UNKNOWN
from parapluie_gui.features.pem.model import PemModel
from parapluie_gui.features.pem.network import Bag, SegmentTranslations
from parapluie_gui.features.pem.words import Stemmer, words

#: Words of cached sentences (about a kilobyte each, with n-grams), and words numbered beyond the model's.
_MOST_CACHED = 40_000
_MOST_NUMBERS = 2**network.BITS - 1

#: The components of a score, in order.
COMPONENTS = ("adequacy", "fluency", "target")

#: Maximum number of shared n-grams listed as evidence.
MOST_SHARED = 100


@dataclass(eq=False)
class _SentenceAnalysis:
    """The analysis of a sentence.

    Attributes:
        stems: The input of the language model, as in the paper (section 6.1).
        ends: The ends of its segments.
        known: For each segment, whether the phrase table has it.
        pivot, target: The bags of n-grams of the pivot language and of the sentence's own language.
    """

    words: list[str]
    stems: list[str]
    ends: list[int]
    columns: list[SegmentTranslations]
    known: list[bool]
    pivot: Bag
    target: Bag
    pivot_total: float
    target_total: float


class PemScorer:
    """Scorer of sentence pairs with a PEM model; the source is the paper's reference, the hypothesis its candidate."""

    def __init__(self, model: PemModel) -> None:
        self.model = model
        table = model.table
        self._stemmer = Stemmer(str(model.facts.get("stemmer", "porter")))
        self._stem_numbers = {stem: at for at, stem in enumerate(table.stems, 1)}
        self._phrases = {key: at for at, key in enumerate(table.keys.tolist())}
        self._log_counts = np.log(np.maximum(table.counts, 1) / max(table.total, 1)).tolist()
        self._unknown = math.log(phrases.UNKNOWN / max(table.total, 1))
        self._first_edge = np.concatenate([[0], np.cumsum(table.edges, dtype=np.int64)])
        self._first_word = np.concatenate([[0], np.cumsum(table.lengths, dtype=np.int64)])
        self._vocabulary = {word: at for at, word in enumerate(model.vocabulary, FIRST)}
        self._sentences: dict[str, _SentenceAnalysis] = {}
        self._cached_words = 0
        self._clear()

    def components(self, sources: Sequence[str], hypotheses: Sequence[str]) -> Floats:
        """Return adequacy, fluency and target F1 of each pair, float64 of shape (n, 3); NaN without words."""
        values = np.full((len(sources), 3), np.nan)
        stems: dict[str, list[str]] = {}
        for row, (source, hypothesis) in enumerate(zip(sources, hypotheses, strict=True)):
            one, other = self._analyse_pair(source, hypothesis)
            if one.words and other.words:
                common = network.shared_weight(one.pivot, other.pivot)
                same = network.shared_weight(one.target, other.target)
                values[row, 0] = network.f1(common, one.pivot_total, other.pivot_total)
                values[row, 2] = network.f1(same, one.target_total, other.target_total)
                stems[hypothesis] = other.stems
        fluency = self._fluency(stems)
        values[:, 1] = [fluency.get(text, math.nan) for text in hypotheses]
        values[np.isnan(values[:, 0]), 1] = math.nan
        return values

    def overall(self, components: Floats) -> Scores:
        """Return the overall scores for components (n, 3), float64 of shape (n,), on the scale of human scores."""
        return self.model.regression.predict(components)

    def explain(self, source: str, hypothesis: str) -> PemEvidence:
        """Return the evidence for the score of one pair."""
        components = self.components([source], [hypothesis])
        overall = float(self.overall(components)[0])
        adequacy, fluency, target = components[0].tolist()
        one, other = self._analyse_pair(source, hypothesis)
        common = network.shared_weight(one.pivot, other.pivot)
        overlap = [(min(weight, other.pivot[key]), key) for key, weight in one.pivot.items() if key in other.pivot]
        names = {number: word for word, number in self._pivot_numbers.items()}
        shared = sorted(
            ((self._spell(key, names), weight) for weight, key in overlap), key=lambda item: (-item[1], item)
        )
        return PemEvidence(
            self._segments(one, names),
            self._segments(other, names),
            tuple(shared[:MOST_SHARED]),
            common / other.pivot_total if other.pivot_total else math.nan,
            common / one.pivot_total if one.pivot_total else math.nan,
            adequacy,
            fluency,
            target,
            overall,
        )

    def _analyse_pair(self, source: str, hypothesis: str) -> tuple[_SentenceAnalysis, _SentenceAnalysis]:
        """Analyse both sentences of a pair together, because analysing one can clear the cache with the other."""
        cache = self._sentences
        if (
            self._cached_words > _MOST_CACHED
            or len(self._pivot_numbers) + len(self._target_numbers) > _MOST_NUMBERS // 2
        ):
            self._clear()
        for text in (source, hypothesis):
            if text not in cache:
                sentence = cache[text] = self._analyse(words(text))
                self._cached_words += len(sentence.words) + 1
        return cache[source], cache[hypothesis]

    def _clear(self) -> None:
        """Clear the cached sentences and the numbers of words that the model does not have."""
        self._sentences.clear()
        self._cached_words = 0
        self._pivot_numbers = {word: at for at, word in enumerate(self.model.table.pivots, 1)}
        self._target_numbers: dict[str, int] = {}
        self._columns: dict[int, SegmentTranslations] = {}
        self._untranslated: dict[str, SegmentTranslations] = {}

    def _analyse(self, tokens: list[str]) -> _SentenceAnalysis:
        stems = self._stemmer.stems(tokens)
        get = self._stem_numbers.get
        numbers = [get(stem, 0) for stem in stems]
        ends = phrases.segment(numbers, self._phrases, self._log_counts, self._unknown)
        columns, known = [], []
        start = 0
        for end in ends:
            key = 0
            for number in numbers[start:end]:
                key = key << phrases.BITS | number
            at = self._phrases.get(key) if key else None
            columns.append(self._untranslated_column(stems[start]) if at is None else self._column(at))
            known.append(at is not None)
            start = end
        pivot = network.bag(columns)
        target_numbers = self._target_numbers
        target = network.count_ngrams([target_numbers.setdefault(stem, len(target_numbers) + 1) for stem in stems])
        return _SentenceAnalysis(
            tokens, stems, ends, columns, known, pivot, target, sum(pivot.values()), sum(target.values())
        )

    def _column(self, phrase: int) -> SegmentTranslations:
        column = self._columns.get(phrase)
        if column is None:
            table, edges = self.model.table, []
            for edge in range(int(self._first_edge[phrase]), int(self._first_edge[phrase + 1])):
                text = table.words[self._first_word[edge] : self._first_word[edge + 1]].tolist()
                edges.append((text, float(table.probabilities[edge])))
            column = self._columns[phrase] = SegmentTranslations(edges)
        return column

    def _untranslated_column(self, stem: str) -> SegmentTranslations:
        """Return the column of a word in no phrase, which is translated to itself."""
        column = self._untranslated.get(stem)
        if column is None:
            number = self._pivot_numbers.setdefault(stem, len(self._pivot_numbers) + 1)
            column = self._untranslated[stem] = SegmentTranslations([((number,), 1.0)])
        return column

    def _fluency(self, sentences: Mapping[str, Sequence[str]]) -> dict[str, float]:
        """Return log Pr / number of words of each sentence by its text; no sentence may be empty."""
        get = self._vocabulary.get
        logs = self.model.language_model.score([[get(word, UNKNOWN) for word in words] for words in sentences.values()])
        return {text: float(log) / len(stems) for (text, stems), log in zip(sentences.items(), logs, strict=True)}

    def _segments(self, sentence: _SentenceAnalysis, names: dict[int, str]) -> tuple[ConfusionColumn, ...]:
        segments = []
        start = 0
        for end, column, known in zip(sentence.ends, sentence.columns, sentence.known, strict=True):
            edges = tuple((" ".join(names[word] for word in text), weight) for text, weight in column.edges)
            segments.append(ConfusionColumn(" ".join(sentence.words[start:end]), edges, known))
            start = end
        return tuple(segments)

    def _spell(self, key: int, names: dict[int, str]) -> str:
        text = []
        while key:
            text.append(names[key & 2**network.BITS - 1])
            key >>= network.BITS
        return " ".join(reversed(text))
