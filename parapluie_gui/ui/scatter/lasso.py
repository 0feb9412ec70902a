"""The lasso, which draws a line around points with the mouse and finds the points inside."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, Qt, Signal

from parapluie_gui.arrays import Floats, Mask
from parapluie_gui.ui.widgets.theme import current_theme


class LassoBox(pg.ViewBox):
    """A view box in which a drag draws a lasso while `lasso` is on or Shift is held, and pans otherwise.

    Attributes:
        lasso: Whether every left drag draws a lasso.

    Signals:
        enclosed: (float64 array (m, 2)) The lasso was closed; its corners in data units.
    """

    enclosed = Signal(np.ndarray)

    def __init__(self) -> None:
        super().__init__(enableMenu=False, defaultPadding=0)
        self.lasso = False
        self._corners: list[QPointF] | None = None
        self._line = pg.PlotCurveItem(antialias=True)
        self._line.setZValue(40)
        self.addItem(self._line, ignoreBounds=True)
        self.apply_theme()

    def apply_theme(self) -> None:
        self._line.setPen(pg.mkPen(current_theme().accent, width=2, style=Qt.PenStyle.DashLine))

    @property
    def drawing(self) -> bool:
        return self._corners is not None

    def cancel(self) -> None:
        self._corners = None
        self._line.setData([], [])

    def wants(self, ev: pg.GraphicsScene.mouseEvents.MouseDragEvent) -> bool:
        """Return whether a drag draws a lasso instead of panning."""
        shift = bool(ev.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        return ev.button() == Qt.MouseButton.LeftButton and (self.lasso or shift)

    def mouseDragEvent(self, ev: pg.GraphicsScene.mouseEvents.MouseDragEvent, axis: int | None = None) -> None:
        """Draw the lasso, or pan and zoom as in pyqtgraph."""
        if ev.isStart() and axis is None and self.wants(ev):
            self._corners = [self.mapToView(ev.buttonDownPos())]
        elif ev.isStart():
            self._corners = None
        if self._corners is None:
            if not self.lasso or ev.button() != Qt.MouseButton.LeftButton:
                super().mouseDragEvent(ev, axis)
            return
        ev.accept()
        self._corners.append(self.mapToView(ev.pos()))
        corners = np.array([(point.x(), point.y()) for point in self._corners])
        if ev.isFinish():
            self.cancel()
            if len(corners) > 2:
                self.enclosed.emit(corners)
        else:
            closed = np.vstack([corners, corners[:1]])
            self._line.setData(closed[:, 0], closed[:, 1])


def inside(polygon: Floats, x: Floats, y: Floats) -> Mask:
    """Return which points are inside a polygon, by the even-odd rule: bool (n,).

    A point toggles at each edge to its right that crosses its height. Points are sorted by height once (a radix sort
    of 16-bit heights), so that an edge is compared only with the points of its band.

    Args:
        polygon: float64 (m, 2), corners in order; the last joins the first.
        x: Horizontal positions of the points, float64 (n,).
        y: Vertical positions of the points, float64 (n,).
    """
    result = np.zeros(len(x), dtype=bool)
    if len(polygon) < 3:
        return result
    (left, low), (right, high) = polygon.min(axis=0), polygon.max(axis=0)
    near = np.flatnonzero((x >= left) & (x <= right) & (y >= low) & (y <= high))
    if not len(near) or high <= low:
        return result

    def band(heights: Floats) -> NDArray[np.uint16]:
        return np.asarray((heights - low) * (65535 / (high - low)), dtype=np.uint16)

    heights = y[near]
    bands = band(heights)
    order = np.argsort(bands, kind="stable")
    near, heights, bands = near[order], heights[order], bands[order]
    across = x[near]
    odd = np.zeros(len(near), dtype=bool)
    following = np.roll(polygon, -1, axis=0)
    edge_bands = band(np.stack([polygon[:, 1], following[:, 1]]))
    first = np.searchsorted(bands, edge_bands.min(axis=0), side="left")
    last = np.searchsorted(bands, edge_bands.max(axis=0), side="right")
    for (xa, ya), (xb, yb), begin, end in zip(polygon, following, first, last, strict=True):
        if ya == yb or begin == end:
            continue
        height = heights[begin:end]
        crossed = (height < ya) != (height < yb)
        crossed &= across[begin:end] < (xb - xa) / (yb - ya) * (height - ya) + xa
        odd[begin:end] ^= crossed
    result[near] = odd
    return result
