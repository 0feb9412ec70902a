"""A heat map of what is wrong on the screen; a cell may be clicked."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QRectF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QWidget

from parapluie_gui.analysis import figure as figures
from parapluie_gui.report.heat_map import HeatColours, HeatMap, Line
from parapluie_gui.ui.analysis.figure_card import FigureCard
from parapluie_gui.ui.widgets.theme import Theme


class _Picture(QWidget):
    """The drawing, as large as it was laid out, or smaller where there is less room."""

    clicked = Signal(float, float)

    def __init__(self) -> None:
        super().__init__()
        self._renderer = QSvgRenderer(self)
        self._size = (1, 1)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def show_svg(self, svg: str, width: int, height: int) -> None:
        self._renderer.load(QByteArray(svg.encode()))
        self._size = (width, height)
        self.setMaximumWidth(width)
        self._follow()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        factor = self._factor()
        self._renderer.render(painter, QRectF(0, 0, self._size[0] * factor, self._size[1] * factor))
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._follow()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.accept()  # or its release would go elsewhere

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        factor = self._factor()
        self.clicked.emit(event.position().x() / factor, event.position().y() / factor)

    def _follow(self) -> None:
        """Be as high as the drawing is at this width."""
        self.setFixedHeight(max(1, round(self._size[1] * self._factor())))

    def _factor(self) -> float:
        return min(1.0, self.width() / self._size[0])


class HeatMapCard(FigureCard):
    """Scores side by side, behaviours or buckets down.

    Signals:
        picked: (score, row) A cell was clicked; their keys.
        linked: (Link) What a click on a cell does, where the figure says so.
    """

    picked = Signal(str, str)
    linked = Signal(object)

    def __init__(self, title: str, theme: Theme, parent: QWidget | None = None) -> None:
        self.picture = _Picture()
        super().__init__(title, self.picture, theme, parent)
        self.map = HeatMap((), (), {})
        self._note = ""
        self._figure: figures.HeatMap | None = None
        self.picture.clicked.connect(self._click)

    def show_figure(self, figure: figures.HeatMap) -> None:
        """Show a heat map under its own title."""
        self._figure = figure
        self.set_title(figure.title)
        columns = tuple(Line(each.key, each.title) for each in figure.columns)
        lines = tuple(each if isinstance(each, str) else Line(each.key, each.title) for each in figure.lines)
        self.show_map(HeatMap(columns, lines, figure.values, figure.texts, figure.cell), figure.note)

    def show_map(self, found: HeatMap, note: str) -> None:
        self.map, self._note = found, note
        theme = self._theme
        colours = HeatColours(theme.plot, theme.text, theme.muted, theme.raised, theme.bad, theme.window)
        self.picture.show_svg(found.svg(self.title, note, colours), found.width, found.height)

    def apply_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.show_map(self.map, self._note)

    def _click(self, x: float, y: float) -> None:
        found = self.map.at(x, y)
        if found is not None:
            self.picked.emit(*found)
            if self._figure is not None and self._figure.link is not None:
                self.linked.emit(self._figure.link(*found))
