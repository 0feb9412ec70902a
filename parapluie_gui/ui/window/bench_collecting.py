"""The Bench's pairs on their way out: into a corpus of the session, or into a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import partial

import numpy as np
from PySide6.QtCore import QObject

from parapluie_gui.judgements.columns import judged
from parapluie_gui.judgements.record import CORRECTION, NOTE, Judgement
from parapluie_gui.judgements.scheme import pair_verdict
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.ui.bench.entry import BenchEntry
from parapluie_gui.ui.widgets.arrange import give_menu
from parapluie_gui.ui.widgets.list_menu import Entry, ListMenu
from parapluie_gui.ui.window.context import Context
from parapluie_gui.ui.window.exporting import Exporter


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
        for asked, answer in zip((NOTE, (scheme, question.id), CORRECTION), entry.answers, strict=True):
            if answer:
                found.append(Judgement(row, annotator, *asked, answer, now))
    return found


def table_of(entries: Sequence[BenchEntry]) -> ScoreTable:
    """Return the scores of pairs of the Bench."""
    table = ScoreTable(len(entries))
    for row, entry in enumerate(entries):
        table.put(np.array([row]), {column: np.array([value]) for column, value in entry.values.items()})
    return table


class BenchCollecting(QObject):
    """Fills the menu of corpora, and asks for a file."""

    def __init__(self, context: Context, exporter: Exporter) -> None:
        super().__init__(context.window)
        self._bench, self._state, self._exporter = context.bench, context.state, exporter
        past = self._bench.past
        give_menu(past.collect_button, ListMenu(self._corpora, "", past.collect_button))
        past.export_button.clicked.connect(self._export)

    def _corpora(self) -> Iterator[Entry]:
        yield self.tr("New corpus from these pairs"), partial(self.collect, None)
        for entry in self._state.corpora.entries:
            yield self.tr("Add to “{0}”").format(entry.name), partial(self.collect, entry.id)

    def collect(self, number: int | None) -> None:
        """Put the selected pairs (all where none is selected) into a corpus, None for a new one."""
        self._bench.verdict.flush()
        entries = self._bench.past.chosen()
        annotator = self._state.notes.annotator
        pairs = corpus_of(entries, self.tr("Bench"))
        self._state.corpora.collect(number, pairs, partial(records_of, entries, annotator))

    def _export(self) -> None:
        self._bench.verdict.flush()
        entries = self._bench.past.chosen()
        corpus = corpus_of(entries, self.tr("Bench"))
        records = records_of(entries, self._state.notes.annotator)
        self._exporter.ask_for_pairs(judged(corpus, records, self._state.notes.schemes), table_of(entries))
