"""The corpus of paraphrases: a pair for each sentence and candidate, with columns that record how it was written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from parapluie_gui.pairs.column import to_column
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pluie.writing import WrittenParaphrase, remark_on_candidates


@dataclass(frozen=True)
class WrittenSource:
    """A sentence with its candidates, in the order of their numbers."""

    id: str
    text: str
    candidates: Sequence[WrittenParaphrase]


def build_corpus(name: str, sources: Sequence[WrittenSource], system: str, written_with: str) -> Corpus:
    """Return a corpus with the columns candidate, system, remark and written_with, without empty candidates.

    Args:
        name: Name of the corpus.
        sources: The sentences.
        system: Model and template.
        written_with: The signature of the candidates.
    """
    rows = [
        (source, candidate, remark)
        for source in sources
        for candidate, remark in zip(
            source.candidates, remark_on_candidates(source.text, source.candidates), strict=True
        )
        if candidate.text
    ]
    return Corpus(
        name=name,
        id=[f"{source.id}-{candidate.number}" for source, candidate, _ in rows],
        source=[source.text for source, _, _ in rows],
        hypothesis=[candidate.text for _, candidate, _ in rows],
        extra={
            "candidate": to_column([candidate.number for _, candidate, _ in rows]),
            "system": to_column([system] * len(rows)),
            "remark": to_column([remark or None for _, _, remark in rows]),
            "written_with": to_column([written_with] * len(rows)),
        },
    )
