"""A submenu whose lines change: it asks for them when it opens."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from PySide6.QtWidgets import QMenu, QWidget

#: What a line says and what it does.
Entry = tuple[str, Callable[[], object]]


class ListMenu(QMenu):
    """A submenu that asks for its lines when it opens.

    Args:
        entries: Gives the lines.
        nothing: What it says when there are none.
    """

    def __init__(self, entries: Callable[[], Iterable[Entry]], nothing: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._entries = entries
        self._nothing = nothing
        self.aboutToShow.connect(self._fill)

    def _fill(self) -> None:
        self.clear()
        for text, act in self._entries():
            # Names are data: an ampersand in one is no shortcut.
            self.addAction(text.replace("&", "&&")).triggered.connect(partial(call, act))
        if self.isEmpty():
            self.addAction(self._nothing).setEnabled(False)


def call(act: Callable[[], object], _checked: bool = False) -> None:
    """Call something that wants no argument when QAction.triggered brings one."""
    act()
