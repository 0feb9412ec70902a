"""Qt's table model of the pairs: columns of arrays and an array of row numbers for filtering and sorting."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import partial

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QMimeData, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QColor
from shiboken6 import isValid

from parapluie_gui.analysis.cache import StateCache
from parapluie_gui.analysis.columns import NUMBERS, Column
from parapluie_gui.analysis.filter.words import quote_column
from parapluie_gui.arrays import Numbers, Rows
from parapluie_gui.judgements.columns import JudgementColumn, RecordedAnswers, shown_name
from parapluie_gui.judgements.record import UNNAMED
from parapluie_gui.pairs.corpus import UNLABELLED, Corpus
from parapluie_gui.scores.identity import identify
from parapluie_gui.ui.state import score_names
from parapluie_gui.ui.state.columns import (
    FILTERED_OUTCOME,
    OUTCOME,
    OUTCOMES,
    describe_outcome,
    filter_names,
    has_outcomes,
    outcomes,
    table_columns,
)
from parapluie_gui.ui.state.score_names import label_words
from parapluie_gui.ui.state.task import BackgroundTask, stop_tasks
from parapluie_gui.ui.state.throttle import CallThrottle
from parapluie_gui.ui.state.workspace import CorpusWorkspace
from parapluie_gui.ui.widgets.icons import icon
from parapluie_gui.ui.widgets.pair_drag import pairs_to_mime
from parapluie_gui.ui.widgets.text import tooltip
from parapluie_gui.ui.widgets.theme import current_theme, label_icons

#: Number of pairs from which texts are sorted in a thread.
MANY = 100_000
#: Shortest time between two sorts while the sort column is filling.
RESORT_MS = 1000
#: Sign after the score of a pair that was scored without its end.
CUT_MARK = "†"
#: Characters of a text passed to Qt for a cell and its tooltip, as Qt processes all of them.
_CELL = 2_000
Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()


#: Letters of a score's title that has one line.
_ONE_LINE = 9
#: Maximum number of letters of a cell by which its menu offers to filter.
_CONDITION = 60


class PairsModel(QAbstractTableModel):
    """Table model of the selected pairs, in the user's sort order.

    Attributes:
        columns: The columns, left to right.
        rows: Corpus row of each table row, int64 (k,); read-only.
        stacked: Whether source and hypothesis share one cell, one above the other.
        arranging: Whether rows are moving, so that views can ignore Qt's changes of the current row.

    Signals:
        arranging_begins: Rows are about to be moved, added or removed.
        arranged: Rows were moved, added or removed.
        columns_arranged: Columns were added or removed.
        sorting: (bool) Sorting of many texts in a thread begins or ends.
    """

    arranging_begins = Signal()
    arranged = Signal()
    columns_arranged = Signal()
    sorting = Signal(bool)

    def __init__(self, workspace: CorpusWorkspace, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._theme = current_theme()
        self._icons = label_icons(self._theme)
        self._corpus: Corpus | None = None
        self._cache = StateCache()
        self._sort_key = ""
        self._descending = False
        self._order: Rows = np.zeros(0, dtype=np.int64)
        self._place: Rows = np.zeros(0, dtype=np.int64)
        self.columns: list[Column] = []
        self.rows: Rows = np.zeros(0, dtype=np.int64)
        self.arranging = self.stacked = False
        self._task: BackgroundTask[Rows] | None = None
        self._running: set[BackgroundTask[Rows]] = set()
        self._resorting = CallThrottle(self._resort, RESORT_MS, self, prompt=True)
        workspace.corpus_changed.connect(self._take_corpus)
        workspace.columns_changed.connect(self._take_columns)
        workspace.scores_changed.connect(self._take_scores)
        workspace.axes_changed.connect(self._take_outcomes)
        workspace.threshold_changed.connect(self._take_outcomes)
        workspace.selection.set_changed.connect(self._take_set)
        self._take_corpus()

    # For Qt

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or index.row() >= len(self.rows) or index.column() >= len(self.columns):
            return None
        column = self.columns[index.column()]
        row = int(self.rows[index.row()])
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return _cut_cell(self.text(row, column))
            case Qt.ItemDataRole.AccessibleTextRole if column.shows in NUMBERS:
                return self.text(row, column) or self.tr("no value")
            case Qt.ItemDataRole.AccessibleTextRole if self.stacked and column.key == "source":
                # Both are painted in this cell.
                return "\n".join(map(_cut_cell, self.texts_of([index.row()])[0]))
            case Qt.ItemDataRole.TextAlignmentRole:
                side = Qt.AlignmentFlag.AlignRight if column.shows in NUMBERS else Qt.AlignmentFlag.AlignLeft
                return side | Qt.AlignmentFlag.AlignVCenter
            case Qt.ItemDataRole.AccessibleDescriptionRole if column.shows in ("label", "text"):
                return self._answers_text(row, column) or None  # the rest is the text of the cell
            case Qt.ItemDataRole.ToolTipRole | Qt.ItemDataRole.AccessibleDescriptionRole:
                if column.shows == "outcome":
                    return describe_outcome(self._outcome(row)) or None
                if column.shows == "label":
                    return self.text(row, column) or None
                if self._is_cut(row, column):
                    return self.tr("The model did not read all of this pair: see the remark in the heading.")
                if answers := self._answers_text(row, column):
                    return answers
                return _cut_cell(self.text(row, column)) if column.shows == "text" else None
            case Qt.ItemDataRole.DecorationRole if column.shows == "label":
                return self._icons.get(int(self._workspace.labels()[row]))
            case Qt.ItemDataRole.ForegroundRole if column.shows == "outcome":
                wrong = OUTCOMES[self._outcome(row)] in ("FP", "FN")
                return QColor(self._theme.bad if wrong else self._theme.muted)
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(self.columns):
            return None
        column = self.columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            if self.stacked and column.key == "source":
                return self.tr("Source over hypothesis")
            return self._heading(column)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._whose(column)
        if role == Qt.ItemDataRole.ToolTipRole:
            signature = self._workspace.table.signatures.get(column.key)
            remarks = () if signature is None else (*signature.remarks, signature.cost)
            name = "" if self._heading(column).replace("\n", " ") == column.title else column.title
            return tooltip("\n".join(filter(None, (name, column.tip, *remarks))))
        if role == Qt.ItemDataRole.AccessibleDescriptionRole:
            signature = self._workspace.table.signatures.get(column.key)
            way = self.tr("sorted, descending") if self._descending else self.tr("sorted, ascending")
            parts = [way] if column.key == self._sort_key else []
            return "\n".join([*parts, *(() if signature is None else signature.remarks)]) or None
        if role == Qt.ItemDataRole.DecorationRole:
            signature = self._workspace.table.signatures.get(column.key)
            return icon("info") if signature is not None and signature.remarks else None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if column.shows in NUMBERS else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column; -1 restores the order of the file."""
        self._sort_key = self.columns[column].key if 0 <= column < len(self.columns) else ""
        self._descending = order == Qt.SortOrder.DescendingOrder
        self._resorting.now()

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        return flags | Qt.ItemFlag.ItemIsDragEnabled if index.isValid() else flags

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        """Return the pairs of some cells as the data of a drag."""
        return pairs_to_mime(self.texts_of(sorted({index.row() for index in indexes})))

    # For views

    def texts_of(self, places: Sequence[int]) -> list[tuple[str, str]]:
        """Return source and hypothesis of the pairs at some places of the table."""
        corpus = self._corpus
        rows = [] if corpus is None else [int(self.rows[place]) for place in places]
        return [] if corpus is None else [(corpus.source[row], corpus.hypothesis[row]) for row in rows]

    @property
    def current(self) -> bool:
        """Whether the model shows the workspace's corpus; False before it received a new one."""
        return self._workspace.corpus is self._corpus

    @property
    def sorted_by(self) -> tuple[str, bool]:
        """Key of the sort column ("" for the order of the file), and whether the order is descending."""
        return self._sort_key, self._descending

    def column_at(self, key: str) -> int:
        """Return the number of the column with this key, or -1."""
        return next((at for at, column in enumerate(self.columns) if column.key == key), -1)

    def place_of(self, row: int) -> int:
        """Return the table row that shows a corpus row, or -1."""
        return int(self._place[row]) if 0 <= row < len(self._place) else -1

    def places_of(self, rows: Rows) -> Rows:
        """Return the table rows of some corpus rows, -1 for those not shown; skip rows beyond the corpus."""
        return self._place[rows[rows < len(self._place)]]

    def text(self, row: int, column: Column) -> str:
        """Return the text of one corpus row in one column."""
        match column.shows:
            case "text":
                value = self._text(column.key)[row]
                if value is None and ", " in self._answers_text(row, column):
                    return self.tr("tie")
                return "" if value is None else str(value)
            case "label":
                return label_words(int(self._workspace.labels()[row]))
            case "outcome":
                return OUTCOMES[self._outcome(row)]
        text = column.format(float(self._values(column.key)[row])) + CUT_MARK * self._is_cut(row, column)
        if column.shows == "score" and text and identify(column.key).is_from_judge:
            return score_names.format_bound(text, self._workspace.table, column.key, row)
        return text

    def _is_cut(self, row: int, column: Column) -> bool:
        """Return whether a pair was scored without its end or without characters that the model cannot read."""
        return row in self._workspace.table.cut.get(column.key, ())

    def exact(self, row: int, column: Column) -> str:
        """Return the text of a cell for copying: unrounded, on one line."""
        if column.shows in NUMBERS:
            value = float(self._values(column.key)[row])
            return "" if np.isnan(value) else repr(value)
        return " ".join(self.text(row, column).split())

    def condition(self, index: Index) -> str:
        """Return the condition of a filter that a cell's value fulfils, "" for a sentence or an empty cell."""
        column, row = self.columns[index.column()], int(self.rows[index.row()])
        if column.shows == "label":
            label = int(self._workspace.labels()[row])
            return "" if label == UNLABELLED else f"{quote_column(column.key)} == {label}"
        if column.shows == "outcome":
            text = OUTCOMES[self._outcome(row)]
            names = filter_names(self._workspace)
            return f'{FILTERED_OUTCOME} == "{text}"' if text and FILTERED_OUTCOME in names else ""
        if column.shows != "text" or column.key in ("source", "hypothesis") or not column.filters:
            return ""
        value = self._text(column.key)[row]
        text = "" if value is None else str(value)
        if not text or len(text) > _CONDITION:
            return ""
        escaped = text.replace("\\", "\\\\").replace('"', '\\"')
        return f'{quote_column(column.key)} == "{escaped}"'

    def dress(self) -> None:
        """Apply the colours of the theme."""
        self._theme = current_theme()
        self._icons = label_icons(self._theme)
        self._emit_changed(range(len(self.columns)))

    # Changes of the workspace

    def _take_corpus(self) -> None:
        self.beginResetModel()
        self._corpus = self._workspace.corpus
        self._cache.clear()
        self.columns = table_columns(self._workspace)
        if self.column_at(self._sort_key) < 0:
            self._sort_key = ""
        self._order = self._sorted_rows()
        self._set_rows(self._members())
        self.endResetModel()
        self._pass_on_order()
        self.columns_arranged.emit()
        self.arranged.emit()

    def _take_columns(self) -> None:
        if self._workspace.corpus is not self._corpus:
            return  # corpus_changed follows
        wanted = table_columns(self._workspace)
        if wanted == self.columns:
            self._emit_changed(range(len(self.columns)))
            return
        keys = {column.key for column in wanted}
        for at in reversed(range(len(self.columns))):
            if self.columns[at].key not in keys:
                self._remove(at)
        for at, column in enumerate(wanted):
            if at < len(self.columns) and self.columns[at].key == column.key:
                self.columns[at] = column
            else:
                if (before := self.column_at(column.key)) >= 0:  # it moved
                    self._remove(before)
                self.beginInsertColumns(_NOWHERE, at, at)
                self.columns.insert(at, column)
                self.endInsertColumns()
        self._emit_changed(range(len(self.columns)))
        self.columns_arranged.emit()
        if self._sort_key and self.column_at(self._sort_key) < 0:
            self.sort(-1)

    def _remove(self, at: int) -> None:
        self.beginRemoveColumns(_NOWHERE, at, at)
        del self.columns[at]
        self.endRemoveColumns()

    def _take_scores(self, names: frozenset[str]) -> None:
        if self._workspace.corpus is not self._corpus:
            return
        changed = {at for at, column in enumerate(self.columns) if column.key in names}
        if self._workspace.y in names:
            changed |= {self.column_at(OUTCOME)} - {-1}
        self._refresh(changed)

    def _take_outcomes(self) -> None:
        if self._workspace.corpus is not self._corpus:
            return
        if has_outcomes(self._workspace) != (self.column_at(OUTCOME) >= 0):
            self._take_columns()
        self._refresh({self.column_at(OUTCOME)} - {-1})

    def _take_set(self) -> None:
        if self._workspace.corpus is self._corpus and len(self._workspace.selection.mask) == len(self._order):
            if not self._sort_key:
                self._order = self._sorted_rows()
            self._show(self._members())

    # Sorting and filtering

    def _refresh(self, changed: set[int]) -> None:
        """Show new contents of some columns; schedule sorting if the sort column is one of them."""
        self._emit_changed(changed)
        if self.column_at(self._sort_key) in changed:
            self._resorting.ask()

    def close_work(self) -> None:
        """Stop sorting in a thread and wait for its end."""
        stop_tasks(*self._running)

    def _resort(self) -> None:
        if self._sort_in_thread():
            return
        self._order = self._sorted_rows()
        self._show(self._members())

    def _members(self) -> Rows:
        mask = self._workspace.selection.mask
        return self._order[mask[self._order]] if len(mask) == len(self._order) else self._order

    def _sort_in_thread(self) -> bool:
        """Begin to sort many texts, unless their order is known; return whether the order will follow."""
        if self._task is not None:  # its purpose has changed, or its result is used when it arrives
            self._task.stop()
        key, descending, corpus = self._sort_key, self._descending, self._corpus
        at = self.column_at(key)
        if corpus is None or len(corpus) < MANY or at < 0 or self.columns[at].shows != "text":
            return False
        version, place = self._workspace.version(key), ("order", key, descending)
        if self._cache.holds(place, version):
            return False
        texts = self._text(key)

        def take(order: Rows) -> None:
            if self._corpus is corpus and (self._sort_key, self._descending) == (key, descending):
                self._cache.get(place, version, lambda: order)
                self._order = self._sorted_rows()
                self._show(self._members())

        task = self._task = BackgroundTask(lambda tell: text_order(texts, descending))
        self._running.add(task)  # a stopped one ends by itself
        self.sorting.emit(True)
        task.begin(take, lambda error: None, partial(self._end_sorting, task))
        return True

    def _end_sorting(self, task: BackgroundTask[Rows]) -> None:
        self._running.discard(task)
        if task is self._task and isValid(self):
            self._task = None
            self.sorting.emit(False)

    def _sorted_rows(self) -> Rows:
        """Return all corpus rows in the order of the sort column; rows without a value come last in both directions."""
        count = 0 if self._corpus is None else len(self._corpus)
        at = self.column_at(self._sort_key)
        if at < 0:
            rows, rule = np.arange(count, dtype=np.int64), self._workspace.selection.rule
            first = np.zeros(0, dtype=np.int64) if rule is None or rule.order is None else rule.order
            return np.concatenate([first, rows[~np.isin(rows, first)]]) if len(first) else rows
        column = self.columns[at]
        if column.shows == "text":
            order = partial(text_order, self._text(column.key), self._descending)
            return self._cache.get(("order", column.key, self._descending), self._workspace.version(column.key), order)
        values = self._workspace.labels() if column.shows == "label" else self._values(column.key)
        if column.shows in ("label", "outcome"):
            values = np.where(values == (UNLABELLED if column.shows == "label" else 0), np.nan, values)
        return number_order(values, self._descending)

    def _show(self, rows: Rows) -> None:
        """Replace the rows in steps that keep the view's selection and scroll position."""
        if np.array_equal(rows, self.rows):
            self._pass_on_order()
            return
        self.arranging_begins.emit()
        self.arranging = True
        if len(rows) < len(self._order) or len(self.rows) < len(self._order):
            self._exchange(rows)
        self._permute(rows)
        self.arranging = False
        self._pass_on_order()
        self.arranged.emit()

    def _exchange(self, rows: Rows) -> None:
        """Remove the rows that are no longer shown, then append the new ones."""
        member = np.zeros(len(self._place), dtype=bool)
        member[rows] = True
        stays = member[self.rows]
        count = int(np.count_nonzero(stays))
        if count < len(self.rows):
            self._permute(np.concatenate([self.rows[stays], self.rows[~stays]]))
            self.beginRemoveRows(_NOWHERE, count, len(self.rows) - 1)
            self._set_rows(self.rows[:count])
            self.endRemoveRows()
        fresh = rows[self._place[rows] < 0]
        if len(fresh):
            self.beginInsertRows(_NOWHERE, count, count + len(fresh) - 1)
            self._set_rows(np.concatenate([self.rows, fresh]))
            self.endInsertRows()

    def _permute(self, rows: Rows) -> None:
        if np.array_equal(rows, self.rows):
            return
        self.layoutAboutToBeChanged.emit()
        before = self.persistentIndexList()
        pairs = [int(self.rows[index.row()]) for index in before]
        self._set_rows(rows)
        after = [self.index(int(self._place[pair]), old.column()) for pair, old in zip(pairs, before, strict=True)]
        self.changePersistentIndexList(before, after)
        self.layoutChanged.emit()

    def _set_rows(self, rows: Rows) -> None:
        self.rows = rows
        self._place = np.full(len(self._order), -1, dtype=np.int64)
        self._place[rows] = np.arange(len(rows))

    def _pass_on_order(self) -> None:
        if not np.array_equal(self._workspace.selection.order, self.rows):
            self._workspace.selection.set_order(self.rows)

    def _emit_changed(self, changed: set[int] | range) -> None:
        if len(self.rows) and changed:
            self.dataChanged.emit(self.index(0, min(changed)), self.index(len(self.rows) - 1, max(changed)))

    # Judgements

    def _question(self, column: Column) -> RecordedAnswers | None:
        """Return the question of a column with the answers of all annotators."""
        judgements = self._workspace.judgements
        if judgements.holds.get(column.key) is not JudgementColumn.ANSWER:
            return None
        return next((recorded for recorded in judgements.recorded if recorded.question.id == column.key), None)

    def _heading(self, column: Column) -> str:
        """Return the title in the header: a long name of a score takes two lines, without the weights if necessary.

        The weights are kept if two columns differ only in them.
        """
        if column.identity is None:
            return self._whose(column)
        short, others = _without_weights(column), (other for other in self.columns if other is not column)
        return in_two_lines(column.title if short in map(_without_weights, others) else short)

    def _whose(self, column: Column) -> str:
        """Return a column's title with its annotator, if there is a name."""
        if (asked := self._question(column)) is None or asked.annotators == (UNNAMED,):
            return column.title
        names = [shown_name(name) for name in asked.annotators]
        whose = names[0] if len(names) == 1 else self.tr("most of {0}").format(len(names))
        return self.tr("{0} · {1}").format(column.title, whose)

    def _answers_text(self, row: int, column: Column) -> str:
        """Return the answers on a pair by annotator ("Anna: Same meaning, Bert: Very different"), or ""."""
        if (asked := self._question(column)) is None:
            return ""
        answers = ((shown_name(name), records[row].answer) for name, records in asked.records.items() if row in records)
        titles = {answer.id: answer.title for answer in asked.question.answers}
        return ", ".join(f"{name}: {titles.get(answer or '', answer)}" for name, answer in answers)

    # Values

    def _text(self, key: str) -> Sequence[object]:
        """Return the values of a text column, None for missing ones."""
        return self._cache.get(("text", key), self._workspace.version(key), partial(self._workspace.texts, key))

    def _outcome(self, row: int) -> int:
        """Return the outcome code of one pair, without computing those of all pairs."""
        if self._cache.holds(OUTCOME, self._outcome_state()):
            return int(self._cache.latest(OUTCOME)[row])
        return int(outcomes(self._workspace, rows=slice(row, row + 1))[0])

    def _outcome_state(self) -> object:
        workspace = self._workspace
        return workspace.version(workspace.y), workspace.y, workspace.threshold

    def _values(self, key: str) -> Numbers:
        """Return a column's numbers; score columns are live views that update while scores arrive."""
        if key == OUTCOME:
            return self._cache.get(key, self._outcome_state(), partial(outcomes, self._workspace))
        return self._cache.get(key, self._workspace.version(key), partial(self._workspace.column_values, key))


