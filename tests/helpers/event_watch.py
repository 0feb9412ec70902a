"""An application that measures how much processor time the window's thread spends in single events.

Processor time, because a busy machine delays events without any fault of the program; and in single events, because
that is how long the window cannot answer.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication


@dataclass(frozen=True)
class EventTime:
    """The processor time of one event, in milliseconds, and its purpose."""

    milliseconds: float
    what: str


@dataclass
class EventTimes:
    """The longest event of each step."""

    longest: dict[str, EventTime] = field(default_factory=dict)
    step: str = ""

    def add(self, milliseconds: float, what: str) -> None:
        """Record an event of the current step."""
        before = self.longest.get(self.step)
        if before is None or before.milliseconds < milliseconds:
            self.longest[self.step] = EventTime(milliseconds, what)


class WatchedApplication(QApplication):
    """An application that records the time of each event that no other event contains."""

    def __init__(self, arguments: list[str]) -> None:
        super().__init__(arguments)
        self.times = EventTimes()
        self._depth = 0

    def notify(self, receiver: QObject, event: QEvent) -> bool:
        """Deliver an event, and record the processor time that it took."""
        self._depth += 1
        begun = time.thread_time()
        try:
            return super().notify(receiver, event)
        finally:
            self._depth -= 1
            if not self._depth:
                self.times.add((time.thread_time() - begun) * 1000, f"{type(receiver).__name__} {event.type().name}")


def reference_time() -> float:
    """Return the processor time of a fixed piece of work in milliseconds: 10 on the computer of the figures, idle."""
    best = float("inf")
    for _ in range(5):
        begun = time.thread_time()
        total = 0
        for number in range(160_000):
            total += number % 7
        best = min(best, (time.thread_time() - begun) * 1000)
    return best
