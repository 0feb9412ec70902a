"""The wheel scrolls: it changes no value, whatever is below the pointer on the way."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QComboBox, QSlider, QTabBar

#: What Qt lets the wheel change.
BOXES = (QComboBox, QAbstractSpinBox, QSlider, QTabBar)

_BY_WHEEL = Qt.FocusPolicy.WheelFocus


class WheelFilter(QObject):
    """Leaves the wheel to what scrolls; and no box takes the focus, and so the keys, by the wheel.

    One for the application; it is in force as long as it lives.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        if (app := QApplication.instance()) is not None:
            app.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Pass the wheel on to the panel around a box."""
        kind = event.type()
        if kind == QEvent.Type.Wheel and isinstance(watched, BOXES):
            event.ignore()
            return True
        if kind == QEvent.Type.Polish and isinstance(watched, BOXES) and watched.focusPolicy() == _BY_WHEEL:
            watched.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        return False
