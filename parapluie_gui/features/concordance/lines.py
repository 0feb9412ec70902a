"""The table of concordance lines: source and hypothesis side by side, each centred on its hit."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QRect, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPalette
from PySide6.QtWidgets import QApplication, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from parapluie_gui.arrays import Labels
from parapluie_gui.features.concordance.search import Concordance, SearchHits
from parapluie_gui.ui.widgets.text import tooltip

_Index = QModelIndex | QPersistentModelIndex
#: The columns that hold a sentence.
SENTENCES = (0, 1)
#: Maximum number of characters drawn on either side of a hit; more never fit into view.
_FAR = 400
_PARTS = Qt.ItemDataRole.UserRole


class LinesModel(QAbstractTableModel):
    """Model of the lines, with columns for source, hypothesis, label and outcome."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.lines: Concordance | None = None
        self._codes: list[tuple[Labels, Mapping[int, str]]] = []
        self._headings = (self.tr("Source"), self.tr("Hypothesis"), self.tr("Label"), self.tr("Outcome"))

    def show(self, lines: Concordance | None) -> None:
        self.beginResetModel()
        self.lines = lines
        self.endResetModel()

    def set_classes(self, *codes: tuple[Labels, Mapping[int, str]]) -> None:
        """Set each pair's label and outcome as codes, (n,), with the words for them."""
        self._codes = list(codes)
        if self.rowCount():
            self.dataChanged.emit(self.index(0, 2), self.index(self.rowCount() - 1, 3))

    def rowCount(self, parent: _Index | None = None) -> int:
        return 0 if self.lines is None or (parent is not None and parent.isValid()) else len(self.lines)

    def columnCount(self, parent: _Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._headings)

    def parts(self, row: int, column: int) -> tuple[str, str, str]:
        """Return the text before a line's hit, the hit, and the text after it; (text, "", "") without a hit."""
        assert self.lines is not None
        hits, hit = self._hit(row, column)
        return hits.cut(hit) if hit >= 0 else (hits.texts[self.lines.rows[row]], "", "")

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if self.lines is None:
            return None
        row, column = index.row(), index.column()
        if column not in SENTENCES:
            if role != Qt.ItemDataRole.DisplayRole or column - 2 >= len(self._codes):
                return None
            codes, words = self._codes[column - 2]
            return words[int(codes[self.lines.rows[row]])]
        if role == _PARTS:
            return self.parts(row, column)
        if role == Qt.ItemDataRole.DisplayRole:
            return "".join(self.parts(row, column))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            before, hit, after = self.parts(row, column)
            return self.tr("{0} “{1}” {2}").format(before, hit, after) if hit else before
        return tooltip("".join(self.parts(row, column))) if role == Qt.ItemDataRole.ToolTipRole else None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(self._headings):
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole and section in SENTENCES:
            return Qt.AlignmentFlag.AlignCenter
        return self._headings[section] if role == Qt.ItemDataRole.DisplayRole else None

    def _hit(self, row: int, column: int) -> tuple[SearchHits, int]:
        assert self.lines is not None
        if column == 0:
            return self.lines.source, int(self.lines.in_source[row])
        return self.lines.hypothesis, int(self.lines.in_hypothesis[row])


class HitDelegate(QStyledItemDelegate):
    """Delegate that aligns the hits of all lines."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        before, hit, after = index.data(_PARTS)
        self.initStyleOption(option, index)
        option.text = ""
        style = option.widget.style() if option.widget is not None else QApplication.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, option.widget)
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        roles = QPalette.ColorRole
        plain = option.palette.color(roles.HighlightedText if selected else roles.Text)
        muted = plain if selected else option.palette.color(roles.PlaceholderText)
        accent = plain if selected else option.palette.color(roles.Link)
        area = option.rect.adjusted(6, 0, -6, 0)
        painter.save()
        if not hit:
            self._draw(painter, area, before[:_FAR], muted, Qt.TextElideMode.ElideRight)
            painter.restore()
            return
        bold = option.font
        bold.setBold(True)
        width = min(QFontMetrics(bold).horizontalAdvance(hit), area.width())
        middle = QRect(area.center().x() - width // 2, area.top(), width, area.height())
        left = QRect(area.left(), area.top(), middle.left() - area.left(), area.height())
        right = QRect(middle.right() + 1, area.top(), area.right() - middle.right(), area.height())
        self._draw(painter, left, before[-_FAR:], plain, Qt.TextElideMode.ElideLeft)
        self._draw(painter, right, after[:_FAR], plain, Qt.TextElideMode.ElideRight)
        painter.setFont(bold)
        self._draw(painter, middle, hit, accent, Qt.TextElideMode.ElideMiddle)
        painter.restore()

    def _draw(self, painter: QPainter, area: QRect, text: str, colour: QColor, cut: Qt.TextElideMode) -> None:
        """Draw a part of a line; a part elided on the left is aligned to the right."""
        side = Qt.AlignmentFlag.AlignRight if cut == Qt.TextElideMode.ElideLeft else Qt.AlignmentFlag.AlignLeft
        flat = " ".join(text.splitlines())
        painter.setPen(colour)
        metrics = painter.fontMetrics()
        fits = metrics.horizontalAdvance(flat) <= area.width()
        shown = flat if fits else metrics.elidedText(flat, cut, max(area.width(), 0))
        painter.drawText(area, side | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, shown)
