"""Unexpected errors of all threads, shown in the window with their details."""

from __future__ import annotations

import contextlib
import platform
import sys
import threading
import traceback
from collections.abc import Iterator
from types import TracebackType

from PySide6.QtCore import QObject, Signal

from parapluie_gui.errors import InternalError
from parapluie_gui.ui.widgets.banner import Banner
from parapluie_gui.version import __version__


class InternalErrors(QObject):
    """Shows unexpected errors in the banner, where they can be copied for a report."""

    _caught = Signal(str, str)

    def __init__(self, banner: Banner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._banner = banner
        self._caught.connect(self.show_error)

    def show_error(self, sentence: str, details: str) -> None:
        """Show a sentence with its traceback and the versions."""
        versions = f"parapluie {__version__}, Python {platform.python_version()}, {platform.platform()}"
        self._banner.complain_in_detail(sentence, f"{versions}\n{details}")

    @contextlib.contextmanager
    def watch(self) -> Iterator[None]:
        """Show errors of Qt slots and threads too, in addition to the existing exception hooks."""
        in_slot, in_thread = sys.excepthook, threading.excepthook

        def catch(kind: type[BaseException], error: BaseException, where: TracebackType | None) -> None:
            in_slot(kind, error, where)
            self._take(error)

        def catch_in_thread(arguments: threading.ExceptHookArgs) -> None:
            in_thread(arguments)
            self._take(arguments.exc_value)

        sys.excepthook, threading.excepthook = catch, catch_in_thread
        try:
            yield
        finally:
            sys.excepthook, threading.excepthook = in_slot, in_thread

    def _take(self, error: BaseException | None) -> None:
        if isinstance(error, Exception):
            shown = error if isinstance(error, InternalError) else InternalError.from_error(error)
            with contextlib.suppress(RuntimeError):  # the window is closed
                self._caught.emit(str(shown), "".join(traceback.format_exception(error)))
