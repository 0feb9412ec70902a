"""Python's collector of circles of references, kept to the window's thread.

It runs in whichever thread happens to make an object too many, and what it frees may be objects of Qt's: those that
another thread frees leave their timers behind, which ends the process.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, Qt, QTimer

from parapluie_gui.computer import collector_rests

#: How often it is seen whether there is enough to look for.
EVERY_MS = 1000


class Collector(QObject):
    """Looks for what only circles of references hold, in the thread that makes this, and lets no other thread do so."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        timer = QTimer(self)
        timer.setTimerType(Qt.TimerType.VeryCoarseTimer)
        timer.timeout.connect(collect_where_due)
        timer.start(EVERY_MS)


def collect_where_due() -> None:
    """Collect what Python would have collected by itself by now, as far back as it would have looked."""
    if not collector_rests():
        due = [age for age, count in enumerate(gc.get_count()) if count > gc.get_threshold()[age] > 0]
        if due:
            gc.collect(due[-1])
