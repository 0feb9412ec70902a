"""Texts for people: marked for translation, shown as tool tips, and set in another size."""

from __future__ import annotations

from html import escape

from PySide6.QtWidgets import QWidget


def QT_TRANSLATE_NOOP(context: str, text: str) -> str:
    """Mark a text for translation; Qt's function of this name does the same but is typed as returning any object."""
    return text


def tooltip(text: str) -> str:
    """Return plain text as a tooltip that wraps and that Qt does not take for rich text."""
    return f'<p style="white-space: pre-wrap">{escape(text)}</p>'


def set_type_size(view: QWidget, points: float) -> None:
    """Give a view and its parts a type size; bold and monospaced parts stay so.

    Under an application style sheet (QStyleSheetStyle, Qt 6.11) a parent's font does not reach its children by itself.
    """
    for widget in (view, *view.findChildren(QWidget)):
        font = widget.font()
        font.setPointSizeF(points)
        widget.setFont(font)
