"""Python's garbage collector, restricted to the window's thread.

It normally runs in whichever thread allocates one object too many, and may then delete Qt objects there. Timers of
objects deleted in a different thread stay behind and crash the process.
"""

from __future__ import annotations

import gc
from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QGuiApplication

from parapluie_gui.computer import is_gc_disabled

#: Interval between two checks whether a collection is due, in milliseconds.
EVERY_MS = 1000


def is_button_down() -> bool:
    """Return whether a mouse button is down, as during a drag."""
    return QGuiApplication.mouseButtons() != Qt.MouseButton.NoButton


class GarbageCollector(QObject):
    """Collects garbage in the thread that creates it, and disables automatic collection in all threads.

    While a mouse button is down, it waits: a collection of many objects would interrupt a drag for up to a second.

    Args:
        parent: Its owner.
        is_dragging: Tells whether a mouse button is down.
    """

    def __init__(self, parent: QObject, is_dragging: Callable[[], bool] = is_button_down) -> None:
        super().__init__(parent)
        self._is_dragging = is_dragging
        gc.disable()
        timer = QTimer(self)
        timer.setTimerType(Qt.TimerType.VeryCoarseTimer)
        timer.timeout.connect(self._collect)
        timer.start(EVERY_MS)

    def _collect(self) -> None:
        if not self._is_dragging():
            collect_if_due()


def collect_if_due() -> None:
    """Collect the generations that Python itself would have collected since the last call."""
    if not is_gc_disabled():
        due = [age for age, count in enumerate(gc.get_count()) if count > gc.get_threshold()[age] > 0]
        if due:
            gc.collect(due[-1])
