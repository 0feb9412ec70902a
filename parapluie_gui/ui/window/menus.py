"""The menu bar, made from the table of actions."""

from __future__ import annotations

from functools import partial
from operator import attrgetter

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu

from parapluie_gui.ui.widgets.list_menu import call
from parapluie_gui.ui.window.actions import ACTIONS, MENUS, translated


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
                action.triggered.connect(partial(call, slot))
            menu.addAction(action)
            # The menu bar is hidden while presenting; the keys are to work all the same.
            window.addAction(action)
            actions[item.slot] = action
    return actions
