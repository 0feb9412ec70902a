"""The menu bar, made from the table of actions; lists that change are filled when a menu opens."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from operator import attrgetter

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu

from parapluie_gui.ui.window.actions import ACTIONS, MENUS, translated

#: A line of a menu whose content changes: what it says and what it does.
Entry = tuple[str, Callable[[], object]]


def fill_menus(window: QMainWindow, lists: dict[str, QMenu]) -> dict[str, QAction]:
    """Fill the window's menu bar and return its actions by name.

    Args:
        window: Has a method for each action of the table.
        lists: The submenus that stand in the table under these names.
    """
    actions: dict[str, QAction] = {}
    menus = {menu: window.menuBar().addMenu(translated(menu)) for menu in MENUS}
    for item in ACTIONS:
        menu = menus[item.menu]
        if item.text == "-":
            menu.addSeparator()
        elif item.slot in lists:
            lists[item.slot].setTitle(translated(item.text))
            menu.addMenu(lists[item.slot])
        else:
            action = QAction(translated(item.text), window)
            action.setShortcuts([QKeySequence(key) for key in item.keys])
            action.setStatusTip(translated(item.tip))
            action.setCheckable(item.checkable)
            slot = attrgetter(item.slot)(window)
            if item.checkable:
                action.toggled.connect(slot)
            else:
                action.triggered.connect(partial(_call, slot))
            menu.addAction(action)
            # The menu bar is hidden while presenting; the keys are to work all the same.
            window.addAction(action)
            actions[item.slot] = action
    return actions


class ListMenu(QMenu):
    """A submenu that asks for its lines when it opens.

    Args:
        entries: Gives the lines.
        nothing: What it says when there are none.
    """

    def __init__(self, entries: Callable[[], Iterable[Entry]], nothing: str, parent: QMainWindow) -> None:
        super().__init__(parent)
        self._entries = entries
        self._nothing = nothing
        self.aboutToShow.connect(self._fill)

    def _fill(self) -> None:
        self.clear()
        for text, act in self._entries():
            # Names are data: an ampersand in one is no shortcut.
            self.addAction(text.replace("&", "&&")).triggered.connect(partial(_call, act))
        if self.isEmpty():
            self.addAction(self._nothing).setEnabled(False)


def _call(act: Callable[[], object], _checked: bool = False) -> None:
    """Call something that wants no argument when QAction.triggered brings one."""
    act()
