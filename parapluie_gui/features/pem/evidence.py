"""The evidence for one PEM score: components, segments, translations, and shared n-grams of the pivot language."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from parapluie_gui.own_files import parse_json


@dataclass(frozen=True)
class ConfusionColumn:
    """One column of a confusion network.

    Attributes:
        text: The segment.
        translations: The edges, (words of the pivot language, probability), likeliest first.
        known: Whether the phrase table has the segment; an unknown word is translated to itself.
    """

    text: str
    translations: tuple[tuple[str, float], ...]
    known: bool = True


@dataclass(frozen=True)
class PemEvidence:
    """The evidence for the PEM score of a pair.

    Attributes:
        source, hypothesis: The segments of both sentences, in order.
        shared: n-grams of the pivot language expected in both, (words, smaller of the two weights), heaviest first.
        precision, recall, adequacy: Share of the hypothesis's bag of n-grams that is in the source's, share of the
            source's that is in the hypothesis's, and their F1; 0..1. NaN for a sentence without words.
        fluency: log Pr(hypothesis) per word, natural logarithm, below 0.
        target: F1 of the two bags of n-grams of the sentences' own language, 0..1; low for different wording.
        overall: The regression's prediction from the three, on the scale 1..5 of human scores.
    """

    source: tuple[ConfusionColumn, ...]
    hypothesis: tuple[ConfusionColumn, ...]
    shared: tuple[tuple[str, float], ...]
    precision: float
    recall: float
    adequacy: float
    fluency: float
    target: float
    overall: float

    def to_json(self) -> str:
        """Convert the evidence to compact JSON, for `from_json`."""
        return json.dumps(asdict(self), ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> PemEvidence:
        """Read evidence written by `to_json`."""
        data = parse_json(text)
        for side in ("source", "hypothesis"):
            data[side] = tuple(
                ConfusionColumn(column["text"], _read_ngrams(column["translations"]), bool(column["known"]))
                for column in data[side]
            )
        data["shared"] = _read_ngrams(data["shared"])
        return cls(**data)


def _read_ngrams(items: list[tuple[object, float]]) -> tuple[tuple[str, float], ...]:
    return tuple((str(words), float(weight)) for words, weight in items)
