"""The three panels of the window and how they share its area."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow, QWidget

#: Widths of the side docks and height of the lower one, to begin with, in pixels.
SETUP_WIDTH, PAIR_WIDTH, PAIRS_HEIGHT = 300, 390, 250


class Docks:
    """Setup at the left, the pair at the right, the pairs below the scatter."""

    def __init__(self, window: QMainWindow, setup: QWidget, pair: QWidget, pairs: QWidget) -> None:
        area, corner = Qt.DockWidgetArea, Qt.Corner
        self.setup = _dock(window, window.tr("Setup"), "setup", setup, area.LeftDockWidgetArea)
        self.pair = _dock(window, window.tr("Pair"), "pair", pair, area.RightDockWidgetArea)
        self.pairs = _dock(window, window.tr("Pairs"), "pairs", pairs, area.BottomDockWidgetArea)
        # The side docks reach down to the bottom: pair and setup need height, the table needs it less.
        window.setCorner(corner.BottomLeftCorner, area.LeftDockWidgetArea)
        window.setCorner(corner.BottomRightCorner, area.RightDockWidgetArea)
        window.resizeDocks([self.setup, self.pair], [SETUP_WIDTH, PAIR_WIDTH], Qt.Orientation.Horizontal)
        window.resizeDocks([self.pairs], [PAIRS_HEIGHT], Qt.Orientation.Vertical)


def _dock(window: QMainWindow, title: str, name: str, inside: QWidget, area: Qt.DockWidgetArea) -> QDockWidget:
    dock = QDockWidget(title, window)
    # The name under which Qt remembers where the dock was.
    dock.setObjectName(name)
    dock.setWidget(inside)
    window.addDockWidget(area, dock)
    return dock
