"""Combines requests in quick succession into one call, for drawing, measuring and other work that can wait."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, SignalInstance


class CallThrottle(QTimer):
    """A timer that calls a function once for all requests within a period.

    The first request starts the wait, so that under steady demand the function is called once per `wait`. With `rest`,
    every request restarts the wait, so that the function is called once the requests stop. With `prompt`, a request
    after a long enough pause is answered at once.

    Attributes:
        wait: Milliseconds; a new value applies from the next wait on.

    Args:
        act: A function to call, or a signal to emit; like any slot, it keeps no object alive.
        wait: Milliseconds.
        parent: Owner; once it is deleted, nothing is called.
        rest, prompt: Whether the timer works as described.
    """

    def __init__(
        self,
        act: Callable[[], object] | SignalInstance,
        wait: int,
        parent: QObject,
        *,
        rest: bool = False,
        prompt: bool = False,
    ) -> None:
        super().__init__(parent, singleShot=True)
        self.wait = wait
        self._rest = rest
        self._called = QElapsedTimer()
        self.timeout.connect(act)
        if prompt:
            self.timeout.connect(self._called.start)
        self._prompt = prompt

    def ask(self, *_: object) -> None:
        """Request a call; a slot for any signal, whose arguments are ignored."""
        if self._rest or not self.isActive():
            passed = self._called.elapsed() if self._called.isValid() else self.wait
            self.start(max(0, self.wait - passed) if self._prompt else self.wait)

    def ask_if(self, later: bool) -> None:
        """Request a call if it may come later; otherwise call the function now."""
        if later:
            self.ask()
        else:
            self.now()

    def flush(self) -> None:
        """Call the function now if a call is pending."""
        if self.isActive():
            self.now()

    def now(self) -> None:
        """Call the function now, whether or not a call is pending."""
        self.stop()
        self.timeout.emit()


#: The earlier name, which other packages may import.
Throttle = CallThrottle
