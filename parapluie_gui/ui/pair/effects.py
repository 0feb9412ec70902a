"""What each edit of a pair did to a score, as bars around zero; a click undoes an edit, another one does it again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QLineF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import QWidget

from parapluie_gui.explain.types import ChangeType
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
    """

    title: str
    value: float | None
    error: float
    kind: ChangeType
    towards_yes: bool
    undone: bool = False


def kind_name(kind: ChangeType) -> str:
    """Return a kind of change as a person reads it."""
    return translate("ChangeTypes", kind.name)


class Effects(Rows[Effect]):
    """One bar an edit, all on one axis.

    Signals:
        switched: (edit) An edit is to be undone, or done again.
    """

    switched = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, choosable=True, parent=parent)
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
        """Space switches the edit reached with the arrow keys, which only move."""
        if event.key() in (Qt.Key.Key_Space, Qt.Key.Key_Return) and self.current() >= 0:
            self.switched.emit(self.current())
        elif event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down) and len(self.rows):
            step = 1 if event.key() == Qt.Key.Key_Down else -1
            self.set_current(min(max(self.current() + step, 0), len(self.rows) - 1))
        else:
            super().keyPressEvent(event)

    def number(self, row: int) -> str:
        effect = self.rows[row]
        if effect.value is None:
            return "…"
        text = self._written(effect.value)
        return f"{text} ± {effect.error:.{self._decimals}f}" if effect.error else text

    def extra(self, row: int) -> str:
        kind = kind_name(self.rows[row].kind)
        return self.tr("{0}, undone").format(kind) if self.rows[row].undone else kind

    def tip(self, row: int) -> str:
        effect = self.rows[row]
        kind = effect.kind
        here, there = kind.example
        words = self.tr("{0}: {1} Example: “{2}”, “{3}”.").format(
            kind_name(kind), translate("ChangeTypes", kind.definition), here, there
        )
        todo = self.tr("Click to do the edit again.") if effect.undone else self.tr("Click to undo the edit.")
        return f"{words} {todo}"

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

    def _written(self, value: float) -> str:
        text = f"{value:+.{self._decimals}f}"
        return text[1:] if float(text) == 0 else text.replace("-", "−")
