"""Arrows for scores that are bounds; they point to where the true value may be."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QCoreApplication, QPointF
from PySide6.QtGui import QBrush, QPainterPath, QPolygonF, QTransform

from parapluie_gui.arrays import Floats, Labels, Rows
from parapluie_gui.ui.state.workspace import CorpusWorkspace
from parapluie_gui.ui.widgets.theme import current_theme

#: Kinds of arrows: lower and upper bounds on y, then on x; EXACT draws none.
UP, DOWN, RIGHT, LEFT = range(4)
EXACT = -1

#: Length of an arrow in pixels; longer than a point, as short arrows are too thin to see.
_SIZE = 14.0
#: Left half of an arrow that points up, in units of its length; the right half mirrors it.
_OUTLINE = ((0.0, -0.5), (0.42, 0.0), (0.16, 0.0), (0.16, 0.5))


def _symbol(degrees: float) -> QPainterPath:
    path = QPainterPath()
    path.addPolygon(QPolygonF([QPointF(*at) for at in (*_OUTLINE, *((-x, y) for x, y in _OUTLINE[::-1]))]))
    path.closeSubpath()
    return QTransform().rotate(degrees).map(path)


SYMBOLS = tuple(_symbol(degrees) for degrees in (0, 180, 90, -90))


def directions(workspace: CorpusWorkspace, axes: tuple[str, str], rows: Rows) -> Labels:
    """Return the arrow of each of k pairs, int8 (k,); if both scores are bounds, that of y. Empty without bounds."""
    x, y = (workspace.table.bounds(axis, rows) for axis in axes)
    if not (x.any() or y.any()):
        return np.zeros(0, dtype=np.int8)
    across = np.select([x > 0, x < 0], [RIGHT, LEFT], EXACT)
    return np.select([y > 0, y < 0], [UP, DOWN], across).astype(np.int8)


def arrow_words(arrows: Labels, counted: Callable[[int], str]) -> list[str]:
    """Return the legend of the arrows shown, with the number of pairs of each."""
    words = (
        QCoreApplication.translate("Scatter", "· ↑ at least: {0}"),
        QCoreApplication.translate("Scatter", "· ↓ at most: {0}"),
        QCoreApplication.translate("Scatter", "· → at least: {0}"),
        QCoreApplication.translate("Scatter", "· ← at most: {0}"),
    )
    numbers = [int(np.count_nonzero(arrows == direction)) for direction in range(len(words))]
    return [text.format(counted(number)) for text, number in zip(words, numbers, strict=True) if number]


class BoundArrows(pg.ScatterPlotItem):
    """The arrows of a plot; there are so few that each can be styled separately."""

    def __init__(self) -> None:
        super().__init__(pxMode=True)
        self.setObjectName("bounds")

    def draw(self, x: Floats, y: Floats, arrows: Labels, brushes: Sequence[QBrush]) -> None:
        """Draw k arrows."""
        if len(arrows) or len(self.data):
            symbols = [SYMBOLS[arrow] for arrow in arrows.tolist()]
            self.setData(x=x, y=y, symbol=symbols, brush=list(brushes), pen=pg.mkPen(current_theme().plot, width=0.8))

    def set_scale(self, factor: float) -> None:
        """Enlarge the arrows; 1.0 is normal."""
        self.setSize(_SIZE * factor)

    def mouseClickEvent(self, ev: pg.GraphicsScene.mouseEvents.MouseClickEvent) -> None:
        """Ignore clicks, as the points do."""
        ev.ignore()
