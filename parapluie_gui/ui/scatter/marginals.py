"""The histograms at the top and right of the scatter, over the pairs in view."""

from __future__ import annotations

import math

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QObject
from PySide6.QtGui import QColor

from parapluie_gui.arrays import Floats
from parapluie_gui.ui.scatter.cloud import PointCloud
from parapluie_gui.ui.scatter.colouring import SYMBOLS
from parapluie_gui.ui.scatter.density import count_bars
from parapluie_gui.ui.scatter.points import POINT_LIMIT
from parapluie_gui.ui.state.throttle import CallThrottle
from parapluie_gui.ui.widgets.plot_style import bare_plot
from parapluie_gui.ui.widgets.theme import current_theme

#: Approximate number of bars across a view.
BARS = 40
_REFILL_MS = 60
#: Delay after the last move of the view before many pairs are counted, so that panning stays smooth.
_REST_MS = 150


def bin_edges(low: float, high: float, bars: int = BARS) -> Floats:
    """Return edges of equal bins over a range: multiples of 1, 2, 2.5 or 5 times a power of ten, so 0 is an edge."""
    raw = (high - low) / bars
    if not math.isfinite(raw) or raw <= 0:
        return np.array([low, low + 1.0])
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= raw * 0.9)
    return np.arange(math.floor(low / step), math.ceil(high / step) + 1, dtype=np.float64) * step


class MarginalHistograms(QObject):
    """Two histograms stacked by kind, over the pairs in view; with a selection, over the selected pairs in view.

    Attributes:
        top, right: Plots for x and y, which the scatter lays out.
    """

    def __init__(self, main: pg.PlotItem, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._main = main
        self._cloud = PointCloud.empty()
        self._counts = np.zeros((2, self._cloud.kinds), dtype=np.int64)
        self.top, self.right = (self._plot() for _ in range(2))
        self.set_linked(True)
        self._bars = [[self._bar(plot) for _ in SYMBOLS] for plot in (self.top, self.right)]
        self._refilling = CallThrottle(self._refill, _REFILL_MS, self)
        main.getViewBox().sigRangeChanged.connect(self._refill_later)
        self.apply_theme()

    @staticmethod
    def _plot() -> pg.PlotItem:
        plot = bare_plot(pg.ViewBox(enableMenu=False, enableMouse=False, defaultPadding=0))
        plot.disableAutoRange()
        for side in ("left", "bottom"):
            plot.getAxis(side).setStyle(showValues=False, tickLength=0)
            plot.getAxis(side).setPen(pg.mkPen(None))
            plot.getAxis(side).setTicks([])
        return plot

    @staticmethod
    def _bar(plot: pg.PlotItem) -> pg.BarGraphItem:
        bar = pg.BarGraphItem(x0=[], x1=[], y0=[], y1=[])
        plot.addItem(bar, ignoreBounds=True)
        return bar

    def set_linked(self, linked: bool) -> None:
        """Follow the ranges of the main plot or not; they do not while they have no place in the layout."""
        self.top.setXLink(self._main if linked else None)
        self.right.setYLink(self._main if linked else None)

    def counts(self, axis: int) -> list[int]:
        """Return the number of pairs of each kind in the histogram of an axis (0 = x, 1 = y)."""
        return [int(number) for number in self._counts[axis]]

    def show(self, cloud: PointCloud) -> None:
        redressed = cloud.colours is not self._cloud.colours
        self._cloud = cloud
        if redressed:
            self._counts = np.zeros((2, cloud.kinds), dtype=np.int64)
            self.apply_theme()
        if len(cloud) <= POINT_LIMIT:
            self._refill()
        else:
            self._refilling.ask()

    def apply_theme(self) -> None:
        for bars in self._bars:
            for bar, colour in zip(bars, self._cloud.colours(current_theme()), strict=False):
                soft = QColor(colour)
                soft.setAlpha(190)
                bar.setOpts(brush=soft, pen=pg.mkPen(current_theme().plot, width=0.5))

    def _refill_later(self) -> None:
        if len(self._cloud) > POINT_LIMIT:
            self._refilling.start(_REST_MS)
        else:
            self._refilling.ask()

    def _refill(self) -> None:
        x_range, y_range = (tuple(side) for side in self._main.getViewBox().viewRange())
        cloud = self._cloud
        # With a rule in force, pairs outside the selection are in the last group; those out of view join them.
        group = np.where(cloud.mask_inside(x_range, y_range), cloud.group, np.int8(cloud.kinds))
        for axis, (values, (low, high)) in enumerate(((cloud.x, x_range), (cloud.y, y_range))):
            edges = bin_edges(low, high)
            table = count_bars(values, group, cloud.kinds + 1, edges)[:-1]
            self._counts[axis] = table.sum(axis=1)
            ends = np.cumsum(table, axis=0)
            for bar in self._bars[axis][cloud.kinds :]:
                bar.setOpts(x0=[], x1=[], y0=[], y1=[])
            for bar, begin, end in zip(self._bars[axis], ends - table, ends, strict=False):
                if axis == 0:
                    bar.setOpts(x0=edges[:-1], x1=edges[1:], y0=begin, y1=end)
                else:
                    bar.setOpts(x0=begin, x1=end, y0=edges[:-1], y1=edges[1:])
            tallest = max(int(ends[-1].max()), 1) * 1.04
            if axis == 0:
                self.top.setYRange(0, tallest, padding=0)
            else:
                self.right.setXRange(0, tallest, padding=0)
