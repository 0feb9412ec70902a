"""The wheel scrolls: it changes no value, whatever is below the pointer on the way."""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QAbstractSpinBox, QComboBox, QSlider, QTabBar, QWidget

#: What Qt lets the wheel change.
BOXES = (QComboBox, QAbstractSpinBox, QSlider, QTabBar)


class _WheelFilter(QObject):
    """Passes the wheel on to the panel around a box.

    It watches the boxes and not the application: every event of the program would be looked at in Python.
    """

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() != QEvent.Type.Wheel:
            return False
        event.ignore()
        return True


@cache
def _filter() -> _WheelFilter:
    return _WheelFilter()


def scroll_past(widget: QWidget) -> None:
    """Leave the wheel over a box to what scrolls; it does not take the focus, and so the keys, by it.

    Args:
        widget: A box, or what contains some: those that are in it by now.
    """
    boxes = [widget] if isinstance(widget, BOXES) else [box for kind in BOXES for box in widget.findChildren(kind)]
    for box in boxes:
        box.installEventFilter(_filter())
        if box.focusPolicy() == Qt.FocusPolicy.WheelFocus:
            box.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
