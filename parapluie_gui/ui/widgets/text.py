"""Texts for people: marked for translation, shown as tool tips, read aloud, and set in another size."""

from __future__ import annotations

import itertools
from html import escape, unescape
from unicodedata import bidirectional

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from parapluie_gui.ui.widgets.theme import HEADING

_TIP, _END = '<p style="white-space: pre-wrap">', "</p>"

#: Properties of the application and of a widget: the type it began with, and how much larger its type is.
_USUAL, _ENLARGED = "usual_points", "type_factor"


def QT_TRANSLATE_NOOP(context: str, text: str) -> str:
    """Mark a text for translation; Qt's function of this name does the same but is typed as returning any object."""
    return text


def translated(text: str) -> str:
    """Return an English text of a feature in the user's language."""
    return QCoreApplication.translate("Features", text)


def pairs_words(count: int) -> str:
    """Return a number of pairs in words: "1 pair", "1,147 pairs"."""
    if count == 1:
        return QCoreApplication.translate("Count", "1 pair")
    return QCoreApplication.translate("Count", "{0} pairs").format(f"{count:,}")


def duration(seconds: float) -> str:
    """Return a time in words: "6 min 39 s"; less than a second counts as one."""
    translate, whole = QCoreApplication.translate, max(round(seconds), 1)
    if whole < 60:
        return translate("Duration", "{} s").format(whole)
    if whole < 3600:
        return translate("Duration", "{0} min {1} s").format(whole // 60, whole % 60)
    return translate("Duration", "{0} h {1} min").format(whole // 3600, whole % 3600 // 60)


def rich_text(text: str, *, unbroken: bool = False) -> str:
    """Return plain text for a place that takes rich text: with its line breaks, or unbroken even at blanks."""
    return escape(text).replace(" ", "&nbsp;") if unbroken else escape(text).replace("\n", "<br>")


def tooltip(text: str) -> str:
    """Return plain text as a tooltip that wraps and that Qt does not take for rich text."""
    return f"{_TIP}{escape(text)}{_END}"


def read_aloud(tip: str) -> str:
    """Return the plain text of a tip that `tooltip` made, "" for any other: Qt reads those out as they are."""
    return unescape(tip.removeprefix(_TIP).removesuffix(_END)) if tip.startswith(_TIP) else ""


def reading_direction(text: str) -> Qt.LayoutDirection:
    """Return the direction in which a text is read, by its first letter that has one."""
    strong = next((kind for kind in map(bidirectional, text) if kind in ("L", "R", "AL")), "L")
    return Qt.LayoutDirection.LeftToRight if strong == "L" else Qt.LayoutDirection.RightToLeft


def isolated(text: str) -> str:
    """Return words for a sentence around them, which keeps its own direction whatever theirs is.

    Qt looks for the first letter with a direction inside of isolates (U+2068, U+2069) too: U+200E stands before it.
    """
    leftwards = reading_direction(text) == Qt.LayoutDirection.RightToLeft
    return f"\u200e\u2068{text}\u2069" if leftwards else text


def usual_points() -> float:
    """Return the size of the type that the program began with, which all others are measured by."""
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    if app.property(_USUAL) is None:
        app.setProperty(_USUAL, app.font().pointSizeF())
    return float(app.property(_USUAL))


def set_type_size(view: QWidget, points: float) -> None:
    """Give a view and its parts a type size; bold and monospaced parts stay so, enlarged ones are larger by as much.

    Under an application style sheet (QStyleSheetStyle, Qt 6.11) a parent's font does not reach its children by itself.
    """
    for widget in (view, *view.findChildren(QWidget)):
        font = widget.font()
        font.setPointSizeF(points * float(widget.property(_ENLARGED) or 1.0))
        widget.setFont(font)


def heading(text: str, factor: float = HEADING) -> QLabel:
    """Return a line over a part of a page, in bold type of this size (see `theme`)."""
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    enlarge(label, factor)
    return label


def enlarge(widget: QWidget, factor: float, bold: bool = True) -> None:
    """Set a widget's text in type that is larger than running text by a factor."""
    font = widget.font()
    font.setPointSizeF(font.pointSizeF() * factor)
    font.setBold(bold)
    widget.setProperty(_ENLARGED, factor)
    widget.setFont(font)


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
