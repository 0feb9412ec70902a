"""Painted rows with a name, a picture and a number, the base of the score bars and the gauges."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Generic, Protocol, TypeVar

from PySide6.QtCore import QEvent, QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from parapluie_gui.ui.widgets.text import tooltip
from parapluie_gui.ui.widgets.theme import Theme, current_theme


class PaintedRow(Protocol):
    """A row with a title, and a number or None."""

    @property
    def title(self) -> str: ...

    @property
    def value(self) -> float | None: ...


AnyRow = TypeVar("AnyRow", bound=PaintedRow)


class PaintedRows(QWidget, Generic[AnyRow]):
    """Painted rows: title, picture and number side by side if there is space, otherwise the picture under the words.

    A subclass formats the numbers and paints the pictures.

    Attributes:
        rows: The rows, from top to bottom.
        narrowest: Least width of a picture next to the words, in lines of type; below it the rows are stacked.

    Signals:
        row_chosen: (row) A row was clicked or reached with the arrow keys, if rows are choosable.
    """

    row_chosen = Signal(int)
    narrowest = 8.0

    def __init__(self, choosable: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows: tuple[AnyRow, ...] = ()
        self._choosable = choosable
        self._current = -1
        # Measured once for all rows, until `refresh`.
        self._measured: tuple[float, float] | None = None
        self._places: list[tuple[float, float]] | None = None
        self._height = 0.0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMouseTracking(choosable)
        if choosable:
            self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    # For subclasses.

    def number(self, row: int) -> str:
        """Return the text at the right."""
        raise NotImplementedError

    def extra(self, row: int) -> str:
        """Return a second line of words, or ""."""
        return ""

    def tip(self, row: int) -> str:
        """Return the tooltip of a row, as plain text."""
        return ""

    def sentence(self, row: int) -> str:
        """Return a row in words, for a screen reader."""
        words = self.tr("{0}: {1}").format(self.rows[row].title, self.number(row))
        return self.tr("{0}, {1}").format(words, self.extra(row)) if self.extra(row) else words

    def extra_colour(self, row: int) -> str:
        """Return the colour of the second line."""
        return self.theme.muted

    def head(self) -> bool:
        """Return True if there is a caption line above the rows."""
        return False

    def paint_head(self, painter: QPainter, area: QRectF) -> None:
        """Paint the caption line above the pictures."""

    def paint_picture(self, painter: QPainter, row: int, area: QRectF) -> None:
        """Paint the bar of one row."""
        raise NotImplementedError

    def paint_extra(self, painter: QPainter, row: int, area: QRectF) -> None:
        """Paint the second line of words."""
        align = Qt.AlignmentFlag
        painter.setPen(QColor(self.extra_colour(row)))
        painter.drawText(area, align.AlignRight | align.AlignVCenter, self._cut(self.extra(row), area.width()))

    # For users.

    def set_rows(self, rows: Sequence[AnyRow]) -> None:
        self.rows = tuple(rows)
        self.setVisible(bool(rows))
        self.setAccessibleDescription("; ".join(map(self.sentence, range(len(rows)))))
        self.refresh()

    @property
    def theme(self) -> Theme:
        """The colours in use."""
        return current_theme()

    def refresh(self) -> None:
        """Update the layout after the rows changed."""
        self._measured = self._places = None
        self._height = 0.0
        if self._current >= len(self.rows):
            self._current = -1
        self.setFixedHeight(max(1, round(self._top() + sum(self._heights()) + 0.5)))
        self.update()

    def current(self) -> int:
        return self._current

    def set_current(self, row: int) -> None:
        """Mark a row as chosen, without a signal."""
        self._current = row
        self.update()

    def row_area(self, row: int) -> QRectF:
        """Return the area of a row."""
        if self._places is None:
            heights = self._heights()
            tops = accumulate(heights[:-1], initial=self._top())
            self._places = list(zip(tops, heights, strict=True)) if heights else []
        top, height = self._places[row]
        return QRectF(0, top, self.width(), height)

    def picture_area(self, row: int) -> QRectF:
        """Return the area of a row's picture."""
        row_rect, line = self.row_area(row), self._line()
        if self._is_stacked():
            return QRectF(self._gap(), row_rect.top() + line * 1.32, row_rect.width() - 2 * self._gap(), line * 0.7)
        left, right = self._columns()
        top = row_rect.top() + line * 0.4
        return QRectF(left, top, right - left, line * 0.8)

    def extra_area(self, row: int) -> QRectF:
        """Return the area of a row's second line."""
        area, line, gap = self.row_area(row), self._line(), self._gap()
        return QRectF(gap, area.bottom() - line * 1.2, area.width() - 2 * gap, line)

    def sizeHint(self) -> QSize:
        """Return a width at which the rows are not stacked."""
        return QSize(round(self._line() * 20), self.height())

    def minimumSizeHint(self) -> QSize:
        """Return the width below which even stacked rows cannot be read."""
        return QSize(round(self._line() * 8), self.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.refresh()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.refresh()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.head() and len(self.rows):
            first = self.picture_area(0)
            painter.setPen(QColor(self.theme.muted))
            self.paint_head(painter, QRectF(first.left(), 0, first.width(), self._top()))
        for row in range(len(self.rows)):
            if self.row_area(row).intersects(QRectF(event.rect())):
                self._paint_row(painter, row)
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        row = self._row_at(event.position().toPoint())
        if self._choosable and row >= 0 and event.button() == Qt.MouseButton.LeftButton:
            self._choose(row)
        else:
            super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        hand = self._choosable and self._row_at(event.position().toPoint()) >= 0
        self.setCursor(Qt.CursorShape.PointingHandCursor if hand else Qt.CursorShape.ArrowCursor)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
        if self._choosable and len(self.rows) and event.key() in steps:
            self._choose(min(max(self._current + steps[Qt.Key(event.key())], 0), len(self.rows) - 1))
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Show the tooltip of the row under the mouse, as plain text."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            row = self._row_at(event.pos())
            QToolTip.showText(event.globalPos(), tooltip(self.tip(row)) if row >= 0 else "", self)
            return True
        return super().event(event)

    def _choose(self, row: int) -> None:
        self._current = row
        self.update()
        self.row_chosen.emit(row)

    def _row_at(self, place: QPoint) -> int:
        return next((row for row in range(len(self.rows)) if self.row_area(row).contains(place)), -1)

    def _line(self) -> float:
        if not self._height:
            self._height = QFontMetricsF(self.font()).height()
        return self._height

    def _gap(self) -> float:
        return self._line() * 0.5

    def _top(self) -> float:
        return self._line() * 1.2 if self.head() and len(self.rows) else 0.0

    def _columns(self) -> tuple[float, float]:
        """Return the left and right ends of the pictures between the words, cached until `refresh`."""
        if self._measured is None:
            self._measured = self._measure()
        return self._measured

    def _measure(self) -> tuple[float, float]:
        metrics, gap = QFontMetricsF(self.font()), self._gap()
        names = max((metrics.horizontalAdvance(self.rows[row].title) for row in range(len(self.rows))), default=0.0)
        written = [self.number(row) for row in range(len(self.rows)) if self.rows[row].value is not None]
        numbers = max((metrics.horizontalAdvance(words) for words in written), default=0.0)
        return gap + names + gap, self.width() - gap - numbers - gap

    def _is_stacked(self) -> bool:
        left, right = self._columns()
        return right - left < self._line() * self.narrowest

    def _heights(self) -> list[float]:
        plain = self._line() * (2.35 if self._is_stacked() else 1.6)
        return [plain + (self._line() * 1.1 if self.extra(row) else 0.0) for row in range(len(self.rows))]

    def _paint_row(self, painter: QPainter, row: int) -> None:
        area, line, gap, metrics = self.row_area(row), self._line(), self._gap(), QFontMetricsF(self.font())
        if row == self._current and self._choosable:
            painter.setPen(QPen(QColor(self.theme.accent), 2) if self.hasFocus() else Qt.PenStyle.NoPen)
            painter.setBrush(QColor(self.theme.raised))
            painter.drawRoundedRect(area.adjusted(1, 1, -1, -1), 4, 4)
            painter.fillRect(QRectF(area.left() + 1, area.top() + 3, 3, area.height() - 6), QColor(self.theme.accent))
        picture = self.picture_area(row)
        words = QRectF(
            gap, area.top() + (line * 0.2 if self._is_stacked() else line * 0.3), area.width() - 2 * gap, line
        )
        number = self.number(row)
        room = (words.width() - metrics.horizontalAdvance(number) if self._is_stacked() else picture.left() - gap) - gap
        align = Qt.AlignmentFlag
        painter.setPen(QColor(self.theme.text))
        painter.drawText(words, align.AlignLeft | align.AlignVCenter, self._cut(self.rows[row].title, room))
        painter.setPen(QColor(self.theme.muted if self.rows[row].value is None else self.theme.text))
        painter.drawText(words, align.AlignRight | align.AlignVCenter, number)
        self.paint_picture(painter, row, picture)
        if self.extra(row):
            self.paint_extra(painter, row, self.extra_area(row))

    def _cut(self, text: str, room: float) -> str:
        return QFontMetricsF(self.font()).elidedText(text, Qt.TextElideMode.ElideRight, max(room, 0.0))
