"""The columns of the session that are worked out from others: kept with it, shown by the workspace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from PySide6.QtCore import QObject, Signal

from parapluie_gui.features.computed_columns.columns import NAME
from parapluie_gui.features.computed_columns.computed import SETTING, ComputedColumn, kept_columns
from parapluie_gui.features.computed_columns.new_column import define
from parapluie_gui.ui.state.session_settings import SessionSettings
from parapluie_gui.ui.state.workspace import Workspace


class ComputedColumns(QObject):
    """Defines, changes and forgets them; what stays is in the session's settings.

    Signals:
        changed: (before, after) Lists of (name, expression).
    """

    changed = Signal(list, list)

    def __init__(self, workspace: Workspace, settings: SessionSettings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workspace, self._settings = workspace, settings
        settings.opened.connect(self._check)
        self._check()

    @property
    def all(self) -> tuple[ComputedColumn, ...]:
        """The columns, of every corpus that has those that they are worked out from."""
        return cast(tuple[ComputedColumn, ...], self._workspace.feature_material.get(NAME, ()))

    def define(self, wanted: ComputedColumn, instead: str = "") -> ComputedColumn:
        """Keep a column, a further one or instead of another, and return it as it is kept.

        Raises:
            ParapluieError: It cannot be computed; nothing has changed.
        """
        made = self.tried(wanted, instead)
        if instead:
            self._put([made if each.name == instead else each for each in self.all])
        else:
            self._put([*self.all, made])
        return made

    def tried(self, wanted: ComputedColumn, instead: str = "") -> ComputedColumn:
        """Return a column as it would be kept; errors as `define`. There must be a corpus."""
        return define(wanted, self._workspace.material, instead)

    def remove(self, name: str) -> None:
        """Forget a column."""
        self._put([each for each in self.all if each.name != name])

    def put(self, kept: object) -> None:
        """Put the columns in the place of those there are, as an earlier `changed` named them."""
        found = kept_columns(kept)
        self._show(found)
        self._settings.keep(SETTING, _plain(found))

    def _put(self, computed: Sequence[ComputedColumn]) -> None:
        before, after = _plain(self.all), _plain(computed)
        self.put(after)
        self.changed.emit(before, after)

    def _show(self, columns: tuple[ComputedColumn, ...]) -> None:
        if columns != self.all:
            self._workspace.set_feature_material(NAME, columns)

    def _check(self) -> None:
        """Let the user know of columns of the session that make no sense."""
        kept = self._settings.values.get(SETTING)
        found = kept_columns(kept)
        if kept is not None and kept != _plain(found):
            self._settings.values.skip(SETTING)
            self._settings.check()


def _plain(computed: Sequence[ComputedColumn]) -> list[list[str]]:
    """Return columns as `kept_columns` reads them, fit for JSON."""
    return [[each.name, each.text] for each in computed]
