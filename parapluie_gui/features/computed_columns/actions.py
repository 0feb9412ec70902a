"""The actions on computed columns: the dialog, and undo."""

from __future__ import annotations

from functools import partial
from typing import Any

from PySide6.QtWidgets import QMenu

from parapluie_gui.features.computed_columns.dialog import ComputedDialog
from parapluie_gui.features.computed_columns.state import ComputedColumns
from parapluie_gui.ui.state.history import HistoryStep
from parapluie_gui.ui.window.context import WindowContext, WindowController


class ColumnActions(WindowController):
    """The controller of computed columns, which opens the dialog and records each change for undo.

    Attributes:
        computed: The columns of the session.
        dialog: The dialog; None until it is first opened.
    """

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context)
        self.computed = ComputedColumns(self._workspace, self._state.settings, self)
        self.dialog: ComputedDialog | None = None
        self._table = context.table
        self.computed.changed.connect(self._record)
        self._state.history.handle("columns", self._restore)
        context.table.menu_opened.connect(self._fill_menu)

    def new(self) -> None:
        """Show the dialog for a new column."""
        self.edit("")

    def edit(self, name: str) -> None:
        """Show the dialog for a column; "" for a new one."""
        if self._workspace.corpus is None:
            self.failed.emit(self.tr("There are no columns yet. Open a corpus first."))
            return
        if self.dialog is None:
            self.dialog = ComputedDialog(self._workspace, self.computed, self._window)
        self.dialog.show_column(name)

    def _fill_menu(self, menu: QMenu, key: str) -> None:
        """Add actions to the table's menu of columns, opened at the column `key` ("" outside columns)."""
        menu.addAction(self.tr("New column…"), self.new)
        if any(column.name == key for column in self.computed.all):
            title = self.tr("Change or delete “{0}”…").format(key.replace("&", "&&"))
            menu.addAction(title, partial(self.edit, key))

    def _record(self, before: list[tuple[str, str]], after: list[tuple[str, str]]) -> None:
        old, new = dict(before), dict(after)
        added = [name for name in new if name not in old]
        removed = [name for name in old if name not in new]
        if added and not removed:
            title, name = self.tr("column {0}"), added[0]
        elif removed and not added:
            title, name = self.tr("deletion of column {0}"), removed[0]
        else:
            title = self.tr("change of column {0}")
            name = next((name for name in new if old.get(name) != new[name]), "")
        self._state.history.record(HistoryStep("columns", title.format(name), None, None, before, after))
        if added:
            self._table.bring_column(added[0])

    def _restore(self, _: int | None, where: Any, columns: Any) -> None:
        if not isinstance(columns, list):
            raise TypeError(columns)
        self.computed.replace_all(columns)
