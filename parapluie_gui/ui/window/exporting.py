"""Export of tables, figures and reports from the window: the file dialogs, and writing in a thread."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Protocol

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication

from parapluie_gui.analysis.columns import add_derived_columns, with_kinds
from parapluie_gui.analysis.score_column import Tick
from parapluie_gui.arrays import Rows, Scores
from parapluie_gui.errors import ParapluieError, one_line
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.places import score_cache
from parapluie_gui.report.figure_style import FigureStyle, chart_height
from parapluie_gui.report.html import compute_report, pair_columns, write_report
from parapluie_gui.report.script import python_script
from parapluie_gui.report.table import WrittenTable, write_table
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.ui.scatter.view import EXPORT_DPI
from parapluie_gui.ui.state.task import BackgroundTask
from parapluie_gui.ui.widgets.figure_dialog import COUNTS, HISTOGRAMS, LEGEND, SIGNATURES, FigureDialog
from parapluie_gui.ui.widgets.file_dialog import ask_where_to_save
from parapluie_gui.ui.widgets.svg_file import write_caption
from parapluie_gui.ui.widgets.text import pairs_words
from parapluie_gui.ui.window.context import WindowContext, WindowController


class _WriteTable(Protocol):
    def __call__(self, path: Path, *, for_excel: bool) -> None: ...


class ExportController(WindowController):
    """Exports the table, the selection and the scatter.

    Signals:
        working: (str) Progress of writing a table; "" at the end.
    """

    working = Signal(str)

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context)
        self._scatter = context.scatter
        self._tasks: set[BackgroundTask[WrittenTable]] = set()

    def ask(self, scope: str) -> None:
        """Ask for a file for the "table" or the "selection", the scopes of the filter bar."""
        (self.ask_for_set if scope == "selection" else self.ask_for_all)()

    def ask_for_all(self) -> None:
        self._ask_for_rows(None)

    def ask_for_set(self) -> None:
        """Ask for a file and write the selection to it, in the table's order."""
        self._ask_for_rows(self._workspace.selection.order.copy())

    def ask_for_pairs(self, corpus: Corpus, table: ScoreTable) -> None:
        """Ask for a file and write pairs to it that are not from the open corpus."""
        title = self.tr("Export table: {0}").format(pairs_words(len(corpus)))
        self._ask_for_table(title, partial(self._write, corpus, table, None), corpus.name)

    def _ask_for_rows(self, rows: Rows | None) -> None:
        corpus = self._workspace.corpus
        # The title states the number of pairs, as a filter may hide most of those exported.
        if rows is None:
            title = self.tr("Export the whole table: {0}").format(pairs_words(0 if corpus is None else len(corpus)))
        else:
            title = self.tr("Export selection: {0}").format(pairs_words(len(rows)))
        self._ask_for_table(
            title,
            lambda path, for_excel: self.write_table(path, rows, for_excel=for_excel),
            "" if corpus is None else corpus.name,
        )

    def _ask_for_table(self, title: str, write: _WriteTable, name: str) -> None:
        excel = [
            self.tr("Comma-separated values for Excel (*.csv)"),
            self.tr("Tab-separated values for Excel (*.tsv)"),
        ]
        formats = [
            self.tr("Comma-separated values (*.csv)"),
            self.tr("Tab-separated values (*.tsv)"),
            self.tr("Excel (*.xlsx)"),
            self.tr("Parquet (*.parquet)"),
            self.tr("JSON Lines (*.jsonl)"),
            *excel,
        ]
        self._ask_for_file(title, formats, lambda path, chosen: write(path, for_excel=chosen in excel), name)

    def ask_for_figure(self) -> None:
        """Ask for size, type, colours and file, and write the scatter."""
        corpus, scatter = self._workspace.corpus, self._scatter
        if corpus is None or not len(scatter.cloud):
            self.failed.emit(self.tr("There is nothing to draw yet. Open a corpus (Ctrl+O) and score it (F5)."))
            return
        parts = LEGEND, HISTOGRAMS, COUNTS, SIGNATURES
        dialog = FigureDialog(
            corpus.name, lambda width, style: chart_height(width), scatter.export, parts, self._window
        )
        dialog.chosen.connect(self.write_figure)
        dialog.open()

    def write_table(self, path: Path, rows: Rows | None, *, for_excel: bool = False) -> None:
        """Write a table in a thread, while scoring goes on."""
        corpus = self._workspace.judged_corpus
        if corpus is None:
            self.failed.emit(self.tr("There is no corpus to export. Open a corpus first."))
            return
        # A copy, as scores may change while the file is written.
        table = self._workspace.table.take(np.arange(self._workspace.table.rows))
        add_derived_columns(self._workspace.material, table)
        known = self._workspace.kinds
        kinds = known.numbers.copy() if known.asked or known.corrected else None
        self._write(corpus, table, rows, path, for_excel=for_excel, kinds=kinds)

    def _write(
        self,
        corpus: Corpus,
        table: ScoreTable,
        rows: Rows | None,
        path: Path,
        *,
        for_excel: bool,
        kinds: Scores | None = None,
    ) -> None:
        def write(tell: Callable[[int], None]) -> WrittenTable:
            extended = corpus if kinds is None else with_kinds(corpus, table, kinds)
            return write_table(path, extended, table, rows, for_excel=for_excel, tick=tell)

        task = BackgroundTask(write, self)
        self._tasks.add(task)
        task.reported.connect(partial(self._show_progress, path.name))
        self._show_progress(path.name, 0)
        task.begin(self._show_written, self._show_error, partial(self._end_task, task))

    def _show_progress(self, name: str, done: int) -> None:
        self.working.emit(self.tr("Writing {0}: {1} %").format(one_line(name), done // 10))

    def _end_task(self, task: BackgroundTask[WrittenTable]) -> None:
        self._tasks.discard(task)
        if not self._tasks:
            self.working.emit("")

    def cancel(self) -> None:
        """Cancel all writing; existing files stay unchanged."""
        for task in self._tasks:
            task.stop()

    def write_figure(self, path: Path, style: FigureStyle | None = None, dpi: float = EXPORT_DPI) -> None:
        """Write the figure at once, since drawing needs the main thread."""
        try:
            written = self._scatter.export(path, style, dpi)
            caption = write_caption(written, self._scatter.caption())
        except ParapluieError as error:
            self.failed.emit(str(error))
        else:
            self.written.emit(
                self.tr("Figure saved as {0}, its caption as {1}.").format(written, caption.name), written
            )

    def close(self) -> None:
        """Wait until all files are written."""
        for task in list(self._tasks):
            task.wait()

    def _ask_for_file(self, title: str, formats: list[str], write: Callable[[Path, str], None], name: str) -> None:
        ask_where_to_save(self._window, title, formats, write, name=name, page="sessions")

    def _show_written(self, written: WrittenTable) -> None:
        text = self.tr("{0} written to {1}.").format(pairs_words(written.rows), written.path)
        self.written.emit(" ".join([text, *written.warnings]), written.path)

    def _show_error(self, error: ParapluieError) -> None:
        self.failed.emit(str(error))


class ReportController(WindowController):
    """Writes reports and scripts of the analysis shown in the tab."""

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context)
        self._tab, self._session, self._corpora = context.analysis, context.state.session, context.state.corpora
        self._reports = context.reports

    def ask(self) -> None:
        """Ask for a file and write the report to it."""
        self._tab.when_ready(self._ask)

    def _ask(self) -> None:
        if self._reports.material() is None:
            return
        formats = [self.tr("Web page (*.html)")]
        ask_where_to_save(
            self._window,
            self.tr("Write report"),
            formats,
            lambda path, _: self.write(path),
            name="report",
            page="report",
        )

    def write(self, path: Path) -> None:
        """Write the report in a thread."""
        self._tab.when_ready(lambda: self._write(path))

    def _write(self, path: Path) -> None:
        inputs = self._reports.material()
        if inputs is None:
            return
        note = self._tab.set_words()
        date = datetime.now().astimezone().strftime("%Y-%m-%d %H:%M")

        def work(tick: Tick) -> Path:
            report = compute_report(inputs, tick, date=date, note=note, pair_columns=pair_columns(score_cache()))
            return write_report(path, replace(report, links=self._reports.links_of(inputs, path)))

        self._reports.begin(work, self._show_written, self.tr("Writing the report …"))

    def copy_script(self) -> None:
        """Copy the script that recomputes the analysis to the clipboard."""
        self._tab.when_ready(self._copy)

    def _copy(self) -> None:
        inputs = self._reports.material()
        if inputs is None:
            return
        path, number = self._session.path or self._session.copy, self._corpora.number
        script = partial(
            python_script,
            inputs,
            None if path is None or number is None else (path, number),
            [self._setup.judge.name, *(judging.judge.model for judging in self._setup.plan.judgings)],
            self._corpora.files(),
            self._tab.page_options(),
            self._tab.set_words(),
        )
        self._reports.begin(lambda tick: script(), self._copy_text, self.tr("Writing the script …"))

    def _show_written(self, path: Path) -> None:
        self.written.emit(self.tr("Report written to {0}.").format(path), path)

    def _copy_text(self, script: str) -> None:
        QGuiApplication.clipboard().setText(script)
        self.message.emit(self.tr("A Python script that recomputes these tables is on the clipboard."))
