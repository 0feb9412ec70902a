"""Every action of the window, declared once in a table: menus, tips and shortcuts are made from it."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import Any

from PySide6.QtCore import QCoreApplication, QObject
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
        menu: The menu it stands in, with the one that this opens from: ("&Pairs", "&Verdict"); () where it is only
            found by Ctrl+K and its keys.
        text: As in the menu.
        keys: Shortcuts, the first one shown.
        tip: One sentence for the status bar.
        checkable: Whether it is on or off.
        icon: Its name in the set of icons; "" for none.
        words: What it was called before; it is found by that, too.
        pairs: It is about pairs: without a corpus its line in the menu is grey. Its keys then say what is missing.
    """

    slot: str
    menu: tuple[str, ...]
    text: str
    keys: tuple[str, ...] = ()
    tip: str = ""
    checkable: bool = False
    icon: str = ""
    words: str = ""
    pairs: bool = False


def _actions(menu: tuple[str, ...], entries: Iterable[Any]) -> Iterator[Action]:
    for entry in entries:
        if entry == "-":
            yield Action("", menu, "-")
        elif "actions" in entry:
            yield from _actions((*menu, entry["text"]), entry["actions"])
        else:
            yield Action(menu=menu, **entry | {"keys": tuple(entry.get("keys", ()))})


_TABLE = tomllib.loads((places.resources() / "actions.toml").read_text("utf-8"))["menu"]
ACTIONS = tuple(
    action for menu in _TABLE for action in _actions((menu["text"],) if "text" in menu else (), menu["actions"])
)


class _Greyer(QObject):
    """Greys the lines of a menu that are about pairs, while it is open and there are none."""

    def __init__(self, menu: QMenu, there_are_pairs: Callable[[], bool]) -> None:
        super().__init__(menu)
        self._menu, self._there_are_pairs = menu, there_are_pairs
        self._greyed: list[QAction] = []
        menu.aboutToShow.connect(self._grey)
        menu.aboutToHide.connect(self._back)

    def _grey(self) -> None:
        if not self._there_are_pairs():
            self._greyed = [each for each in self._menu.actions() if each.property("pairs") and each.isEnabled()]
        for each in self._greyed:
            each.setEnabled(False)

    def _back(self) -> None:
        for each in self._greyed:
            each.setEnabled(True)
        self._greyed = []


def fill_menus(window: QMainWindow, lists: dict[str, QMenu], there_are_pairs: Callable[[], bool]) -> dict[str, QAction]:
    """Fill the window's menu bar and return its actions by name.

    Args:
        window: Has a method for each action of the table.
        lists: The submenus that stand in the table under these names.
        there_are_pairs: Whether a corpus is shown.
    """
    actions: dict[str, QAction] = {}
    menus: dict[tuple[str, ...], QMenu] = {}

    def menu_of(path: tuple[str, ...]) -> QMenu | None:
        if path and path not in menus:
            parent = menu_of(path[:-1]) or window.menuBar()
            menus[path] = parent.addMenu(_translate(path[-1]))
            _Greyer(menus[path], there_are_pairs)
        return menus.get(path)

    for item in ACTIONS:
        menu = menu_of(item.menu)
        if not item.slot:
            if menu is not None:
                menu.addSeparator()
        elif item.slot in lists:
            lists[item.slot].setTitle(_translate(item.text))
            if menu is not None:
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
            action.setProperty("words", item.words)
            action.setProperty("pairs", item.pairs)
            if menu is not None:
                menu.addAction(action)
            # The keys work where no menu is.
            window.addAction(action)
            actions[item.slot] = action
    return actions


def _translate(text: str) -> str:
    return QCoreApplication.translate("Actions", text)
