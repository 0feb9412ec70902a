"""The history of the Bench, newest first, and the buttons for its pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from PySide6.QtCore import (
    QAbstractListModel,
    QCoreApplication,
    QMimeData,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFont, QFontMetrics, QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QListView, QPushButton, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from parapluie_gui.judgements.scheme import pair_verdict
from parapluie_gui.ui.bench.entry import BenchEntry
from parapluie_gui.ui.state import score_names
from parapluie_gui.ui.widgets.arrange import button, flow, name_control, vbox
from parapluie_gui.ui.widgets.controls import caption, line
from parapluie_gui.ui.widgets.empty import EmptyState
from parapluie_gui.ui.widgets.growing_text import displayable
from parapluie_gui.ui.widgets.pair_drag import pairs_to_mime
from parapluie_gui.ui.widgets.text import pairs_words, reading_direction, tooltip
from parapluie_gui.ui.widgets.theme import current_theme

#: Held keys with which a letter is a command.
_COMMANDS = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier

_Index = QModelIndex | QPersistentModelIndex

#: Type of a verdict relative to that of the sentences.
_SMALL = 0.9

#: Role of the main score of an entry, as text.
SCORE_ROLE = Qt.ItemDataRole.UserRole + 1


class HistoryModel(QAbstractListModel):
    """A Qt model of the entries, stored oldest first and shown newest first."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.entries: list[BenchEntry] = []
        self._judged_later: set[int] = set()

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.entries)

    def place(self, index: _Index) -> int:
        """Return the index of an entry in the history, from the oldest."""
        return len(self.entries) - 1 - index.row()

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return an entry as text; the delegate reads the entry itself."""
        if not index.isValid() or not 0 <= index.row() < len(self.entries):
            return None
        entry = self.entries[self.place(index)]
        if role == Qt.ItemDataRole.UserRole:
            return entry
        score = "…" if self.place(index) in self._judged_later else score_text(entry)
        if role == SCORE_ROLE:
            return score
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            parts = (displayable(entry.source), displayable(entry.hypothesis), score, verdict_words(entry))
            return "\n".join(filter(None, parts))
        if role == Qt.ItemDataRole.ToolTipRole:
            return tooltip(f"{entry.source[:500]}\n\n{entry.hypothesis[:500]}")
        return None

    def reset(self, entries: Sequence[BenchEntry]) -> None:
        """Set the history, oldest first."""
        self.beginResetModel()
        self._judged_later.clear()
        self.entries = list(entries)
        self.endResetModel()

    def append(self, entry: BenchEntry) -> int:
        """Add the newest entry and return its index."""
        self.beginInsertRows(QModelIndex(), 0, 0)
        self.entries.append(entry)
        self.endInsertRows()
        return len(self.entries) - 1

    def place_of(self, entry: BenchEntry | None) -> int | None:
        """Return the index of an entry, or None."""
        return next((at for at, other in enumerate(self.entries) if other is entry), None)

    def add_pair(
        self, source: str, hypothesis: str, values: Mapping[str, float], models: Mapping[str, str]
    ) -> tuple[int, bool]:
        """Add a pair with its scores unless it is present; return its index, and whether anything changed.

        `models` has the judges of the values, by column.
        """
        texts = source, hypothesis
        place = next((at for at, entry in enumerate(self.entries) if (entry.source, entry.hypothesis) == texts), None)
        if place is None:
            return self.append(BenchEntry(source, hypothesis, dict(values), models=dict(models))), True
        changed = bool(values) and not self.entries[place].values
        if changed:
            self.replace(place, replace(self.entries[place], values=dict(values), models=dict(models)))
        return place, changed

    def find_scored(self, source: str, hypothesis: str, original: int | None, models: Mapping[str, str]) -> int | None:
        """Return the index of an entry for this pair that keeps its scores if `models` score it again, or None."""
        for place, entry in enumerate(self.entries):
            judged = (entry.models.get(column, model) == model for column, model in models.items())
            if (entry.source, entry.hypothesis, entry.original) == (source, hypothesis, original) and all(judged):
                return place
        return None

    def scores_of(self, judges: Mapping[str, str]) -> list[float]:
        """Return all scores of these judges, which are given by column."""
        return [
            value
            for entry in self.entries
            for column, value in entry.values.items()
            if judges.get(column) == entry.model_of(column)
        ]

    def remove(self, place: int) -> list[int]:
        """Remove an entry, and return the indices of its copies, which become ordinary entries."""
        copies = [at - (at > place) for at, entry in enumerate(self.entries) if entry.original == place]
        at = len(self.entries) - 1 - place
        self.beginRemoveRows(QModelIndex(), at, at)
        del self.entries[place]
        self.entries = [replace(other, original=shift_index(other.original, place, -1)) for other in self.entries]
        self._judged_later = {other - (other > place) for other in self._judged_later if other != place}
        self.endRemoveRows()
        return copies

    def insert(self, place: int, entry: BenchEntry, copies: Sequence[int]) -> None:
        """Restore a removed entry; `copies` are the indices of its copies before the removal.

        Raises:
            LookupError: An index is out of range.
        """
        if not all(0 <= other <= len(self.entries) for other in (place, *copies)):
            raise LookupError(place)
        at = len(self.entries) - place
        self.beginInsertRows(QModelIndex(), at, at)
        others = [replace(other, original=shift_index(other.original, place, 1)) for other in self.entries]
        others.insert(place, entry)
        for copy in copies:
            at = copy + (copy >= place)
            others[at] = replace(others[at], original=place)
        self.entries = others
        self._judged_later = {other + (other >= place) for other in self._judged_later}
        self.endInsertRows()

    def replace(self, place: int, entry: BenchEntry) -> None:
        """Replace an entry by a version with more scores or answers."""
        self.entries[place] = entry
        self._tell(place)

    def wait_for_judge(self, place: int, waiting: bool) -> None:
        """Show no score of an entry while the judge's is pending; otherwise a metric's score would appear first."""
        (self._judged_later.add if waiting else self._judged_later.discard)(place)
        self._tell(place)

    def flags(self, index: _Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        return flags | Qt.ItemFlag.ItemIsDragEnabled if index.isValid() else flags

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        """Return the pairs of some entries as MIME data, the oldest first."""
        entries = [self.entries[place] for place in sorted(map(self.place, indexes))]
        return pairs_to_mime((entry.source, entry.hypothesis) for entry in entries)

    def _tell(self, place: int) -> None:
        index = self.index(len(self.entries) - 1 - place)
        self.dataChanged.emit(index, index)


class HistoryDelegate(QStyledItemDelegate):
    """Paints an entry as plain text: the source, the hypothesis below it, and the main score at the right."""

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
            painter.fillRect(rect, QColor(current_theme().accent))
        painter.setPen(QColor(current_theme().border))
        painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        font: QFont = option.font
        metrics = QFontMetrics(font)
        inner = rect.adjusted(8, 6, -8, -6)
        text = QColor(current_theme().accent_text if selected else current_theme().text)
        bold = QFont(font)
        bold.setBold(True)
        score: str = index.data(SCORE_ROLE)
        width = QFontMetrics(bold).horizontalAdvance(score)
        align = Qt.AlignmentFlag.AlignVCenter
        painter.setFont(bold)
        painter.setPen(text)
        above = inner if not entry.verdict else inner.adjusted(0, 0, 0, -inner.height() // 2)
        painter.drawText(above, Qt.AlignmentFlag.AlignRight | align, score)
        painter.setFont(font)
        lines = QRect(inner.left(), inner.top(), inner.width() - width - 10, metrics.height())
        verdict, answer = verdict_words(entry), QFont(font)
        answer.setPointSizeF(font.pointSizeF() * _SMALL)
        below = inner.adjusted(0, inner.height() // 2, 0, 0)
        cut_verdict = QFontMetrics(answer).elidedText(verdict, Qt.TextElideMode.ElideRight, inner.width() // 3)
        painter.setFont(answer)
        painter.drawText(below, Qt.AlignmentFlag.AlignRight | align, cut_verdict)
        painter.setFont(font)
        width = max(width, QFontMetrics(answer).horizontalAdvance(cut_verdict))
        lines.setWidth(inner.width() - width - 10)
        copy = "↳ " if entry.original is not None else ""
        for at, sentence in enumerate((copy + entry.source, entry.hypothesis)):
            painter.setPen(text if at == 0 or selected else QColor(current_theme().muted))
            line = " ".join(displayable(sentence[:400]).split())
            painter.setLayoutDirection(reading_direction(line))  # Arabic starts at the other end, and is elided there
            cut = metrics.elidedText(line, Qt.TextElideMode.ElideRight, lines.width())
            painter.drawText(lines.translated(0, at * (metrics.height() + 2)), Qt.AlignmentFlag.AlignLeft | align, cut)
        painter.restore()


class HistoryView(QListView):
    """The list of entries.

    Attributes:
        picked: Whether the user selected entries; otherwise only the entry shown is current.

    Signals:
        brought_back: (index) An entry was clicked or opened with Enter; the index counts from the oldest.
        removal_asked: The Delete key was pressed.
    """

    brought_back = Signal(int)
    removal_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.picked = False
        self.entries = HistoryModel(self)
        self.setModel(self.entries)
        self._delegate = HistoryDelegate(self)
        self.setItemDelegate(self._delegate)
        self.setAccessibleName(self.tr("History"))
        self.setSelectionMode(QListView.SelectionMode.ExtendedSelection)
        self.setUniformItemSizes(True)
        self.setDragEnabled(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.clicked.connect(self._bring)
        self.activated.connect(self._bring)

    def current_place(self) -> int | None:
        """Return the index of the current entry, from the oldest, or None."""
        index = self.currentIndex()
        return self.entries.place(index) if index.isValid() else None

    def chosen_places(self) -> list[int]:
        """Return the indices of the selected entries, the oldest first."""
        chosen = {self.entries.place(index) for index in self.selectionModel().selectedIndexes()}
        return [place for place in self.shown_places() if place in chosen]

    def shown_places(self) -> list[int]:
        """Return the indices of the entries that are not filtered out, the oldest first."""
        last = len(self.entries.entries) - 1
        return [place for place in range(last + 1) if not self.isRowHidden(last - place)]

    def show_matching(self, text: str) -> None:
        """Show the entries with a text in a sentence, the note or the verdict; entries added later are shown."""
        last = len(self.entries.entries) - 1
        for place, entry in enumerate(self.entries.entries):
            texts = (entry.source, entry.hypothesis, entry.note, verdict_words(entry))
            self.setRowHidden(last - place, not any(text.casefold() in part.casefold() for part in texts))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.picked = True
        super().mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Remove (Delete), or move and show the current entry; letters and digits are keys of the Bench."""
        if event.key() == Qt.Key.Key_Delete:
            self.removal_asked.emit()
        elif event.text().strip() and event.text().isprintable() and not event.modifiers() & _COMMANDS:
            event.ignore()  # Qt would search for it, and keep it from the Bench
        else:
            before = self.currentIndex()
            self.picked = True
            super().keyPressEvent(event)
            if self.currentIndex() != before and self.currentIndex().isValid():
                self._bring(self.currentIndex())
                self.picked = True

    def set_current_place(self, place: int) -> None:
        """Mark an entry as current, without a signal."""
        index = self.entries.index(len(self.entries.entries) - 1 - place)
        if index == self.currentIndex() and self.selectionModel().isSelected(index):
            return  # keep other entries selected
        self.picked = False
        self.setCurrentIndex(index)

    def _bring(self, index: QModelIndex) -> None:
        self.brought_back.emit(self.entries.place(index))


