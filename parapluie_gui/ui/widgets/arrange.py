"""Widgets and their arrangement in one call each: buttons, rows, columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLayout, QPushButton, QVBoxLayout, QWidget

#: What stands in a row or column: a widget or layout, one of them with its stretch, or a stretch alone.
Part = QWidget | QLayout | int | tuple[QWidget | QLayout, int]
Margins = tuple[int, int, int, int]
Layout = TypeVar("Layout", bound=QBoxLayout)
Widget = TypeVar("Widget", bound=QWidget)

NO_MARGINS: Margins = (0, 0, 0, 0)


def hbox(*parts: Part, within: QWidget | None = None, margins: Margins | None = None, spacing: int = -1) -> QHBoxLayout:
    """Return the parts side by side; `within` gets them as its layout. A spacing of -1 is that of the style."""
    return _filled(QHBoxLayout(within) if within is not None else QHBoxLayout(), parts, margins, spacing)


def vbox(*parts: Part, within: QWidget | None = None, margins: Margins | None = None, spacing: int = -1) -> QVBoxLayout:
    """Return the parts one above the other; see `hbox`."""
    return _filled(QVBoxLayout(within) if within is not None else QVBoxLayout(), parts, margins, spacing)


def widget_of(layout: QLayout) -> QWidget:
    """Return a plain widget that holds a layout."""
    holder = QWidget()
    holder.setLayout(layout)
    return holder


def stacked(*widgets: QWidget) -> QWidget:
    """Return one widget that holds others, one above the other, without gaps."""
    return widget_of(vbox(*widgets, margins=NO_MARGINS, spacing=0))


def named(widget: Widget, name: str, tip: str | None = None) -> Widget:
    """Give a control its accessible name and a tooltip, and return it. Without `tip`, the name is the tooltip too."""
    widget.setAccessibleName(name)
    widget.setToolTip(name if tip is None else tip)
    return widget


def button(text: str, on_click: Callable[[], object], tip: str = "", name: str = "") -> QPushButton:
    """Return a push button; without `name`, its text is what a screen reader says."""
    made = QPushButton(text)
    made.clicked.connect(on_click)
    return named(made, name or text.replace("&", "").rstrip("…"), tip)


def _filled(layout: Layout, parts: tuple[Part, ...], margins: Margins | None, spacing: int) -> Layout:
    if margins is not None:
        layout.setContentsMargins(*margins)
    layout.setSpacing(spacing)
    for part in parts:
        if isinstance(part, int):
            layout.addStretch(part)
            continue
        what, stretch = part if isinstance(part, tuple) else (part, 0)
        if isinstance(what, QWidget):
            layout.addWidget(what, stretch)
        else:
            layout.addLayout(what, stretch)
    return layout
