"""One report, page or script of the analysis at a time, written in a thread."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from parapluie_gui.analysis.material import Material
from parapluie_gui.errors import ParapluieError
from parapluie_gui.ui.analysis.tab import AnalysisTab
from parapluie_gui.ui.state.task import Result, Task

#: From the pairs of a report and its path to what was written beside it: the words of a link, and its address.
ReportLinks = Callable[[Material, Path], list[tuple[str, str]]]


class ReportWriting(QObject):
    """Writes what is made of the analysis in the tab; there is one document at a time.

    Attributes:
        links: What gives the links of a report to what was written beside it.

    Signals:
        working: (str) Current step; "" when nothing is written.
        failed: (str) Why nothing was written.
    """

    working = Signal(str)
    failed = Signal(str)

    def __init__(self, tab: AnalysisTab, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tab = tab
        self._task: Task[Any] | None = None
        self.links: list[ReportLinks] = []

    def material(self) -> Material | None:
        """Return what a report is made of; None, once it was said, where there is no score."""
        inputs = self._tab.inputs()
        if inputs is None or not inputs.score_columns:
            self.failed.emit(
                self.tr("There is nothing to report yet. Open a corpus (Ctrl+O), score it (F5) and try again.")
            )
            return None
        return inputs

    def links_of(self, material: Material, report: Path) -> list[tuple[str, str]]:
        """Return the links of a report to what was written beside it."""
        return [link for links in self.links for link in links(material, report)]

    def begin(
        self, work: Callable[[Callable[[int], None]], Result], take: Callable[[Result], object], words: str
    ) -> None:
        """Write something in a thread, unless something else is being written.

        Args:
            work: Writes it; is given a function that says how far it is, in thousandths.
            take: Gets what `work` returned.
            words: The step that is shown meanwhile.
        """
        if self._task is not None:
            self.failed.emit(self.tr("The last report is still being written. Wait for it or cancel it."))
            return
        task = self._task = Task(work, self)
        self.working.emit(words)
        task.begin(take, self._refused, self._ended)

    def cancel(self) -> None:
        if self._task is not None:
            self._task.stop()

    def close(self) -> None:
        """Give up what is being written, and wait for the thread."""
        if self._task is not None:
            self._task.stop()
            self._task.wait()

    def _ended(self) -> None:
        self._task = None
        self.working.emit("")

    def _refused(self, error: ParapluieError) -> None:
        self.failed.emit(str(error))
