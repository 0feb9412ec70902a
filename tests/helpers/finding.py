"""Lookup of a view's parts by accessible name or text, as by a person or a screen reader."""

from __future__ import annotations

from typing import TypeVar

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractButton, QLabel, QMenu, QPushButton, QWidget

from parapluie_gui.ui.widgets.wrapped import WrappedText

Kind = TypeVar("Kind", bound=QWidget)


def find_part(root: QWidget, kind: type[Kind], name: str) -> Kind:
    """Return the only part of a kind with this accessible name, text, or object name (if its text changes)."""
    (part,) = (part for part in root.findChildren(kind) if name in _names(part))
    return part


def _names(part: QWidget) -> tuple[str, ...]:
    return (part.accessibleName(), part.objectName(), part.text() if isinstance(part, QLabel | QAbstractButton) else "")


def label_text(root: QWidget, name: str) -> str:
    """Return the full text of the label with this accessible name."""
    label = find_part(root, QLabel, name)
    return label.full_text if isinstance(label, WrappedText) else label.text()


def problems(root: QWidget) -> list[str]:
    """Return the error sentences directly in a view, not in its parts."""
    direct = Qt.FindChildOption.FindDirectChildrenOnly
    return [label.full_text for label in root.findChildren(WrappedText, options=direct) if label.property("bad")]


def actions(button: QPushButton) -> dict[str, QAction]:
    """Return the actions of a button's menu by text, as when the menu opens."""
    menu = button.menu()
    assert isinstance(menu, QMenu)
    menu.aboutToShow.emit()
    return {action.text(): action for action in menu.actions()}


def ring_position(box: pg.ViewBox) -> tuple[float, float] | None:
    """Return the position of the ring around the primary pair in a plot, or None."""
    points = (item for item in box.childGroup.childItems() if isinstance(item, pg.ScatterPlotItem))
    (ring,) = (item for item in points if item.objectName() == "ring")
    x, y = ring.getData()
    return (float(x[0]), float(y[0])) if x is not None and len(x) else None
