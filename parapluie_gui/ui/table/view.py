"""The table of pairs: the selected pairs as rows to step through, sort and copy."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from math import ceil

import numpy as np
from PySide6.QtCore import (
    QEvent,
    QItemSelectionModel,
    QModelIndex,
    QPoint,
    QSignalBlocker,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QContextMenuEvent, QGuiApplication, QKeyEvent, QKeySequence, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QHeaderView,
    QMenu,
    QStyle,
    QStyleOptionHeader,
    QTableView,
    QWidget,
)

from parapluie_gui.analysis.columns import Column
from parapluie_gui.arrays import Rows
from parapluie_gui.ui.state.selection import NO_PAIR
from parapluie_gui.ui.state.stored_values import StoredValues
from parapluie_gui.ui.state.workspace import CorpusWorkspace
from parapluie_gui.ui.table.cells import CellDelegate, pair_height
from parapluie_gui.ui.table.model import Index, PairsModel
from parapluie_gui.ui.widgets.empty import EmptyState
from parapluie_gui.ui.widgets.theme import follow_theme

#: Width of a column in average characters, by kind; the sentences share the rest.
_WIDTHS = {"outcome": 9, "score": 9, "evidence": 9, "number": 9}
#: Width of columns with judgements: enough for "slightly similar".
_SAID = 16
_SENTENCES = ("source", "hypothesis", "reference")
_LEAST_SENTENCE = 24
#: Width of the shared column of both sentences if the table scrolls sideways.
_LEAST_PAIR = 40
#: Smallest share of the table's width for source and hypothesis together.
_LEAST_SHARE = 0.45
#: Number of visible columns above which source and hypothesis share one, unless the user chose otherwise.
_MANY = 6
#: Largest width of other columns' titles in characters; with room to spare, twice that.
_TITLE = 22
_SHORTEST, _LONGEST = 6, 22
#: Margins of a header's title in pixels, and how many of them a title may take before it is cut.
_PADDING, _SLACK = 16, 4
_ICON = QStyle.PixelMetric.PM_SmallIconSize
#: Characters of a filter quoted if no pair matches.
_RULE_LETTERS = 60


class _PairsHeader(QHeaderView):
    """The header of the table: titles of one or two lines, each cut at its end where the column is too narrow."""

    def title_width(self, at: int) -> int:
        """Return the width of a column in which its title is whole; the sort arrow is over the title."""
        model, horizontal = self.model(), Qt.Orientation.Horizontal
        lines = str(model.headerData(at, horizontal)).split("\n")
        return max(map(self.fontMetrics().horizontalAdvance, lines)) + self._beside(at)

    def initStyleOptionForIndex(self, option: QStyleOptionHeader, logicalIndex: int) -> None:
        super().initStyleOptionForIndex(option, logicalIndex)
        room = self.sectionSize(logicalIndex) - self._beside(logicalIndex) + _SLACK
        cut, lines = self.fontMetrics().elidedText, option.text.split("\n")
        option.text = "\n".join(cut(line, Qt.TextElideMode.ElideRight, room) for line in lines)

    def _beside(self, at: int) -> int:
        """Return the width of margins and mark."""
        mark = self.model().headerData(at, Qt.Orientation.Horizontal, Qt.ItemDataRole.DecorationRole)
        return _PADDING if mark is None else 2 * _PADDING + self.style().pixelMetric(_ICON, None, self)


class PairsTable(QTableView):
    """Table of the selected pairs, one per row; the current row is the primary pair.

    Attributes:
        pairs: The model.

    Signals:
        edit_requested: (source, hypothesis) The user wants to try changes on this pair.
        menu_opened: (menu, key of a column or "") The column menu opens; other parts can add actions.
        row_menu_opened: (menu) The menu of the current row opens; other parts can add actions.
        condition_wanted: (str) The user wants only the pairs that match this condition too.
    """

    edit_requested = Signal(str, str)
    menu_opened = Signal(QMenu, str)
    row_menu_opened = Signal(QMenu)
    condition_wanted = Signal(str)

    def __init__(self, workspace: CorpusWorkspace, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("manual_page", "table")
        self._workspace = workspace
        self._shown: dict[str, bool] = {}
        # Keys of columns in the order that the user gave them; empty for the usual order.
        self._order: list[str] = []
        self._own_widths = self._fitting = self._arranging = self._moved = False
        self._stacks: bool | None = None
        # The rows, the top row, and whether the primary pair was visible.
        self._seen: tuple[Rows, int, bool] = (np.zeros(0, dtype=np.int64), 0, False)
        self.pairs = PairsModel(workspace, self)
        follow_theme(self.pairs.dress)
        self.setAccessibleName(self.tr("Pairs"))
        self.setAccessibleDescription(
            self.tr("The selected pairs. J and K go through them; a double click edits a copy")
        )
        self.setModel(self.pairs)
        self.setItemDelegate(CellDelegate(self, self.pairs))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTabKeyNavigation(False)
        self.setAlternatingRowColors(True)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        # Always shown, so that columns do not move when few pairs are left.
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        rows = self.verticalHeader()
        rows.hide()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header = self._header()
        self.setSortingEnabled(True)
        # After Qt's own slot: scroll to the top, as sorting is for seeing the extremes.
        header.sortIndicatorChanged.connect(self.scrollToTop)
        self.doubleClicked.connect(self._request_edit)
        # A click makes a row current before it selects it; keys do it in the reverse order.
        self.selectionModel().currentRowChanged.connect(self._tell_primary)
        self.selectionModel().selectionChanged.connect(self._tell_primary)
        self.pairs.arranging_begins.connect(self._keep_place)
        self.pairs.sorting.connect(self._show_sorting)
        self.pairs.arranged.connect(self._find_place)
        self.pairs.columns_arranged.connect(self._dress_columns)
        workspace.selection.primary_changed.connect(self._show_primary)
        self.empty = EmptyState(self)
        for change in (workspace.corpus_changed, workspace.selection.set_changed, self.pairs.arranged):
            change.connect(self._show_empty)
        self._measure()
        self._dress_columns()
        self._show_empty()

    def settings(self) -> dict[str, object]:
        """Return the settings as JSON values: the columns that the user showed, hid or moved."""
        stacks = {} if self._stacks is None else {"stacked": self._stacks}
        order = {"order": list(self._order)} if self._order else {}
        return {"version": 1, "columns": dict(self._shown), **stacks, **order}

    def restore(self, settings: Mapping[str, object]) -> None:
        stored = StoredValues.wrap(settings)
        self._stacks = stored.flag("stacked") if "stacked" in stored else None
        if "columns" in stored:
            self._shown = stored.flags("columns")
        self._order = list(stored.texts("order"))
        self._dress_columns()

    def show_column(self, key: str, shown: bool = True) -> None:
        """Show or hide a column, in other corpora too."""
        self._shown[key] = shown
        self._dress_columns()

    def shows_column(self, key: str) -> bool:
        """Return whether a column is shown, also where it shares a cell with another."""
        column = self.pairs.columns[self.pairs.column_at(key)]
        return self._shown.get(key, not column.hidden)

    def ordered_columns(self) -> list[Column]:
        """Return all columns from left to right, hidden ones included."""
        header = self.horizontalHeader()
        return [self.pairs.columns[header.logicalIndex(place)] for place in range(len(self.pairs.columns))]

    def move_column(self, key: str, by: int) -> None:
        """Move a column to the left (-1) or to the right (1); the order is remembered."""
        header = self.horizontalHeader()
        if (at := self.pairs.column_at(key)) >= 0:
            place = header.visualIndex(at)
            header.moveSection(place, min(max(place + by, 0), header.count() - 1))

    def sort_by(self, key: str, descending: bool) -> None:
        """Sort by a column, and scroll to the first pair."""
        order = Qt.SortOrder.DescendingOrder if descending else Qt.SortOrder.AscendingOrder
        if (at := self.pairs.column_at(key)) >= 0:
            self.sortByColumn(at, order)
            self.scrollToTop()

    def unsort(self) -> None:
        """Show the pairs in the order of the file."""
        self.sortByColumn(-1, Qt.SortOrder.AscendingOrder)

    def use_default_columns(self) -> None:
        """Show the columns that are shown at first, in their order and with their widths."""
        self._shown.clear()
        self._order = []
        self._stacks = None
        self._own_widths = False
        self._dress_columns()

    def stack(self, on: bool) -> None:
        """Show source and hypothesis in one cell or in two columns; the choice is remembered."""
        self._stacks = on
        self._dress_columns()

    def show_highest(self, key: str) -> None:
        """Sort by a column, highest number first, and scroll to the first pair."""
        self.sort_by(key, descending=True)

    def bring_column(self, key: str) -> None:
        """Show a column and scroll to it."""
        self.show_column(key)
        self.updateGeometries()  # the scroll bar reaches the new column
        place = self.columnViewportPosition(self.pairs.column_at(key))
        self.horizontalScrollBar().setValue(self.horizontalScrollBar().value() + place)

    def chosen_pairs(self) -> list[tuple[str, str]]:
        """Return source and hypothesis of the selected rows, in the order of the table."""
        places = [index.row() for index in self.selectionModel().selectedRows()]
        return self.pairs.texts_of(sorted(places))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Drag a selected row elsewhere; a drag from any other row selects rows."""
        index = self.indexAt(event.position().toPoint())
        self.setDragEnabled(index.isValid() and self.selectionModel().isRowSelected(index.row(), QModelIndex()))
        super().mousePressEvent(event)

    def copy(self) -> None:
        """Copy the visible columns of the selected rows, separated by tabs, below a line of titles.

        Both sentences are copied where they are in one cell.
        """
        header = self.horizontalHeader()
        order = sorted(range(len(self.pairs.columns)), key=header.visualIndex)
        columns = [self.pairs.columns[at] for at in order if not self.isColumnHidden(at)]
        hypothesis = self.pairs.column_at("hypothesis")
        source = next((at for at, column in enumerate(columns) if column.key == "source"), -1)
        if self.pairs.stacked and source >= 0 and self.isColumnHidden(hypothesis):
            columns.insert(source + 1, self.pairs.columns[hypothesis])
        places = sorted({index.row() for index in self.selectionModel().selectedRows()})
        if not places:
            return
        lines = ["\t".join(column.name for column in columns)]
        for place in places:
            row = int(self.pairs.rows[place])
            lines.append("\t".join(self.pairs.exact(row, column) for column in columns))
        QGuiApplication.clipboard().setText("\n".join(lines))

    # Events

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Step through the pairs (J and K) or copy (Ctrl+C)."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif event.modifiers() == Qt.KeyboardModifier.NoModifier and event.key() in (Qt.Key.Key_J, Qt.Key.Key_K):
            self._workspace.selection.step(1 if event.key() == Qt.Key.Key_J else -1)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self._request_edit(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def keyboardSearch(self, search: str) -> None:
        """Do nothing, as letters are shortcuts here and Qt's search would read all rows."""

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Open the menu of a row, at the mouse or, by the menu key, at the current row."""
        index = self.currentIndex()
        place = event.globalPos()
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            place = self.viewport().mapToGlobal(self.visualRect(index).bottomLeft())
        else:
            index = self.indexAt(event.pos())
        if not index.isValid():
            return
        if not self.selectionModel().isRowSelected(index.row(), QModelIndex()):
            self.setCurrentIndex(index)
        menu = self.row_menu(index)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(place)

    def row_menu(self, index: Index) -> QMenu:
        """Return the menu of a row: copy it, edit its pair, filter by the cell, sort by its column or hide it."""
        menu = QMenu(self.tr("Row"), self)
        menu.setAccessibleName(self.tr("Actions on the row"))
        copy = menu.addAction(self.tr("&Copy rows"), self.copy)
        copy.setShortcut(QKeySequence(QKeySequence.StandardKey.Copy))
        menu.addAction(self.tr("&Edit a copy in the Bench"), partial(self._request_edit, index))
        if condition := self.pairs.condition(index):
            words = self.tr("&Only pairs where {0}").format(condition.replace("&", "&&"))
            menu.addAction(words, partial(self.condition_wanted.emit, condition))
        column = self.pairs.columns[index.column()]
        title = column.title.replace("&", "&&")
        menu.addAction(self.tr("Sort by {0}, &ascending").format(title), partial(self.sort_by, column.key, False))
        menu.addAction(self.tr("Sort by {0}, &descending").format(title), partial(self.sort_by, column.key, True))
        menu.addAction(self.tr("&Hide the column {0}").format(title), partial(self.show_column, column.key, False))
        menu.addSeparator()
        self.row_menu_opened.emit(menu)
        return menu

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._measure()
            self._fit_columns()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the columns to the new width, unless the user set their widths."""
        super().resizeEvent(event)
        self._fit_columns()
        self.empty.setGeometry(self.viewport().geometry())

    # Selection

    def scrollTo(
        self, index: Index, hint: QAbstractItemView.ScrollHint = QAbstractItemView.ScrollHint.EnsureVisible
    ) -> None:
        """Scroll to a cell, except while rows move, when Qt changes the current row several times."""
        if not self.pairs.arranging:
            super().scrollTo(index, hint)

    def _show_sorting(self, sorting: bool) -> None:
        """Show by the mouse pointer that an order is on its way."""
        self.viewport().setCursor(Qt.CursorShape.BusyCursor if sorting else Qt.CursorShape.ArrowCursor)

    def _header(self) -> QHeaderView:
        """Return the header, with movable, sortable columns and a menu."""
        header = _PairsHeader(Qt.Orientation.Horizontal, self)
        self.setHorizontalHeader(header)
        header.setSectionsClickable(True)
        header.setHighlightSections(False)
        # Each time it is drawn, QHeaderView (Qt 6.11) asks of every row whether it is selected: 1 s for 100,000.
        # With a separate selection model, it does not see them.
        header.setSelectionModel(QItemSelectionModel(self.pairs, header))
        header.setSectionsMovable(True)
        header.setSortIndicatorClearable(True)
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        header.setAccessibleName(self.tr("Columns of the pairs table"))
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header.customContextMenuRequested.connect(self._offer_columns)
        header.sectionResized.connect(self._note_own_width)
        header.sectionMoved.connect(self._note_order)
        return header

    def _show_empty(self) -> None:
        rule = self._workspace.selection.rule
        if self.pairs.rowCount():
            self.empty.say("")
        elif self._workspace.corpus is None:
            self.empty.say(self.tr("Open a corpus to list its pairs here."), "files.open")
        elif rule is None:
            self.empty.say(self.tr("This corpus has no pairs."), "files.open")
        else:
            name = rule.name if len(rule.name) <= _RULE_LETTERS else rule.name[: _RULE_LETTERS - 1] + "…"
            self.empty.say(self.tr("No pair matches “{0}”.").format(name), "show_all")

    def _keep_place(self) -> None:
        current = self.currentIndex()
        in_sight = current.isValid() and 0 <= self.visualRect(current).center().y() < self.viewport().height()
        self._seen = self.pairs.rows, self.verticalScrollBar().value(), in_sight

    def _find_place(self) -> None:
        """Scroll back to the first pair shown before that is still in the table, and select the primary pair."""
        before, value, primary = self._seen
        if len(before) != len(self.pairs.rows):
            below = self.pairs.places_of(before[value:])
            below = below[below >= 0]
            value = int(below[0]) if len(below) and value else 0
        self.updateGeometries()
        self.verticalScrollBar().setValue(value)
        self._show_primary()
        if primary and len(before) != len(self.pairs.rows) and self.currentIndex().isValid():
            self.scrollTo(self.currentIndex())

    def _tell_primary(self) -> None:
        current = self.currentIndex()
        # A current row that is not selected comes from Qt, which makes one as soon as the table has the focus.
        if not self.pairs.arranging and current.isValid() and self.selectionModel().isRowSelected(current.row()):
            self._workspace.selection.set_primary(int(self.pairs.rows[current.row()]))

    def _show_primary(self) -> None:
        row = self._workspace.selection.primary
        place = self.pairs.place_of(row) if row != NO_PAIR else -1
        model = self.selectionModel()
        if place < 0:
            if model.currentIndex().isValid() or model.hasSelection():
                model.clear()
            return
        current = model.currentIndex()
        if current.isValid() and current.row() == place and model.isRowSelected(place, QModelIndex()):
            return
        column = current.column() if current.isValid() else max(self.columnAt(0), 0)
        index = self.pairs.index(place, column)
        self.setCurrentIndex(index)
        self.scrollTo(index)

    def _request_edit(self, index: Index) -> None:
        corpus = self._workspace.corpus
        if corpus is not None and index.isValid():
            row = int(self.pairs.rows[index.row()])
            self.edit_requested.emit(corpus.source[row], corpus.hypothesis[row])

    # Columns

    def _dress_columns(self) -> None:
        """Update visible columns, sort mark and widths."""
        shown = [self._shown.get(column.key, not column.hidden) for column in self.pairs.columns]
        both = all(self._shown.get(key, True) for key in _SENTENCES[:2])
        stacked = both and (sum(shown) > _MANY if self._stacks is None else self._stacks)
        if stacked != self.pairs.stacked:
            self.pairs.stacked = stacked
            self._measure()
        self._arrange_columns()
        self._fitting = True  # hidden columns cannot be dragged
        for at, column in enumerate(self.pairs.columns):
            self.setColumnHidden(at, not shown[at] or (stacked and column.key == "hypothesis"))
        self._fitting = False
        key, descending = self.pairs.sorted_by
        order = Qt.SortOrder.DescendingOrder if descending else Qt.SortOrder.AscendingOrder
        header = self.horizontalHeader()
        if header.sortIndicatorSection() != self.pairs.column_at(key):
            with QSignalBlocker(header):
                header.setSortIndicator(self.pairs.column_at(key), order)
        self._fit_columns()
        # The selected row reaches over the new columns too.
        self._show_primary()

    def _arrange_columns(self) -> None:
        """Put the columns into the user's order; new ones follow the one that precedes them in the model."""
        keys = [column.key for column in self.pairs.columns]
        wanted = [key for key in self._order if key in keys]
        if wanted or self._moved:
            for at, key in enumerate(keys):
                if key not in wanted:
                    wanted.insert(wanted.index(keys[at - 1]) + 1 if at else 0, key)
            self._arranging = True
            header = self.horizontalHeader()
            for place, key in enumerate(wanted):
                header.moveSection(header.visualIndex(self.pairs.column_at(key)), place)
            self._arranging = False
        self._moved = bool(self._order)

    def _note_order(self) -> None:
        if not self._arranging:
            self._order = [column.key for column in self.ordered_columns()]
            self._moved = True

    def _measure(self) -> None:
        metrics = self.fontMetrics()
        rows = self.verticalHeader()
        self.setIconSize(QSize(metrics.height(), metrics.height()))
        rows.setMinimumSectionSize(1)
        plain = metrics.height() + max(6, metrics.height() // 3)
        rows.setDefaultSectionSize(pair_height(metrics) if self.pairs.stacked else plain)

    def _note_own_width(self) -> None:
        dragged = QApplication.mouseButtons() != Qt.MouseButton.NoButton and self.horizontalHeader().underMouse()
        if dragged and not self._fitting:
            self._own_widths = True

    def _fit_columns(self) -> None:
        """Set the column widths: enough for titles and numbers, the rest for the sentences."""
        # A panel that is notified of a new corpus first may change the table's width before the table has its rows.
        if self._own_widths or not self.pairs.columns or not self.pairs.current:
            return
        self._fitting, header = True, self.horizontalHeader()
        assert isinstance(header, _PairsHeader)
        letter = self.fontMetrics().averageCharWidth()
        left = self.viewport().width()
        sentences, cut = [], {}
        for at, column in enumerate(self.pairs.columns):
            # While columns come, one that will be hidden may not be so yet; to measure the kinds would compute them.
            if self.isColumnHidden(at) or not self._shown.get(column.key, not column.hidden):
                continue
            if column.key in _SENTENCES:
                sentences.append(at)
                continue
            title = header.title_width(at)
            # The sentences need the space; a name that is cut is in its tooltip.
            width = max(self._least_width(column, letter), min(title, _TITLE * letter))
            self.setColumnWidth(at, width)
            left -= width
            cut[at] = min(title, 2 * _TITLE * letter) - width
        least = _LEAST_PAIR if self.pairs.stacked else _LEAST_SENTENCE
        pair, wanted = sum(self.pairs.columns[at].key in _SENTENCES[:2] for at in sentences), {}
        for at in sentences:
            share = _LEAST_SHARE / pair if self.pairs.columns[at].key in _SENTENCES[:2] else 0
            wanted[at] = max(ceil(share * self.viewport().width()), least * letter)
        for at, more in cut.items():
            if 0 < more <= left - sum(wanted.values()):
                self.setColumnWidth(at, self.columnWidth(at) + more)
                left -= more
        for at in sentences:
            self.setColumnWidth(at, max(left // len(sentences), wanted[at]))
        self._fitting = False

    def _least_width(self, column: Column, letter: int) -> int:
        if column.shows == "label":
            return self.iconSize().width() + 2 * letter  # the margins of the cell
        if column.shows == "text" and column.key in self._workspace.people:
            return _SAID * letter
        if column.shows == "text":
            measure = self.fontMetrics().horizontalAdvance
            # All pairs of the corpus, not only the filtered ones, so that the columns stay in place.
            rows = range(min(100, self._workspace.table.rows))
            widest = max((measure(self.pairs.text(row, column)) for row in rows), default=0)
            return min(max(widest + 3 * letter, _SHORTEST * letter), _LONGEST * letter)
        return _WIDTHS[column.shows] * letter

    def _offer_columns(self, place: QPoint) -> None:
        menu = self.columns_menu(self.horizontalHeader().logicalIndexAt(place))
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self.horizontalHeader().mapToGlobal(place))

    def columns_menu(self, opened_at: int = -1) -> QMenu:
        """Return a menu to choose the columns from, opened at one of them."""
        menu = QMenu(self.tr("Columns"), self)
        menu.setAccessibleName(self.tr("Columns to show"))
        for at, column in enumerate(self.pairs.columns):
            action = menu.addAction(column.title.replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(not self.isColumnHidden(at))
            action.triggered.connect(partial(self._toggle_column, column.key))
        menu.addSeparator()
        key = self.pairs.columns[opened_at].key if 0 <= opened_at < len(self.pairs.columns) else ""
        self.menu_opened.emit(menu, key)
        stack = menu.addAction(self.tr("Source over hypothesis"))
        stack.setCheckable(True)
        stack.setChecked(self.pairs.stacked)
        stack.triggered.connect(self.stack)
        menu.addAction(self.tr("Default columns"), self.use_default_columns)
        menu.addAction(self.tr("Sort as in the file"), self.unsort)
        return menu

    def _toggle_column(self, key: str, _checked: bool = False) -> None:
        self.show_column(key, self.isColumnHidden(self.pairs.column_at(key)))
