"""A filter that makes the mouse wheel scroll, and never change a value under the pointer."""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QAbstractSpinBox, QComboBox, QSlider, QTabBar, QWidget

#: Widgets whose values Qt changes by the wheel.
BOXES = (QComboBox, QAbstractSpinBox, QSlider, QTabBar)


class _WheelFilter(QObject):
    """Passes wheel events from a box to the panel around it.

    It filters the boxes, not the application: otherwise every event of the program would pass through Python.
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
    """Make the wheel over a box scroll the panel around it, without moving the focus to the box.

    Args:
        widget: A box, or a widget with boxes; boxes added later are not affected.
    """
    boxes = [widget] if isinstance(widget, BOXES) else [box for kind in BOXES for box in widget.findChildren(kind)]
    for box in boxes:
        box.installEventFilter(_filter())
        if box.focusPolicy() == Qt.FocusPolicy.WheelFocus:
            box.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
