"""A submenu whose entries are requested each time it opens."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from PySide6.QtWidgets import QMenu, QWidget

#: An entry: its text and its function.
Entry = tuple[str, Callable[[], object]]


class ListMenu(QMenu):
    """A submenu that requests its entries when it opens.

    Args:
        entries: Returns the entries.
        nothing: The text of an empty menu.
    """

    def __init__(self, entries: Callable[[], Iterable[Entry]], nothing: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._entries = entries
        self._nothing = nothing
        self.aboutToShow.connect(self._fill)

    def _fill(self) -> None:
        self.clear()
        for text, act in self._entries():
            # Names are data: an ampersand must not become a shortcut.
            self.addAction(text.replace("&", "&&")).triggered.connect(partial(call_without_checked, act))
        if self.isEmpty():
            self.addAction(self._nothing).setEnabled(False)


def call_without_checked(act: Callable[[], object], _checked: bool = False) -> None:
    """Call a function without the argument that QAction.triggered passes."""
    act()
