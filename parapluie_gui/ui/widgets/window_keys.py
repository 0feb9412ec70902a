"""Ctrl+W and Esc in every window of the program but the main one."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QApplication, QWidget

_CLOSE = "Ctrl+W"

#: Property of a window that has the key.
_HAS_KEY = "closes_by_key"


class WindowCloser(QObject):
    """Gives each window that receives the focus the keys that close it: Ctrl+W, and Esc if it has no keys of its own.

    Args:
        window: The main window, whose own Ctrl+W closes a corpus.
    """

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._follow)  # a method of an object, so that the connection ends with the window

    def _follow(self, _: QWidget | None, focused: QWidget | None) -> None:
        self.follow(focused)

    def follow(self, focused: QWidget | None) -> None:
        """Install the keys in the window of the focused control."""
        window = None if focused is None else focused.window()
        if window is None or window is self._window or window.windowType() is Qt.WindowType.Popup:
            return
        if window.property(_HAS_KEY):
            return
        window.setProperty(_HAS_KEY, True)
        for key in (_CLOSE, QKeySequence.StandardKey.Close):  # the standard key differs on some systems
            if key is _CLOSE or QKeySequence(key) != QKeySequence(_CLOSE):
                QShortcut(QKeySequence(key), window, window.close)
        if type(window).keyPressEvent is QWidget.keyPressEvent:  # dialogs and the stage handle Esc themselves
            QShortcut(QKeySequence(Qt.Key.Key_Escape), window, window.close)
