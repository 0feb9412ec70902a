"""The dialog *Columns of the table*: the functions of the header for the keyboard."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QDialog, QListWidget, QListWidgetItem, QWidget

from parapluie_gui.ui.table.view import PairsTable
from parapluie_gui.ui.widgets.arrange import button, hbox, name_control, vbox, within_screen
from parapluie_gui.ui.widgets.controls import dialog_buttons, plain
from parapluie_gui.ui.widgets.text import announce, plain_tip

_KEY = Qt.ItemDataRole.UserRole
#: Least height of a row in pixels, large enough for a pointer, and number of rows in view.
_ROW, _ROWS = 24, 14


class _ColumnList(QListWidget):
    """The columns with tick boxes.

    Signals:
        moved: (by) Alt+Up (-1) or Alt+Down (1) was pressed.
    """

    moved = Signal(int)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
        if event.modifiers() & Qt.KeyboardModifier.AltModifier and event.key() in steps:
            self.moved.emit(steps[Qt.Key(event.key())])
        else:
            super().keyPressEvent(event)


class TableColumnsDialog(QDialog):
    """Shows, hides, moves and sorts the columns of the table; each change is visible in the table at once.

    Attributes:
        list: The columns in the order of the table; ticked ones are shown.
        up, down: Move the current column.
        ascending, descending, unsorted: Sort by the current column, or as in the file.
    """

    def __init__(self, table: PairsTable, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("manual_page", "table")
        self.setWindowTitle(self.tr("Columns of the table"))
        self._table = table
        self.list = name_control(
            _ColumnList(), self.tr("Columns"), self.tr("Space shows or hides a column, Alt+Up and Alt+Down move it")
        )
        self.up = button(self.tr("Move &up"), partial(self._move, -1), self.tr("Move the column to the left (Alt+Up)"))
        tip = self.tr("Move the column to the right (Alt+Down)")
        self.down = button(self.tr("Move &down"), partial(self._move, 1), tip)
        tip = self.tr("Lowest number or first letter at the top")
        self.ascending = button(self.tr("Sort &ascending"), partial(self._sort, False), tip)
        tip = self.tr("Highest number or last letter at the top")
        self.descending = button(self.tr("Sort d&escending"), partial(self._sort, True), tip)
        tip = self.tr("Show the pairs in the order of the file")
        self.unsorted = button(self.tr("Sort as in the &file"), self._unsort, tip)
        tip = self.tr("Show the columns that are shown at first, in their order")
        self.usual = button(self.tr("Defau&lt columns"), self._reset, tip)
        buttons = (self.up, self.down, self.ascending, self.descending, self.unsorted, self.usual)
        vbox(
            plain(self.tr("Space shows or hides a column, Alt+Up and Alt+Down move it."), muted=True, wraps=True),
            (hbox((self.list, 1), vbox(*buttons, 1)), 1),
            dialog_buttons(self),
            within=self,
        )
        self.list.setMinimumWidth(32 * self.fontMetrics().averageCharWidth())
        self.resize(within_screen(QSize(self.sizeHint().width(), (_ROWS + 3) * _ROW), self.screen()))
        self.list.itemChanged.connect(self._tick)
        self.list.moved.connect(self._move)
        table.pairs.columns_arranged.connect(self._fill)
        self.finished.connect(self.deleteLater)
        self._fill()
        self.list.setCurrentRow(0)
        self.list.setFocus()

    @property
    def current(self) -> str:
        """The key of the current column, "" without columns."""
        item = self.list.currentItem()
        return "" if item is None else str(item.data(_KEY))

    def _fill(self) -> None:
        """List the columns, and keep the current one."""
        current, order, descending = self.current, *self._table.pairs.sorted_by
        with QSignalBlocker(self.list):
            self.list.clear()
            for column in self._table.ordered_columns():
                text = column.title
                if column.key == order:
                    text = (self.tr("{0} (sorted, descending)") if descending else self.tr("{0} (sorted)")).format(text)
                item = QListWidgetItem(text, self.list)
                item.setData(_KEY, column.key)
                item.setSizeHint(QSize(0, max(_ROW, self.fontMetrics().height() + 8)))
                item.setToolTip(plain_tip(column.tip))
                item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
                shown = self._table.shows_column(column.key)
                item.setCheckState(Qt.CheckState.Checked if shown else Qt.CheckState.Unchecked)
                if column.key == current:
                    self.list.setCurrentItem(item)

    def _tick(self, item: QListWidgetItem) -> None:
        self._table.show_column(str(item.data(_KEY)), item.checkState() == Qt.CheckState.Checked)

    def _move(self, by: int) -> None:
        self._table.move_column(self.current, by)
        self._fill()
        place = self.tr("{0}: column {1} of {2}")
        item = self.list.currentItem()
        if item is not None:
            announce(self.list, place.format(item.text(), self.list.currentRow() + 1, self.list.count()))

    def _sort(self, descending: bool) -> None:
        self._table.sort_by(self.current, descending)
        self._fill()

    def _unsort(self) -> None:
        self._table.unsort()
        self._fill()

    def _reset(self) -> None:
        self._table.use_default_columns()
        self._fill()
