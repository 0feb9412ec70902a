"""Texts for the user: translated, shown as tooltips, read aloud, and scaled."""

from __future__ import annotations

import itertools
from html import escape, unescape
from unicodedata import bidirectional

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from parapluie_gui.ui.widgets.theme import HEADING

_TIP, _END = '<p style="white-space: pre-wrap">', "</p>"

#: Properties: the application's original type size, and the factor by which a widget's type is larger.
_USUAL, _ENLARGED = "usual_points", "type_factor"


def QT_TRANSLATE_NOOP(context: str, text: str) -> str:
    """Mark a text for translation; Qt's function of this name does the same but is typed as returning any object."""
    return text


def translate_feature(text: str) -> str:
    """Return an English text of a feature in the user's language."""
    return QCoreApplication.translate("Features", text)


def pairs_words(count: int) -> str:
    """Return a number of pairs with its noun: "1 pair", "1,147 pairs"."""
    if count == 1:
        return QCoreApplication.translate("Count", "1 pair")
    return QCoreApplication.translate("Count", "{0} pairs").format(f"{count:,}")


def duration(seconds: float) -> str:
    """Return a time as text: "6 min 39 s"; at least 1 s."""
    translate, total = QCoreApplication.translate, max(round(seconds), 1)
    if total < 60:
        return translate("Duration", "{} s").format(total)
    if total < 3600:
        return translate("Duration", "{0} min {1} s").format(total // 60, total % 60)
    return translate("Duration", "{0} h {1} min").format(total // 3600, total % 3600 // 60)


def rich_text(text: str, *, unbroken: bool = False) -> str:
    """Return plain text as rich text: with its line breaks, or with unbreakable spaces."""
    return escape(text).replace(" ", "&nbsp;") if unbroken else escape(text).replace("\n", "<br>")


def tooltip(text: str) -> str:
    """Return plain text as a tooltip that wraps, and that Qt does not interpret as rich text."""
    return f"{_TIP}{escape(text)}{_END}"


def plain_tip(text: str) -> str:
    """Return a text that may name columns or files as a tooltip, unchanged unless Qt may take it for rich text."""
    return tooltip(text) if "<" in text and not text.startswith(_TIP) else text


def set_tip(widget: QWidget, text: str) -> None:
    """Set a tooltip of plain text, which is a screen reader's description too."""
    widget.setToolTip(tooltip(text) if text else "")
    widget.setAccessibleDescription(text)


def read_aloud(tip: str) -> str:
    """Return the plain text of a tooltip made by `tooltip`, or "" for any other, which Qt reads out as it is."""
    return unescape(tip.removeprefix(_TIP).removesuffix(_END)) if tip.startswith(_TIP) else ""


def reading_direction(text: str) -> Qt.LayoutDirection:
    """Return the direction of a text, given by its first letter that has one."""
    strong = next((kind for kind in map(bidirectional, text) if kind in ("L", "R", "AL")), "L")
    return Qt.LayoutDirection.LeftToRight if strong == "L" else Qt.LayoutDirection.RightToLeft


def isolate(text: str) -> str:
    """Return words to insert into a sentence that keeps its own direction whatever theirs is.

    Qt also looks for the first letter with a direction inside isolates (U+2068, U+2069), hence the U+200E before them.
    """
    leftwards = reading_direction(text) == Qt.LayoutDirection.RightToLeft
    return f"\u200e\u2068{text}\u2069" if leftwards else text


def usual_points() -> float:
    """Return the type size with which the program started, the base of all other sizes."""
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    if app.property(_USUAL) is None:
        app.setProperty(_USUAL, app.font().pointSizeF())
    return float(app.property(_USUAL))


def set_type_size(view: QWidget, points: float) -> None:
    """Set the type size of a view and its parts; bold and monospaced parts stay so, enlarged ones keep their factor.

    Under an application style sheet (QStyleSheetStyle, Qt 6.11) children do not inherit a parent's font.
    """
    for widget in (view, *view.findChildren(QWidget)):
        font = widget.font()
        font.setPointSizeF(points * float(widget.property(_ENLARGED) or 1.0))
        widget.setFont(font)


def heading(text: str, factor: float = HEADING) -> QLabel:
    """Return the heading of a part of a page, in bold type larger by a factor (see `theme`)."""
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    enlarge(label, factor)
    return label


def enlarge(widget: QWidget, factor: float, bold: bool = True) -> None:
    """Set a widget's type larger than running text by a factor."""
    font = widget.font()
    font.setPointSizeF(font.pointSizeF() * factor)
    font.setBold(bold)
    widget.setProperty(_ENLARGED, factor)
    widget.setFont(font)


def speak_text(label: QLabel, before: str, text: str) -> None:
    """Make a screen reader read a label once: its text is its accessible name, or the description if it has a name."""
    if label.accessibleName() in ("", before):
        label.setAccessibleName(text)
    else:
        label.setAccessibleDescription(text)


def announce(widget: QWidget, text: str) -> None:
    """Announce a message in the screen reader now, wherever the focus is."""
    if text and QAccessible.isActive():
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(widget, text))


def tab_through(holder: QWidget, *parts: QWidget) -> None:
    """Insert the parts into the Tab order after `holder`; otherwise parts created late come last in the window.

    The parts are arguments because walking along Qt's own chain creates wrappers of Qt's inner widgets, and deleting
    those deletes the wrappers of their children (PySide 6.11).
    """
    policy = holder.focusPolicy()
    # Qt does not change the order after a widget that takes no focus.
    holder.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    for before, after in itertools.pairwise((holder, *parts)):
        QWidget.setTabOrder(before, after)
    holder.setFocusPolicy(policy)
