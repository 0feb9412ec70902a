"""Word position deviation and lexical deviation: how far a paraphrase moves words, and how many it replaces."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from parapluie_gui.arrays import Scores
from parapluie_gui.metrics.base import MetricInfo, References, Texts
from parapluie_gui.metrics.lexical.characters import zh_tokens
from parapluie_gui.metrics.lexical.stems import porter_stem
from parapluie_gui.metrics.lexical.tokens import WordMetric, WordNumbers
from parapluie_gui.options import choice


@dataclass(frozen=True)
class DeviationOptions:
    """Options of the deviation metrics."""

    stem: str = choice(
        "Stem", {"porter": "English", "none": "words as they are"}, "form in which words are compared", default="porter"
    )


class _DeviationMetric(WordMetric):
    """A deviation of Liu and Soh (ACL 2022): a distance between the two sentences, in [0, 1].

    Words are nltk's tokens in lower case; stems are used where the authors use spaCy's lemmas. In a Chinese or Japanese
    pair each character is a word.

    Args:
        stem: "porter", or "none" for words as they are.

    Raises:
        MetricError: The stemmer is unknown.
    """

    def __init__(self, stem: str = DeviationOptions.stem) -> None:
        self.stem = stem
        self.libraries = ("nltk", "sacrebleu")
        self.words = WordNumbers("treebank-lower", zh_tokens)

    def fields(self) -> dict[str, object]:
        return {"rule": "Liu and Soh 2022", "tok": "treebank-lower", "stem": self.stem, "cjk": "zh"}

    def _score(self, sources: Texts, hypotheses: Texts, references: References) -> Scores:
        source_rows, hypothesis_rows = self.words.pairs(sources, hypotheses)
        words = self.words.words
        stem = porter_stem if self.stem == "porter" else str

        def stems(row: bytes) -> list[str]:
            return [stem(words[number]) for number in array("i", row)]

        return np.array(
            [self._pair(stems(one), stems(two)) for one, two in zip(source_rows, hypothesis_rows, strict=True)]
        )

    def _pair(self, source: list[str], hypothesis: list[str]) -> float:
        raise NotImplementedError


class WordPositionDeviation(_DeviationMetric):
    """WPD: mean distance between the positions of shared words, as a share of the sentence; 1 if no word is shared.

    If a word occurs several times, each occurrence in the sentence where it is more frequent is compared with the
    nearest occurrence in the other sentence.
    """

    info = MetricInfo(
        id="wpd",
        title="Word position deviation",
        family="lexical",
        low=0.0,
        high=1.0,
        higher_is_closer=False,
        summary="How far the words that the sentences share have moved, on average, as a share of the sentence length.",
        options=DeviationOptions,
        parallel=True,
    )

    def _pair(self, source: list[str], hypothesis: list[str]) -> float:
        return word_position_deviation(source, hypothesis)


class LexicalDeviation(_DeviationMetric):
    """LD: share of the distinct words of both sentences that occur in only one of them; punctuation does not count."""

    info = MetricInfo(
        id="ld",
        title="Lexical deviation",
        family="lexical",
        low=0.0,
        high=1.0,
        higher_is_closer=False,
        summary="Share of the two sentences' words that occur in only one of them.",
        options=DeviationOptions,
        parallel=True,
    )

    def _pair(self, source: list[str], hypothesis: list[str]) -> float:
        return lexical_deviation(source, hypothesis)


def word_position_deviation(source: Sequence[str], hypothesis: Sequence[str]) -> float:
    """Return WPD of two sentences as stems, in [0, 1]."""
    first, second = _positions(source), _positions(hypothesis)
    moves = []
    for word, one in first.items():
        two = second.get(word)
        if two is None:
            continue
        more, fewer = (one, two) if len(one) >= len(two) else (two, one)
        moves.append(sum(min(abs(here - there) for there in fewer) for here in more) / len(more))
    return sum(moves) / len(moves) if moves else 1.0


def lexical_deviation(source: Sequence[str], hypothesis: Sequence[str]) -> float:
    """Return LD of two sentences as stems, in [0, 1]; 1 if neither has a word."""
    one, two = ({word for word in words if any(map(str.isalnum, word))} for words in (source, hypothesis))
    return 1 - len(one & two) / len(one | two) if one or two else 1.0


def _positions(words: Sequence[str]) -> dict[str, list[float]]:
    """Return the relative positions of each word: 0 for the first place, 1 for the last."""
    positions: dict[str, list[float]] = {}
    last = max(len(words) - 1, 1)
    for place, word in enumerate(words):
        positions.setdefault(word, []).append(place / last)
    return positions
