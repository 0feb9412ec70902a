"""Signals that end the program: Ctrl+C, a closed terminal or desktop session, `kill`."""

from __future__ import annotations

import signal
from types import TracebackType
from typing import Any

#: Windows has no SIGHUP.
_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")


class EndSignals:
    """Context manager that records a signal to end the program, so that its caller can close everything in order.

    It raises no exception, as Qt would print and ignore one raised in a slot.

    Attributes:
        asked: Whether a signal was received; the caller polls it.
    """

    def __init__(self) -> None:
        self.asked = False
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> EndSignals:
        for number in (getattr(signal, name) for name in _NAMES if hasattr(signal, name)):
            # Signals that are ignored (under nohup, or for a background job) stay ignored.
            if signal.getsignal(number) != signal.SIG_IGN:
                self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _note(self, number: int, frame: object) -> None:
        self.asked = True
