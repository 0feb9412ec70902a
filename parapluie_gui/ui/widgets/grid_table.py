"""A table of results, as high as its rows, with cells that can be copied and clicked."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QAbstractTableModel, QMimeData, QModelIndex, QPersistentModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from parapluie_gui.analysis.table import DIGITS, Table, cell_text, formula_warning, numeric_columns, table_csv
from parapluie_gui.files import write_text
from parapluie_gui.report.latex import booktabs
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, hbox, name_control, title_button, vbox
from parapluie_gui.ui.widgets.controls import bold
from parapluie_gui.ui.widgets.file_dialog import ask_where_to_save
from parapluie_gui.ui.widgets.text import rich_text, tab_through
from parapluie_gui.ui.widgets.theme import current_theme
from parapluie_gui.ui.widgets.wrapped import WrappedText

#: Maximum number of rows shown without scrolling.
_MOST_ROWS = 14

#: Texts measured in a column: those with most letters.
_LONGEST = 8

#: Role of the length of a cell's bar, from 0 to 1, and the bar's opacity.
BAR = Qt.ItemDataRole.UserRole
_BAR = 0.16

_Index = QModelIndex | QPersistentModelIndex


class GridModel(QAbstractTableModel):
    """A Qt model of a grid, with `digits` decimals in numbers."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.grid = Table("", "", (), ())
        self.digits = DIGITS
        self._right: list[bool] = []

    def show(self, grid: Table, digits: int) -> None:
        self.beginResetModel()
        self.grid, self.digits = grid, digits
        self._right = numeric_columns(grid)
        self.endResetModel()

    def text(self, row: int, column: int) -> str:
        """Return a cell as text."""
        return cell_text(self.grid.rows[row][column], self.grid.decimals(column, self.digits))

    def rowCount(self, parent: _Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.grid)

    def columnCount(self, parent: _Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.grid.header)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return self.text(index.row(), index.column())
        if role == BAR:
            return self.grid.bar(index.row(), index.column())
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if self._right[index.column()] else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation != Qt.Orientation.Horizontal or section >= len(self.grid.header):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.grid.header[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if self._right[section] else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None


class _BarDelegate(QStyledItemDelegate):
    """Draws the bar of a cell under its number."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """Draw the bar, then the cell's text."""
        share = index.data(BAR)
        if isinstance(share, float):
            room = option.rect.adjusted(2, 2, -2, -2)
            colour = QColor(current_theme().accent)
            colour.setAlphaF(_BAR)
            painter.fillRect(room.x(), room.y(), round(room.width() * share), room.height(), colour)
        super().paint(painter, option, index)


class _GridView(QTableView):
    """A table as high as its rows, up to a limit.

    Signals:
        enter_pressed: (QModelIndex) Enter was pressed on a cell; `activated` may mean a click too.
    """

    enter_pressed = Signal(QModelIndex)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Report Enter on a cell."""
        super().keyPressEvent(event)
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.enter_pressed.emit(self.currentIndex())

    def sizeHint(self) -> QSize:
        """Return the size at which nothing is scrolled, up to a number of rows."""
        rows = min(self.model().rowCount(), _MOST_ROWS)
        high = self.horizontalHeader().sizeHint().height() + 2 * self.frameWidth() + rows * self.rowHeight(0)
        wide = self.horizontalHeader().length()
        if wide > self.viewport().width():
            high += self.horizontalScrollBar().sizeHint().height()
        return QSize(min(wide, 400), high)

    def minimumSizeHint(self) -> QSize:
        return QSize(120, self.sizeHint().height())


class GridTable(QWidget):
    """A grid with its title, its note, and buttons that copy or save it.

    Attributes:
        signatures: Signatures of the scores in the table, included in every copy.

    Signals:
        clicked: (row, column) A cell was clicked, or Enter was pressed on it.
        all_wanted: The user asked to select all pairs of the table.
        message: (str) The table was copied.
        written: (str, Path) The table was written to a file.
        failed: (str) Why it was not.
    """

    clicked = Signal(int, int)
    all_wanted = Signal()
    message = Signal(str)
    written = Signal(str, object)
    failed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.signatures: tuple[str, ...] = ()
        self._title = bold(WrappedText(self))
        self._note = WrappedText(self, muted=True)
        self.view = name_control(_GridView(self), self.tr("Table"), "")
        self.model = GridModel(self)
        self.view.setModel(self.model)
        self.view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.view.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.view.setTabKeyNavigation(False)
        self.view.setWordWrap(False)
        self.view.setShowGrid(False)
        self.view.setItemDelegate(_BarDelegate(self.view))
        self.view.verticalHeader().hide()
        self.view.verticalHeader().setMinimumSectionSize(10)
        self.view.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.view.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.view.horizontalHeader().setHighlightSections(False)
        self.view.clicked.connect(lambda index: self.clicked.emit(index.row(), index.column()))
        self.view.enter_pressed.connect(lambda index: self.clicked.emit(index.row(), index.column()))
        self.copy_button = title_button(
            self.tr("Copy"), self.tr("Copy the table for a spreadsheet or a document"), self.copy, "copy"
        )
        self.csv_button = title_button(
            self.tr("CSV…"), self.tr("Write the table as CSV, with full precision"), self.ask_for_csv, "file-down"
        )
        self.latex_button = title_button(
            self.tr("LaTeX"), self.tr("Copy the table as LaTeX (booktabs)"), self.copy_latex, "code-xml"
        )
        words = self.tr("Select all")
        self.all_button = title_button(
            words, self.tr("Select all pairs of the table"), self.all_wanted.emit, "list-filter"
        )
        self.all_button.hide()
        line = hbox(
            (self._title, 1),
            (self.all_button, 0, Qt.AlignmentFlag.AlignTop),
            (self.copy_button, 0, Qt.AlignmentFlag.AlignTop),
            (self.csv_button, 0, Qt.AlignmentFlag.AlignTop),
            (self.latex_button, 0, Qt.AlignmentFlag.AlignTop),
            spacing=4,
        )
        vbox(line, self.view, self._note, within=self, margins=NO_MARGINS, spacing=4)
        tab_through(self.all_button, self.copy_button, self.csv_button, self.latex_button, self.view)
        self.hide()

    @property
    def grid(self) -> Table:
        return self.model.grid

    def show_grid(self, grid: Table, signatures: Sequence[str] = (), digits: int | None = None) -> None:
        """Show a table, or hide it if it has no rows; made visible then, it shows only title and note."""
        digits = grid.digits if digits is None else digits
        self.signatures = tuple(signatures)
        self._title.say(grid.title)
        self._note.say(grid.note)
        self.view.setAccessibleName(grid.title or self.tr("Table"))
        for header in (self.view.horizontalHeader(), self.view.verticalHeader()):
            header.setAccessibleName(self.tr("Headers of {0}").format(grid.title or self.tr("the table")))
        for control in (self.all_button, self.copy_button, self.csv_button, self.latex_button):
            control.setAccessibleDescription(grid.title)
        self.all_button.setVisible(grid.pairs is not None and bool(len(grid)))
        current = self.view.currentIndex()
        place = (current.row(), current.column())
        self.model.show(grid, digits)
        self._fit_columns()
        rows = self.view.verticalHeader()
        rows.setDefaultSectionSize(self.view.fontMetrics().height() + 7)
        if place[0] >= 0:
            self.view.setCurrentIndex(self.model.index(*place))
        self.view.updateGeometry()
        for part in (self.view, self.copy_button, self.csv_button, self.latex_button):
            part.setVisible(bool(len(grid)))
        self.setVisible(bool(len(grid)))

    def resizeEvent(self, event: object) -> None:
        """Ask for space for the scroll bar, if it appears."""
        super().resizeEvent(event)  # type: ignore[arg-type]
        self.view.updateGeometry()

    def copy(self) -> None:
        """Copy the table to the clipboard, as text with tabs and as an HTML table."""
        grid, columns = self.grid, range(len(self.grid.header))
        texts = [list(grid.header), *([self.model.text(row, at) for at in columns] for row in range(len(grid)))]
        data = QMimeData()
        data.setText("\n".join("\t".join(row) for row in texts) + "\n")
        lines = ["".join(f"<td>{rich_text(text)}</td>" for text in row) for row in texts]
        data.setHtml(f"<table>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>")
        QGuiApplication.clipboard().setMimeData(data)
        self.message.emit(self.tr("The table is on the clipboard."))

    def latex(self) -> str:
        return booktabs(self.grid, self.model.digits, self.signatures)

    def copy_latex(self) -> None:
        QGuiApplication.clipboard().setText(self.latex())
        self.message.emit(self.tr("The table is on the clipboard as LaTeX. It needs the LaTeX package booktabs."))

    def ask_for_csv(self) -> None:
        excel = self.tr("Comma-separated values for Excel (*.csv)")
        formats = [self.tr("Comma-separated values (*.csv)"), self.tr("LaTeX (*.tex)"), excel]

        def write(path: Path, chosen: str) -> None:
            self.write(path, for_excel=chosen == excel)

        ask_where_to_save(self, self.tr("Write table"), formats, write, name=self.grid.name)

    def write(self, path: Path, *, for_excel: bool = False) -> None:
        """Write the table as LaTeX if the path ends in .tex, otherwise as CSV."""
        is_latex = path.suffix.lower() == ".tex"
        try:
            text = self.latex() if is_latex else table_csv(self.grid, for_excel=for_excel)
            write_text(path, text, errors="replace")
        except OSError as error:
            reason = error.strerror or str(error)
            self.failed.emit(
                self.tr("{0} could not be written ({1}). Choose another folder or name.").format(path, reason)
            )
        else:
            warning = "" if is_latex else formula_warning(self.grid, marked=for_excel)
            self.written.emit(f"{self.tr('Table written to {0}.').format(path)} {warning}".rstrip(), path)

    def _fit_columns(self) -> None:
        """Make every column as wide as its longest text; Qt's own way is slow, since it asks each cell for its size."""
        grid, metrics = self.grid, self.view.fontMetrics()
        for at, heading in enumerate(grid.header):
            texts = sorted({self.model.text(row, at) for row in range(len(grid))}, key=len)[-_LONGEST:]
            widest = max(metrics.horizontalAdvance(text) for text in [*texts, heading])
            self.view.setColumnWidth(at, widest + metrics.averageCharWidth() * 2 + 6)
