"""A heat map or a list of bars on the screen; a cell may be clicked."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QRectF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QWidget

from parapluie_gui.analysis.figure import BarList, Chart, HeatMap
from parapluie_gui.report.heat_map import cell_at
from parapluie_gui.report.svg import figure_svg
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

    def show_svg(self, svg: str) -> None:
        self._renderer.load(QByteArray(svg.encode()))
        size = self._renderer.defaultSize()
        self._size = (size.width(), size.height())
        self.setMaximumWidth(size.width())
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
    """A figure that is drawn as a picture: a heat map, whose cells may be clicked, or a list of bars.

    Signals:
        picked: (score, row) A cell was clicked; their keys.
        linked: (Link) What a click on a cell does, where the figure says so.
    """

    picked = Signal(str, str)
    linked = Signal(object)

    def __init__(self, title: str, theme: Theme, parent: QWidget | None = None) -> None:
        self.picture = _Picture()
        super().__init__(title, self.picture, theme, parent)
        self.picture.clicked.connect(self._click)

    def show_figure(self, figure: HeatMap | BarList) -> None:
        """Show a figure under its own title."""
        self.value = figure
        self.set_title(figure.title)
        self.picture.show_svg(figure_svg(figure, dark=self._theme.name == "dark"))

    def apply_theme(self, theme: Theme) -> None:
        super().apply_theme(theme)
        if not isinstance(self.value, Chart):
            self.show_figure(self.value)

    def _click(self, x: float, y: float) -> None:
        cell = cell_at(self.value, x, y) if isinstance(self.value, HeatMap) else None
        if cell is not None and isinstance(self.value, HeatMap):
            self.picked.emit(*cell)
            if self.value.link is not None:
                self.linked.emit(self.value.link(*cell))