#: Rounds of exchanging neighbours that the quick order left in the wrong order, before everything is sorted slowly.
_REPAIRS = 8


def number_order(values: Numbers, descending: bool = False) -> Rows:
    """Return the rows in the order of their numbers, int64 (n,): a stable sort, with NaN last either way.

    A number's upper bits and its row share one integer: sorting these takes half as long as sorting the rows by the
    numbers. The order that the lower bits decide is put right afterwards.
    """
    numbers = np.negative(values, dtype=np.float64) if descending else np.asarray(values, dtype=np.float64)
    count = len(numbers)
    bits = max(count - 1, 1).bit_length()
    # Read as integers, numbers are in order once the negative ones are reversed; adding zero makes -0 and 0 equal.
    key = (numbers + 0.0).view(np.int64)
    key ^= (key >> 63) & np.int64(2**63 - 1)
    key[np.isnan(numbers)] = 2**63 - 1
    packed = (key >> bits << bits) | np.arange(count)
    packed.sort()
    order = packed & ((1 << bits) - 1)
    packed >>= bits
    alike = np.flatnonzero(packed[1:] == packed[:-1])
    for _ in range(_REPAIRS):
        wrong = alike[key[order[alike]] > key[order[alike + 1]]]
        if not len(wrong):
            return order
        # Of overlapping neighbours only the first are exchanged at a time.
        wrong = wrong[np.concatenate([[True], np.diff(wrong) > 1])]
        order[wrong], order[wrong + 1] = order[wrong + 1], order[wrong]
    return np.argsort(key, kind="stable")


