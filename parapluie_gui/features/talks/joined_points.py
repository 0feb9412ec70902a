"""The point of a typed pair in the stage's scatter, joined to the point of the pair that it came from."""

from __future__ import annotations

import math

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QObject
from PySide6.QtGui import QColor

from parapluie_gui.scores.identity import ColumnIdentity, judge_word
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.ui.scatter.view import ScatterView
from parapluie_gui.ui.state.workspace import CorpusWorkspace
from parapluie_gui.ui.widgets.plot_style import default_font, scale_font
from parapluie_gui.ui.widgets.theme import current_theme, follow_theme

#: A position in a scatter.
Point = tuple[float, float]

#: Sizes in pixels of the ring and of the mark, and the width of the line, at normal size.
_RING, _MARK, _LINE = 19.0, 17.0, 2.4

#: Margin around the points where they would be outside the view, as a share of the range.
_MARGIN = 0.08


def find_point(workspace: CorpusWorkspace, row: int) -> Point | None:
    """Return the position of a pair of a corpus on the axes shown; None without a number on one of them."""
    numbers = [workspace.values(axis) for axis in (workspace.x, workspace.y)]
    return _point([math.nan if column is None else float(column[row]) for column in numbers])


def find_typed_point(workspace: CorpusWorkspace, table: ScoreTable) -> Point | None:
    """Return the position of the only pair of a table on the axes that a workspace shows."""
    return _point([_number(table, workspace.table.identity(axis)) for axis in (workspace.x, workspace.y)])


def _point(numbers: list[float]) -> Point | None:
    x, y = numbers
    return (x, y) if math.isfinite(x) and math.isfinite(y) else None


def _number(table: ScoreTable, axis: ColumnIdentity) -> float:
    """Return the score that an axis shows; NaN if the table has none of the same metric, or judge and template."""
    for column in table.scores:
        identity = table.identity(column)
        if identity.column == axis.column if not axis.is_from_judge else _is_alike(identity, axis):
            return float(table[column][0])
    return math.nan


def _is_alike(identity: ColumnIdentity, axis: ColumnIdentity) -> bool:
    """Return whether two columns have scores of one judge with one template, as far as the judges are known."""
    first, second = identity.maker, axis.maker
    if first is None or second is None or (first.template, first.reverse) != (second.template, second.reverse):
        return False
    return not (first.judge and second.judge) or judge_word(first.judge) == judge_word(second.judge)


class JoinedPoints(QObject):
    """Two points of a scatter with a line between them: the pair before, and the pair typed by the speaker.

    Args:
        plot: The scatter.
    """

    def __init__(self, plot: ScatterView) -> None:
        super().__init__(plot)
        self._plot = plot
        self._factor = 1.0
        self._box = plot.canvas.box
        self._line = pg.PlotDataItem()
        self._ring, self._mark = pg.ScatterPlotItem(symbol="o"), pg.ScatterPlotItem(symbol="d")
        self._words = pg.TextItem()
        self._points: tuple[Point | None, Point | None] = None, None
        for item, height in ((self._line, 28), (self._ring, 30), (self._mark, 31), (self._words, 32)):
            item.setZValue(height)
            self._box.addItem(item, ignoreBounds=True)
        follow_theme(self._dress)
        self._draw()

    def show(self, before: Point | None, typed: Point | None, factor: float = 1.0) -> None:
        """Show the points, with type and marks enlarged by a factor; without the typed one nothing is shown."""
        before = None if typed is None else before
        if (before, typed, factor) != (*self._points, self._factor):
            self._points, self._factor = (before, typed), factor
            self._draw()

    @property
    def points(self) -> tuple[Point | None, Point | None]:
        """The positions of the pair before and of the typed pair; None for a point that is not shown."""
        return self._points

    def _draw(self) -> None:
        before, typed = self._points
        self._plot.setAccessibleDescription(self._describe())
        ends = [point for point in (before, typed) if point is not None]
        self._line.setData(*np.array(ends, dtype=np.float64).reshape(-1, 2).T)
        for item, point in ((self._ring, before), (self._mark, typed)):
            item.setData(x=[] if point is None else [point[0]], y=[] if point is None else [point[1]])
        for item in (self._line, self._ring, self._mark, self._words):
            item.setVisible(typed is not None)
        if typed is not None:
            low, high = self._box.viewRange()[0]
            self._words.setAnchor((-0.12, 0.5) if typed[0] < (low + high) / 2 else (1.12, 0.5))
            self._words.setPos(*typed)
            self._bring_into_view(ends)
        self._dress()

    def _describe(self) -> str:
        before, typed = (None if point is None else f"{point[0]:.2f}, {point[1]:.2f}" for point in self._points)
        if typed is None:
            return ""
        if before is None:
            return self.tr("Your own pair is at {0}").format(typed)
        return self.tr("Your own pair is at {0}, the pair before it at {1}").format(typed, before)

    def _bring_into_view(self, points: list[Point]) -> None:
        ranges = []
        for (low, high), values in zip(self._box.viewRange(), zip(*points, strict=True), strict=True):
            margin = (high - low) * _MARGIN
            ranges.append((min(low, min(values) - margin), max(high, max(values) + margin)))
        if [list(limits) for limits in ranges] != self._box.viewRange():
            self._box.setRange(xRange=ranges[0], yRange=ranges[1], padding=0, disableAutoRange=True)

    def _dress(self) -> None:
        theme = current_theme()
        pen = pg.mkPen(theme.text, width=_LINE * self._factor)
        self._line.setPen(pen)
        self._ring.setSize(_RING * self._factor)
        self._ring.setPen(pen)
        self._ring.setBrush(pg.mkBrush(None))
        self._mark.setSize(_MARK * self._factor)
        self._mark.setPen(pg.mkPen(theme.plot, width=self._factor))
        self._mark.setBrush(QColor(theme.text))
        self._words.setText(self.tr("your own pair"), color=theme.text)
        self._words.setFont(scale_font(default_font(), self._factor))
