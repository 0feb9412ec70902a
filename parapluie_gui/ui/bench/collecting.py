"""What becomes of the Bench's pairs elsewhere: a corpus with their scores, notes and verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np

from parapluie_gui.judgements.record import CORRECTION, NOTE, Judgement
from parapluie_gui.judgements.scheme import pair_verdict
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.ui.bench.entry import BenchEntry


def corpus_of(entries: Sequence[BenchEntry], name: str) -> Corpus:
    """Return pairs of the Bench as a corpus; their ids are their places, from 1."""
    return Corpus(
        name,
        [str(place + 1) for place in range(len(entries))],
        [entry.source for entry in entries],
        [entry.hypothesis for entry in entries],
    )


def records_of(entries: Sequence[BenchEntry], annotator: str, first: int = 0) -> list[Judgement]:
    """Return what was said of pairs of the Bench as somebody's, the first pair being this row of a corpus."""
    scheme, question = pair_verdict()
    now = datetime.now(UTC)
    found = []
    for row, entry in enumerate(entries, start=first):
        for asked, answer in zip((NOTE, (scheme, question.id), CORRECTION), entry.said, strict=True):
            if answer:
                found.append(Judgement(row, annotator, *asked, answer, now))
    return found


def table_of(entries: Sequence[BenchEntry]) -> ScoreTable:
    """Return the scores of pairs of the Bench."""
    table = ScoreTable(len(entries))
    for row, entry in enumerate(entries):
        table.put(np.array([row]), {column: np.array([value]) for column, value in entry.values.items()})
    return table
