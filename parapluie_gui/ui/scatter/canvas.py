"""The drawing area of the scatter: points, threshold line, histograms and legend, with mouse and keys."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QToolTip, QWidget

from parapluie_gui.ui.scatter.axes import AxisFrame
from parapluie_gui.ui.scatter.cloud import PointCloud
from parapluie_gui.ui.scatter.colouring import ColourLegend
from parapluie_gui.ui.scatter.lasso import LassoBox
from parapluie_gui.ui.scatter.marginals import MarginalHistograms
from parapluie_gui.ui.scatter.points import PointLayer
from parapluie_gui.ui.scatter.threshold_bar import ThresholdLine
from parapluie_gui.ui.state.selection import NO_PAIR
from parapluie_gui.ui.state.throttle import Throttle
from parapluie_gui.ui.widgets.empty import EmptyState
from parapluie_gui.ui.widgets.plot_style import (
    apply_theme,
    axis_height,
    axis_width,
    bare_plot,
    default_font,
    fit_title,
    scale_font,
    title_axis,
)
from parapluie_gui.ui.widgets.text import tooltip
from parapluie_gui.ui.widgets.theme import current_theme, follow_theme

#: Distance from a point, in pixels, within which the mouse selects it.
REACH = 12.0
_HOVER_MS = 60
_TOOLTIP_LETTERS = 300

#: Height of the plot, in lines of text, below which the top histogram is hidden.
_LOW = 16

#: Qt's value for an unlimited height.
_UNBOUND = 16777215


class ScatterCanvas(pg.GraphicsLayoutWidget):
    """One scatter with its histograms, which handles positions and rows but no corpora.

    Attributes:
        line: The threshold line.
        natural_line: The thin line at the natural threshold, shown when the threshold line is elsewhere.

    Signals:
        picked: (row) A pair was clicked.
        hovered: (row) The mouse is near a pair; NO_PAIR when it leaves.
        stepped: (by) An arrow key was pressed, for the next or previous pair.
        escaped: Escape was pressed while no lasso was being drawn.
        fit_asked: Home was pressed.
    """

    picked = Signal(int)
    hovered = Signal(int)
    stepped = Signal(int)
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
        self.marginals = MarginalHistograms(self.plot, self)
        self.natural_line = pg.InfiniteLine(angle=0, movable=False)
        self.natural_line.setZValue(19)
        self.line = ThresholdLine(self.box, self.tr("threshold {value:.2f}"))
        self.box.addItem(self.natural_line, ignoreBounds=True)
        self.box.addItem(self.line, ignoreBounds=True)
        self.legend = ColourLegend()
        self.ci.setContentsMargins(6, 4, 6, 4)
        self.ci.setSpacing(2)
        self.ci.addItem(self.legend, row=0, col=0, colspan=2)
        self.ci.addItem(self.marginals.top, row=1, col=0)
        self.ci.addItem(self.plot, row=2, col=0)
        self.ci.addItem(self.marginals.right, row=2, col=1)
        for stretch, place in ((1, 1), (7, 2)):
            self.ci.layout.setRowStretchFactor(place, stretch)
        for stretch, place in ((8, 0), (1, 1)):
            self.ci.layout.setColumnStretchFactor(place, stretch)
        self.frame = AxisFrame(self.box, self)

        self.message = EmptyState(self)

        self._looking = Throttle(self._look, _HOVER_MS, self)
        self.box.sigResized.connect(self._write_titles)
        self.scene().sigMouseClicked.connect(self._click_point)
        self.scene().sigMouseMoved.connect(self._mouse_moved)
        self.apply_theme()
        follow_theme(self.apply_theme)

    def show_cloud(self, cloud: PointCloud) -> None:
        self.points.show(cloud)
        self.marginals.show(cloud)

    def set_titles(self, x: tuple[str, str], y: tuple[str, str]) -> None:
        """Set the axis titles, each in a long form and a short one that is used if the long one does not fit."""
        self._titles = (x, y)
        self.setAccessibleDescription(self.tr("{y} against {x}").format(x=x[0], y=y[0]))
        self._write_titles()

    def set_threshold(self, value: float, natural: float | None) -> None:
        """Move the threshold line; `natural` is the place of the thin line, None to hide it."""
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
        """Show a tooltip beside the mouse; the lines are plain text."""
        if self._mouse is None or not lines:
            QToolTip.hideText()
            return
        # QToolTip guesses whether text is rich text: use rich text and escape the corpus's text.
        cut = (line if len(line) <= _TOOLTIP_LETTERS else line[:_TOOLTIP_LETTERS] + "…" for line in lines)
        place = self.viewport().mapToGlobal(self.mapFromScene(self._mouse) + QPoint(14, 10))
        QToolTip.showText(place, tooltip("\n".join(cut)), self)

    def apply_theme(self) -> None:
        self.setBackground(current_theme().plot)
        self.box.apply_theme()
        self.points.apply_theme()
        self.marginals.apply_theme()
        self.natural_line.setPen(pg.mkPen(current_theme().threshold, width=1, style=Qt.PenStyle.DashLine))
        self.set_scale(self._factor)

    def set_scale(self, factor: float) -> None:
        self._factor = factor
        font = scale_font(self._base, factor)
        apply_theme(self.plot, font)
        for plot in (self.plot, self.marginals.top):
            plot.getAxis("left").setWidth(axis_width(font))
        for plot in (self.plot, self.marginals.right):
            plot.getAxis("bottom").setHeight(axis_height(font))
        self.marginals.top.getAxis("bottom").setHeight(2)
        self.marginals.right.getAxis("left").setWidth(2)
        self.line.apply_theme(font, factor)
        self.points.set_scale(factor)
        self.legend.set_font(font)
        self._write_titles()
        self.message.label.setFont(scale_font(self._base, 1.4 * factor))
        self._place_message()

    def keyPressEvent(self, ev: QKeyEvent) -> None:
        """Fit (Home), cancel (Escape), step through the pairs (arrows) or zoom (+ and -); pass other keys on."""
        key = ev.key()
        keys = Qt.Key
        if key == keys.Key_Escape:
            if self.box.drawing:
                self.box.cancel()
            else:
                self.escaped.emit()
        elif key == keys.Key_Home:
            self.fit_asked.emit()
        elif key in (keys.Key_Down, keys.Key_Right):
            self.stepped.emit(1)
        elif key in (keys.Key_Up, keys.Key_Left):
            self.stepped.emit(-1)
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
            tall = ev.size().height() >= _LOW * self.fontMetrics().height()
            self.marginals.top.setVisible(tall)
            # A hidden plot would keep its height.
            self.ci.layout.setRowMaximumHeight(1, _UNBOUND if tall else 0)

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
