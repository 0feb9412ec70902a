"""One call for many in quick succession: for drawings, measurements and notes that can wait a moment."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, SignalInstance


class Throttle(QTimer):
    """Calls a function a while after it was asked for, once for all who asked meanwhile.

    The first to ask begins the wait, so that under steady demand the function is called once in `wait`. With `rest`
    each one who asks begins it anew, so that the function is called once nothing more comes. With `prompt` nobody
    waits after a pause that was long enough.

    Attributes:
        wait: Milliseconds; another number counts from the next wait on.

    Args:
        act: What is called, or a signal that is emitted; as any slot, it keeps no object alive.
        wait: Milliseconds.
        parent: Once it is gone, nothing is called any more.
        rest, prompt: See above.
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
        """Have the function called; a slot for any signal, whose arguments do not matter."""
        if self._rest or not self.isActive():
            passed = self._called.elapsed() if self._called.isValid() else self.wait
            self.start(max(0, self.wait - passed) if self._prompt else self.wait)

    def flush(self) -> None:
        """Call the function now if it waits to be called."""
        if self.isActive():
            self.now()

    def now(self) -> None:
        """Call the function now in any case, instead of later."""
        self.stop()
        self.timeout.emit()
