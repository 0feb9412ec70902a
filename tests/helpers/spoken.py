"""What a window shows and what a screen reader receives of it."""

from __future__ import annotations

from PySide6.QtGui import QAccessible, QTextDocument
from PySide6.QtWidgets import QAbstractButton, QGroupBox, QLabel, QWidget


def plain_text(text: str) -> str:
    """Return a shown text without markup, shortcut marks and soft breaks."""
    if "<" in text:
        document = QTextDocument()
        document.setHtml(text)
        text = document.toPlainText()
    return " ".join(text.replace("\u200b", "").replace("&", "").split())


def find_unspoken(root: QWidget) -> list[str]:
    """Return the shown texts that a screen reader does not receive: of buttons by their name, of others in any way."""
    silent = []
    for part in root.findChildren(QWidget):
        if not part.isVisible() or not isinstance(part, QLabel | QAbstractButton | QGroupBox):
            continue
        shown = plain_text(part.title() if isinstance(part, QGroupBox) else part.text())
        interface = QAccessible.queryAccessibleInterface(part)
        if not any(sign.isalnum() for sign in shown):
            continue  # an arrow or a cross
        roles = QAccessible.Text.Name, QAccessible.Text.Value, QAccessible.Text.Description
        name, *others = (plain_text(interface.text(role)) for role in roles)
        # Speech control presses a button by its visible words.
        spoken = [name] if isinstance(part, QAbstractButton) else [name, *others]
        if not any(shown.rstrip("…") in text for text in spoken):
            silent.append(f"{type(part).__name__} {shown!r}, named {name!r}")
    return silent
