"""PEM's components of sentence pairs: segments, bags and fluency, each distinct sentence read once."""

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

#: Words of sentences kept ready (each costs about a kilobyte with its n-grams), and words numbered beyond the model's.
_MOST_KEPT = 40_000
_MOST_NUMBERS = 2**network.BITS - 1

#: What a pair is scored by, in this order.
COMPONENTS = ("adequacy", "fluency", "target")

#: Most shared n-grams named in an evidence.
MOST_SHARED = 100


@dataclass(eq=False)
class _Read:
    """A sentence as far as PEM needs it.

    Attributes:
        spoken: What the language model reads: the stems, as in the paper (section 6.1).
        ends: Where its segments end.
        known: Whether the phrase table has the segment, for each.
        pivot, target: The bags of both languages' n-grams.
    """

    words: list[str]
    spoken: list[str]
    ends: list[int]
    columns: list[SegmentTranslations]
    known: list[bool]
    pivot: Bag
    target: Bag
    pivot_total: float
    target_total: float


class PemScorer:
    """Computes PEM with a model; a source plays the paper's reference, a hypothesis its candidate."""

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
        self._kept: dict[str, _Read] = {}
        self._kept_words = 0
        self._forget()

    def components(self, sources: Sequence[str], hypotheses: Sequence[str]) -> Floats:
        """Return adequacy, fluency and target F1 of each pair, float64 of shape (n, 3); NaN without words."""
        values = np.full((len(sources), 3), np.nan)
        spoken: dict[str, list[str]] = {}
        for row, (source, hypothesis) in enumerate(zip(sources, hypotheses, strict=True)):
            one, other = self._read(source, hypothesis)
            if one.words and other.words:
                common = network.shared(one.pivot, other.pivot)
                same = network.shared(one.target, other.target)
                values[row, 0] = network.f1(common, one.pivot_total, other.pivot_total)
                values[row, 2] = network.f1(same, one.target_total, other.target_total)
                spoken[hypothesis] = other.spoken
        fluency = self._fluency(spoken)
        values[:, 1] = [fluency.get(text, math.nan) for text in hypotheses]
        values[np.isnan(values[:, 0]), 1] = math.nan
        return values

    def overall(self, components: Floats) -> Scores:
        """Return the scores of components (n, 3), float64 of shape (n,), on the scale of the human scores."""
        return self.model.regression.predict(components)

    def explain(self, source: str, hypothesis: str) -> PemEvidence:
        """Return everything behind the score of one pair."""
        components = self.components([source], [hypothesis])
        overall = float(self.overall(components)[0])
        adequacy, fluency, target = components[0].tolist()
        one, other = self._read(source, hypothesis)
        common = network.shared(one.pivot, other.pivot)
        both = [(min(weight, other.pivot[key]), key) for key, weight in one.pivot.items() if key in other.pivot]
        names = {number: word for word, number in self._pivot_numbers.items()}
        shared = sorted(((self._spell(key, names), weight) for weight, key in both), key=lambda each: (-each[1], each))
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

    def _read(self, source: str, hypothesis: str) -> tuple[_Read, _Read]:
        """Return both sentences read; together, because reading one may let the other go."""
        kept = self._kept
        if self._kept_words > _MOST_KEPT or len(self._pivot_numbers) + len(self._target_numbers) > _MOST_NUMBERS // 2:
            self._forget()
        for text in (source, hypothesis):
            if text not in kept:
                read = kept[text] = self._analyse(words(text))
                self._kept_words += len(read.words) + 1
        return kept[source], kept[hypothesis]

    def _forget(self) -> None:
        """Let all sentences go, and the numbers of words that the model does not have."""
        self._kept.clear()
        self._kept_words = 0
        self._pivot_numbers = {word: at for at, word in enumerate(self.model.table.pivots, 1)}
        self._target_numbers: dict[str, int] = {}
        self._columns: dict[int, SegmentTranslations] = {}
        self._untranslated: dict[str, SegmentTranslations] = {}

    def _analyse(self, tokens: list[str]) -> _Read:
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
            columns.append(self._itself(stems[start]) if at is None else self._column(at))
            known.append(at is not None)
            start = end
        pivot = network.bag(columns)
        name = self._target_numbers
        target = network.counts([name.setdefault(each, len(name) + 1) for each in stems])
        return _Read(tokens, stems, ends, columns, known, pivot, target, sum(pivot.values()), sum(target.values()))

    def _column(self, phrase: int) -> SegmentTranslations:
        """Return the translations of a phrase."""
        column = self._columns.get(phrase)
        if column is None:
            table, edges = self.model.table, []
            for edge in range(int(self._first_edge[phrase]), int(self._first_edge[phrase + 1])):
                text = table.words[self._first_word[edge] : self._first_word[edge + 1]].tolist()
                edges.append((text, float(table.probabilities[edge])))
            column = self._columns[phrase] = SegmentTranslations(edges)
        return column

    def _itself(self, stem: str) -> SegmentTranslations:
        """Return a word that is in no phrase: it is translated to itself."""
        column = self._untranslated.get(stem)
        if column is None:
            number = self._pivot_numbers.setdefault(stem, len(self._pivot_numbers) + 1)
            column = self._untranslated[stem] = SegmentTranslations([((number,), 1.0)])
        return column

    def _fluency(self, sentences: Mapping[str, Sequence[str]]) -> dict[str, float]:
        """Return log Pr / number of words of each sentence, none of them empty, by its text."""
        get = self._vocabulary.get
        logs = self.model.language_model.score([[get(word, UNKNOWN) for word in each] for each in sentences.values()])
        return {text: float(log) / len(tokens) for (text, tokens), log in zip(sentences.items(), logs, strict=True)}

    def _segments(self, read: _Read, names: dict[int, str]) -> tuple[ConfusionColumn, ...]:
        found = []
        start = 0
        for end, column, known in zip(read.ends, read.columns, read.known, strict=True):
            edges = tuple((" ".join(names[word] for word in text), weight) for text, weight in column.edges)
            found.append(ConfusionColumn(" ".join(read.words[start:end]), edges, known))
            start = end
        return tuple(found)

    def _spell(self, key: int, names: dict[int, str]) -> str:
        text = []
        while key:
            text.append(names[key & 2**network.BITS - 1])
            key >>= network.BITS
        return " ".join(reversed(text))
