"""The scores of one pair under every ParaPLUIE template as bars around zero: yes to the right, no to the left."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QLineF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QWidget

from parapluie_gui.ui.pair.distributions import ScoreDistribution
from parapluie_gui.ui.pair.strip import paint_shape
from parapluie_gui.ui.state import score_names
from parapluie_gui.ui.widgets.painted_rows import PaintedRows
from parapluie_gui.ui.widgets.text import pairs_words


@dataclass(frozen=True)
class ScoreBar:
    """One score of the pair, shown as a bar.

    Attributes:
        column: The score column.
        title: Title of the score.
        value: The score, or None if it is not computed yet.
        before: The score of the original, if the pair is an edited copy.
        threshold: The score at which yes begins.
        shape: The distribution of the score over the corpus, or None.
    """

    column: str
    title: str
    value: float | None
    before: float | None = None
    threshold: float = 0.0
    shape: ScoreDistribution | None = None

    @property
    def yes(self) -> bool:
        """Whether the score counts as a paraphrase, as for outcomes."""
        return self.value is not None and self.value >= self.threshold


def axis_limit(values: Sequence[float]) -> float:
    """Return a round number of at least 1 that is no smaller than any finite value."""
    largest = max((abs(value) for value in values if math.isfinite(value)), default=0.0)
    if largest <= 1:
        return 1.0
    power = 10.0 ** math.floor(math.log10(largest))
    return next(step * power for step in (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10) if step * power >= largest * 0.999999)


def change_in_words(before: float, value: float, write: Callable[[float], str], least: float) -> str:
    """Return the change of a score ("0.20 → 0.31 Δ +0.11 ▲"); a change of up to `least` counts as none."""
    change = value - before
    arrow = "▲" if change > least else "▼" if change < -least else "="
    sign = "+" if change > least else ""
    return QCoreApplication.translate("Bars", "{0} → {1}   Δ {2} {3}").format(
        write(before), write(value), sign + write(change).removeprefix("+"), arrow
    )


class PairBars(PaintedRows[ScoreBar]):
    """Horizontal score bars around a common zero.

    Attributes:
        limit: The absolute value at both ends of the axis.

    Signals:
        chosen: (column) A bar was clicked or reached with the arrow keys.
    """

    chosen = Signal(str)
    narrowest = 12.0

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(choosable=True, parent=parent)
        self.limit = 1.0
        self.setAccessibleName(self.tr("Scores under every template"))
        self.row_chosen.connect(self._tell)

    def set_rows(self, rows: Sequence[ScoreBar], limit: float | None = None) -> None:
        """Show these scores.

        Args:
            rows: The scores, top to bottom.
            limit: End of the axis; by default a round number beyond the values shown.
        """
        column = self.column()
        shown = [value for bar in rows for value in (bar.value, bar.before) if value is not None]
        self.limit = limit if limit is not None else axis_limit([*shown, 5.0])
        super().set_rows(rows)
        self.choose(column)

    def column(self) -> str:
        """Return the chosen score column, or ""."""
        row = self.current()
        return self.rows[row].column if 0 <= row < len(self.rows) else ""

    def choose(self, column: str) -> None:
        """Mark a bar as chosen, without a signal."""
        self.set_current(next((row for row, bar in enumerate(self.rows) if bar.column == column), -1))

    def number(self, row: int) -> str:
        """Return the score and its verdict as text."""
        value, threshold = self.rows[row].value, self.rows[row].threshold
        if value is None:
            return self.tr("not scored yet")
        if value == threshold == 0:
            return self.tr("0.00 undecided")
        words = self.tr("{0} yes") if self.rows[row].yes else self.tr("{0} no")
        return words.format(score_names.format_signed(value))

    def extra(self, row: int) -> str:
        bar = self.rows[row]
        if bar.before is None or bar.value is None:
            return ""
        return change_in_words(bar.before, bar.value, score_names.format_signed, 0.005)

    def extra_colour(self, row: int) -> str:
        return self.theme.text

    def tip(self, row: int) -> str:
        line = f"{self.rows[row].threshold:g}".replace("-", "−")
        words = self.tr("{0}. The red tick is its threshold, {1}. Click for the evidence of this score.")
        return words.format(self.sentence(row), line)

    def sentence(self, row: int) -> str:
        bar, words = self.rows[row], super().sentence(row)
        if bar.value is None or bar.shape is None or not bar.shape.total:
            return words
        share = f"{100 * bar.shape.closer_than(bar.value):.0f}"
        return self.tr("{0}, nearer in meaning than {1} % of {2}").format(words, share, pairs_words(bar.shape.total))

    def head(self) -> bool:
        return True

    def paint_head(self, painter: QPainter, area: QRectF) -> None:
        align = Qt.AlignmentFlag
        end = f"{self.limit:g}"
        left, right = self.tr("−{0}  no ←").format(end), self.tr("→ yes  +{0}").format(end)
        if painter.fontMetrics().horizontalAdvance(left + right) > area.width() * 0.85:
            left, right = self.tr("no ←"), self.tr("→ yes")
        painter.drawText(area, align.AlignLeft | align.AlignVCenter, left)
        painter.drawText(area, align.AlignHCenter | align.AlignVCenter, "0")
        painter.drawText(area, align.AlignRight | align.AlignVCenter, right)

    def paint_picture(self, painter: QPainter, row: int, area: QRectF) -> None:
        bar, zero = self.rows[row], area.center().x()
        if bar.shape is not None:
            self._paint_among_others(painter, bar, bar.shape, area)
        elif bar.value is not None:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(self.theme.window if row == self.current() else self.theme.raised))
            painter.drawRoundedRect(area, 2, 2)
            end = self._place(bar.value, area)
            painter.setBrush(QColor(self.theme.paraphrase if bar.yes else self.theme.other))
            painter.drawRect(QRectF(min(zero, end), area.top(), abs(end - zero), area.height()))
        if bar.before is not None:
            painter.setPen(QPen(QColor(self.theme.text), 2))
            x = self._place(bar.before, area)
            painter.drawLine(QLineF(x, area.top() - 3, x, area.bottom() + 3))
        if bar.threshold:
            painter.setPen(QPen(QColor(self.theme.muted), 1))
            painter.drawLine(QLineF(zero, area.top() - 3, zero, area.bottom() + 3))
        painter.setPen(QPen(QColor(self.theme.threshold), 1.5))
        line = self._place(bar.threshold, area)
        painter.drawLine(QLineF(line, area.top() - 3, line, area.bottom() + 3))

    def _paint_among_others(self, painter: QPainter, bar: ScoreBar, shape: ScoreDistribution, area: QRectF) -> None:
        """Paint the distribution over the corpus, and below it the distance of this score from the threshold."""
        high, line = area.height() * 0.62, self._place(bar.threshold, area)
        left, right = self._place(shape.low, area), self._place(shape.high, area)
        paint_shape(
            painter, shape, QRectF(left, area.top() - 0.2 * high, max(right - left, 1.0), 1.2 * high), self.theme
        )
        if bar.value is None:
            return
        end = self._place(bar.value, area)
        colour = QColor(self.theme.paraphrase if bar.yes else self.theme.other)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        below = QRectF(min(line, end), area.top() + high + 1, abs(end - line), area.height() - high - 1)
        painter.drawRect(below)
        painter.setPen(QPen(QColor(self.theme.text), 2))
        painter.drawLine(QLineF(end, area.top() - 2, end, area.bottom() + 1))

    def _place(self, value: float, area: QRectF) -> float:
        share = min(max(value / self.limit, -1.0), 1.0)
        return area.center().x() + share * area.width() / 2

    def _tell(self, row: int) -> None:
        self.chosen.emit(self.rows[row].column)
