"""What each edit of a pair did to a score, as bars around zero with switches, and its kind of change as a chip."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QLineF, QPoint, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QWidget

from parapluie_gui.metrics.changes.types import ChangeType
from parapluie_gui.ui.pair.bars import axis_limit
from parapluie_gui.ui.widgets.painted_rows import Rows
from parapluie_gui.ui.widgets.theme import Theme

translate = QCoreApplication.translate


@dataclass(frozen=True)
class Effect:
    """An edit and what it did.

    Attributes:
        title: The edit in one line.
        value: Its Shapley value, or None while it is not known.
        error: Its standard error; 0 where it is exact.
        kind: Its kind of change.
        towards_yes: Whether such a value speaks for a paraphrase; for distances that is a negative one.
        undone: Whether it is left undone in the variant shown.
        corrected: Whether a person says that it is of this kind, and the rules say otherwise.
    """

    title: str
    value: float | None
    error: float
    kind: ChangeType
    towards_yes: bool
    undone: bool = False
    corrected: bool = False


def kind_name(kind: ChangeType) -> str:
    """Return a kind of change as a person reads it."""
    return translate("ChangeTypes", kind.name)


def kind_words(kind: ChangeType) -> str:
    """Return what a kind of change is, and its example, in a line."""
    definition = translate("ChangeTypes", kind.definition)
    words = translate("Effects", "{0}: {1} Example: “{2}”, “{3}”.")
    return words.format(kind_name(kind), definition, *kind.example)


class Effects(Rows[Effect]):
    """One bar an edit, all on one axis.

    Attributes:
        correctable: Whether the kinds can be corrected.

    Signals:
        switched: (edit) An edit is to be undone, or done again.
        kind_asked: (edit, place on the screen) Its chip was clicked.
    """

    switched = Signal(int)
    kind_asked = Signal(int, QPoint)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, choosable=True, parent=parent)
        self.correctable = False
        self._limit = 1.0
        self._decimals = 2
        self.setAccessibleName(self.tr("What each edit did to the score"))
        self.row_chosen.connect(self.switched)

    def set_effects(self, effects: Sequence[Effect], decimals: int) -> None:
        """Show these effects, with so many decimals."""
        self._decimals = decimals
        self._limit = axis_limit([abs(each.value) for each in effects if each.value is not None])
        if self._limit == 1.0:
            self._limit = max((abs(each.value) for each in effects if each.value), default=1.0)
        self.set_rows(effects)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Space switches the edit reached with the arrow keys, which only move; Return shows what its kind is."""
        if event.key() == Qt.Key.Key_Space and self.current() >= 0:
            self.switched.emit(self.current())
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.current() >= 0:
            self._ask_kind(self.current())
        elif event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down) and len(self.rows):
            step = 1 if event.key() == Qt.Key.Key_Down else -1
            self.set_current(min(max(self.current() + step, 0), len(self.rows) - 1))
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        place, left = event.position(), event.button() == Qt.MouseButton.LeftButton
        row = next((row for row in range(len(self.rows)) if self.chip_area(row).contains(place)), -1)
        if left and row >= 0:
            self.set_current(row)
            self._ask_kind(row)
        else:
            super().mousePressEvent(event)

    def chip_area(self, row: int) -> QRectF:
        """Return where the kind of an edit stands."""
        area, padding = self.extra_area(row), self._gap()
        width = QFontMetricsF(self.font()).horizontalAdvance(self._chip(row)) + 2 * padding
        return QRectF(max(area.right() - width, area.left()), area.top(), min(width, area.width()), area.height())

    def paint_extra(self, painter: QPainter, row: int, area: QRectF) -> None:
        """Paint the chip with the edit's kind, and whether the edit is undone beside it."""
        effect, chip, align = self.rows[row], self.chip_area(row), Qt.AlignmentFlag
        painter.setPen(QPen(QColor(self.theme.accent if effect.corrected else self.theme.border), 1))
        painter.setBrush(QColor(self.theme.base))
        painter.drawRoundedRect(chip, chip.height() / 2, chip.height() / 2)
        painter.setPen(QColor(self.theme.text))
        painter.drawText(chip, align.AlignCenter, self._cut(self._chip(row), chip.width() - self._gap()))
        if effect.undone:
            painter.setPen(QColor(self.theme.muted))
            beside = QRectF(area.left(), area.top(), chip.left() - area.left() - self._gap(), area.height())
            painter.drawText(beside, align.AlignRight | align.AlignVCenter, self.tr("undone"))

    def number(self, row: int) -> str:
        effect = self.rows[row]
        if effect.value is None:
            return "…"
        text = self._written(effect.value)
        return f"{text} ± {effect.error:.{self._decimals}f}" if effect.error else text

    def extra(self, row: int) -> str:
        kind = kind_name(self.rows[row].kind)
        kind = self.tr("{0} (corrected)").format(kind) if self.rows[row].corrected else kind
        return self.tr("{0}, undone").format(kind) if self.rows[row].undone else kind

    def tip(self, row: int) -> str:
        effect = self.rows[row]
        todo = [self.tr("Click to do the edit again.") if effect.undone else self.tr("Click to undo the edit.")]
        if self.correctable:
            todo.append(self.tr("Click its kind to correct it."))
        return " ".join([kind_words(effect.kind), *todo])

    def paint_picture(self, painter: QPainter, row: int, area: QRectF) -> None:
        effect, zero = self.rows[row], area.center().x()
        if effect.value is not None:
            end = zero + min(max(effect.value / self._limit, -1.0), 1.0) * area.width() / 2
            colour = QColor(self.theme.paraphrase if effect.towards_yes else self.theme.other)
            painter.setPen(QPen(colour, 1) if effect.undone else Qt.PenStyle.NoPen)
            painter.setBrush(Qt.BrushStyle.NoBrush if effect.undone else colour)
            painter.drawRect(QRectF(min(zero, end), area.top(), abs(end - zero), area.height()))
        painter.setPen(QPen(QColor(self.theme.muted), 1))
        painter.drawLine(QLineF(zero, area.top() - 3, zero, area.bottom() + 3))

    def _chip(self, row: int) -> str:
        """Return what stands on the chip."""
        name = kind_name(self.rows[row].kind)
        return f"✎ {name}" if self.rows[row].corrected else name

    def _ask_kind(self, row: int) -> None:
        self.kind_asked.emit(row, self.mapToGlobal(self.chip_area(row).bottomLeft().toPoint()))

    def _written(self, value: float) -> str:
        text = f"{value:+.{self._decimals}f}"
        return text[1:] if float(text) == 0 else text.replace("-", "−")
