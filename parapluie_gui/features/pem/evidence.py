"""What is behind one PEM score: components, segments, translations, and what both sentences share in the pivot."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class ConfusionColumn:
    """One column of a confusion network.

    Attributes:
        translations: The edges, (words of the pivot language, probability), likeliest first.
        known: Whether the phrase table has it; a word it does not have is translated to itself.
    """

    text: str
    translations: tuple[tuple[str, float], ...]
    known: bool = True


@dataclass(frozen=True)
class PemEvidence:
    """How PEM judges a pair.

    Attributes:
        source, hypothesis: The segments of both sentences, in order.
        shared: n-grams of the pivot language expected in both, (words, smaller of the two weights), heaviest first.
        precision, recall, adequacy: Share of the hypothesis's bag found in the source's, the other way round, and their
            F1; 0..1. NaN without words.
        fluency: log Pr(hypothesis) per word, natural logarithm, below 0.
        target: F1 of the two bags of n-grams of the sentences' own language, 0..1: low is dissimilar in wording.
        overall: What the regression makes of the three, on the scale 1..5 of human scores.
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
        """Return the evidence as compact JSON, read back by `from_json`."""
        return json.dumps(asdict(self), ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> PemEvidence:
        """Read evidence written by `to_json`."""
        data = json.loads(text)
        for side in ("source", "hypothesis"):
            data[side] = tuple(
                ConfusionColumn(each["text"], _pairs(each["translations"]), bool(each["known"])) for each in data[side]
            )
        data["shared"] = _pairs(data["shared"])
        return cls(**data)


def _pairs(items: list[tuple[object, float]]) -> tuple[tuple[str, float], ...]:
    return tuple((str(words), float(weight)) for words, weight in items)
