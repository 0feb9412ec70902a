"""Python's garbage collector, restricted to the window's thread.

It normally runs in whichever thread allocates one object too many, and may then delete Qt objects there. Timers of
objects deleted in a different thread stay behind and crash the process.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, Qt, QTimer

from parapluie_gui.computer import is_gc_disabled

#: Interval between two checks whether a collection is due, in milliseconds.
EVERY_MS = 1000


class GarbageCollector(QObject):
    """Collects garbage in the thread that creates it, and disables automatic collection in all threads."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        timer = QTimer(self)
        timer.setTimerType(Qt.TimerType.VeryCoarseTimer)
        timer.timeout.connect(collect_if_due)
        timer.start(EVERY_MS)


def collect_if_due() -> None:
    """Collect the generations that Python itself would have collected since the last call."""
    if not is_gc_disabled():
        due = [age for age, count in enumerate(gc.get_count()) if count > gc.get_threshold()[age] > 0]
        if due:
            gc.collect(due[-1])
