"""The view of each corpus (axes, threshold, filter, primary pair), kept in the session and restored."""

from __future__ import annotations

from PySide6.QtCore import QObject

from parapluie_gui.ui.state.throttle import Throttle
from parapluie_gui.ui.window.context import Context

#: Milliseconds without a change until it is written.
REST_MS = 500


class ViewMemory(QObject):
    """Keeps the view of each corpus as it changes."""

    def __init__(self, context: Context) -> None:
        super().__init__(context.window)
        workspace = context.workspace
        self._workspace, self._filter = workspace, context.filter
        self._corpora, self._settings = context.state.corpora, context.state.settings
        self._keeping = Throttle(self.keep, REST_MS, self, rest=True)
        for changed in (
            workspace.selection.primary_changed,
            workspace.selection.set_changed,
            workspace.axes_changed,
            workspace.threshold_changed,
        ):
            changed.connect(self._soon)

    def take_up(self) -> None:
        """Restore the last view of the shown corpus; by default the first pair is primary."""
        view, workspace = self._settings.view(self._corpora.number), self._workspace
        columns = workspace.numeric_columns()
        axes = {axis: name for axis in ("x", "y") if (name := view.text(axis)) in columns}
        workspace.set_axes(**axes)
        if (threshold := view.number("threshold")) is not None and axes:
            workspace.set_threshold(threshold)
        if text := view.text("filter"):
            self._filter.set_filter(text)
        row = view.place("primary") or 0
        workspace.selection.set_primary(row if row < workspace.table.rows else 0)
        self._settings.check()

    def keep(self) -> None:
        self._keeping.stop()
        workspace = self._workspace
        if workspace.corpus is None:
            return
        rule = workspace.selection.rule
        view = {
            "x": workspace.x,
            "y": workspace.y,
            "threshold": workspace.threshold,
            "filter": "" if rule is None else rule.filter_text,
            "primary": workspace.selection.primary,
        }
        self._settings.keep_view(self._corpora.number, view)

    def _soon(self) -> None:
        if self._workspace.corpus is not None:
            self._keeping.ask()
