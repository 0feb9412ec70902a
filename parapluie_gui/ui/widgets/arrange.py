"""Widgets and their arrangement in one call each: buttons, rows, columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QBoxLayout,
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLayout,
    QPushButton,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

#: What stands in a row or column: a widget or layout, one of them with its stretch (and a widget with its alignment),
#: or a stretch alone.
Part = QWidget | QLayout | int | tuple[QWidget | QLayout, int] | tuple[QWidget, int, Qt.AlignmentFlag]
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


def narrow(combo: QComboBox, letters: int) -> None:
    """Let a combo box become as narrow as this number of letters, whatever its entries are."""
    combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    combo.setMinimumContentsLength(letters)


def button(text: str, on_click: Callable[[], object], tip: str = "", name: str = "") -> QPushButton:
    """Return a push button; without `name`, its text is what a screen reader says."""
    made = QPushButton(text)
    made.clicked.connect(on_click)
    return named(made, name or text.replace("&", "").rstrip("…"), tip)


def title_button(text: str, tip: str, on_click: Callable[[], object]) -> QToolButton:
    """Return a flat button beside the title of a table or plot; a screen reader says what it does."""
    made = QToolButton()
    made.setText(text)
    made.setAutoRaise(True)
    made.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    made.clicked.connect(on_click)
    return named(made, tip)


def scrolled(inside: QWidget, sideways: bool = False) -> QScrollArea:
    """Return an area without a frame in which a widget is scrolled up and down, or also sideways."""
    area = QScrollArea()
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setWidgetResizable(True)
    if not sideways:
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setWidget(inside)
    return area


def clear(layout: QLayout) -> None:
    """Remove the widgets of a layout and delete them once the event under way is over."""
    while layout.count():
        entry = layout.takeAt(0)
        if entry is not None and (widget := entry.widget()) is not None:
            widget.hide()
            widget.deleteLater()


def _filled(layout: Layout, parts: tuple[Part, ...], margins: Margins | None, spacing: int) -> Layout:
    if margins is not None:
        layout.setContentsMargins(*margins)
    layout.setSpacing(spacing)
    for part in parts:
        if isinstance(part, int):
            layout.addStretch(part)
            continue
        what, *how = part if isinstance(part, tuple) else (part,)
        add: Callable[..., None] = layout.addLayout if isinstance(what, QLayout) else layout.addWidget
        add(what, *how)
    return layout
