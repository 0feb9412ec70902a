"""Small gauges for bounded numbers: the metrics, and the judge's probabilities."""

from __future__ import annotations

import math
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from parapluie_gui.metrics.base import MetricInfo
from parapluie_gui.ui.pair.bars import change_in_words
from parapluie_gui.ui.pair.strip import head_words
from parapluie_gui.ui.state import score_names
from parapluie_gui.ui.widgets.painted_rows import PaintedRows


@dataclass(frozen=True)
class ScoreGauge:
    """One bounded number.

    Attributes:
        title: Title of the number.
        value: The number, or None if it is not computed yet.
        low, high: Bounds; no bar is drawn if they are infinite.
        text: The number as text; by default with three decimals.
        before: The number of the original, if the pair is an edited copy.
        colour: Name of the bar's colour in the theme.
        note: The meaning of the number, for the tooltip.
        closer: True if higher numbers mean closer, False if lower numbers do, None for neither. The bar grows with
            closeness.
    """

    title: str
    value: float | None
    low: float = 0.0
    high: float = 1.0
    text: str = ""
    before: float | None = None
    colour: str = "unlabelled"
    note: str = ""
    closer: bool | None = None


def meaning(info: MetricInfo) -> str:
    """Return the meaning of a metric's numbers, and whether higher or lower is better."""
    translate = QCoreApplication.translate
    higher, lower = translate("Gauges", "Higher is better."), translate("Gauges", "Lower is better.")
    return f"{info.summary} {higher if info.higher_is_closer else lower}".strip()


class GaugeColumn(PaintedRows[ScoreGauge]):
    """A column of gauges."""

    def head(self) -> bool:
        return any(gauge.closer is not None for gauge in self.rows)

    def paint_head(self, painter: QPainter, area: QRectF) -> None:
        align = Qt.AlignmentFlag
        words = head_words(painter.fontMetrics(), area.width())
        painter.drawText(area, align.AlignRight | align.AlignVCenter, words)

    def number(self, row: int) -> str:
        gauge = self.rows[row]
        if gauge.value is None:
            return self.tr("not scored yet")
        return gauge.text or score_names.format_plain(gauge.value)

    def extra(self, row: int) -> str:
        gauge = self.rows[row]
        if gauge.before is None or gauge.value is None:
            return ""
        return change_in_words(gauge.before, gauge.value, score_names.format_plain, 0.0005)

    def tip(self, row: int) -> str:
        note = self.rows[row].note
        return self.tr("{0}. {1}").format(self.sentence(row), note) if note else self.sentence(row)

    def paint_picture(self, painter: QPainter, row: int, area: QRectF) -> None:
        gauge = self.rows[row]
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

    def _share(self, gauge: ScoreGauge, value: float) -> float:
        if not math.isfinite(value):
            return 1.0 if value > 0 else 0.0
        share = min(max((value - gauge.low) / (gauge.high - gauge.low), 0.0), 1.0)
        return 1 - share if gauge.closer is False else share
