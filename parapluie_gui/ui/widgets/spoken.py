"""What a screen reader says: names of labels, messages, and in which order Tab goes."""

from __future__ import annotations

import itertools

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QLabel, QWidget


def speak_text(label: QLabel, before: str, text: str) -> None:
    """Let a label that had the text `before` be read out once: its text is its name, or stands after its own name."""
    if label.accessibleName() in ("", before):
        label.setAccessibleName(text)
    else:
        label.setAccessibleDescription(text)


def announce(widget: QWidget, text: str) -> None:
    """Let a screen reader say a message now, wherever the user is; nothing is said where none runs."""
    if text and QAccessible.isActive():
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(widget, text))


def tab_through(holder: QWidget, *parts: QWidget) -> None:
    """Let Tab go through the parts where `holder` is. Without it, parts that are made late are the window's last.

    The parts are given: a walk along Qt's own chain makes wrappers of Qt's inner widgets, whose end takes the wrappers
    of what is in them along (PySide 6.11).
    """
    policy = holder.focusPolicy()
    # Qt leaves the order as it is after a widget without focus.
    holder.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    for before, after in itertools.pairwise((holder, *parts)):
        QWidget.setTabOrder(before, after)
    holder.setFocusPolicy(policy)
