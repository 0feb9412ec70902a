"""Small gauges for numbers within known bounds: the baselines, and the judge's probabilities."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QWidget

from parapluie_gui.ui.state import score_names
from parapluie_gui.ui.widgets.painted_rows import Rows
from parapluie_gui.ui.widgets.theme import Theme


@dataclass(frozen=True)
class Gauge:
    """One number between two bounds.

    Attributes:
        title: What a person calls it.
        value: The number, or None when there is none yet.
        low, high: Its bounds; infinite ones leave the gauge away.
        text: The number in figures; by default three decimals.
        before: The number of the original when an edited copy is compared with it.
        colour: Name of a theme colour for the filling.
        note: What the number means, for the tool tip.
    """

    title: str
    value: float | None
    low: float = 0.0
    high: float = 1.0
    text: str = ""
    before: float | None = None
    colour: str = "unlabelled"
    note: str = ""


class Gauges(Rows):
    """Gauges one below the other.

    Attributes:
        gauges: What is shown.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent=parent)
        self.gauges: tuple[Gauge, ...] = ()

    def set_gauges(self, gauges: Sequence[Gauge]) -> None:
        self.gauges = tuple(gauges)
        self.setVisible(bool(gauges))
        self.setAccessibleDescription("; ".join(self._sentence(row) for row in range(len(gauges))))
        self.refresh()

    def count(self) -> int:
        return len(self.gauges)

    def name(self, row: int) -> str:
        return self.gauges[row].title

    def number(self, row: int) -> str:
        gauge = self.gauges[row]
        if gauge.value is None:
            return self.tr("not scored yet")
        return gauge.text or score_names.plain(gauge.value)

    def muted(self, row: int) -> bool:
        return self.gauges[row].value is None

    def extra(self, row: int) -> str:
        gauge = self.gauges[row]
        if gauge.before is None or gauge.value is None:
            return ""
        change = gauge.value - gauge.before
        arrow = "▲" if change > 0.0005 else "▼" if change < -0.0005 else "="
        sign = "+" if change > 0.0005 else ""
        return self.tr("{0} → {1}   Δ {2} {3}").format(
            score_names.plain(gauge.before), score_names.plain(gauge.value), sign + score_names.plain(change), arrow
        )

    def tip(self, row: int) -> str:
        note = self.gauges[row].note
        return self.tr("{0}. {1}").format(self._sentence(row), note) if note else self._sentence(row)

    def paint_picture(self, painter: QPainter, row: int, area: QRectF) -> None:
        gauge = self.gauges[row]
        bounded = math.isfinite(gauge.low) and math.isfinite(gauge.high)
        if gauge.value is None or not bounded:
            return
        thin = area.adjusted(0, area.height() * 0.18, 0, -area.height() * 0.18)
        painter.setPen(QPen(QColor(self.theme.border), 1))
        painter.setBrush(QColor(self.theme.raised))
        painter.drawRect(thin)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(getattr(self.theme, gauge.colour)))
        share = self._share(gauge, gauge.value)
        painter.drawRect(QRectF(thin.left(), thin.top(), thin.width() * share, thin.height()))
        if gauge.before is not None:
            painter.setPen(QPen(QColor(self.theme.text), 2))
            x = thin.left() + thin.width() * self._share(gauge, gauge.before)
            painter.drawLine(QLineF(x, thin.top() - 2, x, thin.bottom() + 2))

    def _share(self, gauge: Gauge, value: float) -> float:
        if not math.isfinite(value):
            return 1.0 if value > 0 else 0.0
        return min(max((value - gauge.low) / (gauge.high - gauge.low), 0.0), 1.0)

    def _sentence(self, row: int) -> str:
        words = self.tr("{0}: {1}").format(self.name(row), self.number(row))
        return self.tr("{0}, {1}").format(words, self.extra(row)) if self.extra(row) else words
