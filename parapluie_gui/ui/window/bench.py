"""Connects the Bench with the worker and the session: scoring typed pairs, and collecting pairs in a corpus."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import partial

import numpy as np

from parapluie_gui.judgements.columns import with_judgements
from parapluie_gui.judgements.record import CORRECTION, NOTE, Judgement
from parapluie_gui.judgements.scheme import pair_verdict
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.ui.bench.entry import ANSWERS, BenchEntry
from parapluie_gui.ui.widgets.arrange import give_menu
from parapluie_gui.ui.widgets.list_menu import Entry, ListMenu
from parapluie_gui.ui.widgets.text import pairs_words
from parapluie_gui.ui.window.context import WindowContext, WindowController
from parapluie_gui.ui.window.exporting import ExportController


class BenchScoring(WindowController):
    """Scores the pairs of the Bench with the metrics, judge and templates chosen in Setup."""

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context)
        self._typed_pairs = context.typed_pairs
        self._bench.score_requested.connect(self._score_typed)
        self._bench.history_changed.connect(self._store_history)

    def _score_typed(self, request: int, source: str, hypothesis: str) -> None:
        """Send one request per judge, so that an error of one does not stop the others."""
        bench, pairs = self._bench, self._typed_pairs
        show, errors = partial(bench.show_scores, request), list[str | None]()

        def end(error: str | None) -> None:
            errors.append(error)
            if len(errors) == len(handles):
                if texts := dict.fromkeys(filter(None, errors)):
                    bench.show_error(request, " ".join(texts))
                else:
                    bench.finish(request)

        handles = pairs.score(source, hypothesis, show, metrics=True, judges=pairs.judges)
        for handle in handles:
            handle.staged.connect(lambda event: bench.show_stage(request, event.text))
            handle.failed.connect(lambda event: end(event.text))
            handle.finished.connect(lambda event: end(None))

    def _store_history(self, entries: list[BenchEntry]) -> None:
        self._state.settings.keep_bench([entry.as_dict() for entry in entries])


def bench_corpus(entries: Sequence[BenchEntry], name: str) -> Corpus:
    """Return entries of the Bench as a corpus; the ids are their places from 1."""
    return Corpus(
        name,
        [str(place + 1) for place in range(len(entries))],
        [entry.source for entry in entries],
        [entry.hypothesis for entry in entries],
    )


def bench_records(entries: Sequence[BenchEntry], annotator: str, first: int = 0) -> list[Judgement]:
    """Return the judgements on entries of the Bench as an annotator's, for corpus rows starting at `first`.

    Each has the time when it was given; answers of entries without times, from older sessions, have the present time.
    """
    scheme, question = pair_verdict()
    now = datetime.now(UTC)
    records = []
    questions = (NOTE, (scheme, question.id), CORRECTION)
    for row, entry in enumerate(entries, start=first):
        for asked, name, answer in zip(questions, ANSWERS, entry.answers, strict=True):
            if answer:
                records.append(Judgement(row, annotator, *asked, answer, entry.times.get(name, now)))
    return records


def bench_table(entries: Sequence[BenchEntry]) -> ScoreTable:
    """Return the scores of entries of the Bench as a table."""
    table = ScoreTable(len(entries))
    for row, entry in enumerate(entries):
        table.put(np.array([row]), {column: np.array([value]) for column, value in entry.values.items()})
    return table


class BenchCollecting(WindowController):
    """Collects pairs of the Bench in a corpus, or exports them to a file."""

    def __init__(self, context: WindowContext, exporter: ExportController) -> None:
        super().__init__(context)
        self._exporter = exporter
        past = self._bench.past
        self._menu = ListMenu(self._corpora, "", past.collect_button)
        past.collect_button.clicked.connect(lambda: self.collect(None))
        self._state.corpora.corpora_changed.connect(self._offer_corpora)
        past.export_button.clicked.connect(self._export)

    def _offer_corpora(self) -> None:
        """Offer a menu if there are corpora to add to; otherwise the button creates a corpus."""
        give_menu(self._bench.past.collect_button, self._menu if self._state.corpora.entries else None)

    def _corpora(self) -> Iterator[Entry]:
        yield self.tr("New corpus"), partial(self.collect, None)
        for entry in self._state.corpora.entries:
            yield self.tr("Add to “{0}”").format(entry.name), partial(self.collect, entry.id)

    def collect(self, number: int | None) -> None:
        """Add the selected pairs, or all if none is selected, to the corpus of a number; None for a new corpus."""
        self._bench.verdict.flush()
        entries = self._bench.past.chosen_entries()
        annotator = self._state.notes.annotator
        pairs, table = bench_corpus(entries, self.tr("Bench")), bench_table(entries)
        scores = {name: table[name] for name in table}
        name = next((entry.name for entry in self._state.corpora.entries if entry.id == number), pairs.name)
        words = self.tr("{0} added to the corpus “{1}”. Ctrl+1 shows it.").format(pairs_words(len(pairs)), name)
        done = partial(self.message.emit, words)
        self._state.corpora.collect(number, pairs, partial(bench_records, entries, annotator), scores, done)

    def _export(self) -> None:
        self._bench.verdict.flush()
        entries = self._bench.past.chosen_entries()
        corpus = bench_corpus(entries, self.tr("Bench"))
        records = bench_records(entries, self._state.notes.annotator)
        self._exporter.ask_for_pairs(with_judgements(corpus, records, self._state.notes.schemes), bench_table(entries))