def _cut_cell(text: str) -> str:
    return text if len(text) <= _CELL else f"{text[:_CELL]}…"


def text_order(texts: Sequence[object], descending: bool = False) -> Rows:
    """Return the rows in the order of their texts, int64 (n,); empty texts come last.

    Case is ignored, Ä is beside A, and digits are compared as numbers. Texts with the same beginning are sorted in
    small groups, so that a thread never holds up the window for long.
    """
    keys = ["" if text is None else collation_key(str(text).casefold()) for text in texts]
    filled = np.array([row for row, key in enumerate(keys) if key], dtype=np.int64)
    empty = np.array([row for row, key in enumerate(keys) if not key], dtype=np.int64)
    # Backwards and reversed again, equal texts keep their order.
    order = _order_from(keys, filled[::-1], 0)[::-1] if descending else _order_from(keys, filled, 0)
    return np.concatenate([order, empty])


def collation_key(text: str) -> str:
    """Return a text whose place among others by code points is the place of `text` in a dictionary."""
    key = text
    if not text.isascii():
        letters = "".join(letter for letter in unicodedata.normalize("NFKD", text) if not unicodedata.combining(letter))
        key = f"{letters}\1{text}"
    return _DIGITS.sub(_number_key, key)


def _number_key(digits: re.Match[str]) -> str:
    """Return digits after their number, so that the shorter of two numbers comes first."""
    number = digits[0].lstrip("0")
    return f"0{chr(min(len(number) + 1, 0xD7FF))}{number}"


