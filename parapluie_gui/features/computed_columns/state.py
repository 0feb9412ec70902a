"""The computed columns of the session: stored in its settings, and shown by the workspace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from PySide6.QtCore import QObject, Signal

from parapluie_gui.features.computed_columns.columns import NAME
from parapluie_gui.features.computed_columns.computed import SETTING, ComputedColumn, parse_columns
from parapluie_gui.features.computed_columns.new_column import check_definition
from parapluie_gui.ui.state.session_settings import SessionSettings
from parapluie_gui.ui.state.workspace import CorpusWorkspace


class ComputedColumns(QObject):
    """The computed columns of the session, stored in its settings.

    Signals:
        changed: (before, after) Lists of [name, expression].
    """

    changed = Signal(list, list)

    def __init__(self, workspace: CorpusWorkspace, settings: SessionSettings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workspace, self._settings = workspace, settings
        settings.opened.connect(self._report_invalid)
        self._report_invalid()

    @property
    def all(self) -> tuple[ComputedColumn, ...]:
        """The columns, including those whose expression refers to columns that this corpus lacks."""
        return cast(tuple[ComputedColumn, ...], self._workspace.feature_material.get(NAME, ()))

    def define(self, typed: ComputedColumn, replaced: str = "") -> ComputedColumn:
        """Add a column or replace the one called `replaced`, and return it as it is stored.

        Raises:
            ParapluieError: It cannot be computed; nothing is changed.
        """
        defined = self.check(typed, replaced)
        if replaced:
            self._change([defined if column.name == replaced else column for column in self.all])
        else:
            self._change([*self.all, defined])
        return defined

    def check(self, typed: ComputedColumn, replaced: str = "") -> ComputedColumn:
        """Return a column as it would be stored, for an open corpus; raises like `define`."""
        return check_definition(typed, self._workspace.material, replaced)

    def remove(self, name: str) -> None:
        """Delete a column."""
        self._change([column for column in self.all if column.name != name])

    def replace_all(self, stored: object) -> None:
        """Replace all columns by those of an earlier `changed` signal."""
        columns = parse_columns(stored)
        if columns != self.all:
            self._workspace.set_feature_material(NAME, columns)
        self._settings.keep(SETTING, _to_json(columns))

    def _change(self, columns: Sequence[ComputedColumn]) -> None:
        before, after = _to_json(self.all), _to_json(columns)
        self.replace_all(after)
        self.changed.emit(before, after)

    def _report_invalid(self) -> None:
        """Report invalid columns in the session's settings to the user."""
        stored = self._settings.values.get(SETTING)
        if stored is not None and stored != _to_json(parse_columns(stored)):
            self._settings.values.skip(SETTING)
            self._settings.check()


def _to_json(columns: Sequence[ComputedColumn]) -> list[list[str]]:
    """Return columns as values for JSON, which `parse_columns` reads."""
    return [[column.name, column.text] for column in columns]
