"""Strips, one for each score, which show the pair in the distribution over the corpus."""

from __future__ import annotations

import math
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QLineF, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPen, QPixmap, QPolygonF
from PySide6.QtWidgets import QWidget

from parapluie_gui.analysis.cache import StateCache
from parapluie_gui.ui.pair.distributions import ScoreDistribution
from parapluie_gui.ui.state import score_names
from parapluie_gui.ui.widgets.painted_rows import PaintedRows
from parapluie_gui.ui.widgets.text import pairs_words
from parapluie_gui.ui.widgets.theme import Theme


@dataclass(frozen=True)
class ScoreStrip:
    """One score of the pair, shown as a strip.

    Attributes:
        column: The score column.
        title: Title of the score.
        value: The score, or None.
        text: The score as text.
        missing: The reason why it is missing ("the sentence is empty"); "" if it has not been computed yet.
        note: The meaning of the score, for the tooltip.
        shape: The distribution over the corpus, or None while it is being computed.
        threshold: The threshold of the score, or None.
    """

    column: str
    title: str
    value: float | None
    text: str = ""
    missing: str = ""
    note: str = ""
    shape: ScoreDistribution | None = None
    threshold: float | None = None


def paint_shape(painter: QPainter, shape: ScoreDistribution, area: QRectF, theme: Theme) -> None:
    """Paint the distribution of a score over the corpus."""
    painter.setPen(QPen(QColor(theme.border), 1))
    painter.drawLine(QLineF(area.left(), area.bottom() - 0.5, area.right(), area.bottom() - 0.5))
    densities = shape.densities()
    labelled = bool(shape.counts[:2].any())
    kinds = (("other", 1), ("paraphrase", 0)) if labelled else (("unlabelled", 2),)
    step = area.width() / densities.shape[1]
    for colour, kind in kinds:
        if not shape.counts[kind].any():
            continue
        points = [QPointF(area.left(), area.bottom())]
        for at, share in enumerate(densities[kind]):
            # The square root keeps rare values visible.
            y = area.bottom() - math.sqrt(share) * (area.height() - 1)
            points += [QPointF(area.left() + at * step, y), QPointF(area.left() + (at + 1) * step, y)]
        points.append(QPointF(area.right(), area.bottom()))
        fill = QColor(getattr(theme, colour))
        fill.setAlphaF(0.45)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(fill)
        painter.drawPolygon(QPolygonF(points))


def head_words(metrics: QFontMetrics, width: float) -> str:
    """Return the caption of the axis, in the longest form that fits, given the width in pixels."""
    long = QCoreApplication.translate("ScoreStrips", "nearer in meaning →")
    return long if metrics.horizontalAdvance(long) <= width else QCoreApplication.translate("ScoreStrips", "nearer →")


class ScoreStripList(PaintedRows[ScoreStrip]):
    """A column of strips; further right always means closer, so distances run from right to left."""

    narrowest = 7.0

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self._pictures = StateCache()
        self.setAccessibleName(self.tr("Scores and their rank in the corpus"))

    def number(self, row: int) -> str:
        """Return the score as text, or why it is missing."""
        strip = self.rows[row]
        if strip.value is None:
            return strip.missing or self.tr("not scored yet")
        return strip.text or score_names.format_plain(strip.value)

    def head(self) -> bool:
        return True

    def paint_head(self, painter: QPainter, area: QRectF) -> None:
        align = Qt.AlignmentFlag
        words = head_words(painter.fontMetrics(), area.width())
        painter.drawText(area, align.AlignRight | align.AlignVCenter, words)

    def tip(self, row: int) -> str:
        strip = self.rows[row]
        words = [f"{self.sentence(row)}.", strip.note]
        if strip.shape is not None:
            low, high = (score_names.format_plain(end) for end in (strip.shape.low, strip.shape.high))
            ends = (low, high) if strip.shape.higher_is_closer else (high, low)
            words.append(self.tr("The strip ranges from {0} to {1}.").format(*ends))
            if strip.threshold is not None:
                number = f"{strip.threshold:g}".replace("-", "−")
                words.append(self.tr("The red tick is its threshold, {0}.").format(number))
        return " ".join(word for word in words if word)

    def picture_area(self, row: int) -> QRectF:
        """Return the area of a strip, as high as the row allows."""
        area, line = super().picture_area(row), self._line()
        return area.adjusted(
            0, *((0.18 * line, 0, 0.18 * line) if self._is_stacked() else (-0.15 * line, 0, 0.25 * line))
        )

    def paint_picture(self, painter: QPainter, row: int, area: QRectF) -> None:
        strip = self.rows[row]
        # There is no space next to the text for a missing score.
        if strip.shape is None or (strip.value is None and not self._is_stacked()):
            return
        painter.drawPixmap(area.topLeft(), self._picture(strip.column, strip.shape, area.size()))
        if strip.threshold is not None:
            x = area.left() + strip.shape.place(strip.threshold) * area.width()
            painter.setPen(QPen(QColor(self.theme.threshold), 1.5))
            painter.drawLine(QLineF(x, area.top(), x, area.bottom()))
        if strip.value is None:
            return
        x = area.left() + strip.shape.place(strip.value) * area.width()
        painter.setPen(QPen(QColor(self.theme.text), 2))
        painter.drawLine(QLineF(x, area.top() - 1, x, area.bottom() + 1))
        side = area.height() * 0.28
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self.theme.text))
        top = area.top() - 2
        painter.drawPolygon(QPolygonF([QPointF(x - side, top), QPointF(x + side, top), QPointF(x, top + side)]))

    def _picture(self, column: str, shape: ScoreDistribution, size: QSizeF) -> QPixmap:
        """Return the painted distribution of a strip, cached until it changes."""
        ratio = self.devicePixelRatioF()

        def paint() -> QPixmap:
            picture = QPixmap(max(round(size.width() * ratio), 1), max(round(size.height() * ratio), 1))
            picture.setDevicePixelRatio(ratio)
            picture.fill(Qt.GlobalColor.transparent)
            painter = QPainter(picture)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            paint_shape(painter, shape, QRectF(QPointF(), size), self.theme)
            painter.end()
            return picture

        return self._pictures.get(column, (shape, size.toTuple(), ratio, self.theme.name), paint)

    def sentence(self, row: int) -> str:
        strip, words = self.rows[row], super().sentence(row)
        if strip.value is None or strip.shape is None or not strip.shape.total:
            return words
        share = f"{100 * strip.shape.closer_than(strip.value):.0f}"
        return self.tr("{0}, nearer in meaning than {1} % of {2}").format(words, share, pairs_words(strip.shape.total))
