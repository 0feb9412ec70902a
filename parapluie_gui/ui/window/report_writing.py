"""Writing of reports, pages and scripts of the analysis in a thread, one at a time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from parapluie_gui.analysis.material import AnalysisMaterial
from parapluie_gui.analysis.score_column import Tick
from parapluie_gui.errors import ParapluieError
from parapluie_gui.ui.analysis.tab import AnalysisTab
from parapluie_gui.ui.state.task import BackgroundTask, Result, stop_tasks

#: Returns the links of a report, (text, address), for its material and path.
ReportLinks = Callable[[AnalysisMaterial, Path], list[tuple[str, str]]]


class ReportWriting(QObject):
    """Writes documents of the analysis in the tab, one at a time.

    Attributes:
        links: Functions that return links from a report to files written next to it.

    Signals:
        working: (str) Current step; "" at the end.
        failed: (str) Error message.
    """

    working = Signal(str)
    failed = Signal(str)

    def __init__(self, tab: AnalysisTab, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tab = tab
        self._task: BackgroundTask[Any] | None = None
        self.links: list[ReportLinks] = []

    def material(self) -> AnalysisMaterial | None:
        """Return the material of a report; without scores, emit `failed` and return None."""
        inputs = self._tab.inputs()
        if inputs is None or not inputs.score_columns:
            self.failed.emit(
                self.tr("There is nothing to report yet. Open a corpus (Ctrl+O), score it (F5) and try again.")
            )
            return None
        return inputs

    def links_of(self, material: AnalysisMaterial, report: Path) -> list[tuple[str, str]]:
        """Return the links of a report, (text, address)."""
        return [link for links in self.links for link in links(material, report)]

    def begin(self, work: Callable[[Tick], Result], take: Callable[[Result], object], words: str) -> None:
        """Write a document in a thread, unless one is being written.

        Args:
            work: Writes the document; called with a function that reports progress.
            take: Called with the result of `work`.
            words: The step shown while writing.
        """
        if self._task is not None:
            self.failed.emit(self.tr("The last report is still being written. Wait for it or cancel it."))
            return
        task = self._task = BackgroundTask(
            lambda tell: work(lambda done, total: tell(1000 * done // max(total, 1))), self
        )
        self.working.emit(words)
        task.begin(take, self._show_error, self._end_task)

    def cancel(self) -> None:
        if self._task is not None:
            self._task.stop()

    def close(self) -> None:
        """Cancel writing and wait for the thread."""
        stop_tasks(self._task)

    def _end_task(self) -> None:
        self._task = None
        self.working.emit("")

    def _show_error(self, error: ParapluieError) -> None:
        self.failed.emit(str(error))
