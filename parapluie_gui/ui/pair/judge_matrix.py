"""The scores of one pair by several judges: a row for each judge, a column for each template."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from PySide6.QtCore import QEvent, QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from parapluie_gui.ui.pair.bars import ScoreBar
from parapluie_gui.ui.state import score_names
from parapluie_gui.ui.widgets.theme import current_theme

#: Opacity of a cell's colour at the threshold and at the end of the axis, 0 to 255.
_PALE, _FULL = 40, 190

#: Greatest share of the width for the names of the judges.
_NAMES = 0.45


@dataclass(frozen=True)
class JudgeCell:
    """One score with the titles of its judge and template."""

    judge: str
    template: str
    bar: ScoreBar


class JudgeMatrix(QWidget):
    """Scores on the colour of their verdict, which is stronger further from the threshold.

    Attributes:
        cells: The scores.

    Signals:
        chosen: (column) A cell was clicked or reached with the arrow keys.
    """

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Scores by judge and template"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.cells: tuple[JudgeCell, ...] = ()
        self._limit, self._column = 1.0, ""
        self._judges: list[str] = []
        self._templates: list[str] = []
        self.hide()

    def set_cells(self, cells: Sequence[JudgeCell], limit: float) -> None:
        """Show these scores; `limit` is the distance from the threshold at which colours are strongest."""
        self.cells, self._limit = tuple(cells), limit
        self._judges = list(dict.fromkeys(cell.judge for cell in cells))
        self._templates = list(dict.fromkeys(cell.template for cell in cells))
        self.setVisible(bool(cells))
        self.setAccessibleDescription("; ".join(map(self._sentence, cells)))
        self.updateGeometry()
        self.update()

    def choose(self, column: str) -> None:
        """Mark a cell as chosen, without a signal."""
        self._column = column
        self.update()

    def cell(self, judge: int, template: int) -> JudgeCell | None:
        """Return the cell of a row and a column, from 0; None if the judge has no score under that template."""
        wanted = self._judges[judge], self._templates[template]
        return next((cell for cell in self.cells if (cell.judge, cell.template) == wanted), None)

    def area(self, judge: int, template: int) -> QRectF:
        """Return the area of a cell; row −1 has the templates, column −1 the judges."""
        high, left = self._row_height(), self._names_width()
        wide = (self.width() - left) / max(len(self._templates), 1)
        top = (judge + 1) * high
        return QRectF(0, top, left, high) if template < 0 else QRectF(left + template * wide, top, wide, high)

    def sizeHint(self) -> QSize:
        """Return a size that shows every row."""
        return QSize(200, round((len(self._judges) + 1) * self._row_height()))

    def minimumSizeHint(self) -> QSize:
        return QSize(120, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, theme, align = QPainter(self), current_theme(), Qt.AlignmentFlag
        painter.setPen(QColor(theme.muted))
        metrics, elide = self.fontMetrics(), Qt.TextElideMode.ElideRight
        for place, name in enumerate(self._templates):
            area = self.area(-1, place)
            painter.drawText(area, align.AlignCenter, metrics.elidedText(name, elide, int(area.width()) - 4))
        for row, name in enumerate(self._shown_judges()):
            area = self.area(row, -1)
            painter.drawText(area, align.AlignVCenter, metrics.elidedText(name, elide, int(area.width()) - 6))
        for row, place in product(range(len(self._judges)), range(len(self._templates))):
            if (cell := self.cell(row, place)) is not None:
                self._paint_cell(painter, cell, self.area(row, place).adjusted(1, 1, -1, -1))

    def _paint_cell(self, painter: QPainter, cell: JudgeCell, area: QRectF) -> None:
        theme, bar = current_theme(), cell.bar
        if bar.value is not None:
            colour = QColor(theme.paraphrase if bar.yes else theme.other)
            share = min(abs(bar.value - bar.threshold) / self._limit, 1.0)
            colour.setAlpha(round(_PALE + (_FULL - _PALE) * share))
            painter.fillRect(area, colour)
        painter.setPen(QColor(theme.text))
        text, wide = _numbers(bar), painter.fontMetrics().horizontalAdvance
        painter.drawText(
            area, Qt.AlignmentFlag.AlignCenter, text if wide(text) <= area.width() else text.rpartition(" ")[2]
        )
        if bar.column == self._column:
            painter.setPen(QPen(QColor(theme.text), 2 if self.hasFocus() else 1))
            painter.drawRect(area)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the cell under the mouse."""
        if (cell := self._cell_at(event.position().toPoint())) is not None:
            self._tell(cell)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move between cells with the arrow keys."""
        steps = {Qt.Key.Key_Up: (-1, 0), Qt.Key.Key_Down: (1, 0), Qt.Key.Key_Left: (0, -1), Qt.Key.Key_Right: (0, 1)}
        step = steps.get(Qt.Key(event.key()))
        if step is None or not self.cells:
            super().keyPressEvent(event)
            return
        here = next((cell for cell in self.cells if cell.bar.column == self._column), self.cells[0])
        row, place = self._judges.index(here.judge) + step[0], self._templates.index(here.template) + step[1]
        inside = 0 <= row < len(self._judges) and 0 <= place < len(self._templates)
        if inside and (cell := self.cell(row, place)) is not None:
            self._tell(cell)

    def event(self, event: QEvent) -> bool:
        """Show the cell under the mouse in words."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            cell = self._cell_at(event.pos())
            QToolTip.showText(event.globalPos(), self._sentence(cell) if cell is not None else "", self)
            return True
        return super().event(event)

    def _cell_at(self, point: QPoint) -> JudgeCell | None:
        for row, place in product(range(len(self._judges)), range(len(self._templates))):
            if self.area(row, place).contains(point.toPointF()):
                return self.cell(row, place)
        return None

    def _tell(self, cell: JudgeCell) -> None:
        self.choose(cell.bar.column)
        self.chosen.emit(cell.bar.column)

    def _sentence(self, cell: JudgeCell) -> str:
        if cell.bar.value is None:
            return self.tr("{0}: not scored yet").format(cell.bar.title)
        number = _numbers(cell.bar)
        words = self.tr("{0}: {1}, yes") if cell.bar.yes else self.tr("{0}: {1}, no")
        return words.format(cell.bar.title, number)

    def _row_height(self) -> float:
        return self.fontMetrics().height() * 1.7

    def _names_width(self) -> float:
        """Return the width of the judges' names."""
        return min(self._widest(self._shown_judges()), self.width() * _NAMES)

    def _shown_judges(self) -> list[str]:
        """Return the judges' names, without their quantisation if the names are too wide and differ without it."""
        short = [name.partition(" · ")[0] for name in self._judges]
        fit = self._widest(self._judges) <= self.width() * _NAMES
        return self._judges if fit or len(set(short)) < len(short) else short

    def _widest(self, names: Sequence[str]) -> float:
        return max(map(self.fontMetrics().horizontalAdvance, names), default=0) + 10.0


def _numbers(bar: ScoreBar) -> str:
    """Return a score as text, after that of the original if the pair is an edited copy."""
    new, old = ("–" if score is None else score_names.format_signed(score) for score in (bar.value, bar.before))
    return new if bar.before is None else f"{old} → {new}"
