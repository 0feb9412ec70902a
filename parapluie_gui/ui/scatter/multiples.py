"""Small multiples: one small scatter per score, all against the same x, as in figure 2 of the ParaPLUIE paper."""

from __future__ import annotations

import math
from collections.abc import Callable

import pyqtgraph as pg
from PySide6.QtCore import QObject, QPointF, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QResizeEvent, QShowEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from parapluie_gui.scores.identity import identify
from parapluie_gui.ui.scatter.axes import AxisFrame
from parapluie_gui.ui.scatter.cloud import PointCloud
from parapluie_gui.ui.scatter.colouring import MARKS, PairColouring, colour_by_label
from parapluie_gui.ui.scatter.points import PointLayer
from parapluie_gui.ui.state.selection import NO_PAIR
from parapluie_gui.ui.state.throttle import CallThrottle
from parapluie_gui.ui.state.workspace import CorpusWorkspace
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, name_control, scroll_area, vbox
from parapluie_gui.ui.widgets.arrow_keys import ARROW_STEPS, CHOOSING_KEYS
from parapluie_gui.ui.widgets.controls import plain
from parapluie_gui.ui.widgets.plot_style import apply_theme, bare_plot, default_font, scale_font, title_axis
from parapluie_gui.ui.widgets.text import announce, rich_text, tooltip
from parapluie_gui.ui.widgets.theme import current_theme, follow_theme
from parapluie_gui.ui.widgets.wrapped import WrappedText

#: Maximum number of points in view; a panel with more shows their density.
PANEL_LIMIT = 20_000
_REFRESH_MS = 300
_REACH = 10.0
_POINT_SCALE = 0.62
#: Minimum size of a panel at the normal type size; if not all fit, the grid scrolls.
_LEAST_WIDTH, _LEAST_HEIGHT = 190, 150
#: Width for the numbers of the y axis, the same in all panels to align them.
_AXIS_WIDTH = 38


class MultiplesCanvas(pg.GraphicsLayoutWidget):
    """The drawing area, over which the wheel scrolls the area around it.

    Signals:
        keyed: (key) An arrow key or Enter was pressed.
    """

    keyed = Signal(int)

    def keyPressEvent(self, ev: QKeyEvent) -> None:
        if ev.key() in (*ARROW_STEPS, *CHOOSING_KEYS):
            self.keyed.emit(ev.key())
            ev.accept()
        else:
            ev.ignore()

    def wheelEvent(self, ev: QWheelEvent) -> None:
        """Pass the wheel to the scroll area."""
        ev.ignore()


class ScorePanel(QObject):
    """One score against x.

    Attributes:
        line: The line at the natural threshold, or None if there is none.
        titled: The title written last, and its style.
    """

    def __init__(self, column: str, parent: QObject) -> None:
        super().__init__(parent)
        self.column = column
        self.plot = bare_plot(pg.ViewBox(enableMenu=False, enableMouse=False, defaultPadding=0))
        self.points = PointLayer(self.plot, PANEL_LIMIT, self, cross=False)
        self.frame = AxisFrame(self.plot.getViewBox(), self)
        self.line = pg.InfiniteLine(angle=0, movable=False) if identify(column).is_from_judge else None
        if self.line is not None:
            self.line.setZValue(20)
            self.plot.getViewBox().addItem(self.line, ignoreBounds=True)
        self.titled: tuple[str, dict[str, object]] = ("", {})
        self.plot.titleLabel.setCursor(Qt.CursorShape.PointingHandCursor)


