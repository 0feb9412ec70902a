"""The window's actions, menus, tips and shortcuts, built from `actions.toml` and the features."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from operator import attrgetter
from typing import Any

from PySide6.QtCore import QCoreApplication, QObject
from PySide6.QtGui import QAction, QKeySequence, QPalette
from PySide6.QtWidgets import QMainWindow, QMenu

from parapluie_gui import places
from parapluie_gui.feature import Action, arrange_entries, collect_parts
from parapluie_gui.own_files import read_toml
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
    """Return all actions of the core and the features, in the order of the menus."""
    table = read_toml(places.resources() / "actions.toml")["menu"]
    own = (item for menu in table for item in _actions((menu["text"],) if "text" in menu else (), menu["actions"]))
    return tuple(arrange_entries(own, collect_parts("actions")))


class _PairActionsDisabler(QObject):
    """Disables the actions of a menu that need pairs while the menu is open and no corpus is.

    They are enabled otherwise, so that their keys can show why nothing happens.
    """

    def __init__(self, menu: QMenu, has_pairs: Callable[[], bool]) -> None:
        super().__init__(menu)
        self._menu, self._has_pairs = menu, has_pairs
        self._disabled: list[QAction] = []
        menu.aboutToShow.connect(self._disable)
        menu.aboutToHide.connect(self._enable)

    def _disable(self) -> None:
        if not self._has_pairs():
            self._disabled = [item for item in self._menu.actions() if item.property("pairs") and item.isEnabled()]
        for action in self._disabled:
            action.setEnabled(False)

    def _enable(self) -> None:
        for action in self._disabled:
            action.setEnabled(True)
        self._disabled = []


def fill_menus(
    window: QMainWindow,
    feature_slot: Callable[[str], Callable[..., object] | None],
    lists: dict[str, QMenu],
    has_pairs: Callable[[], bool],
) -> dict[str, QAction]:
    """Fill the window's menu bar and return its actions by name.

    Args:
        window: The window, with a method for each action of the core.
        feature_slot: Returns the function of a feature's action, by its name; None for one of the core.
        lists: Submenus with changing entries, by their names in the table.
        has_pairs: Returns whether a corpus is open.
    """
    filled: dict[str, QAction] = {}
    menus: dict[tuple[str, ...], QMenu] = {}

    def menu_of(path: tuple[str, ...]) -> QMenu | None:
        if path and path not in menus:
            parent = menu_of(path[:-1]) or window.menuBar()
            menus[path] = parent.addMenu(_translate(path[-1]))
            _PairActionsDisabler(menus[path], has_pairs)
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
            action.setProperty("keys", item.keys)
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
            # The keys then work without a menu.
            window.addAction(action)
            filled[item.slot] = action
    return filled


def _translate(text: str) -> str:
    return QCoreApplication.translate("Actions", text)
