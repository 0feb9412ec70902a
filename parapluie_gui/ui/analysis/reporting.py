"""Exports of the whole evaluation: the report as HTML, and the script that recomputes it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QWidget

from parapluie_gui.analysis.material import Material
from parapluie_gui.errors import ParapluieError
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.report.html import report_of, write_report
from parapluie_gui.report.script import python_script
from parapluie_gui.ui.analysis.tab import AnalysisTab
from parapluie_gui.ui.state.corpus_queue import CorpusQueue
from parapluie_gui.ui.state.session_file import SessionFile
from parapluie_gui.ui.state.task import Result, Task
from parapluie_gui.ui.widgets.file_dialog import path_of


class Reporter(QObject):
    """Writes reports and scripts of the analysis in the tab.

    Signals:
        said: (str) What was done.
        failed: (str) Why it was not.
        working: (str) Current step; "" when nothing is.
    """

    said = Signal(str)
    failed = Signal(str)
    working = Signal(str)

    def __init__(
        self,
        tab: AnalysisTab,
        session: SessionFile,
        corpora: CorpusQueue,
        judge: Callable[[], JudgeSettings],
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._tab = tab
        self._session, self._corpora = session, corpora
        self._judge = judge
        self._window = window
        self._task: Task[Any] | None = None

    def ask(self) -> None:
        """Ask for a file and write the report to it."""
        self._tab.when_ready(self._ask)

    def _ask(self) -> None:
        if self._ready() is None:
            return
        dialog = QFileDialog(self._window, self.tr("Write report"))
        dialog.setProperty("manual_page", "report")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilters([self.tr("Web page (*.html)")])
        dialog.setDefaultSuffix("html")
        dialog.selectFile("report")
        dialog.fileSelected.connect(lambda name: self.write(path_of(name)))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def write(self, path: Path) -> None:
        """Write the report in a thread."""
        self._tab.when_ready(lambda: self._write(path))

    def _write(self, path: Path) -> None:
        inputs = self._ready()
        if inputs is None:
            return
        note = self._tab.set_words()
        made = datetime.now().astimezone().strftime("%Y-%m-%d %H:%M")

        def work(tell: Callable[[int], None]) -> Path:
            def tick(done: int, total: int) -> None:
                tell(1000 * done // max(total, 1))

            return write_report(path, report_of(inputs, tick, made=made, note=note))

        self._begin(work, self._written, self.tr("Writing the report …"))

    def copy_script(self) -> None:
        """Put the script that recomputes the analysis on the clipboard."""
        self._tab.when_ready(self._copy)

    def _copy(self) -> None:
        inputs = self._ready()
        if inputs is None:
            return
        path, number = self._session.path or self._session.copy, self._corpora.number
        script = partial(
            python_script,
            inputs,
            None if path is None or number is None else (path, number),
            self._judge().model,
            self._corpora.files(),
            dict(zip(("per_label", "times", "seed"), self._tab.balanced(), strict=True)),
            self._tab.set_words(),
        )
        self._begin(lambda tell: script(), self._copied, self.tr("Writing the script …"))

    def cancel(self) -> None:
        if self._task is not None:
            self._task.stop()

    def close(self) -> None:
        if self._task is not None:
            self._task.stop()
            self._task.wait()

    def _ready(self) -> Material | None:
        inputs = self._tab.inputs()
        if inputs is None or not inputs.score_columns:
            self.failed.emit(
                self.tr("There is nothing to report yet. Open a corpus (Ctrl+O), score it (F5) and try again.")
            )
            return None
        return inputs

    def _begin(
        self, work: Callable[[Callable[[int], None]], Result], take: Callable[[Result], None], words: str
    ) -> None:
        if self._task is not None:
            self.failed.emit(self.tr("The last report is still being written. Wait for it or cancel it."))
            return
        self._task = Task(work, self)
        self.working.emit(words)
        self._task.begin(take, self._refused, self._ended)

    def _ended(self) -> None:
        self._task = None
        self.working.emit("")

    def _written(self, path: Path) -> None:
        self.said.emit(self.tr("Report written to {0}.").format(path))

    def _copied(self, script: str) -> None:
        QGuiApplication.clipboard().setText(script)
        self.said.emit(self.tr("The Python script that recomputes these tables is on the clipboard."))

    def _refused(self, error: ParapluieError) -> None:
        self.failed.emit(str(error))
