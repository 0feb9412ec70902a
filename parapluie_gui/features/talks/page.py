"""The stage's page with one pair: two sentences in large type and, below them, the result of the current step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QColor,
    QFont,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QResizeEvent,
    QTextBlockFormat,
    QTextCursor,
    QTextDocument,
    QTextOption,
)
from PySide6.QtWidgets import QWidget

from parapluie_gui.features.talks.outcome import StagePage
from parapluie_gui.features.talks.results import ResultPainter
from parapluie_gui.features.talks.room import RoomGuess
from parapluie_gui.features.talks.shown import StagePair
from parapluie_gui.ui.pair.sentences import differences, mark_format, tint_format, utf16_places
from parapluie_gui.ui.widgets.growing_text import displayable
from parapluie_gui.ui.widgets.text import reading_direction
from parapluie_gui.ui.widgets.theme import current_theme, follow_theme

#: Type sizes of the sentences as shares of the stage's height; the first that fits is used. `LEAST` is the smallest.
SIZES, LEAST = (0.08, 0.0725, 0.065, 0.0575, 0.05, 0.0425, 0.035), 0.035

#: Smallest margin below the result, where a field makes the page smaller.
_LEAST_EDGE = 0.015

#: Margins at the sides (share of the width) and above and below; gap between the sentences; height of the result
#: (shares of the height).
SIDE, EDGE, BETWEEN, RESULT = 0.05, 0.05, 0.035, 0.37

_LINE = 118.0

#: Largest factor of the result below scrolled sentences, and the steps in which a factor is reduced until all fits.
_SCROLLED_GROWTH, _FINE = 1.25, 1.03


@dataclass(frozen=True)
class _SentenceLayout:
    """Both sentences in one size of type, in pixels."""

    documents: tuple[QTextDocument, QTextDocument]
    size: float

    @property
    def heights(self) -> tuple[float, float]:
        first, second = self.documents
        return first.size().height(), second.size().height()


class PairPage(QWidget):
    """Page that paints a pair at one of its steps.

    Attributes:
        pair: The pair; None for an empty page.
        step: The step, one of `talk.STEPS`.
        leaf: A page without a pair, shown instead; None for none.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.pair: StagePair | None = None
        self.step = ""
        self.leaf: StagePage | None = None
        self._room: RoomGuess | None = None
        self._factor = self._growth = 1.0
        self._layout: _SentenceLayout | None = None
        self._scrolled = 0.0
        follow_theme(self._lay_out)

    def show_leaf(self, leaf: StagePage | None) -> None:
        """Set the page without a pair that `show_pair` shows with None."""
        self.leaf = leaf

    def show_pair(self, pair: StagePair | None, step: str, room: RoomGuess | None) -> None:
        """Show a pair at a step, with the room's guess."""
        old = self.pair
        same = pair is not None and old is not None and (pair.source, pair.hypothesis) == (old.source, old.hypothesis)
        marked = (step == "words", pair and pair.words) != (self.step == "words", old and old.words)
        self.pair, self.step, self._room = pair, step, room
        if not same:
            self._scrolled = 0.0
        if not same or marked:
            self._lay_out()
        self._describe()
        self.update()

    def set_factor(self, factor: float) -> None:
        """Multiply all type sizes by a factor, as far as the text fits."""
        self._factor = factor
        self._lay_out()

    def scroll_on(self, by: int) -> bool:
        """Scroll sentences that are too long by about a screen; return whether there was anything to scroll."""
        room = self._sentences_area().height()
        most = max(self._height() - room, 0.0)
        before = self._scrolled
        self._scrolled = min(max(self._scrolled + by * room * 0.8, 0.0), most)
        self.update()
        return abs(self._scrolled - before) > 1.0

    @property
    def type_share(self) -> float:
        """The size of the sentences' type as a share of the stage's height."""
        return 0.0 if self._layout is None else self._layout.size / max(self._stage(), 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        painter.fillRect(self.rect(), QColor(current_theme().base))
        if self.pair is not None and self._layout is not None:
            self._paint_sentences(painter, self._layout)
            stage, high = self._stage(), self._stage() * RESULT * max(self._growth, 1.0)
            top, below = stage * (1 - EDGE) - high, self.height() - stage * _LEAST_EDGE
            area = QRectF(self._side(), top, self._width(), min(high, max(below - top, 1.0)))
            self._result_painter(painter).paint(area, self.pair, self.step, self._room)
        elif self.leaf is not None:
            area = QRectF(self._side(), self.height() * EDGE, self._width(), self.height() * (1 - 2 * EDGE))
            self._result_painter(painter).paint_page(area, self.leaf)
        painter.end()

    def _result_painter(self, painter: QPainter) -> ResultPainter:
        factor = self._factor if self.pair is None else self._growth
        return ResultPainter(painter, current_theme(), self.font(), round(self._stage() * factor))

    # Layout

    def _stage(self) -> int:
        """Return the stage's height: the sentences stay as they are while a field below makes the page smaller."""
        return self.window().height()

    def _side(self) -> float:
        return self.width() * SIDE

    def _width(self) -> float:
        return self.width() * (1 - 2 * SIDE)

    def _sentences_area(self) -> QRectF:
        top, result = self._stage() * EDGE, RESULT * max(self._growth, 1.0)
        return QRectF(self._side(), top, self._width(), self._stage() * (1 - EDGE - result - BETWEEN) - top)

    def _height(self) -> float:
        """Return the height of both sentences with their gap, in pixels."""
        return 0.0 if self._layout is None else sum(self._layout.heights) + self._stage() * BETWEEN

    def _lay_out(self) -> None:
        """Set both sentences in the largest type that fits, and enlarge or reduce it, and the result, by the factor."""
        self._layout, self._growth = None, 1.0
        if self.pair is not None and self.height() > 0:
            share = next((share for share in SIZES if self._fits(share)), 0.0)
            if not share:  # scrolled
                self._growth = min(self._factor, _SCROLLED_GROWTH)
                self._fits(max(LEAST * self._factor, LEAST))
            elif self._factor != 1.0:
                self._growth = self._factor
                while not self._fits(max(share * self._growth, LEAST)) and self._growth > 1.0:
                    self._growth = max(self._growth / _FINE, 1.0)
        self.update()

    def _fits(self, share: float) -> bool:
        """Set both sentences in a size, as a share of the stage's height; return whether they need no scrolling."""
        size = share * self._stage()
        self._layout = _SentenceLayout((self._document(0, size), self._document(1, size)), size)
        if self._height() > self._sentences_area().height():
            return False
        self._scrolled = 0.0
        return True

    def _document(self, side: int, size: float) -> QTextDocument:
        assert self.pair is not None
        text = (self.pair.source, self.pair.hypothesis)[side]
        document = QTextDocument()
        document.setDocumentMargin(0)
        font = QFont(self.font())
        font.setPixelSize(round(size))
        document.setDefaultFont(font)
        option = QTextOption()
        option.setTextDirection(reading_direction(text))
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        document.setDefaultTextOption(option)
        document.setPlainText(displayable(text))
        document.setTextWidth(self._width())
        cursor = QTextCursor(document)
        cursor.select(QTextCursor.SelectionType.Document)
        spacing = QTextBlockFormat()
        spacing.setLineHeight(_LINE, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        cursor.mergeBlockFormat(spacing)
        if self.step == "words":
            self._mark(cursor, side, utf16_places(text))
        return document

    def _mark(self, cursor: QTextCursor, side: int, places: Sequence[int]) -> None:
        """Colour the words by their effect on the score, or mark the differences if that is unknown."""
        assert self.pair is not None
        words = self.pair.words
        if words is not None:
            stretches = (words.source, words.hypothesis)[side]
            formats = [(tint.start, tint.end, tint_format(tint, current_theme())) for tint in stretches]
        else:
            changes = differences(self.pair.source, self.pair.hypothesis)
            marks = (changes.source, changes.hypothesis)[side]
            formats = [(mark.start, mark.end, mark_format(mark.kind, current_theme())) for mark in marks]
        for start, end, form in formats:
            cursor.setPosition(places[start])
            cursor.setPosition(places[end], QTextCursor.MoveMode.KeepAnchor)
            cursor.mergeCharFormat(form)

    # Painting

    def _paint_sentences(self, painter: QPainter, laid: _SentenceLayout) -> None:
        area, first = self._sentences_area(), laid.heights[0]
        spare = max(area.height() - self._height(), 0.0)
        top = area.top() + spare / 2 - self._scrolled
        between = self._stage() * BETWEEN
        painter.save()
        painter.setClipRect(self._whole_lines(area, laid, (top, top + first + between)))
        for document, y in zip(laid.documents, (top, top + first + between), strict=True):
            painter.save()
            painter.translate(QPointF(area.left(), y))
            context = QAbstractTextDocumentLayout.PaintContext()
            context.palette.setColor(QPalette.ColorRole.Text, QColor(current_theme().text))
            document.documentLayout().draw(painter, context)
            painter.restore()
        painter.setPen(QPen(QColor(current_theme().border), max(self.height() * 0.002, 1.0)))
        line = top + first + between / 2
        painter.drawLine(QPointF(area.left(), line), QPointF(area.left() + area.width() * 0.12, line))
        painter.restore()
        if self._height() - self._scrolled > area.height() + 1:
            painter.setPen(QColor(current_theme().muted))
            font = QFont(self.font())
            font.setPixelSize(round(self._stage() * LEAST))
            painter.setFont(font)
            painter.drawText(
                QRectF(area.right() - 200, area.bottom(), 200, self.height() * BETWEEN),
                Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter,
                "↓",
            )

    def _whole_lines(self, area: QRectF, laid: _SentenceLayout, tops: tuple[float, float]) -> QRectF:
        """Return the part of an area in which no line of text is cut off."""
        seen = area.adjusted(0, -self.height() * 0.01, 0, 1)
        cut = QRectF(seen)
        for document, top in zip(laid.documents, tops, strict=True):
            for box in (line.translated(0, top) for line in line_boxes(document)):
                if box.top() < seen.top() < box.bottom():
                    cut.setTop(box.bottom())
                elif box.top() < seen.bottom() < box.bottom():
                    cut.setBottom(box.top())
        return cut

    def _describe(self) -> None:
        """Set the text for screen readers."""
        if self.pair is None:
            self.setAccessibleName(self.tr("No pair") if self.leaf is None else self.leaf.describe())
            self.setAccessibleDescription("")
            return
        self.setAccessibleName(f"{self.pair.source}\n{self.pair.hypothesis}")
        self.setAccessibleDescription(". ".join(ResultPainter.describe(self.pair, self.step, self._room)))


def line_boxes(document: QTextDocument) -> Iterator[QRectF]:
    """Yield the rectangle of each line of a document, in the document's coordinates."""
    block = document.begin()
    while block.isValid():
        layout = block.layout()
        yield from (layout.lineAt(at).rect().translated(layout.position()) for at in range(layout.lineCount()))
        block = block.next()
