"""Painting of cells in the pairs table: a pair in two lines with its differences marked, a label as a mark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import ceil

from PySide6.QtCore import QAbstractItemModel, QEvent, QModelIndex, QPersistentModelIndex, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QFontMetrics, QHelpEvent, QPainter, QPalette, QTextLayout, QTextOption
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolTip,
)

from parapluie_gui.ui.pair.sentences import SentenceMark, differences, mark_format, utf16_places
from parapluie_gui.ui.table.model import PairsModel
from parapluie_gui.ui.widgets.growing_text import displayable
from parapluie_gui.ui.widgets.text import reading_direction, tooltip
from parapluie_gui.ui.widgets.theme import current_theme

Index = QModelIndex | QPersistentModelIndex

#: Characters of a sentence that are painted, and number of cached differences.
_LETTERS, _KEPT = 600, 400
#: Characters of the sentences that are compared: those that are painted.
_COMPARED = _LETTERS
#: Characters of the first difference that are in sight.
_DIFFERENCE = 12
#: Margins left and right of the text of a cell, and gap between the two lines; pixels.
_BESIDE, _BETWEEN = 6, 2
#: A width that no sentence fills.
_UNBOUND = 1e6


def pair_height(metrics: QFontMetrics) -> int:
    """Return the height of a row with a pair in two lines."""
    return 2 * metrics.height() + _BETWEEN + 8


class CellDelegate(QStyledItemDelegate):
    """Paints the cells; a tooltip shows a cell's complete text as plain text, as corpora may contain tags.

    Args:
        view: The table.
        model: The pairs.
    """

    def __init__(self, view: QAbstractItemView, model: PairsModel) -> None:
        super().__init__(view)
        self._model = model
        self._marks: dict[tuple[str, str], tuple[Sequence[SentenceMark], Sequence[SentenceMark]]] = {}

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        """Show only a label's mark, and align text by its reading direction."""
        super().initStyleOption(option, index)
        match self._model.columns[index.column()].shows:
            case "label":
                option.text = ""
                option.decorationAlignment = Qt.AlignmentFlag.AlignCenter
            case "text":
                option.direction = reading_direction(option.text)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        if not self._model.stacked or self._model.columns[index.column()].key != "source":
            super().paint(painter, option, index)
            return
        cell = QStyleOptionViewItem(option)
        self.initStyleOption(cell, index)
        cell.text = ""
        style = cell.widget.style() if cell.widget is not None else QApplication.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, cell, painter, cell.widget)
        chosen = bool(cell.state & QStyle.StateFlag.State_Selected)
        role = QPalette.ColorRole.HighlightedText if chosen else QPalette.ColorRole.Text
        (pair,) = self._model.texts_of([index.row()])
        line = QFontMetrics(cell.font).height()
        room = cell.rect.adjusted(_BESIDE, 0, -_BESIDE, 0)
        top = room.top() + (room.height() - 2 * line - _BETWEEN) // 2
        painter.save()
        painter.setFont(cell.font)
        painter.setPen(cell.palette.color(role))
        sides = self._marks_of(*pair)
        begin = _first_shown(pair, sides, painter.fontMetrics(), room.width())
        for side, (text, marks) in enumerate(zip(pair, sides, strict=True)):
            area = QRect(room.left(), top + side * (line + _BETWEEN), room.width(), line)
            _paint_line(painter, text, marks, area, begin)
        painter.restore()

    def helpEvent(self, event: QHelpEvent, view: QAbstractItemView, option: QStyleOptionViewItem, index: Index) -> bool:
        if event.type() != QEvent.Type.ToolTip:
            return super().helpEvent(event, view, option, index)
        model: QAbstractItemModel | None = index.model()
        text = model.data(index, Qt.ItemDataRole.ToolTipRole) if model is not None else None
        if text and self._model.stacked and self._model.columns[index.column()].key == "source":
            text = "\n\n".join(self._model.texts_of([index.row()])[0])
        QToolTip.showText(event.globalPos(), tooltip(str(text)) if text else "", view)
        return True

    def _marks_of(self, source: str, hypothesis: str) -> tuple[Sequence[SentenceMark], Sequence[SentenceMark]]:
        if (marks := self._marks.get((source, hypothesis))) is None:
            if len(self._marks) >= _KEPT:
                self._marks.clear()
            difference = differences(source[:_COMPARED], hypothesis[:_COMPARED])
            marks = self._marks[source, hypothesis] = difference.source, difference.hypothesis
        return marks


def _one_line(sentence: str) -> str:
    return "".join(" " if char.isspace() else char for char in displayable(sentence[:_LETTERS]))


def _first_shown(
    pair: tuple[str, str], sides: tuple[Sequence[SentenceMark], ...], metrics: QFontMetrics, width: int
) -> int:
    """Return the first character to paint of both sentences: 0, or a word before a first difference out of sight."""
    starts = [marks[0].start for marks in sides if marks]
    if not starts:
        return 0
    first, most = min(starts), width - 2 * metrics.horizontalAdvance("…")
    # Before it, the sentences are equal.
    text = max(map(_one_line, pair), key=len)
    if metrics.horizontalAdvance(text[: first + _DIFFERENCE]) <= most:
        return 0
    begin = first
    while (before := text.rfind(" ", 0, max(begin - 1, 0)) + 1) < begin:
        if metrics.horizontalAdvance(text[before:first]) > most / 3:
            break
        begin = before
    return begin


def _paint_line(painter: QPainter, sentence: str, marks: Sequence[SentenceMark], area: QRect, begin: int) -> None:
    """Paint a sentence from a character on one line in its reading direction, elided if too long."""
    text = _one_line(sentence)
    if begin:
        # The ellipsis takes the place of one character.
        text = "…" + text[begin:]
        marks = [replace(mark, start=mark.start - begin + 1, end=mark.end - begin + 1) for mark in marks]
    direction, places, theme = reading_direction(text), utf16_places(text), current_theme()
    layout = QTextLayout(text, painter.font())
    options = QTextOption()
    options.setWrapMode(QTextOption.WrapMode.NoWrap)
    options.setTextDirection(direction)
    layout.setTextOption(options)
    formats = []
    for mark in marks:
        if mark.start >= len(text):
            continue
        stretch = QTextLayout.FormatRange()
        stretch.start = places[mark.start]
        stretch.length = places[min(mark.end, len(text))] - places[mark.start]
        stretch.format = mark_format(mark.kind, theme)
        formats.append(stretch)
    layout.setFormats(formats)
    layout.beginLayout()
    line = layout.createLine()
    line.setLineWidth(_UNBOUND)
    wide, cut = line.naturalTextWidth(), painter.fontMetrics().horizontalAdvance("…")
    # Qt does not paint text that begins to the right of a line that is too wide.
    line.setLineWidth(ceil(wide) + 1)
    layout.endLayout()
    leftwards = direction == Qt.LayoutDirection.RightToLeft
    short = wide <= area.width()
    room = QRectF(area) if short else QRectF(area).adjusted(cut if leftwards else 0, 0, 0 if leftwards else -cut, 0)
    painter.save()
    painter.setClipRect(room, Qt.ClipOperation.IntersectClip)
    # A right-to-left line ends at the right edge.
    left = room.right() - line.width() if leftwards else room.left()
    layout.draw(painter, QPointF(left, area.top()))
    painter.restore()
    if not short:
        side = Qt.AlignmentFlag.AlignLeft if leftwards else Qt.AlignmentFlag.AlignRight
        painter.drawText(area, side | Qt.AlignmentFlag.AlignVCenter, "…")