def shift_index(old: int | None, place: int, by: int) -> int | None:
    """Return the new index of an entry after one was removed (`by` −1) or inserted (1) at `place`, or None."""
    if old is None or (by < 0 and old == place):
        return None
    return old + by if old >= place else old


def verdict_words(entry: BenchEntry) -> str:
    """Return the verdict on an entry in words, "" if there is none."""
    answer = next((answer for answer in pair_verdict()[1].answers if answer.id == entry.verdict), None)
    return "" if answer is None else QCoreApplication.translate("VerdictView", answer.title)


def score_text(entry: BenchEntry) -> str:
    """Return the main score of an entry as text, "…" if it is missing."""
    column = entry.main
    if not column:
        return "…"
    value = entry.values[column]
    return score_names.format_score(column, value)


class HistoryPanel(QWidget):
    """The list of entries with its heading and buttons.

    Attributes:
        list: The entries.
        collect_button: Opens a menu of corpora.
        export_button: Writes the selected entries to a file.

    Signals:
        copy_asked: (index) The user asked to edit a copy of an entry.
        removal_asked: The user asked to remove the selected entries.
    """

    copy_asked = Signal(int)
    removal_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.list = HistoryView()
        self.list.removal_asked.connect(self.removal_asked)
        self._nothing = EmptyState()
        self.search = line(
            self.tr("Find in the history"), tip=self.tr("A part of a sentence, note or verdict"), clears=True
        )
        self.search.textChanged.connect(self._find)
        tip = self.tr("Change the chosen pair and see how its scores change")
        self._copy = button(self.tr("Edit a copy"), self._ask_copy, tip)
        tip = self.tr(
            "Create a corpus from the selected pairs, or from all pairs, with their scores, notes and verdicts"
        )
        self.collect_button = name_control(QPushButton(), self.tr("New corpus from these pairs"), tip)
        # The name that the manual uses.
        self.collect_button.setProperty("words", f"{self.tr('history corpus')} collect")
        tip = self.tr("Write the selected pairs, or all pairs, to a file with their scores, notes and verdicts")
        self.export_button = button(self.tr("Export…"), lambda: None, tip, self.tr("Export the history"))
        self.export_button.setProperty("words", self.tr("history"))
        tip = self.tr("Remove the selected pairs from the history (Delete). Ctrl+Z brings them back")
        self._remove = button(self.tr("Remove"), self.removal_asked.emit, tip)
        # Those whose text has a number are last: they move no other.
        self._buttons = (self._copy, self._remove, self.export_button, self.collect_button)
        head = caption(self.tr("History"), self.list)
        parts = (head, self._nothing, self.search, (self.list, 1000), flow(*self._buttons), 1)
        vbox(*parts, within=self, margins=(8, 10, 10, 10))
        self.list.selectionModel().selectionChanged.connect(self.refresh)
        self.refresh()

    @property
    def model(self) -> HistoryModel:
        return self.list.entries

    def chosen_entries(self) -> Sequence[BenchEntry]:
        """Return the selected entries, or all that are shown if none is selected, the oldest first."""
        places = self._picked_places() or self.list.shown_places()
        return [self.model.entries[place] for place in places]

    def refresh(self, *_: object) -> None:
        """Show the buttons that apply to the current entries."""
        empty = not self.model.entries
        self._nothing.say(self.tr("Scored pairs are listed here.") if empty else "")
        for control in (self.search, self.list, *self._buttons):
            control.setVisible(not empty)
        shown, total = len(self.list.shown_places()), len(self.model.entries)
        chosen, picked = len(self.list.chosen_places()), len(self._picked_places()) or (shown if shown < total else 0)
        self.search.setPlaceholderText(self.tr("Find in {0}").format(pairs_words(total)))
        self.export_button.setText(self.tr("Export {0}…").format(picked) if picked else self.tr("Export all…"))
        these = self.tr("New corpus from these {0}").format(picked) if picked > 1 else self.tr("New corpus from this")
        self.collect_button.setText(these if picked else self.tr("New corpus from all"))
        for control in (self.export_button, self.collect_button):
            words = self.tr("{0} (history)").format(control.text().rstrip("…"))
            control.setAccessibleName(words)
        self._copy.setEnabled(chosen == 1)
        self._remove.setEnabled(chosen > 0)

    def _find(self, text: str) -> None:
        self.list.show_matching(text.strip())
        self.refresh()

    def _picked_places(self) -> list[int]:
        """Return the indices of the entries that the user selected."""
        return self.list.chosen_places() if self.list.picked else []

    def _ask_copy(self) -> None:
        if (place := self.list.current_place()) is not None:
            self.copy_asked.emit(place)
