"""The part of the plane that a plot shows: all points, without jitter while they arrive, until the user zooms."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import QObject

from parapluie_gui.arrays import Floats
from parapluie_gui.scores.identity import identify
from parapluie_gui.ui.scatter.axes import natural_range
from parapluie_gui.ui.scatter.cloud import Cloud, Range

#: Room around a column's natural range, and beyond a point that fell outside: wide, so that growing is rare.
_EDGE, _GROWTH = 0.03, 0.15
#: Range of a ParaPLUIE axis before there are scores.
_PLUIE_START = (-10.0, 10.0)


class Frame(QObject):
    """Chooses the range of a plot.

    Attributes:
        following: True while the range grows with the data; False once the user panned or zoomed.
    """

    def __init__(self, box: pg.ViewBox, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.following = True
        self._empty = True
        self._box = box
        box.disableAutoRange()
        box.sigRangeChangedManually.connect(self._release)

    def fit(self, cloud: Cloud, x: str, y: str, line: float | None = None) -> None:
        """Show everything: the columns' natural ranges, the points and the threshold line."""
        self.following = True
        self._empty = not len(cloud.x)
        self._set(_fitted(x, cloud.x), _fitted(y, cloud.y, line))

    def follow(self, cloud: Cloud, x: str, y: str, line: float | None = None) -> None:
        """Grow where points fell outside; nothing happens while all are inside, or after the user zoomed."""
        if not self.following:
            return
        if self._empty and len(cloud.x):
            # The first points show how large the numbers are; before, the range was only a guess.
            self.fit(cloud, x, y, line)
            return
        old_x, old_y = (tuple(side) for side in self._box.viewRange())
        new = _grown(x, old_x, cloud.x), _grown(y, old_y, cloud.y, line)
        if new != (old_x, old_y):
            self._set(*new)

    def _set(self, x: Range, y: Range) -> None:
        self._box.setRange(xRange=x, yRange=y, padding=0, disableAutoRange=True)

    def _release(self) -> None:
        self.following = False


def _bounds(values: Floats, line: float | None) -> Range | None:
    found = [float(values.min()), float(values.max())] if len(values) else []
    if line is not None:
        found.append(line)
    return (min(found), max(found)) if found else None


def _natural(column: str) -> Range | None:
    limits = natural_range(column)
    if limits is None:
        return _PLUIE_START if identify(column).judged else None
    edge = (limits[1] - limits[0]) * _EDGE
    return limits[0] - edge, limits[1] + edge


def _fitted(column: str, values: Floats, line: float | None = None) -> Range:
    natural, bounds = _natural(column), _bounds(values, line)
    if bounds is None:
        return natural or (0.0, 1.0)
    # A range of 0..1 is kept whole, so that the axis looks the same for every corpus; ParaPLUIE's is only a start.
    whole = natural_range(column) is not None or not len(values)
    if natural is not None and whole and bounds[0] >= natural[0] and bounds[1] <= natural[1]:
        return natural
    margin = (bounds[1] - bounds[0]) * 0.06 or max(abs(bounds[0]) * 0.1, 0.5)
    return bounds[0] - margin, bounds[1] + margin


def _grown(column: str, now: Range, values: Floats, line: float | None = None) -> Range:
    bounds = _bounds(values, line)
    if bounds is None or (bounds[0] >= now[0] and bounds[1] <= now[1]):
        return now
    low, high = min(bounds[0], now[0]), max(bounds[1], now[1])
    margin = (high - low) * _GROWTH
    return (low - margin if bounds[0] < now[0] else now[0]), (high + margin if bounds[1] > now[1] else now[1])
