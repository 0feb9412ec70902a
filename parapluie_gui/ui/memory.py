"""What the window remembers between two runs: its shape, what was ticked, filters, recent files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray

from parapluie_gui.ui.preferences import Preferences

if TYPE_CHECKING:
    from parapluie_gui.ui.window import MainWindow


class Memory:
    """Carries settings between the window and its file."""

    def __init__(self, window: MainWindow, preferences: Preferences) -> None:
        self._window = window
        self._kept = preferences

    def restore(self) -> None:
        """Give the window what was remembered."""
        window, kept = self._window, self._kept
        window.recent = [str(path) for path in kept.get("recent", [])]
        window.setup.restore(kept.get("setup", {}))
        window.table.restore(kept.get("table", {}))
        window.filter.restore(kept.get("filter", {}))
        for key, put in (("geometry", window.restoreGeometry), ("state", window.restoreState)):
            if text := kept.get(key, ""):
                put(QByteArray.fromBase64(text.encode()))

    def keep(self) -> None:
        """Write down what is to be remembered."""
        window, kept = self._window, self._kept
        kept.set("recent", window.recent)
        kept.set("setup", window.setup.settings())
        kept.set("table", window.table.settings())
        kept.set("filter", window.filter.settings())
        kept.set("theme", window.theme.name)
        kept.set("geometry", bytes(window.saveGeometry().toBase64().data()).decode())
        kept.set("state", bytes(window.saveState().toBase64().data()).decode())
        kept.save()
