"""The red threshold line of a scatter: always drawn, labelled with its value, dragged by the mouse."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QFont

from parapluie_gui.ui.scatter.lasso import LassoBox
from parapluie_gui.ui.widgets.theme import Theme


class _Words(str):
    """The words of the label, which pyqtgraph fills in itself; a number has a minus, not a hyphen."""

    def format(self, *args: object, **numbers: object) -> str:
        return super().format(*args, **numbers).replace("-", "−")


class ThresholdLine(pg.InfiniteLine):
    """A horizontal line that can be dragged, and sent home by a double click.

    Signals:
        dragged: (value) The user moved the line.
        sent_home: The user double-clicked the line.
    """

    dragged = Signal(float)
    sent_home = Signal()

    def __init__(self, box: LassoBox, theme: Theme, text: str) -> None:
        super().__init__(
            angle=0,
            movable=True,
            label=_Words(text),
            labelOpts={"position": 0.995, "anchors": [(1.0, 1.05), (1.0, -0.05)], "movable": False},
        )
        self._box = box
        self.setZValue(20)
        self.setCursor(Qt.CursorShape.SizeVerCursor)
        self.sigDragged.connect(self._emit)
        self.apply_theme(theme, self.label.textItem.font())

    def apply_theme(self, theme: Theme, font: QFont, factor: float = 1.0) -> None:
        """Apply the colours of a theme and the font of the axes; `factor` enlarges the line."""
        self.setPen(pg.mkPen(theme.threshold, width=2 * factor))
        self.setHoverPen(pg.mkPen(theme.threshold, width=4 * factor))
        self.label.setColor(QColor(theme.threshold))
        behind = QColor(theme.plot)
        behind.setAlpha(215)
        self.label.fill = pg.mkBrush(behind)
        bold = QFont(font)
        bold.setBold(True)
        self.label.setFont(bold)
        self.label.updatePosition()

    def mouseDragEvent(self, ev: pg.GraphicsScene.mouseEvents.MouseDragEvent) -> None:
        """Move, unless the drag is a lasso that happens to begin on the line."""
        if self._box.drawing or (ev.isStart() and self._box.wants(ev)):
            # The scene gives all of a drag to the item it began on: hand it over.
            ev.currentItem = self._box
            self._box.mouseDragEvent(ev)
            return
        super().mouseDragEvent(ev)

    def hoverEvent(self, ev: pg.GraphicsScene.mouseEvents.HoverEvent) -> None:
        """Claim the coming drag, unless it would be a lasso."""
        if ev.isExit() or not self._box.lasso:
            super().hoverEvent(ev)

    def mouseClickEvent(self, ev: pg.GraphicsScene.mouseEvents.MouseClickEvent) -> None:
        """Go home on a double click."""
        if ev.double() and ev.button() == Qt.MouseButton.LeftButton:
            ev.accept()
            self.sent_home.emit()
            return
        super().mouseClickEvent(ev)

    def _emit(self) -> None:
        self.dragged.emit(float(self.value()))
