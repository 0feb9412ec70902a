"""The history of the Bench: newest first, both sentences cut to a line each, with the main score."""

from __future__ import annotations

import html
from collections.abc import Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from parapluie_gui.scores.column_kind import is_judge_score
from parapluie_gui.ui.bench.entry import BenchEntry
from parapluie_gui.ui.state import score_names
from parapluie_gui.ui.widgets.growing_text import displayable
from parapluie_gui.ui.widgets.theme import Theme

_Index = QModelIndex | QPersistentModelIndex


class HistoryModel(QAbstractListModel):
    """The entries, stored oldest first and shown newest first."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.entries: list[BenchEntry] = []

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.entries)

    def place(self, index: _Index) -> int:
        """Return an entry's place in the history, counted from the oldest."""
        return len(self.entries) - 1 - index.row()

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return an entry's words; the delegate reads the entry itself."""
        if not index.isValid() or not 0 <= index.row() < len(self.entries):
            return None
        entry = self.entries[self.place(index)]
        if role == Qt.ItemDataRole.UserRole:
            return entry
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return f"{displayable(entry.source)}\n{displayable(entry.hypothesis)}\n{score_text(entry)}"
        if role == Qt.ItemDataRole.ToolTipRole:
            cut = f"{entry.source[:500]}\n{entry.hypothesis[:500]}"
            return "<qt>" + html.escape(cut).replace("\n", "<br><br>") + "</qt>"
        return None

    def reset(self, entries: Sequence[BenchEntry]) -> None:
        """Show another history, oldest first."""
        self.beginResetModel()
        self.entries = list(entries)
        self.endResetModel()

    def append(self, entry: BenchEntry) -> int:
        """Add the newest entry and return its place."""
        self.beginInsertRows(QModelIndex(), 0, 0)
        self.entries.append(entry)
        self.endInsertRows()
        return len(self.entries) - 1

    def replace(self, place: int, entry: BenchEntry) -> None:
        """Put a fuller entry in an entry's place."""
        self.entries[place] = entry
        index = self.index(len(self.entries) - 1 - place)
        self.dataChanged.emit(index, index)


class HistoryDelegate(QStyledItemDelegate):
    """Paints an entry: source, hypothesis below, the main score at the right; never as rich text."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        return QSize(100, round(QFontMetrics(option.font).height() * 2 + 14))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        entry: BenchEntry | None = index.data(Qt.ItemDataRole.UserRole)
        if entry is None:
            return
        painter.save()
        rect: QRect = option.rect
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        if selected:
            painter.fillRect(rect, QColor(self.theme.accent))
        painter.setPen(QColor(self.theme.border))
        painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        font: QFont = option.font
        metrics = QFontMetrics(font)
        inner = rect.adjusted(8, 6, -8, -6)
        text = QColor(self.theme.accent_text if selected else self.theme.text)
        bold = QFont(font)
        bold.setBold(True)
        score = score_text(entry)
        width = QFontMetrics(bold).horizontalAdvance(score)
        align = Qt.AlignmentFlag.AlignVCenter
        painter.setFont(bold)
        painter.setPen(text)
        painter.drawText(inner, Qt.AlignmentFlag.AlignRight | align, score)
        painter.setFont(font)
        lines = QRect(inner.left(), inner.top(), inner.width() - width - 10, metrics.height())
        copy = "↳ " if entry.original is not None else ""
        for at, sentence in enumerate((copy + entry.source, entry.hypothesis)):
            painter.setPen(text if at == 0 or selected else QColor(self.theme.muted))
            line = " ".join(displayable(sentence[:400]).split())
            cut = metrics.elidedText(line, Qt.TextElideMode.ElideRight, lines.width())
            painter.drawText(lines.translated(0, at * (metrics.height() + 2)), Qt.AlignmentFlag.AlignLeft | align, cut)
        painter.restore()


class HistoryView(QListView):
    """The list.

    Signals:
        brought_back: (place) An entry was clicked or opened with Enter; its place counts from the oldest.
    """

    brought_back = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.entries = HistoryModel(self)
        self.setModel(self.entries)
        self._delegate = HistoryDelegate(theme, self)
        self.setItemDelegate(self._delegate)
        self.setAccessibleName(self.tr("History"))
        self.setUniformItemSizes(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.clicked.connect(self._bring)
        self.activated.connect(self._bring)

    def current_place(self) -> int | None:
        """Return the chosen entry's place, counted from the oldest."""
        index = self.currentIndex()
        return self.entries.place(index) if index.isValid() else None

    def set_current_place(self, place: int) -> None:
        """Show an entry as the chosen one, without a signal."""
        self.setCurrentIndex(self.entries.index(len(self.entries.entries) - 1 - place))

    def apply_theme(self, theme: Theme) -> None:
        self._delegate.theme = theme
        self.viewport().update()

    def _bring(self, index: QModelIndex) -> None:
        self.brought_back.emit(self.entries.place(index))


def score_text(entry: BenchEntry) -> str:
    """Return the main score of an entry in figures, or "…" while there is none."""
    column = entry.main
    if not column:
        return "…"
    value = entry.values[column]
    return score_names.signed(value) if is_judge_score(column) else score_names.plain(value)
