"""Every action of the window, declared once in a table: menus, tips and shortcuts are made from it."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import Any

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QAction, QKeySequence, QPalette
from PySide6.QtWidgets import QMainWindow, QMenu

from parapluie_gui import places
from parapluie_gui.ui.widgets import icons
from parapluie_gui.ui.widgets.list_menu import call


@dataclass(frozen=True)
class Action:
    """Something the user can do.

    Attributes:
        slot: The method that does it, as seen from the window ("scatter.fit"); also the action's name. "recent",
            "kept_sets" and "docks" are submenus that the window fills; "" is a line between groups.
        menu: The menu it stands in.
        text: As in the menu.
        keys: Shortcuts, the first one shown.
        tip: One sentence for the status bar.
        checkable: Whether it is on or off.
        icon: Its name in the set of icons; "" for none.
    """

    slot: str
    menu: str
    text: str
    keys: tuple[str, ...] = ()
    tip: str = ""
    checkable: bool = False
    icon: str = ""


def _action(menu: str, entry: Any) -> Action:
    return (
        Action("", menu, "-") if entry == "-" else Action(menu=menu, **entry | {"keys": tuple(entry.get("keys", ()))})
    )


_TABLE = tomllib.loads((places.resources() / "actions.toml").read_text("utf-8"))["menu"]
ACTIONS = tuple(_action(menu["text"], entry) for menu in _TABLE for entry in menu["actions"])


def fill_menus(window: QMainWindow, lists: dict[str, QMenu]) -> dict[str, QAction]:
    """Fill the window's menu bar and return its actions by name.

    Args:
        window: Has a method for each action of the table.
        lists: The submenus that stand in the table under these names.
    """
    actions: dict[str, QAction] = {}
    menus = {
        title: window.menuBar().addMenu(_translate(title)) for title in dict.fromkeys(each.menu for each in ACTIONS)
    }
    for item in ACTIONS:
        menu = menus[item.menu]
        if not item.slot:
            menu.addSeparator()
        elif item.slot in lists:
            lists[item.slot].setTitle(_translate(item.text))
            menu.addMenu(lists[item.slot])
        else:
            action = QAction(_translate(item.text), window)
            action.setObjectName(item.slot)
            action.setShortcuts([QKeySequence(key) for key in item.keys])
            action.setStatusTip(_translate(item.tip))
            action.setCheckable(item.checkable)
            if item.icon:
                icons.put(action, item.icon, QPalette.ColorRole.WindowText)
            slot = attrgetter(item.slot)(window)
            if item.checkable:
                action.toggled.connect(slot)
            else:
                action.triggered.connect(partial(call, slot))
            menu.addAction(action)
            # The keys work where no menu is.
            window.addAction(action)
            actions[item.slot] = action
    return actions


def _translate(text: str) -> str:
    return QCoreApplication.translate("Actions", text)