_DIGITS = re.compile("[0-9]+")
#: Bytes of texts that are compared at once as a number, the number of texts that are sorted in one go, and the byte
#: from which they are.
_BYTES, _GROUP, _FAR = 8, 500, 2_000


def _order_from(keys: Sequence[str], rows: Rows, start: int) -> Rows:
    """Return rows in the order of their keys, which are equal before the byte `start` in UTF-8; stable."""
    if len(rows) <= _GROUP or start > _FAR:
        return np.array(sorted(rows.tolist(), key=keys.__getitem__), dtype=np.int64)
    end = start + _BYTES
    pieces = [keys[row].encode("utf-8", "surrogatepass")[start:end] for row in rows.tolist()]
    numbers = np.array(pieces, dtype=f"S{_BYTES}").view(">u8").astype(np.uint64)
    order = np.argsort(numbers, kind="stable")
    rows, numbers = rows[order], numbers[order]
    ends = [*(np.flatnonzero(np.diff(numbers)) + 1).tolist(), len(rows)]
    begin = 0
    for stop in ends:
        if stop - begin > 1:
            group = rows[begin:stop]
            first = keys[int(group[0])]
            if any(keys[row] != first for row in group.tolist()):
                rows[begin:stop] = _order_from(keys, group, end)
        begin = stop
    return rows


def _without_weights(column: Column) -> str:
    maker = None if column.identity is None else column.identity.maker
    return column.title if maker is None or not maker.weights else column.title.replace(f" · {maker.weights}", "")


def in_two_lines(title: str) -> str:
    """Return a title broken at the space that leaves the shortest lines, unless it is short."""
    spaces = [at for at, letter in enumerate(title) if letter == " " and at]
    if len(title) <= _ONE_LINE or not spaces:
        return title
    at = min(spaces, key=lambda place: max(place, len(title) - place))
    return f"{title[:at]}\n{title[at + 1 :]}"
