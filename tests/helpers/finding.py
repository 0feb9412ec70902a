"""Finding parts of a view as a person or a screen reader finds them: by what they are called."""

from __future__ import annotations

from typing import TypeVar

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractButton, QLabel, QMenu, QPushButton, QWidget

from parapluie_gui.ui.widgets.wrapped import WrappedText

Kind = TypeVar("Kind", bound=QWidget)


def named(root: QWidget, kind: type[Kind], name: str) -> Kind:
    """Return the one part of a kind with this accessible name or text, or object name where its text changes."""
    (found,) = (part for part in root.findChildren(kind) if name in _names(part))
    return found


def _names(part: QWidget) -> tuple[str, ...]:
    return (part.accessibleName(), part.objectName(), part.text() if isinstance(part, QLabel | QAbstractButton) else "")


def said(root: QWidget, name: str) -> str:
    """Return what the label of this accessible name says, as it was given."""
    label = named(root, QLabel, name)
    return label.full_text if isinstance(label, WrappedText) else label.text()


def problems(root: QWidget) -> list[str]:
    """Return the sentences in the colour of errors that stand directly in a view."""
    direct = Qt.FindChildOption.FindDirectChildrenOnly
    return [label.full_text for label in root.findChildren(WrappedText, options=direct) if label.property("bad")]


def actions(button: QPushButton) -> dict[str, QAction]:
    """Return the actions of a button's menu by their texts, as they are when it opens."""
    menu = button.menu()
    assert isinstance(menu, QMenu)
    menu.aboutToShow.emit()
    return {action.text(): action for action in menu.actions()}


def ringed(box: pg.ViewBox) -> tuple[float, float] | None:
    """Return where the ring around the primary pair is in a plot, or None."""
    points = (item for item in box.childGroup.childItems() if isinstance(item, pg.ScatterPlotItem))
    (ring,) = (item for item in points if item.objectName() == "ring")
    x, y = ring.getData()
    return (float(x[0]), float(y[0])) if x is not None and len(x) else None
