"""Stored state of the window: geometry, theme and settings between runs, and the view of each corpus."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QByteArray
from PySide6.QtWidgets import QMainWindow

from parapluie_gui import places
from parapluie_gui.ui.state.preferences import UserPreferences
from parapluie_gui.ui.state.session_settings import SHOWN
from parapluie_gui.ui.state.throttle import CallThrottle
from parapluie_gui.ui.window.context import WindowContext, WindowController

MOST_RECENT = 10
MOST_GENERATIONS = 20


class RememberedView(Protocol):
    """A view with settings, as JSON values."""

    def settings(self) -> dict[str, object]:
        """Return the settings."""

    def restore(self, settings: Mapping[str, object]) -> None:
        """Apply earlier settings; invalid ones are skipped and reported in `StoredValues`."""


class PanelStates(Protocol):
    """States of the window's panels, by tab; see `PanelArrangements`."""

    def states(self) -> dict[str, QByteArray]: ...

    def usual(self) -> list[str]: ...

    def restore(self, states: Mapping[str, QByteArray], usual: Iterable[str]) -> None: ...


class WindowState:
    """Stores the window's geometry, panels and settings between runs.

    Attributes:
        recent: Recent files, latest first.
        generations: Number of previous versions of a session file to keep.

    Args:
        window: The window whose geometry is stored.
        arrangements: The panels of each tab.
        preferences: The preferences file.
        parts: The views with settings, by their names in the file.
    """

    def __init__(
        self,
        window: QMainWindow,
        arrangements: PanelStates,
        preferences: UserPreferences,
        parts: Mapping[str, RememberedView],
    ) -> None:
        self._window, self._arrangements = window, arrangements
        self._preferences = preferences
        self._parts = parts
        generations = preferences.values.place("generations")
        self.generations = 1 if generations is None else min(generations, MOST_GENERATIONS)
        self.recent: list[str] = [name for name in preferences.values.texts("recent") if "\0" not in name][:MOST_RECENT]

    def note_file(self, path: Path) -> None:
        """Add a file at the top of the recent ones."""
        name = str(places.expand_user_path(path).resolve())
        self.recent = [name, *(other for other in self.recent if other != name)][:MOST_RECENT]
        self._preferences.set("recent", self.recent)
        self._preferences.save()  # at once, in case the program is killed

    def restore(self) -> None:
        """Restore everything; `UserPreferences.troubles` lists what could not be restored."""
        for name, part in self._parts.items():
            part.restore(self._preferences.values.part(name))
        self._restore_shape()
        self._preferences.check()

    def keep(self, theme: str) -> None:
        self._preferences.set("generations", self.generations)
        for name, part in self._parts.items():
            self._preferences.set(name, part.settings())
        self._preferences.set("recent", self.recent)
        self._preferences.set("theme", theme)
        geometry = _text(self._window.saveGeometry())
        panels = {tab: _text(state) for tab, state in self._arrangements.states().items()}
        shape = {"geometry": geometry, "panels": panels, "checksum": _checksum(geometry, panels)}
        self._preferences.set("arrangement", shape | {"usual": self._arrangements.usual()})
        self._preferences.save()

    def _restore_shape(self) -> None:
        shape = self._preferences.values.part("arrangement")
        geometry, panels, usual = shape.text("geometry"), shape.part("panels"), shape.texts("usual")
        states = {tab: panels.text(tab) for tab in panels}
        # Qt (6.11) crashes if a byte of a state is corrupt.
        if shape.text("checksum") == _checksum(geometry, states):
            self._window.restoreGeometry(_data(geometry))
            self._arrangements.restore({tab: _data(state) for tab, state in states.items()}, usual)
        elif shape:
            self._preferences.values.skip("arrangement")


def _text(data: QByteArray) -> str:
    return bytes(data.toBase64().data()).decode()


def _data(text: str) -> QByteArray:
    return QByteArray.fromBase64(text.encode("utf-8", "surrogatepass"))


def _checksum(geometry: str, panels: Mapping[str, str]) -> str:
    parts = " ".join([geometry, *(f"{tab} {panels[tab]}" for tab in sorted(panels))])
    return hashlib.sha256(parts.encode("utf-8", "surrogatepass")).hexdigest()[:16]


#: Delay after the last change before the view is stored, in milliseconds.
REST_MS = 500


class ViewMemory(WindowController):
    """Stores the view of each corpus as it changes."""

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context)
        workspace, self._filter = self._workspace, context.filter
        self._corpora, self._settings = self._state.corpora, self._state.settings
        self._analysis = context.analysis
        self._keeping = CallThrottle(self.keep, REST_MS, self, rest=True)
        for changed in (
            workspace.selection.primary_changed,
            workspace.selection.set_changed,
            workspace.axes_changed,
            workspace.threshold_changed,
        ):
            changed.connect(self._soon)
        self._ticks = context.analysis.choice.scores
        self._ticks.changed.connect(self._soon)

    def take_up(self) -> None:
        """Restore the last view of the open corpus; by default, the first pair is primary."""
        view, workspace = self._settings.view(self._corpora.number), self._workspace
        columns = workspace.numeric_columns()
        axes = {axis: name for axis in ("x", "y") if (name := view.text(axis)) in columns}
        workspace.set_axes(**axes)
        if (threshold := view.number("threshold")) is not None and axes:
            workspace.set_threshold(threshold)
        self._analysis.choice.keep_colours(view.texts("colours"))
        self._analysis.choose_scores(view.flags("scores"))
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
            "scores": self._ticks.ticks(),
            "colours": list(self._analysis.choice.colours),
        }
        self._settings.keep_view(self._corpora.number, view)
        self._settings.keep(SHOWN, self._corpora.number)

    def flush(self) -> None:
        """Store a change of the view now, without waiting for the delay."""
        if self._keeping.isActive():
            self.keep()

    def _soon(self) -> None:
        if self._workspace.corpus is not None:
            self._keeping.ask()
