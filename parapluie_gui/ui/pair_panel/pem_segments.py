"""One sentence's confusion network as a grid: each segment on top, its translations with their probabilities below."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from parapluie_gui.metrics.pem.evidence import Segment
from parapluie_gui.ui.widgets.growing_text import displayable
from parapluie_gui.ui.widgets.theme import Theme

#: Most segments that are painted; of a longer sentence, a line below says how many more there are.
MOST_SHOWN = 80

#: Longest text of a cell's line, in characters.
_LONGEST = 40
_PAD = 5.0
_GAP = 4.0


@dataclass(frozen=True)
class _Cell:
    area: QRectF
    segment: Segment


class PemSegments(QWidget):
    """Cells from left to right that go on in a new line where the width is used up.

    Words of the pivot language that both sentences share have the marked background of changed words; the segment's
    own text is orange and slanted if it is not in the phrase table.

    Attributes:
        segments: What is shown.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.segments: tuple[Segment, ...] = ()
        self._shared: frozenset[str] = frozenset()
        self.cells: list[_Cell] = []
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_segments(self, segments: Sequence[Segment], shared: frozenset[str]) -> None:
        """Show these segments.

        Args:
            segments: In the order of the sentence.
            shared: The words of the pivot language that the other sentence is expected to have too.
        """
        self.segments, self._shared = tuple(segments[:MOST_SHOWN]), shared
        self.setAccessibleDescription("; ".join(self._sentence(each) for each in self.segments))
        self.lay_out()

    def apply_theme(self, theme: Theme) -> None:
        self.theme = theme
        self.update()

    def marked(self) -> list[str]:
        """Return the words with the marked background, in order."""
        texts = (text for segment in self.segments for text, _ in segment.translations)
        return [word for text in texts for word in text.split() if word in self._shared]

    def minimumSizeHint(self) -> QSize:
        return QSize(round(self.fontMetrics().averageCharWidth() * 16), self.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        if event.size().width() != event.oldSize().width():
            self.lay_out()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        line = QFontMetricsF(self.font()).height()
        for cell in self.cells:
            painter.setPen(QPen(QColor(self.theme.border), 1))
            painter.setBrush(QColor(self.theme.base))
            painter.drawRoundedRect(cell.area, 4, 4)
            top = QRectF(cell.area.left() + _PAD, cell.area.top() + 2, cell.area.width() - 2 * _PAD, line)
            painter.setFont(self._bold(unknown=not cell.segment.known))
            painter.setPen(QColor(self.theme.text if cell.segment.known else self.theme.other))
            painter.drawText(top, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, _short(cell.segment.text))
            painter.setFont(self.font())
            for row, (text, weight) in enumerate(cell.segment.translations, 1):
                self._paint_translation(painter, top.translated(0, row * (line + 1) + 1), text, weight)
        painter.end()

    def _paint_translation(self, painter: QPainter, area: QRectF, text: str, weight: float) -> None:
        metrics = QFontMetricsF(self.font())
        x = area.left()
        for piece in re.findall(r"\S+\s*", _short(text)):
            wide = metrics.horizontalAdvance(piece)
            word = piece.strip()
            shared = word in self._shared
            if shared:
                painter.fillRect(
                    QRectF(x, area.top(), metrics.horizontalAdvance(word), area.height()), QColor(self.theme.mark)
                )
            painter.setPen(QColor(self.theme.mark_text if shared else self.theme.text))
            painter.drawText(QPointF(x, area.top() + metrics.ascent()), piece)
            x += wide
        painter.setPen(QColor(self.theme.muted))
        painter.drawText(area, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, f"{weight:.2f}")

    def lay_out(self) -> None:
        """Place the cells, as after the type size changed."""
        metrics, bold = QFontMetricsF(self.font()), QFontMetricsF(self._bold())
        line = metrics.height()
        x = y = 0.0
        deepest = 0.0
        self.cells = []
        for segment in self.segments:
            wide = bold.horizontalAdvance(_short(segment.text))
            for text, weight in segment.translations:
                wide = max(wide, metrics.horizontalAdvance(f"{_short(text)}  {weight:.2f}"))
            wide += 2 * _PAD + 1
            high = (line + 1) * (1 + len(segment.translations)) + 6
            if x > 0 and x + wide > self.width():
                x, y, deepest = 0.0, y + deepest + _GAP, 0.0
            self.cells.append(_Cell(QRectF(x + 0.5, y + 0.5, min(wide, max(self.width() - 1.0, 1.0)), high), segment))
            x += wide + _GAP
            deepest = max(deepest, high)
        self.setFixedHeight(max(1, round(y + deepest + 2)))
        self.update()

    def _bold(self, unknown: bool = False) -> QFont:
        font = QFont(self.font())
        font.setBold(True)
        font.setItalic(unknown)
        return font

    def _sentence(self, segment: Segment) -> str:
        words = ", ".join(f"{text} {weight:.2f}" for text, weight in segment.translations)
        sentence = self.tr("{0}: {1}") if segment.known else self.tr("{0}, not in the phrase table: {1}")
        return sentence.format(segment.text, words)


def _short(text: str) -> str:
    text = displayable(text)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
