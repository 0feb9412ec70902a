"""What a kind of change is, and the choice of another one for an edit."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget, QWidgetAction

from parapluie_gui.metrics.changes.types import change_types
from parapluie_gui.ui.pair.effects import kind_name, kind_words
from parapluie_gui.ui.widgets.arrange import vbox, widget_of
from parapluie_gui.ui.widgets.wrapped import WrappedText

translate = QCoreApplication.translate

#: Width of the definition, in letters.
_LETTERS = 46


def kind_menu(kind: str, by_rule: str, choose: Callable[[str], None] | None, parent: QWidget) -> QMenu:
    """Return a menu that tells what the kind of an edit is; `choose` takes the id of the right one.

    Args:
        kind: The id of the edit's kind.
        by_rule: The id of the kind that the rules find.
        choose: None where nothing can be corrected.
        parent: Owns the menu.
    """
    menu = QMenu(translate("KindMenu", "Kind of change"), parent)
    menu.setAccessibleName(menu.title())
    menu.setToolTipsVisible(True)
    types = change_types()
    menu.addAction(_words(kind_words(types[kind]), menu))
    if choose is not None:
        menu.addSection(translate("KindMenu", "The right kind"))
        for id, each in types.items():
            name = kind_name(each)
            action = QAction(translate("KindMenu", "{0} (by rule)").format(name) if id == by_rule else name, menu)
            action.setCheckable(True)
            action.setChecked(id == kind)
            action.setToolTip(kind_words(each))
            action.triggered.connect(partial(_choose, choose, id))
            menu.addAction(action)
    return menu


def _choose(choose: Callable[[str], None], id: str, checked: bool = True) -> None:
    choose(id)


def _words(text: str, menu: QMenu) -> QWidgetAction:
    """Return an entry that is a paragraph."""
    label = WrappedText()
    label.say(text)
    label.setFixedWidth(_LETTERS * label.fontMetrics().averageCharWidth())
    entry = QWidgetAction(menu)
    entry.setText(text)
    entry.setDefaultWidget(widget_of(vbox(label, margins=(12, 8, 12, 8))))
    return entry
