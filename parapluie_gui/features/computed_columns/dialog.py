"""The dialog for columns that are worked out from others: a name, an expression, and what comes out of it."""

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
from parapluie_gui.ui.state.throttle import Throttle
from parapluie_gui.ui.state.workspace import Workspace
from parapluie_gui.ui.table.filter_edit import FilterEdit
from parapluie_gui.ui.widgets.arrange import button, hbox, name_control, vbox
from parapluie_gui.ui.widgets.controls import caption, dialog_buttons, line
from parapluie_gui.ui.widgets.wrapped import WrappedText

#: How long after the last key an expression is tried.
_TYPING_MS = 150
#: Letters and lines that the dialog is wide and its list high.
_LETTERS, _LINES = 76, 6


class ComputedDialog(QDialog):
    """Defines, changes and deletes columns; each change is made at once and can be undone.

    Attributes:
        list: The columns there are, and first of all a new one.
        name, edit: Of the one that is chosen.
        outcome: What its expression gives, or what is wrong with it.
        save, delete: The buttons.
    """

    def __init__(self, workspace: Workspace, columns: ComputedColumns, parent: QWidget | None = None) -> None:
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
        self.delete = button(self.tr("Delete column"), self._delete, self.tr("Forget the column; undo brings it back"))
        self._trying = Throttle(self._try, _TYPING_MS, self, rest=True)
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
        room = 3 * letter.height()  # for the sentences, which are not there yet
        self.resize(_LETTERS * letter.averageCharWidth(), self.sizeHint().height() + room)
        workspace.columns_changed.connect(self._take_columns)
        self._kept: tuple[ComputedColumn, ...] = ()
        self._take_columns()

    def show_column(self, name: str = "") -> None:
        """Show a column to be changed; "" for a new one."""
        self._take_columns()
        names = [each.name for each in self._kept]
        self.list.setCurrentRow(names.index(name) + 1 if name in names else 0)
        self.show()
        self.raise_()
        (self.edit if name else self.name).setFocus(Qt.FocusReason.PopupFocusReason)

    @property
    def chosen(self) -> str:
        """The name of the column that is changed; "" for a new one."""
        row = self.list.currentRow()
        return self._kept[row - 1].name if 0 < row <= len(self._kept) else ""

    def _take_columns(self) -> None:
        """List the columns again, where they are others; names of all columns are offered while one types."""
        names = filter_names(self._workspace)
        self.edit.set_names([*names, *filter_titles(self._workspace.columns)])
        if self._kept != self._columns.all or not self.list.count():
            self._kept, chosen = self._columns.all, self.chosen
            self.list.clear()
            self.list.addItem(self.tr("New column"))
            for each in self._kept:
                there = "" if each.name in self._workspace.columns else self.tr("   (not of this corpus)")
                self.list.addItem(f"{each.name}  =  {each.text}{there}")
            found = [each.name for each in self._kept]
            self.list.setCurrentRow(found.index(chosen) + 1 if chosen in found else 0)
        self._try()

    def _choose(self, row: int) -> None:
        found = self._kept[row - 1] if 0 < row <= len(self._kept) else ComputedColumn("", "")
        self.name.setText(found.name)
        self.edit.setText(found.text)
        self.save.setText(self.tr("Change column") if found.name else self.tr("Add column"))
        self.delete.setEnabled(bool(found.name))
        self._try()

    @property
    def _typed(self) -> ComputedColumn:
        return ComputedColumn(self.name.text(), self.edit.text())

    def _try(self) -> None:
        """Say what the expression gives, or what is wrong; nothing is wrong before something is typed."""
        self._trying.stop()
        outcome = problem = ""
        try:
            if self._workspace.corpus is None:
                problem = self.tr("Open a corpus first.")
            elif self.edit.text().strip():
                wanted = self._typed if self.name.text().strip() else ComputedColumn(_UNNAMED, self.edit.text())
                outcome = self._words(self._columns.tried(wanted, self.chosen))
        except ParapluieError as error:
            problem = str(error)
        self.outcome.say(outcome)
        self.problem.say(problem)
        self.save.setEnabled(bool(outcome) and bool(self.name.text().strip()))

    def _words(self, column: ComputedColumn) -> str:
        """Return how many pairs have a number, and from where to where they are."""
        material = self._workspace.material
        others = tuple(each for each in columns_in(material) if each.name != self.chosen)
        found = columns_of(with_columns(material, (*others, column)))[column.name]
        values = np.asarray(found.values(), dtype=np.float64)
        there = values[~np.isnan(values)]
        count = self.tr("{0} of {1} pairs have a value").format(f"{len(there):,}", f"{len(values):,}")
        if not len(there):
            return count + "."
        if found.meaning.threshold == 0.5 and found.decimals == 0:
            return self.tr("A verdict: {0}, and {1} of them are paraphrases by it.").format(
                count, f"{int((there >= 0.5).sum()):,}"
            )
        ends = (found.format(float(each)) for each in (there.min(), there.max()))
        return self.tr("{0}, from {1} to {2}.").format(count, *ends)

    def _save(self) -> None:
        self._try()
        if not self.save.isEnabled():
            return
        try:
            made = self._columns.define(self._typed, self.chosen)
        except ParapluieError as error:
            self.problem.say(str(error))
            return
        self.show_column(made.name)

    def _delete(self) -> None:
        if self.chosen:
            self._columns.remove(self.chosen)

    def _example(self) -> str:
        judged = [each.key for each in self._workspace.columns.values() if each.meaning.threshold == 0]
        names = judged[:3] if len(judged) > 1 else ["pluie.p1", "pluie.p2", "pluie.p3"]
        return f"min({', '.join(names)}) > 0"

    def _tip(self) -> str:
        return self.tr(
            "What a filter can compute: + − * /, {0}, abs, zscore, length, words.\n"
            "A condition is a verdict: 1 where it holds, 0 where not."
        ).format(", ".join(COMBINING))


#: Stands for the name while there is none.
_UNNAMED = "…"
