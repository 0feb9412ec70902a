"""Painted rows of score changes: bars to both sides of zero, all on the same axis."""

from __future__ import annotations

from typing import Protocol, TypeVar

from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import QWidget

from parapluie_gui.ui.widgets.painted_rows import PaintedRow, PaintedRows


class ScoreChange(PaintedRow, Protocol):
    """A row whose value is a change of a score."""

    @property
    def towards_yes(self) -> bool:
        """Whether the change points to a paraphrase; for distances a negative change does."""


AnyScoreChange = TypeVar("AnyScoreChange", bound=ScoreChange)


class SignedBars(PaintedRows[AnyScoreChange]):
    """One bar for each change. The arrow keys move the focus; a click, Space or Return chooses a row.

    Attributes:
        decimals: The number of decimal places shown.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(choosable=True, parent=parent)
        self.decimals = 2
        self._limit = 1.0

    def set_limit(self, limit: float) -> None:
        """Set the value at the end of the bars; call before `set_rows`."""
        self._limit = limit

    def grey(self, row: int) -> bool:
        """Return whether a bar is grey, because its change is too small to matter."""
        return False

    def hollow(self, row: int) -> bool:
        """Return whether only the outline of a bar is drawn."""
        return False

    def enter(self, row: int) -> None:
        """Handle the Return key; by default, choose the row."""
        self.row_chosen.emit(row)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        keys, row = Qt.Key, self.current()
        if event.key() == keys.Key_Space and row >= 0:
            self.row_chosen.emit(row)
        elif event.key() in (keys.Key_Return, keys.Key_Enter) and row >= 0:
            self.enter(row)
        elif event.key() in (keys.Key_Up, keys.Key_Down) and len(self.rows):
            step = 1 if event.key() == keys.Key_Down else -1
            self.set_current(min(max(row + step, 0), len(self.rows) - 1))
        else:
            super().keyPressEvent(event)

    def number(self, row: int) -> str:
        value = self.rows[row].value
        if value is None:
            return "…"
        text = f"{value:+.{self.decimals}f}"
        return text[1:] if float(text) == 0 else text.replace("-", "−")

    def paint_picture(self, painter: QPainter, row: int, area: QRectF) -> None:
        change, zero = self.rows[row], area.center().x()
        if change.value is not None:
            share = max(min(change.value / self._limit, 1.0), -1.0)
            end = zero + share * area.width() / 2
            colour = QColor(self.theme.paraphrase if change.towards_yes else self.theme.other)
            if self.grey(row):
                colour = QColor(self.theme.muted)
            painter.setPen(QPen(colour, 1) if self.hollow(row) else Qt.PenStyle.NoPen)
            painter.setBrush(Qt.BrushStyle.NoBrush if self.hollow(row) else colour)
            painter.drawRect(QRectF(min(zero, end), area.top(), abs(end - zero), area.height()))
        painter.setPen(QPen(QColor(self.theme.muted), 1))
        painter.drawLine(QLineF(zero, area.top() - 3, zero, area.bottom() + 3))