class SmallMultiples(QWidget):
    """A grid of panels with one selection.

    Clicking a point picks its pair in all panels; clicking a title opens its score. The arrow keys go through the
    panels, and Enter opens the score of one.

    Attributes:
        current: The panel that the arrow keys went to, or None; its title is underlined.
        panels: One for each score column.
        colouring: Returns the colouring for the workspace.

    Signals:
        chosen: A title was clicked; its score is now on the y axis.
    """

    chosen = Signal()

    def __init__(self, workspace: CorpusWorkspace, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._base = default_font()
        self._factor = 1.0
        self._across = 0
        self._pending = True
        self.panels: list[ScorePanel] = []
        self.colouring: Callable[[CorpusWorkspace], PairColouring] = colour_by_label
        self._stale: set[ScorePanel] = set()
        self.current: ScorePanel | None = None
        tip = self.tr("Click a point to choose the pair, a title to show that score (arrow keys and Enter)")
        self.canvas = name_control(MultiplesCanvas(), self.tr("Grid of scores"), tip)
        self.canvas.viewport().setAccessibleName(self.tr("Grid of scores"))
        self.canvas.keyed.connect(self._press_key)
        self.canvas.scene().sigMouseClicked.connect(self._click)
        self.area = name_control(scroll_area(self.canvas), self.tr("Grid of scores"), "")
        self.area.verticalScrollBar().valueChanged.connect(self._draw)
        self.message = plain(self.tr("The scores appear here side by side. Press Run (F5)"), muted=True, wraps=True)
        self.message.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.note = WrappedText(muted=True)
        self.note.setContentsMargins(8, 2, 8, 4)
        vbox((self.message, 1), (self.area, 1), self.note, within=self, margins=NO_MARGINS, spacing=0)

        self._refreshing = CallThrottle(self.refresh, _REFRESH_MS, self)
        changes = workspace.corpus_changed, workspace.columns_changed, workspace.axes_changed, workspace.scores_changed
        for change in (*changes, workspace.selection.set_changed):
            change.connect(self._soon)
        workspace.selection.primary_changed.connect(self._mark)
        self.apply_theme()
        follow_theme(self.apply_theme)
        self.refresh()

    def refresh(self) -> None:
        """Redraw the visible panels, and the others when they become visible; recreate them for new scores."""
        self._pending = False
        workspace = self._workspace
        columns = [column for column in workspace.table.scores if column != workspace.x]
        if columns != [panel.column for panel in self.panels]:
            self._build(columns)
        self._stale = set(self.panels)
        self._draw()
        self._dress()
        self.message.setVisible(not self.panels)
        self.area.setVisible(bool(self.panels))

    def complete(self) -> None:
        """Draw the invisible panels as well, for an exported figure."""
        self._draw_panels(self.panels)

    def apply_theme(self) -> None:
        self.canvas.setBackground(current_theme().plot)
        for panel in self.panels:
            panel.points.apply_theme()
        self._dress()

    def set_scale(self, factor: float) -> None:
        self._factor = factor
        self._dress()

    def resizeEvent(self, ev: QResizeEvent) -> None:
        """Rearrange the panels if the number of columns changes."""
        super().resizeEvent(ev)
        if self.panels and self._columns_across(len(self.panels)) != self._across:
            self._arrange()
        elif self.panels:
            self._write_titles()
        self._draw()

    def showEvent(self, ev: QShowEvent) -> None:
        """Show what changed while the grid was hidden."""
        super().showEvent(ev)
        if self._pending:
            self.refresh()

    def _soon(self) -> None:
        self._pending = True
        if self.isVisible():
            self._refreshing.ask()

    def _build(self, columns: list[str]) -> None:
        self.canvas.clear()
        for panel in self.panels:
            panel.deleteLater()
        self.current = None
        self.panels = [ScorePanel(column, self) for column in columns]
        self._arrange()

    def _draw(self) -> None:
        """Draw the visible panels that are out of date."""
        if not self._stale:
            return
        rows = math.ceil(len(self.panels) / self._across)
        seen = self.area.viewport().height()
        top = self.area.verticalScrollBar().value()
        height = max(self.canvas.minimumHeight(), seen) / rows
        first, last = int(top // height), int((top + seen) // height)
        self._draw_panels(self.panels[first * self._across : (last + 1) * self._across])

    def _draw_panels(self, panels: list[ScorePanel]) -> None:
        workspace = self._workspace
        wanted = [panel for panel in panels if panel in self._stale]
        if not wanted:
            return
        x = workspace.values(workspace.x)
        colouring = self.colouring(workspace)
        for panel in wanted:
            cloud = PointCloud.from_columns(workspace, x, workspace.values(panel.column), colouring, panel.column)
            panel.frame.fit(cloud, workspace.x, panel.column, None if panel.line is None else 0.0)
            panel.points.show(cloud)
            panel.points.mark(workspace.selection.primary)
        self._stale.difference_update(wanted)
        dense = any(panel.points.dense for panel in self.panels)
        dense_words = [self.tr("Panels with many pairs show density: stronger colour = more pairs.")] if dense else []
        legend = "   ".join(f"{MARKS[kind]} {words}" for kind, words in colouring.entries(lambda count: ""))
        self.note.say(" · ".join([legend, *dense_words]))

    def _columns_across(self, panels: int) -> int:
        shape = max(self.width(), 1) / max(self.height(), 1)
        fit = max(self.width() // round(_LEAST_WIDTH * self._factor), 1)
        return max(1, min(panels, fit, round(math.sqrt(panels * shape / 1.3))))

    def _arrange(self) -> None:
        self.canvas.clear()
        self._across = self._columns_across(max(len(self.panels), 1))
        for place, panel in enumerate(self.panels):
            self.canvas.addItem(panel.plot, place // self._across, place % self._across)
        self._dress()

    def _dress(self) -> None:
        rows = math.ceil(len(self.panels) / max(self._across, 1))
        self.canvas.setMinimumHeight(round(rows * _LEAST_HEIGHT * self._factor))
        font = scale_font(self._base, 0.9 * self._factor)
        for place, panel in enumerate(self.panels):
            apply_theme(panel.plot, font)
            panel.plot.getAxis("left").setWidth(round(_AXIS_WIDTH * self._factor))
            panel.points.set_scale(_POINT_SCALE * self._factor)
            bottom = place // self._across == (len(self.panels) - 1) // self._across
            panel.plot.getAxis("bottom").showLabel(bottom)
            if bottom:
                title_axis(panel.plot, "bottom", self._workspace.title(self._workspace.x), font)
            if panel.line is not None:
                panel.line.setPen(pg.mkPen(current_theme().threshold, width=1.5 * self._factor))
        self._write_titles()

    def _write_titles(self) -> None:
        """Set the panels' titles; elide long names in the middle, which would widen the panel."""
        font = scale_font(self._base, 0.9 * 1.2 * self._factor)
        font.setBold(True)
        look: dict[str, object] = {"color": current_theme().text, "size": f"{font.pointSizeF():.1f}pt", "bold": True}
        room = self.width() / max(self._across, 1) - 1.5 * _AXIS_WIDTH * self._factor
        metrics = QFontMetricsF(font)
        for panel in self.panels:
            title = rich_text(
                metrics.elidedText(self._workspace.title(panel.column), Qt.TextElideMode.ElideMiddle, room)
            )
            if panel is self.current:
                title = f"<u>{title}</u>"
            if panel.titled != (title, look):
                panel.titled = title, look
                panel.plot.setTitle(title, **look)
                panel.plot.titleLabel.setToolTip(tooltip(self._workspace.title(panel.column)))

    def _press_key(self, key: int) -> None:
        """Go to the next panel in the direction of an arrow key, or show the score of the current one (Enter)."""
        if not self.panels:
            return
        if key in CHOOSING_KEYS:
            if self.current is not None:
                self._workspace.set_axes(y=self.current.column)
                self.chosen.emit()
            return
        if self.current is None:
            at = 0
        else:
            across, down = ARROW_STEPS[key]
            at = self.panels.index(self.current) + across + down * self._across
        if 0 <= at < len(self.panels):
            self.current = self.panels[at]
            self._write_titles()
            rows = math.ceil(len(self.panels) / self._across)
            middle = (at // self._across + 0.5) * self.canvas.height() / rows
            self.area.ensureVisible(0, round(middle), 0, self.canvas.height() // rows // 2)
            name = self._workspace.title(self.current.column)
            self.canvas.setAccessibleDescription(name)
            announce(self.canvas, name)

    def _mark(self, row: int) -> None:
        for panel in self.panels:
            panel.points.mark(row)

    def _click(self, ev: pg.GraphicsScene.mouseEvents.MouseClickEvent) -> None:
        if ev.button() != Qt.MouseButton.LeftButton:
            return
        where: QPointF = ev.scenePos()
        for panel in self.panels:
            box = panel.plot.getViewBox()
            if panel.plot.titleLabel.sceneBoundingRect().contains(where):
                self._workspace.set_axes(y=panel.column)
                self.chosen.emit()
                return
            if box.sceneBoundingRect().contains(where):
                at = box.mapSceneToView(where)
                row = panel.points.cloud.nearest(at.x(), at.y(), box.viewPixelSize(), _REACH)
                if row != NO_PAIR:
                    self._workspace.selection.set_primary(row)
                return
