"""Runs slow work in its own thread while the window stays responsive."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QObject, QThread, Signal

from parapluie_gui.errors import InternalError, ParapluieError

Result = TypeVar("Result")


class TaskStopped(Exception):
    """Raised within a task's work after the user has stopped it."""


#: The tasks that run. Qt ends the program if a thread is deleted before it has ended.
_RUNNING: set[BackgroundTask[Any]] = set()


class BackgroundTask(QThread, Generic[Result]):
    """A thread that runs one function; its result arrives in the thread that created the task.

    Signals:
        done: (Result) The function's result.
        failed: (ParapluieError) The error; an unexpected one is an InternalError and goes to `sys.excepthook` too.
        reported: (int) A number that the work reports while it runs (rows read).

    Args:
        work: Called with a function that reports a number, and raises TaskStopped once the task was stopped.
        owner: The object that waits for the result. If it is deleted first, the task stops and calls nothing.
    """

    done = Signal(object)
    failed = Signal(ParapluieError)
    reported = Signal(int)

    def __init__(self, work: Callable[[Callable[[int], None]], Result], owner: QObject | None = None) -> None:
        super().__init__()
        if owner is not None:
            owner.destroyed.connect(self._abandon)
        self._work: Callable[[Callable[[int], None]], Result] | None = work
        self._ended: Callable[[], object] | None = None
        self._stopped = False

    def begin(
        self,
        take: Callable[[Result], object],
        fail: Callable[[ParapluieError], object],
        ended: Callable[[], object],
    ) -> None:
        """Start the work: `take` or `fail` is called with the outcome, and `ended` in any case."""
        self.done.connect(take)
        self.failed.connect(fail)
        self.finished.connect(self._leave)
        self._ended = ended
        _RUNNING.add(self)
        self.start()

    def _leave(self) -> None:
        _RUNNING.discard(self)
        self.deleteLater()
        ended, self._ended = self._ended, None
        if ended is not None:
            ended()

    def _abandon(self) -> None:
        self.stop()
        if self in _RUNNING:
            self._ended = None
            self.done.disconnect()
            self.failed.disconnect()

    def stop(self) -> None:
        """Ask the work to stop; neither `done` nor `failed` will follow."""
        self._stopped = True

    def run(self) -> None:
        # Not stored, because the work may hold the owner of this task, which would then be deleted in this thread.
        work, self._work = self._work, None
        assert work is not None
        try:
            result = work(self._tell)
        except TaskStopped:
            return
        except MemoryError:
            self._fail(ParapluieError("There is not enough memory for this. Close other programs."))
        except Exception as error:  # an error in a thread must not crash the window
            self._fail(error if isinstance(error, ParapluieError) else InternalError.from_error(error))
        else:
            self._end(self.done, result)

    def _fail(self, error: ParapluieError) -> None:
        self._end(self.failed, error)
        if isinstance(error, InternalError):
            sys.excepthook(type(error), error, error.__traceback__)

    def _end(self, signal: Any, value: object) -> None:
        if not self._stopped:
            signal.emit(value)

    def _tell(self, number: int) -> None:
        if self._stopped:
            raise TaskStopped
        self.reported.emit(number)


def stop_tasks(*tasks: BackgroundTask[Any] | None) -> None:
    """Stop tasks, if there are any, and wait for the ends of their threads."""
    for task in tasks:
        if task is not None:
            task.stop()
            task.wait()
