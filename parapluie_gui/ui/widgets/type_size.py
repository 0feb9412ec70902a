"""Sets the type size of a view and of everything in it."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget


def set_type_size(view: QWidget, points: float) -> None:
    """Give a view and its parts a type size; bold and monospaced parts stay so.

    Under an application style sheet a parent's font does not reach its children by itself.
    """
    for widget in (view, *view.findChildren(QWidget)):
        font = widget.font()
        font.setPointSizeF(points)
        widget.setFont(font)
