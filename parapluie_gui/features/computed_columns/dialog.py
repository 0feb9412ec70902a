"""The dialog of computed columns: name, expression, and a summary of the values."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QListWidget, QPushButton, QWidget

from parapluie_gui.analysis.columns import columns_of, filter_titles
from parapluie_gui.analysis.filter.words import COMBINING
from parapluie_gui.errors import ParapluieError
from parapluie_gui.features.computed_columns.columns import columns_in, with_columns
from parapluie_gui.features.computed_columns.computed import ComputedColumn
from parapluie_gui.features.computed_columns.state import ComputedColumns
from parapluie_gui.ui.state.columns import filter_names
from parapluie_gui.ui.state.throttle import CallThrottle
from parapluie_gui.ui.state.workspace import CorpusWorkspace
from parapluie_gui.ui.table.filter_edit import FilterEdit
from parapluie_gui.ui.widgets.arrange import button, hbox, name_control, vbox
from parapluie_gui.ui.widgets.controls import caption, dialog_buttons, line
from parapluie_gui.ui.widgets.wrapped import WrappedText

#: Milliseconds after the last key until an expression is tried.
_TYPING_MS = 150
#: Width of the dialog in letters, and height of the list in lines.
_LETTERS, _LINES = 76, 6


class ComputedDialog(QDialog):
    """The dialog in which columns are defined, changed and deleted, with immediate effect and undo.

    Attributes:
        list: "New column", then the columns of the session.
        name, edit: Name and expression of the chosen column.
        outcome: A summary of its values.
        problem: The error in its name or expression.
        save, delete: The buttons.
    """

    def __init__(self, workspace: CorpusWorkspace, columns: ComputedColumns, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("manual_page", "table")
        self.setWindowTitle(self.tr("Columns computed from others"))
        self._workspace, self._columns = workspace, columns
        self.list = name_control(QListWidget(), self.tr("Computed columns"), "")
        self.name = line(self.tr("Name of the column"), self.tr("all three"))
        self.edit = name_control(FilterEdit(), self.tr("Expression"), self._tip())
        self.edit.setPlaceholderText(self._example())
        self.outcome = WrappedText(self)
        self.outcome.setAccessibleName(self.tr("Result of the expression"))
        self.problem = WrappedText(self, bad=True)
        self.problem.setAccessibleName(self.tr("Problem to solve"))
        self.save = QPushButton(self.tr("Add column"))
        self.save.setDefault(True)
        self.save.clicked.connect(self._save)
        self.delete = button(self.tr("Delete column"), self._delete, self.tr("Delete the column; undo restores it"))
        self._trying = CallThrottle(self._try, _TYPING_MS, self, rest=True)
        self.name.textChanged.connect(self._trying.ask)
        self.edit.textChanged.connect(self._trying.ask)
        self.edit.entered.connect(self._save)
        self.edit.escaped.connect(self.reject)
        self.list.currentRowChanged.connect(self._choose)
        letter = self.fontMetrics()
        self.list.setFixedHeight(_LINES * (letter.height() + 6))
        vbox(
            self.list,
            caption(self.tr("&Name"), self.name),
            self.name,
            caption(self.tr("&Expression"), self.edit),
            self.edit,
            self.outcome,
            self.problem,
            1,
            hbox(self.delete, 1, self.save),
            dialog_buttons(self),
            within=self,
        )
        room = 3 * letter.height()  # for the sentences that appear later
        self.resize(_LETTERS * letter.averageCharWidth(), self.sizeHint().height() + room)
        workspace.columns_changed.connect(self._list_columns)
        self._listed: tuple[ComputedColumn, ...] = ()
        self._list_columns()

    def show_column(self, name: str = "") -> None:
        """Show the dialog with a column; "" for a new one."""
        self._list_columns()
        names = [column.name for column in self._listed]
        self.list.setCurrentRow(names.index(name) + 1 if name in names else 0)
        self.show()
        self.raise_()
        (self.edit if name else self.name).setFocus(Qt.FocusReason.PopupFocusReason)

    @property
    def chosen_name(self) -> str:
        """The name of the chosen column; "" for a new one."""
        row = self.list.currentRow()
        return self._listed[row - 1].name if 0 < row <= len(self._listed) else ""

    def _list_columns(self) -> None:
        """Update the list and the names offered for completion."""
        self.edit.set_names([*filter_names(self._workspace), *filter_titles(self._workspace.columns)])
        if self._listed != self._columns.all or not self.list.count():
            self._listed, chosen = self._columns.all, self.chosen_name
            self.list.clear()
            self.list.addItem(self.tr("New column"))
            for column in self._listed:
                remark = "" if column.name in self._workspace.columns else self.tr("   (not of this corpus)")
                self.list.addItem(f"{column.name}  =  {column.text}{remark}")
            names = [column.name for column in self._listed]
            self.list.setCurrentRow(names.index(chosen) + 1 if chosen in names else 0)
        self._try()

    def _choose(self, row: int) -> None:
        column = self._listed[row - 1] if 0 < row <= len(self._listed) else ComputedColumn("", "")
        self.name.setText(column.name)
        self.edit.setText(column.text)
        self.save.setText(self.tr("Change column") if column.name else self.tr("Add column"))
        self.delete.setEnabled(bool(column.name))
        self._try()

    @property
    def _typed_column(self) -> ComputedColumn:
        return ComputedColumn(self.name.text(), self.edit.text())

    def _try(self) -> None:
        """Show a summary of the values, or the error; show neither before an expression is typed."""
        self._trying.stop()
        outcome = problem = ""
        try:
            if self._workspace.corpus is None:
                problem = self.tr("Open a corpus first.")
            elif self.edit.text().strip():
                definition = (
                    self._typed_column if self.name.text().strip() else ComputedColumn(_UNNAMED, self.edit.text())
                )
                outcome = self._summarize(self._columns.check(definition, self.chosen_name))
        except ParapluieError as error:
            problem = str(error)
        self.outcome.say(outcome)
        self.problem.say(problem)
        self.save.setEnabled(bool(outcome) and bool(self.name.text().strip()))

    def _summarize(self, definition: ComputedColumn) -> str:
        """Return a sentence on the number of values and their range."""
        material = self._workspace.material
        others = tuple(column for column in columns_in(material) if column.name != self.chosen_name)
        column = columns_of(with_columns(material, (*others, definition)))[definition.name]
        values = np.asarray(column.values(), dtype=np.float64)
        present = values[~np.isnan(values)]
        count = self.tr("{0} of {1} pairs have a value").format(f"{len(present):,}", f"{len(values):,}")
        if not len(present):
            return count + "."
        if column.meaning.threshold == 0.5 and column.decimals == 0:
            return self.tr("A verdict: {0}, and {1} of them are called paraphrases.").format(
                count, f"{int((present >= 0.5).sum()):,}"
            )
        bounds = (column.format(float(bound)) for bound in (present.min(), present.max()))
        return self.tr("{0}, from {1} to {2}.").format(count, *bounds)

    def _save(self) -> None:
        self._try()
        if not self.save.isEnabled():
            return
        try:
            defined = self._columns.define(self._typed_column, self.chosen_name)
        except ParapluieError as error:
            self.problem.say(str(error))
            return
        self.show_column(defined.name)

    def _delete(self) -> None:
        if self.chosen_name:
            self._columns.remove(self.chosen_name)

    def _example(self) -> str:
        judged = [column.key for column in self._workspace.columns.values() if column.meaning.threshold == 0]
        names = judged[:3] if len(judged) > 1 else ["pluie.p1", "pluie.p2", "pluie.p3"]
        return f"min({', '.join(names)}) > 0"

    def _tip(self) -> str:
        return self.tr(
            "As in filters: + − * /, {0}, abs, zscore, length, words.\n"
            "A condition is a verdict: 1 if it is true, otherwise 0."
        ).format(", ".join(COMBINING))


#: Placeholder for a missing name.
_UNNAMED = "…"
