"""The Bench's pairs on their way out: into a corpus of the session, or into a file."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from PySide6.QtCore import QObject

from parapluie_gui.judgements.columns import judged
from parapluie_gui.ui.bench.collecting import corpus_of, records_of, table_of
from parapluie_gui.ui.bench.view import BenchView
from parapluie_gui.ui.state.session_state import SessionState
from parapluie_gui.ui.widgets.arrange import give_menu
from parapluie_gui.ui.widgets.list_menu import Entry, ListMenu
from parapluie_gui.ui.window.exporting import Exporter


class BenchCollecting(QObject):
    """Fills the menu of corpora, and asks for a file."""

    def __init__(self, bench: BenchView, state: SessionState, exporter: Exporter, parent: QObject) -> None:
        super().__init__(parent)
        self._bench, self._state, self._exporter = bench, state, exporter
        past = bench.past
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
