"""Every action of the window, declared once in a table: menus, tips and shortcuts are made from it."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from operator import attrgetter
from typing import Any

from PySide6.QtCore import QCoreApplication, QObject
from PySide6.QtGui import QAction, QKeySequence, QPalette
from PySide6.QtWidgets import QMainWindow, QMenu

from parapluie_gui import places
from parapluie_gui.feature import Action, arranged, brought
from parapluie_gui.ui.widgets import icons
from parapluie_gui.ui.widgets.list_menu import call_without_checked


def _actions(menu: tuple[str, ...], entries: Iterable[Any]) -> Iterator[Action]:
    for entry in entries:
        if entry == "-":
            yield Action("", menu, "-")
        elif "actions" in entry:
            yield from _actions((*menu, entry["text"]), entry["actions"])
        else:
            yield Action(menu=menu, **entry | {"keys": tuple(entry.get("keys", ()))})


@cache
def actions() -> tuple[Action, ...]:
    """Return every action in the order of the menus: the core's, and those of features in their places."""
    table = tomllib.loads((places.resources() / "actions.toml").read_text("utf-8"))["menu"]
    own = (each for menu in table for each in _actions((menu["text"],) if "text" in menu else (), menu["actions"]))
    return tuple(arranged(own, brought("actions")))


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


def fill_menus(
    window: QMainWindow,
    feature_slot: Callable[[str], Callable[..., object] | None],
    lists: dict[str, QMenu],
    there_are_pairs: Callable[[], bool],
) -> dict[str, QAction]:
    """Fill the window's menu bar and return its actions by name.

    Args:
        window: Has a method for each action of the core.
        feature_slot: Returns what does an action of a feature, by its name; None for one of the core.
        lists: The submenus that stand in the table under these names.
        there_are_pairs: Whether a corpus is shown.
    """
    made: dict[str, QAction] = {}
    menus: dict[tuple[str, ...], QMenu] = {}

    def menu_of(path: tuple[str, ...]) -> QMenu | None:
        if path and path not in menus:
            parent = menu_of(path[:-1]) or window.menuBar()
            menus[path] = parent.addMenu(_translate(path[-1]))
            _Greyer(menus[path], there_are_pairs)
        return menus.get(path)

    for item in actions():
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
            slot = feature_slot(item.slot) or attrgetter(item.slot)(window)
            if item.checkable:
                action.toggled.connect(slot)
            else:
                action.triggered.connect(partial(call_without_checked, slot))
            action.setProperty("words", item.words)
            action.setProperty("pairs", item.pairs)
            action.setProperty("corpus", item.corpus)
            if menu is not None:
                menu.addAction(action)
            # The keys work where no menu is.
            window.addAction(action)
            made[item.slot] = action
    return made


def _translate(text: str) -> str:
    return QCoreApplication.translate("Actions", text)
