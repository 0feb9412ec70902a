"""A plot of the Analysis tab with its title and buttons to copy and save it; its points and bars can be clicked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QToolTip, QWidget

from parapluie_gui.analysis.figure import Chart, CurveLine, HistogramBars, Mark, ScatterPoints, find_point
from parapluie_gui.report.palette import resolve_colour
from parapluie_gui.ui.analysis.figure_card import FigureCard
from parapluie_gui.ui.analysis.figure_words import describe_figure
from parapluie_gui.ui.state.throttle import CallThrottle
from parapluie_gui.ui.widgets.arrow_keys import ARROW_STEPS, CHOOSING_KEYS
from parapluie_gui.ui.widgets.plot_style import TITLE, apply_theme, bare_plot, scale_font, title_axis, wrap_title
from parapluie_gui.ui.widgets.text import announce, rich_text, tooltip
from parapluie_gui.ui.widgets.theme import current_theme, follow_theme

_REACH = 14.0
_HOVER_MS = 60
#: Plots are drawn in turns: the number of turns, and the time between them.
_TURNS = 6
_TURN_MS = 50
_HEIGHT = 230
#: The type size of the axes, relative to that of the window.
_AXES = 0.92
#: The share of its place that a word under the x axis may take, and the number of letters kept if there is less room.
_APART, _LETTERS = 0.85, 9


_KEYS = (
    *ARROW_STEPS,
    *(Qt.Key.Key_Home, Qt.Key.Key_End),
    *CHOOSING_KEYS,
)


class _PlotCanvas(pg.GraphicsLayoutWidget):
    """A drawing that passes the mouse wheel to the page and keys to the card."""

    keyed = Signal(int)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in _KEYS:
            self.keyed.emit(event.key())
            event.accept()
        else:
            event.ignore()


class PlotCard(FigureCard):
    """A plot with its title and buttons. A click picks a point or bar, as do the arrow keys and Enter.

    Attributes:
        describe: The function that returns the tooltip of a point, given its series and index.

    Signals:
        picked: (series, point) A point or bar was clicked.
    """

    _created = 0

    picked = Signal(int, int)

    def __init__(self, title: str, height: int = _HEIGHT, parent: QWidget | None = None) -> None:
        self.canvas = _PlotCanvas()
        super().__init__(title, self.canvas, parent)
        self.drawing = Chart("", "", ())
        self.describe: Callable[[int, int], str] = self._tip
        self._mouse: QPointF | None = None
        self._at: tuple[int, int] | None = None
        self.canvas.setFixedHeight(height)
        self.canvas.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._plot = bare_plot(pg.ViewBox(enableMenu=False, enableMouse=False, defaultPadding=0.02))
        self._legend = pg.LabelItem(justify="left")
        self.canvas.ci.setContentsMargins(4, 2, 8, 2)
        self.canvas.addItem(self._legend, 0, 0)
        self.canvas.addItem(self._plot, 1, 0)
        self._mark = pg.ScatterPlotItem(size=11)
        # Several plots are never drawn in one go, so that the window stays responsive.
        PlotCard._created += 1
        self._drawing = CallThrottle(self._draw, 1 + PlotCard._created % _TURNS * _TURN_MS, self)
        self._looking = CallThrottle(self._look, _HOVER_MS, self, rest=True)
        self.canvas.scene().sigMouseClicked.connect(self._pick)
        self.canvas.scene().sigMouseMoved.connect(self._track_mouse)
        self.canvas.keyed.connect(self._press_key)
        self.apply_theme()
        follow_theme(self.apply_theme)

    def show_chart(self, chart: Chart, signatures: Sequence[str] = ()) -> None:
        """Show a chart under its own title, at the height that it requests."""
        self.set_title(chart.title)
        self.canvas.setFixedHeight(round(_HEIGHT * chart.high))
        self.show_drawing(chart, signatures)

    def show_drawing(self, drawing: Chart, signatures: Sequence[str] = ()) -> None:
        self.drawing = self.value = drawing
        self.signatures = tuple(signatures)
        self._at = None
        self.canvas.setAccessibleDescription(describe_figure(drawing))
        self._drawing.ask()

    def apply_theme(self) -> None:
        """Apply the colours of the theme and draw the series again."""
        self.canvas.setBackground(current_theme().plot)
        self._drawing.ask()

    def finish_drawing(self) -> None:
        self._drawing.flush()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._write_legend()
        self._write_ticks()

    # Drawing

    def _draw(self) -> None:
        plot, theme, drawing = self._plot, current_theme(), self.drawing
        plot.clear()
        font = scale_font(self.font(), _AXES)
        apply_theme(plot, font)
        for mark in drawing.marks:
            if isinstance(mark, HistogramBars):
                self._draw_bars(mark)
            elif isinstance(mark, ScatterPoints):
                self._draw_points(mark)
            else:
                self._draw_line(mark)
        for side, value in drawing.rules:
            if np.isfinite(value):
                pen = pg.mkPen(theme.threshold, width=1.5)
                angle = 90 if side == "x" else 0
                plot.addItem(pg.InfiniteLine(value, angle=angle, pen=pen), ignoreBounds=True)
        self._mark.setData([], [])
        self._mark.setBrush(pg.mkBrush(None))
        self._mark.setPen(pg.mkPen(theme.text, width=2))
        plot.addItem(self._mark, ignoreBounds=True)
        if drawing.x:
            title_axis(plot, "bottom", drawing.x, font)
        self._write_left()
        self._write_ticks()
        box = plot.getViewBox()
        box.enableAutoRange()
        if drawing.x_range is not None:
            box.setXRange(*drawing.x_range, padding=0.02)
        if drawing.y_range is not None:
            box.setYRange(*drawing.y_range, padding=0.03)
        self._write_legend()

    def _write_left(self) -> None:
        """Write the title of the y axis, on two lines if it is longer than the axis."""
        font = scale_font(self.font(), _AXES)
        metrics = QFontMetricsF(font)
        # Less the legend, the numbers of the x axis and its title.
        room = self.canvas.height() - metrics.height() * (4.6 if self.drawing.x else 3.5)
        lines = wrap_title(self.drawing.y, room, QFontMetricsF(scale_font(font, TITLE)))
        if self.drawing.y:
            title_axis(self._plot, "left", "\n".join(lines), font)
        axis = self._plot.getAxis("left")
        axis.allow_overhang(metrics.height() / 2)
        axis.setWidth(metrics.horizontalAdvance("0.000") + metrics.height() * (1 + max(len(lines), 1)))

    def _write_ticks(self) -> None:
        """Write the words under the x axis; if there is no room for all, the first, the last and some in between."""
        words, axis = self.drawing.ticks, self._plot.getAxis("bottom")
        if not words:
            axis.setTicks(None)
            return
        metrics = QFontMetricsF(scale_font(self.font(), _AXES))
        step = (self.canvas.width() - self._plot.getAxis("left").width()) / len(words)
        room = step * _APART
        broken = [wrap_title(word, max(room, metrics.averageCharWidth() * _LETTERS), metrics) for word in words]
        widest = max(metrics.horizontalAdvance(line) for lines in broken for line in lines)
        last = len(words) - 1
        shown = last // ceil(max(widest / room, 1.0)) + 1
        places = sorted({round(place) for place in np.linspace(0, last, max(shown, 2))})
        axis.setTicks([[(place, "\n".join(broken[place])) for place in places]])
        beyond = max(widest / 2 - step * 0.4, 0.0) + 2
        axis.allow_overhang(beyond)
        self.canvas.ci.setContentsMargins(4, 2, 8 + beyond, 2)

    def _draw_line(self, line: CurveLine) -> None:
        width = 1.2 if line.guide else 2
        style = Qt.PenStyle.DashLine if line.guide else Qt.PenStyle.SolidLine
        colour = resolve_colour(line.colour, current_theme())
        pen = pg.mkPen(colour, width=width, style=style)
        if line.joined:
            self._plot.addItem(pg.PlotCurveItem(line.x, line.y, pen=pen, connect="finite", antialias=True))
        if line.dots:
            there = np.isfinite(line.x) & np.isfinite(line.y)
            edge = pg.mkPen(current_theme().plot, width=1)
            dots = pg.ScatterPlotItem(line.x[there], line.y[there], size=8, brush=pg.mkBrush(colour), pen=edge)
            self._plot.addItem(dots)

    def _draw_bars(self, bars: HistogramBars) -> None:
        colour = resolve_colour(bars.colour, current_theme())
        fill = pg.mkColor(colour)
        fill.setAlpha(90)
        pen = pg.mkPen(colour, width=1.5)
        edges, heights = bars.edges, bars.heights
        self._plot.addItem(pg.PlotCurveItem(edges, heights, stepMode="center", fillLevel=0, brush=fill, pen=pen))

    def _draw_points(self, points: ScatterPoints) -> None:
        """Draw a scatter plot; scores that are bounds are arrows that point to where the true value may be."""
        fill = pg.mkColor(resolve_colour(points.colour, current_theme()))
        fill.setAlpha(115)
        there = np.isfinite(points.x) & np.isfinite(points.y)
        bounds = np.zeros(len(points.x), dtype=np.int8) if points.bounds is None else points.bounds
        for bound, symbol in ((0, "o"), (1, "arrow_up"), (-1, "arrow_down")):
            chosen = there & (bounds == bound)
            if chosen.any():
                style = {"brush": pg.mkBrush(fill), "pen": None, "symbol": symbol, "size": 5 if bound == 0 else 9}
                self._plot.addItem(pg.ScatterPlotItem(points.x[chosen], points.y[chosen], **style))

    def _write_legend(self) -> None:
        named = [mark for mark in self.drawing.marks if mark.name]
        room = max(self.canvas.width() - 30, 120)
        metrics = QFontMetricsF(scale_font(self.font(), 0.95))
        lines: list[str] = [""]
        used = 0.0
        for mark in named:
            wide = metrics.horizontalAdvance(f"■ {mark.name}    ")
            if used and used + wide > room:
                lines.append("")
                used = 0.0
            sign = _sign(mark)
            lines[-1] += (
                f'<span style="color:{resolve_colour(mark.colour, current_theme())}">{sign}</span>'
                f'<span style="color:{current_theme().text}">&nbsp;{rich_text(mark.name, unbroken=True)}'
                "&nbsp;&nbsp;&nbsp;</span> "
            )
            used += wide
        self._legend.setText("<br>".join(lines), size=f"{scale_font(self.font(), 0.95).pointSizeF():.1f}pt")
        self._legend.setVisible(bool(named))
        self._legend.setMaximumHeight(len(lines) * metrics.height() * 1.25 + 4 if named else 0)

    # Mouse and keys

    def _place(self, scene: QPointF) -> tuple[int, int] | None:
        box = self._plot.getViewBox()
        if not box.sceneBoundingRect().contains(scene):
            return None
        at = box.mapSceneToView(scene)
        return find_point(self.drawing, at.x(), at.y(), box.viewPixelSize(), _REACH)

    def _pick(self, event: pg.GraphicsScene.mouseEvents.MouseClickEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            place = self._place(event.scenePos())
            if place is not None:
                self._point_at(*place)
                self.picked.emit(*place)

    def _track_mouse(self, scene: QPointF) -> None:
        self._mouse = scene
        self._looking.ask()

    def _look(self) -> None:
        place = None if self._mouse is None or not self.canvas.underMouse() else self._place(self._mouse)
        cursor = Qt.CursorShape.ArrowCursor if place is None else Qt.CursorShape.PointingHandCursor
        self.canvas.viewport().setCursor(cursor)
        text = "" if place is None else self.describe(*place)
        if text and self._mouse is not None:
            spot = self.canvas.mapToGlobal(self.canvas.mapFromScene(self._mouse))
            QToolTip.showText(spot, tooltip(text), self.canvas)
        else:
            QToolTip.hideText()

    def _press_key(self, key: int) -> None:
        series, point = self._at or (self._first(), -1)
        if series < 0:
            return
        if key in CHOOSING_KEYS:
            if self._at is not None:
                self.picked.emit(*self._at)
            return
        if key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            if self._at is None:
                self._point_at(series, 0)
            else:
                self._change_series(1 if key == Qt.Key.Key_Down else -1)
            return
        count = len(self.drawing.marks[series])
        step = {Qt.Key.Key_Left: point - 1, Qt.Key.Key_Right: point + 1, Qt.Key.Key_Home: 0}
        self._point_at(series, min(max(step.get(Qt.Key(key), count - 1), 0), count - 1))

    def _series(self) -> list[int]:
        """Return the numbers of the series that have points to choose."""
        marks = enumerate(self.drawing.marks)
        return [at for at, mark in marks if len(mark) and not (isinstance(mark, CurveLine) and mark.guide)]

    def _first(self) -> int:
        return next(iter(self._series()), -1)

    def _change_series(self, by: int) -> None:
        """Go to the next series, to its point nearest across."""
        assert self._at is not None
        places = self._series()
        series = places[(places.index(self._at[0]) + by) % len(places)]
        x, _ = self._position(*self._at)
        across = np.array([self._position(series, point)[0] for point in range(len(self.drawing.marks[series]))])
        distance = np.abs(across - x)
        distance[np.isnan(distance)] = np.inf
        self._point_at(series, int(np.argmin(distance)))

    def _tip(self, series: int, point: int) -> str:
        tip = self.drawing.marks[series].tip
        return "" if tip is None else tip(point)

    def _point_at(self, series: int, point: int) -> None:
        self._at = (series, point)
        x, y = self._position(series, point)
        self._mark.setData([x], [y])
        text = self.describe(series, point)
        self.canvas.setAccessibleDescription(text)
        if self.canvas.hasFocus():
            announce(self.canvas, text)
            if text:
                spot = self._plot.getViewBox().mapViewToScene(QPointF(x, y))
                corner = self.canvas.viewport().mapToGlobal(self.canvas.mapFromScene(spot))
                QToolTip.showText(corner, tooltip(text), self.canvas)

    def _position(self, series: int, point: int) -> tuple[float, float]:
        """Return the position of a point, or of the middle of a bar's top, in data units."""
        mark = self.drawing.marks[series]
        if isinstance(mark, HistogramBars):
            return float(mark.edges[point] + mark.edges[point + 1]) / 2, float(mark.heights[point])
        return float(mark.x[point]), float(mark.y[point])


def _sign(mark: Mark) -> str:
    """Return the symbol of a mark in the legend."""
    if isinstance(mark, HistogramBars):
        return "■"
    if isinstance(mark, ScatterPoints):
        return "●"
    return "┄" if mark.guide else "━" if mark.joined else "●"
