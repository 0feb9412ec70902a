"""Being told to end from outside: Ctrl+C, the end of the terminal or of the desktop's session, a polite kill."""

from __future__ import annotations

import signal
from types import TracebackType
from typing import Any

#: Windows has no SIGHUP.
_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")


class EndSignals:
    """Notes, within a `with`, a signal that ends the program, so that its caller can close things in order.

    An exception in the middle of a slot of Qt's would be printed and forgotten, so none is raised.

    Attributes:
        asked: Whether such a signal came; the caller looks now and then.
    """

    def __init__(self) -> None:
        self.asked = False
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> EndSignals:
        for number in (getattr(signal, name) for name in _NAMES if hasattr(signal, name)):
            # What is ignored (under nohup, or behind a shell's &) stays so.
            if signal.getsignal(number) != signal.SIG_IGN:
                self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)

    def _note(self, number: int, frame: object) -> None:
        self.asked = True
