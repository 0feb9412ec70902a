"""Writing tables and figures from the window: the file dialogs, and the work in a thread."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Protocol

import numpy as np
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from parapluie_gui.analysis.columns import with_kinds
from parapluie_gui.arrays import Rows, Scores
from parapluie_gui.errors import ParapluieError
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.report.table import Written, write_table
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.ui.scatter.view import ScatterView
from parapluie_gui.ui.state.task import Task
from parapluie_gui.ui.state.workspace import Workspace
from parapluie_gui.ui.widgets.file_dialog import ask_where_to_save
from parapluie_gui.ui.widgets.text import pairs_words


class _WriteTable(Protocol):
    """Writes a table to a file."""

    def __call__(self, path: Path, *, mark_formulas: bool) -> None: ...


class Exporter(QObject):
    """Exports what the window shows.

    Signals:
        said: (str) A sentence: what was written.
        failed: (str) A sentence: why it was not.
    """

    said = Signal(str)
    failed = Signal(str)

    def __init__(self, workspace: Workspace, scatter: ScatterView, window: QWidget) -> None:
        super().__init__(window)
        self._workspace = workspace
        self._scatter = scatter
        self._window = window
        self._tasks: set[Task[Written]] = set()

    def ask(self, scope: str) -> None:
        """Ask for a file for the "table" or the "selection", as the filter bar calls them."""
        (self.ask_for_set if scope == "selection" else self.ask_for_all)()

    def ask_for_all(self) -> None:
        self._ask_for_rows(None)

    def ask_for_set(self) -> None:
        """Ask for a file and write the selection to it, in the table's order."""
        self._ask_for_rows(self._workspace.selection.order.copy())

    def ask_for_pairs(self, corpus: Corpus, table: ScoreTable) -> None:
        """Ask for a file and write pairs to it that are not the shown corpus."""
        self._ask_for_table(partial(self._write, corpus, table, None), corpus.name)

    def _ask_for_rows(self, rows: Rows | None) -> None:
        corpus = self._workspace.corpus
        self._ask_for_table(
            lambda path, mark_formulas: self.write_table(path, rows, mark_formulas=mark_formulas),
            "" if corpus is None else corpus.name,
        )

    def _ask_for_table(self, write: _WriteTable, name: str) -> None:
        without = [
            self.tr("Comma-separated values without formulas (*.csv)"),
            self.tr("Tab-separated values without formulas (*.tsv)"),
        ]
        formats = [
            self.tr("Comma-separated values (*.csv)"),
            self.tr("Tab-separated values (*.tsv)"),
            self.tr("Excel (*.xlsx)"),
            self.tr("Parquet (*.parquet)"),
            self.tr("JSON Lines (*.jsonl)"),
            *without,
        ]
        title = self.tr("Export table")
        self._ask_for_file(title, formats, lambda path, chosen: write(path, mark_formulas=chosen in without), name)

    def ask_for_figure(self) -> None:
        formats = [self.tr("PNG picture (*.png)"), self.tr("SVG drawing (*.svg)"), self.tr("PDF document (*.pdf)")]
        corpus = self._workspace.corpus
        name = "" if corpus is None else corpus.name
        self._ask_for_file(self.tr("Export figure"), formats, lambda path, _: self.write_figure(path), name)

    def write_table(self, path: Path, rows: Rows | None, *, mark_formulas: bool = False) -> None:
        """Write a table in a thread; scoring may go on meanwhile."""
        corpus = self._workspace.judged
        if corpus is None:
            self.failed.emit(self.tr("There is no corpus to export. Open one first."))
            return
        # A copy, as the numbers may change while the file is written.
        table = self._workspace.table.take(np.arange(self._workspace.table.rows))
        known = self._workspace.kinds
        kinds = known.numbers.copy() if known.asked or known.corrected else None
        self._write(corpus, table, rows, path, mark_formulas=mark_formulas, kinds=kinds)

    def _write(
        self,
        corpus: Corpus,
        table: ScoreTable,
        rows: Rows | None,
        path: Path,
        *,
        mark_formulas: bool,
        kinds: Scores | None = None,
    ) -> None:
        def write(tell: object) -> Written:
            whole = corpus if kinds is None else with_kinds(corpus, table, kinds)
            return write_table(path, whole, table, rows, mark_formulas=mark_formulas)

        task = Task(write, self)
        self._tasks.add(task)
        task.begin(self._written, self._refused, partial(self._tasks.discard, task))

    def write_figure(self, path: Path) -> None:
        """Write the figure now; drawing belongs to the window's own thread."""
        try:
            written = self._scatter.export(path)
        except ParapluieError as error:
            self.failed.emit(str(error))
        else:
            self.said.emit(self.tr("Figure written to {0}.").format(written))

    def close(self) -> None:
        """Wait until what is being written is whole."""
        for task in list(self._tasks):
            task.wait()

    def _ask_for_file(self, title: str, formats: list[str], write: Callable[[Path, str], None], name: str) -> None:
        ask_where_to_save(self._window, title, formats, write, name=name, page="sessions")

    def _written(self, written: Written) -> None:
        text = self.tr("{0} written to {1}.").format(pairs_words(written.rows), written.path)
        self.said.emit(" ".join([text, *written.warnings]))

    def _refused(self, error: ParapluieError) -> None:
        self.failed.emit(str(error))
