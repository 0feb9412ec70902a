"""The drawing area of the scatter: points, threshold line, histograms and legend, with mouse and keys."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QToolTip, QWidget

from parapluie_gui.report.figure_style import FigureStyle
from parapluie_gui.ui.scatter.axes import AxisFrame
from parapluie_gui.ui.scatter.cloud import PointCloud
from parapluie_gui.ui.scatter.colouring import ColourLegend, InsetLegend
from parapluie_gui.ui.scatter.lasso import LassoBox
from parapluie_gui.ui.scatter.marginals import MarginalHistograms
from parapluie_gui.ui.scatter.points import PointLayer
from parapluie_gui.ui.scatter.threshold_bar import ThresholdLine
from parapluie_gui.ui.scatter.walk import PointWalk
from parapluie_gui.ui.state.selection import NO_PAIR
from parapluie_gui.ui.state.throttle import CallThrottle
from parapluie_gui.ui.widgets.empty import EmptyState
from parapluie_gui.ui.widgets.figure_file import laid_out
from parapluie_gui.ui.widgets.plot_style import (
    apply_theme,
    axis_height,
    axis_width,
    bare_plot,
    default_font,
    fit_title,
    fitted_axis_width,
    scale_font,
    title_axis,
)
from parapluie_gui.ui.widgets.text import tooltip
from parapluie_gui.ui.widgets.theme import current_theme, follow_theme

#: Distance from a point, in pixels, within which the mouse selects it.
REACH = 12.0
_HOVER_MS = 60
#: Modifiers without which a key is one of the walk: none, or that of the number pad, whose Enter it is.
_PLAIN = (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
_TOOLTIP_LETTERS = 300

#: Height of the plot, in lines of text, below which the top histogram is hidden.
_LOW = 16

#: Qt's value for an unlimited height.
_UNBOUND = 16777215

#: Minimum share of a figure for the plotting area, below which the legend moves inside; and the figure's margins.
LEAST_PLOT, _FIGURE_MARGINS = 0.6, (3, 3, 6, 2)
#: Margins of the canvas on the screen.
_MARGINS = (6, 4, 6, 4)


class ScatterCanvas(pg.GraphicsLayoutWidget):
    """One scatter with its histograms, which handles positions and rows but no corpora.

    Attributes:
        line: The threshold line.
        walk: The mark that the arrow keys move from pair to pair.
        natural_line: The thin line at the natural threshold, shown when the threshold line is elsewhere.

    Signals:
        picked: (row) A pair was clicked.
        hovered: (row) The mouse is near a pair; NO_PAIR when it leaves.
        visited: (row) The arrow keys went to a pair; NO_PAIR when they left.
        escaped: Escape was pressed while no lasso was being drawn.
        fit_asked: Home was pressed.
    """

    picked = Signal(int)
    hovered = Signal(int)
    visited = Signal(int)
    escaped = Signal()
    fit_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._base = default_font()
        self._factor = 1.0
        self._titles = (("", ""), ("", ""))
        self._mouse: QPointF | None = None
        self._hovered = NO_PAIR
        self.setMinimumSize(260, 140)
        for part in (self, self.viewport()):
            part.setAccessibleName(self.tr("Scatter plot"))

        self.box = LassoBox()
        self.plot = bare_plot(self.box)
        self.points = PointLayer(self.plot, parent=self)
        self.walk = PointWalk(self.box, self.points, self)
        self.marginals = MarginalHistograms(self.plot, self)
        self.natural_line = pg.InfiniteLine(angle=0, movable=False)
        self.natural_line.setZValue(19)
        self.line = ThresholdLine(self.box, self.tr("threshold {value:.2f}"))
        self.box.addItem(self.natural_line, ignoreBounds=True)
        self.box.addItem(self.line, ignoreBounds=True)
        self.legend = ColourLegend()
        self.ci.setContentsMargins(*_MARGINS)
        self.ci.setSpacing(2)
        self.ci.addItem(self.plot, row=2, col=0)
        #: The parts around the plot, and their row, column, and number of rows and columns.
        self._around = {self.legend: (0, 0, 1, 2), self.marginals.top: (1, 0, 1, 1), self.marginals.right: (2, 1, 1, 1)}
        for part, (row, column, _, columns) in self._around.items():
            self.ci.addItem(part, row=row, col=column, colspan=columns)
        for stretch, place in ((1, 1), (7, 2)):
            self.ci.layout.setRowStretchFactor(place, stretch)
        for stretch, place in ((8, 0), (1, 1)):
            self.ci.layout.setColumnStretchFactor(place, stretch)
        self.frame = AxisFrame(self.box, self)

        self.message = EmptyState(self)

        self.walk.moved.connect(self.visited)
        self.walk.chosen.connect(self.picked)
        self._looking = CallThrottle(self._look, _HOVER_MS, self)
        self.box.sigResized.connect(self._write_titles)
        self.scene().sigMouseClicked.connect(self._click_point)
        self.scene().sigMouseMoved.connect(self._mouse_moved)
        self.apply_theme()
        follow_theme(self.apply_theme)

    def show_cloud(self, cloud: PointCloud) -> None:
        self.points.show(cloud)
        self.marginals.show(cloud)
        self.walk.follow()

    def set_titles(self, x: tuple[str, str], y: tuple[str, str]) -> None:
        """Set the axis titles, each in a long form and a short one that is used if the long one does not fit."""
        self._titles = (x, y)
        self._write_titles()

    def describe(self, text: str) -> None:
        """Describe the picture for screen readers."""
        if self.accessibleDescription() != text:
            self.setAccessibleDescription(text)

    def set_threshold(self, value: float, natural: float | None) -> None:
        """Move the threshold line; `natural` is the position of the thin line; None hides it."""
        if self.line.value() != value:
            self.line.setValue(value)
        self.natural_line.setVisible(natural is not None and natural != value)
        if natural is not None:
            self.natural_line.setValue(natural)

    def say(self, text: str, action: str = "") -> None:
        """Show a message in the empty plot, with a button for an action of the window; "" removes it."""
        self.message.say(text, action)
        self._place_message()

    def row_at(self, scene_position: QPointF) -> int:
        """Return the pair nearest to a position of the scene, within REACH pixels, or NO_PAIR."""
        if not self.box.sceneBoundingRect().contains(scene_position):
            return NO_PAIR
        at = self.box.mapSceneToView(scene_position)
        return self.points.cloud.nearest(at.x(), at.y(), self.box.viewPixelSize(), REACH * max(self._factor, 1.0))

    def show_tip(self, lines: list[str]) -> None:
        """Show a tooltip at the mouse, or else at the mark of the arrow keys; the lines are plain text."""
        place = self.points.place_of(self.walk.row)
        if self._mouse is not None:
            place = self._mouse
        if place is None or not lines:
            QToolTip.hideText()
            return
        # QToolTip guesses whether text is rich text: use rich text and escape the corpus's text.
        cut = (line if len(line) <= _TOOLTIP_LETTERS else line[:_TOOLTIP_LETTERS] + "…" for line in lines)
        corner = self.viewport().mapToGlobal(self.mapFromScene(place) + QPoint(14, 10))
        QToolTip.showText(corner, tooltip("\n".join(cut)), self)

    @contextmanager
    def as_figure(self, style: FigureStyle, page: QSizeF) -> Iterator[None]:
        """Leave out the parts that a figure in a style does not show, during the `with` block.

        The legend moves into the plot if the plot would otherwise take less than `LEAST_PLOT` of the page.
        """
        font = scale_font(self._base, self._factor)
        axes, tall = [plot.getAxis("left") for plot in (self.plot, self.marginals.top)], self.marginals.top.isVisible()
        gone = [] if style.legend else [self.legend]
        gone += [] if style.histograms else [self.marginals.top, self.marginals.right]
        inset = InsetLegend(self.box)
        inset.hide()
        place = partial(self._place_inset, inset)
        # First all parts are restored, then the layout, then the ranges of the axes.
        with laid_out(self, page):
            try:
                self.ci.setContentsMargins(*_FIGURE_MARGINS)
                wide = fitted_axis_width(axes[0], tuple(self.box.viewRange()[1]), font, page.height())
                for axis in axes:
                    axis.setWidth(wide)
                self._show_top(style.histograms)
                self.marginals.set_linked(style.histograms)
                for part in gone:
                    self._take_away(part)
                if style.legend and self.plot_share(page) < LEAST_PLOT:
                    gone.append(self.legend)
                    self._take_away(self.legend)
                    inset.write(self.legend.entries, font)
                    inset.show()
                    self.box.sigResized.connect(place)
                yield
            finally:
                if inset.isVisible():
                    self.box.sigResized.disconnect(place)
                self.scene().removeItem(inset)
                self.ci.setContentsMargins(*_MARGINS)
                for axis in axes:
                    axis.setWidth(axis_width(font))
                for part in gone:
                    self.ci.layout.addItem(part, *self._around[part])
                    part.show()
                self._show_top(tall)
                self.marginals.set_linked(True)

    def plot_share(self, page: QSizeF) -> float:
        """Return the share of the page that the plotting area takes."""
        with laid_out(self, page):
            area = self.box.sceneBoundingRect()
            return float(area.width() * area.height() / (page.width() * page.height()))

    def _show_top(self, shown: bool) -> None:
        self.marginals.top.setVisible(shown)
        # A hidden plot would keep its height.
        self.ci.layout.setRowMaximumHeight(1, _UNBOUND if shown else 0)

    def _take_away(self, part: pg.GraphicsWidget) -> None:
        """Hide a part around the plot, so that it takes no room."""
        part.hide()
        self.ci.layout.removeItem(part)

    def _place_inset(self, inset: InsetLegend, *_: object) -> None:
        cloud, (x, y) = self.points.cloud, self.box.viewRange()
        across, up = (
            (values - ends[0]) / ((ends[1] - ends[0]) or 1.0) for values, ends in ((cloud.x, x), (cloud.y, y))
        )
        inset.place(self.box.rect(), across, up)

    def apply_theme(self) -> None:
        self.setBackground(current_theme().plot)
        self.box.apply_theme()
        self.points.apply_theme()
        self.walk.apply_theme()
        self.marginals.apply_theme()
        self.natural_line.setPen(pg.mkPen(current_theme().threshold, width=1, style=Qt.PenStyle.DashLine))
        self.set_scale(self._factor)

    def set_scale(self, factor: float, marks: float | None = None) -> None:
        """Scale the type; scale the points and the line by a different factor if one is given."""
        self._factor = factor
        marks = factor if marks is None else marks
        font = scale_font(self._base, factor)
        apply_theme(self.plot, font)
        for plot in (self.plot, self.marginals.top):
            plot.getAxis("left").setWidth(axis_width(font))
        for plot in (self.plot, self.marginals.right):
            plot.getAxis("bottom").setHeight(axis_height(font))
        self.marginals.top.getAxis("bottom").setHeight(2)
        self.marginals.right.getAxis("left").setWidth(2)
        self.line.apply_theme(font, marks)
        self.points.set_scale(marks)
        self.legend.set_font(font)
        self._write_titles()
        self.message.label.setFont(scale_font(self._base, 1.4 * factor))
        self._place_message()

    def keyPressEvent(self, ev: QKeyEvent) -> None:
        """Fit (Home, 0), cancel (Escape), walk through the pairs (arrows) or zoom (+ and -); pass other keys on."""
        key, plain = ev.key(), ev.modifiers() in _PLAIN
        keys = Qt.Key
        if key == keys.Key_Escape:
            if self.box.drawing:
                self.box.cancel()
            else:
                self.escaped.emit()
        elif key == keys.Key_Home or (key == keys.Key_0 and plain):
            self.fit_asked.emit()
        elif plain and self.walk.press(key, self.points.primary):
            pass
        elif key in (keys.Key_Plus, keys.Key_Equal, keys.Key_Minus):
            factor = 1.25 if key == keys.Key_Minus else 0.8
            self.box.scaleBy((factor, factor))
            self.box.sigRangeChangedManually.emit([True, True])
        else:
            ev.ignore()
            return
        ev.accept()

    def resizeEvent(self, ev: QResizeEvent) -> None:
        super().resizeEvent(ev)
        if hasattr(self, "message"):
            self._place_message()
            # A low window hides the top histogram in favour of the plot.
            self._show_top(ev.size().height() >= _LOW * self.fontMetrics().height())

    def focusOutEvent(self, ev: QFocusEvent) -> None:
        """Remove the mark of the arrow keys."""
        super().focusOutEvent(ev)
        self.walk.move(NO_PAIR)

    def leaveEvent(self, ev: QEvent) -> None:
        super().leaveEvent(ev)
        self._mouse = None
        self._looking.stop()
        self._set_hovered(NO_PAIR)

    def _write_titles(self) -> None:
        font = scale_font(self._base, self._factor)
        rect = self.box.rect()
        for side, room, texts in zip(("bottom", "left"), (rect.width(), rect.height()), self._titles, strict=True):
            title_axis(self.plot, side, fit_title(texts, room, font), font)

    def _place_message(self) -> None:
        wide = max(self.width() * 3 // 4, 100)
        size = QSize(wide, max(self.message.heightForWidth(wide), self.message.sizeHint().height()))
        place = QRect(QPoint(0, 0), size)
        place.moveCenter(self.rect().center() - QPoint(0, self.height() // 9))
        self.message.setGeometry(place)

    def _click_point(self, ev: pg.GraphicsScene.mouseEvents.MouseClickEvent) -> None:
        if ev.button() != Qt.MouseButton.LeftButton or ev.double():
            return
        row = self.row_at(ev.scenePos())
        if row != NO_PAIR:
            self.picked.emit(row)

    def _mouse_moved(self, position: QPointF) -> None:
        self._mouse = QPointF(position)
        self._looking.ask()

    def _look(self) -> None:
        busy = self.line.moving or self.box.drawing
        self._set_hovered(NO_PAIR if self._mouse is None or busy else self.row_at(self._mouse))

    def _set_hovered(self, row: int) -> None:
        if row != self._hovered:
            self._hovered = row
            self.hovered.emit(row)
