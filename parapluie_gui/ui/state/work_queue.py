"""Does work in a thread, one item after another, with a sentence about the current item."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Signal

from parapluie_gui.errors import ParapluieError
from parapluie_gui.ui.state.task import BackgroundTask

Work = Callable[[Callable[[int], None]], Any]


@dataclass(frozen=True)
class _QueuedWork:
    words: str
    work: Work
    take: Callable[[Any], None]
    fail: Callable[[ParapluieError], None] | None
    can_stop: bool


class WorkQueue(QObject):
    """A queue of work, done in the order in which it was added.

    Signals:
        working: (str) Current step, "" when idle.
        failed: (str) A sentence: why some work failed.
    """

    working = Signal(str)
    failed = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._items: list[_QueuedWork] = []
        self._task: BackgroundTask[Any] | None = None
        self._closing = False

    @property
    def busy(self) -> bool:
        """Whether work is running or waiting."""
        return bool(self._items)

    @property
    def can_stop(self) -> bool:
        """Whether the running work can be stopped."""
        return bool(self._items) and self._items[0].can_stop

    def add(
        self,
        words: str,
        work: Work,
        take: Callable[[Any], None],
        fail: Callable[[ParapluieError], None] | None = None,
        *,
        can_stop: bool = True,
    ) -> None:
        """Add work, which starts once everything before it is done.

        Args:
            words: Current step ("Reading pairs.csv …").
            work: Runs in a thread; called with a function that reports a number of rows.
            take: The function that receives the result, in the thread of this object.
            fail: The function that receives the error; by default `failed` is emitted.
            can_stop: Whether `cancel` may stop it.
        """
        if not (self._closing and can_stop):
            self._items.append(_QueuedWork(words, work, take, fail, can_stop))
            if self._task is None:
                self._next()

    def cancel(self) -> None:
        """Stop the running work and drop the waiting work, except work that must not be stopped."""
        self._items[1:] = [item for item in self._items[1:] if not item.can_stop]
        if self._task is not None and self._items[0].can_stop:
            self._task.stop()

    def close(self) -> None:
        """Stop the work that can be stopped, and wait for the rest."""
        self._closing = True
        self.cancel()
        while (task := self._task) is not None:
            task.wait()
            # Results and endings arrive as events, and the event loop may no longer run.
            for receiver in (self, task):
                QCoreApplication.sendPostedEvents(receiver, QEvent.Type.MetaCall.value)

    def _next(self) -> None:
        item = self._items[0]
        self.working.emit(item.words)
        self._task = BackgroundTask(item.work, self)
        self._task.reported.connect(self._show_rows)
        self._task.begin(self._take, self._fail, self._end)

    def _show_rows(self, rows: int) -> None:
        self.working.emit(self.tr("{0} {1} rows").format(self._items[0].words, f"{rows:,}"))

    def _take(self, result: object) -> None:
        self._items[0].take(result)

    def _fail(self, error: ParapluieError) -> None:
        if (fail := self._items[0].fail) is not None:
            fail(error)
        else:
            self.failed.emit(str(error))

    def _end(self) -> None:
        del self._items[0]
        self._task = None
        self.working.emit("")
        if self._items:
            self._next()
