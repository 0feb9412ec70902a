"""Walking through the points of the scatter with the arrow keys."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import QObject, Qt, Signal

from parapluie_gui.ui.scatter.cloud import PointCloud
from parapluie_gui.ui.scatter.points import PointLayer
from parapluie_gui.ui.state.selection import NO_PAIR
from parapluie_gui.ui.widgets.arrow_keys import ARROW_STEPS, CHOOSING_KEYS
from parapluie_gui.ui.widgets.theme import current_theme

_SIZE = 18.0


class PointWalk(QObject):
    """A mark that the arrow keys move from point to point, as the mouse does by hovering.

    An arrow goes to the nearest pair in its direction, Page Down and Page Up to the next and previous pair at the same
    place, Enter and Space select the pair. Only pairs of the selection are visited.

    Attributes:
        row: The pair at the mark, or NO_PAIR.

    Signals:
        moved: (row) The mark is at another pair; NO_PAIR when it is removed.
        chosen: (row) Enter was pressed.
    """

    moved = Signal(int)
    chosen = Signal(int)

    def __init__(self, box: pg.ViewBox, points: PointLayer, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.row = NO_PAIR
        self._box, self._points = box, points
        self._mark = pg.ScatterPlotItem(symbol="s", size=_SIZE, pxMode=True)
        self._mark.setZValue(31)
        self._box.addItem(self._mark, ignoreBounds=True)
        self.apply_theme()

    def apply_theme(self) -> None:
        self._mark.setBrush(pg.mkBrush(None))
        self._mark.setPen(pg.mkPen(current_theme().accent, width=2))

    def press(self, key: int, start: int) -> bool:
        """Follow a key, from the pair `start` if the mark is at none; return whether it is a key of the walk."""
        cloud = self._points.cloud
        at = self.row if cloud.index_of_row(self.row) >= 0 else start
        if key in ARROW_STEPS:
            across, down = ARROW_STEPS[key]
            self.move(self._next(cloud, at, (across, -down)))
        elif key in (Qt.Key.Key_PageDown, Qt.Key.Key_PageUp):
            self.move(self._neighbour_here(cloud, at, 1 if key == Qt.Key.Key_PageDown else -1))
        elif key in CHOOSING_KEYS:
            if cloud.index_of_row(at) >= 0:
                self.chosen.emit(at)
        else:
            return False
        return True

    def move(self, row: int) -> None:
        """Move the mark to a pair, and the view so that the pair is in it."""
        place = self._points.cloud.index_of_row(row) if row != NO_PAIR else -1
        if place < 0:
            self._mark.setData([], [])
        else:
            x, y = float(self._points.cloud.x[place]), float(self._points.cloud.y[place])
            self._show(x, y)
            self._mark.setData([x], [y])
        if row != self.row:
            self.row = row
            self.moved.emit(row)

    def follow(self) -> None:
        """Follow the pair to its place in other points, or remove the mark if it has none there."""
        if self.row != NO_PAIR:
            at = self._points.cloud.index_of_row(self.row)
            self.move(self.row if at >= 0 else NO_PAIR)

    def _next(self, cloud: PointCloud, at: int, way: tuple[int, int]) -> int:
        """Return the nearest pair in a direction; with no pair to start from, the one nearest to the middle."""
        place = cloud.index_of_row(at) if at != NO_PAIR else -1
        (left, right), (low, high) = self._box.viewRange()
        pixel = self._box.viewPixelSize()
        if place < 0:
            return cloud.nearest_to((left + right) / 2, (low + high) / 2, pixel)
        row = cloud.neighbour(place, way, pixel)
        return row if row != NO_PAIR else at

    def _neighbour_here(self, cloud: PointCloud, at: int, by: int) -> int:
        same = cloud.at_same_place(at)
        if not len(same):
            return at
        place = int((same == at).argmax())
        return int(same[(place + by) % len(same)])

    def _show(self, x: float, y: float) -> None:
        """Move the view to a point that is outside."""
        moves = []
        for value, (low, high) in zip((x, y), self._box.viewRange(), strict=True):
            margin = (high - low) * 0.05
            moves.append(min(value - low - margin, 0.0) + max(value - high + margin, 0.0))
        if not self._box.viewRect().contains(x, y):
            self._box.translateBy(tuple(moves))
            self._box.sigRangeChangedManually.emit([True, True])
