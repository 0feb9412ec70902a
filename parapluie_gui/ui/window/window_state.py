"""The window's memory between two runs: its shape and colours, the choices, filters, recent files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QByteArray
from PySide6.QtWidgets import QMainWindow

from parapluie_gui import places
from parapluie_gui.ui.state.preferences import Preferences

MOST_RECENT = 10


class Remembered(Protocol):
    """A view with settings of its own, fit for JSON."""

    def settings(self) -> dict[str, object]:
        """Return the settings."""

    def restore(self, settings: Mapping[str, object]) -> None:
        """Apply settings that were returned before."""


class WindowState:
    """Carries settings between the window and its file.

    Attributes:
        recent: Files that were opened, the latest first.

    Args:
        window: Its geometry and panels are remembered.
        kept: The file.
        parts: The views with settings, by the name they are kept under.
    """

    def __init__(self, window: QMainWindow, kept: Preferences, parts: Mapping[str, Remembered]) -> None:
        self._window = window
        self._kept = kept
        self._parts = parts
        self.recent: list[str] = [str(path) for path in kept.get("recent", [])]

    def note_file(self, path: Path) -> None:
        """Put a file at the head of the recent ones."""
        name = str(places.expand_user_path(path).resolve())
        self.recent = [name, *(other for other in self.recent if other != name)][:MOST_RECENT]

    def restore(self) -> None:
        for name, part in self._parts.items():
            part.restore(self._kept.get(name, {}))
        for key, put in (("geometry", self._window.restoreGeometry), ("state", self._window.restoreState)):
            if text := self._kept.get(key, ""):
                put(QByteArray.fromBase64(text.encode()))

    def keep(self, theme: str) -> None:
        for name, part in self._parts.items():
            self._kept.set(name, part.settings())
        self._kept.set("recent", self.recent)
        self._kept.set("theme", theme)
        self._kept.set("geometry", bytes(self._window.saveGeometry().toBase64().data()).decode())
        self._kept.set("state", bytes(self._window.saveState().toBase64().data()).decode())
        self._kept.save()
