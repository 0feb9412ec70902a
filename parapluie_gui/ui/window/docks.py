"""The three panels of the window, where they are at first and how large."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow, QWidget

#: Shares of the window's width and height that the panels get, and their most in letters' widths.
SETUP_SHARE, PAIR_SHARE, PAIRS_SHARE = 0.21, 0.27, 0.28
SETUP_LETTERS, PAIR_LETTERS = 50, 65

#: What the views in the middle keep of the width, in any case.
CENTRE_SHARE = 0.5

#: Between two panels, and at the window's edges, in pixels.
_GAPS = 16


class Docks:
    """Setup at the left, the pair at the right, the pairs below the scatter."""

    def __init__(self, window: QMainWindow, setup: QWidget, pair: QWidget, pairs: QWidget) -> None:
        area, corner = Qt.DockWidgetArea, Qt.Corner
        self._window = window
        self._areas = {
            "setup": area.LeftDockWidgetArea,
            "pair": area.RightDockWidgetArea,
            "pairs": area.BottomDockWidgetArea,
        }
        self.setup = _dock(window, window.tr("Setup"), "setup", setup)
        self.pair = _dock(window, window.tr("Pair"), "pair", pair)
        self.pairs = _dock(window, window.tr("Pairs"), "pairs", pairs)
        # The side docks reach down to the bottom: pair and setup need height, the table needs it less.
        window.setCorner(corner.BottomLeftCorner, area.LeftDockWidgetArea)
        window.setCorner(corner.BottomRightCorner, area.RightDockWidgetArea)
        self.put_back(frozenset(self._areas))

    @property
    def all(self) -> tuple[QDockWidget, ...]:
        return self.setup, self.pair, self.pairs

    def put_back(self, shown: frozenset[str]) -> None:
        """Put every panel where it is at first, and show those of these names."""
        for dock in self.all:
            dock.setFloating(False)
            self._window.addDockWidget(self._areas[dock.objectName()], dock)
            dock.setVisible(dock.objectName() in shown)
        self.fit()

    def widths(self) -> tuple[int, int]:
        """Return the widths of Setup and Pair that suit the window; the middle keeps half of it."""
        room, letter = self._window.width(), self._window.fontMetrics().averageCharWidth()
        both = int(room * (1 - CENTRE_SHARE)) - _GAPS
        setup = int(min(room * SETUP_SHARE, SETUP_LETTERS * letter))
        setup = max(setup, self.setup.minimumSizeHint().width())
        return setup, int(min(room * PAIR_SHARE, PAIR_LETTERS * letter, max(both - setup, 0)))

    def sizes(self) -> dict[str, int]:
        """Return the widths of Setup and Pair and the height of Pairs, of those that are in sight."""
        return {
            dock.objectName(): dock.height() if dock is self.pairs else dock.width()
            for dock in self.all
            if dock.isVisible()
        }

    def fit(self) -> None:
        """Give the panels the sizes that suit the window."""
        orientation = Qt.Orientation
        self._window.resizeDocks([self.setup, self.pair], list(self.widths()), orientation.Horizontal)
        self._window.resizeDocks([self.pairs], [int(self._window.height() * PAIRS_SHARE)], orientation.Vertical)


def _dock(window: QMainWindow, title: str, name: str, inside: QWidget) -> QDockWidget:
    dock = QDockWidget(title, window)
    # The name under which Qt remembers where the dock was.
    dock.setObjectName(name)
    dock.setWidget(inside)
    return dock
