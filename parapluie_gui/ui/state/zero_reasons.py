"""The reasons of scores of 0, computed in a thread, since they need a tokeniser whose import takes seconds."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Signal
from shiboken6 import isValid

from parapluie_gui.errors import ParapluieError
from parapluie_gui.metrics import catalogue
from parapluie_gui.ui.state.task import BackgroundTask, stop_tasks

#: Maximum number of reasons kept.
_MOST = 1000

#: A column, a source and a hypothesis.
_Asked = tuple[str, str, str]


class ZeroReasons(QObject):
    """The reasons of scores of 0; each is asked for once and arrives later.

    Signals:
        arrived: A reason that was asked for is known.
    """

    arrived = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._reasons: dict[_Asked, str] = {}
        self._waiting: list[_Asked] = []
        self._task: BackgroundTask[str] | None = None

    def reason(self, column: str, source: str, hypothesis: str) -> str:
        """Return why a pair's score in a column is 0; "" as long as that is unknown or if it is obvious."""
        if not catalogue.explains_zero(column):
            return ""
        asked = column, source, hypothesis
        if (known := self._reasons.get(asked)) is not None:
            return known
        if asked not in self._waiting:
            self._waiting.append(asked)
            self._find_next()
        return ""

    def stop(self) -> None:
        """Wait for the thread; nothing more arrives."""
        self._waiting.clear()
        stop_tasks(self._task)

    def _find_next(self) -> None:
        if self._task is not None or not self._waiting:
            return
        asked = self._waiting[-1]  # the pair in sight
        self._task = BackgroundTask(lambda tell: catalogue.why_zero(*asked))
        self._task.begin(partial(self._keep, asked), partial(self._keep_nothing, asked), self._end)

    def _keep(self, asked: _Asked, reason: str) -> None:
        while len(self._reasons) >= _MOST:
            self._reasons.pop(next(iter(self._reasons)))
        self._reasons[asked] = reason
        if asked in self._waiting:
            self._waiting.remove(asked)
        if reason and isValid(self):  # its window may have been deleted in between
            self.arrived.emit()

    def _keep_nothing(self, asked: _Asked, error: ParapluieError) -> None:
        self._keep(asked, "")

    def _end(self) -> None:
        self._task = None
        if isValid(self):
            self._find_next()
