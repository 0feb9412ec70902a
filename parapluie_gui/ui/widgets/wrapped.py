"""Text in narrow places: labels that wrap or are elided, and controls that are elided."""

from __future__ import annotations

import re

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QLabel,
    QPushButton,
    QSizePolicy,
    QStyle,
    QStyleOptionButton,
    QStyleOptionComboBox,
    QStylePainter,
    QWidget,
)

from parapluie_gui.ui.widgets.arrange import set_shown
from parapluie_gui.ui.widgets.text import plain_tip, speak_text

#: Longest piece of a word that is not broken; file names and model ids are longer.
_LONGEST = 22


class WrappedText(QLabel):
    """A label of plain text that wraps, even inside long words.

    Attributes:
        full_text: The text without the marks for breaks.
    """

    def __init__(self, parent: QWidget | None = None, muted: bool = False, bad: bool = False) -> None:
        super().__init__(parent)
        self.full_text = ""
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        if muted:
            self.setProperty("muted", True)
        if bad:
            self.setProperty("bad", True)

    def say(self, text: str) -> None:
        """Show a text; an empty one hides the label."""
        speak_text(self, self.full_text, text)
        self.full_text = text
        # Qt may break a word at a zero-width space.
        self.setText(re.sub(rf"\S{{{_LONGEST},}}", _breakable, text))
        set_shown(self, bool(text))

    def minimumSizeHint(self) -> QSize:
        return QSize(_LONGEST * self.fontMetrics().averageCharWidth() // 2, self.fontMetrics().height())


def _breakable(word: re.Match[str]) -> str:
    parts = re.findall(rf"[^/\\_.\-]{{1,{_LONGEST}}}[/\\_.\-]*|[/\\_.\-]+", word.group())
    return "\u200b".join(parts)


#: Minimum number of letters shown.
_LEAST = 3

#: Separates a tick's text from its note, such as the code of a template.
_NOTE = " · "


class ElidedText(QLabel):
    """A label of one line of plain text with a minimum width in letters; a longer text is elided."""

    def __init__(self, parent: QWidget | None = None, muted: bool = True, letters: int = _LEAST) -> None:
        super().__init__(parent)
        self._letters = letters
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("muted", muted)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)

    def say(self, text: str) -> None:
        """Show a text; an empty one hides the label."""
        speak_text(self, self.text(), text)
        self.setText(text)
        self.setToolTip(plain_tip(text))
        set_shown(self, bool(text))

    def minimumSizeHint(self) -> QSize:
        return QSize(_wide(self, self._letters), self.fontMetrics().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the text, elided to the width."""
        painter = QPainter(self)
        room = self.contentsRect()
        text = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)


class NarrowBox(QComboBox):
    """A combo box with a minimum width in letters, whatever its entries; longer entries are elided."""

    def __init__(self, letters: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(letters)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the box as Qt does, with the entry elided."""
        option, box = QStyleOptionComboBox(), QStyle.ComplexControl.CC_ComboBox
        self.initStyleOption(option)
        room = self.style().subControlRect(box, option, QStyle.SubControl.SC_ComboBoxEditField, self).width()
        option.currentText = self.fontMetrics().elidedText(option.currentText, Qt.TextElideMode.ElideRight, room - 2)
        painter = QStylePainter(self)
        painter.drawComplexControl(box, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)


class NarrowTick(QCheckBox):
    """A tick box with a minimum width in letters; longer text is elided in the middle, or before its note (" · P2")."""

    def __init__(self, text: str, letters: int, parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self._letters = letters
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """Return the size for the text and one letter more, at least the minimum width."""
        size = super().sizeHint() + QSize(_wide(self, 1), 0)
        return size.expandedTo(QSize(_wide(self, self._letters), 0))

    def minimumSizeHint(self) -> QSize:
        return QSize(_wide(self, self._letters), super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the box as Qt does, with the text elided."""
        inside, element = QStyle.SubElement.SE_CheckBoxContents, QStyle.ControlElement.CE_CheckBox
        _paint_cut(self, inside, element, Qt.TextElideMode.ElideMiddle)


class NarrowButton(QPushButton):
    """A button with a minimum width in letters; a longer text is elided."""

    def __init__(self, text: str, letters: int, parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self._letters = letters
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def minimumSizeHint(self) -> QSize:
        return QSize(_wide(self, self._letters), super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the button as Qt does, with the text elided."""
        inside, element = QStyle.SubElement.SE_PushButtonContents, QStyle.ControlElement.CE_PushButton
        _paint_cut(self, inside, element, Qt.TextElideMode.ElideRight)


def _wide(widget: QWidget, letters: int) -> int:
    """Return the width of a number of average letters, in pixels."""
    return letters * widget.fontMetrics().averageCharWidth()


def _paint_cut(
    button: QCheckBox | QPushButton, inside: QStyle.SubElement, element: QStyle.ControlElement, cut: Qt.TextElideMode
) -> None:
    """Paint a button with its text elided to the space inside."""
    option = QStyleOptionButton()
    button.initStyleOption(option)
    room = button.style().subElementRect(inside, option, button).width()
    metrics, flags = button.fontMetrics(), Qt.TextFlag.TextShowMnemonic.value
    head, dot, note = option.text.rpartition(_NOTE)
    note = dot + note
    left = room - metrics.size(flags, note).width()
    # The elided text has single ampersands and no shortcut.
    if cut == Qt.TextElideMode.ElideMiddle and dot and left > _wide(button, _LEAST):
        option.text = metrics.elidedText(head.rstrip(), Qt.TextElideMode.ElideRight, left, flags) + note
    else:
        option.text = metrics.elidedText(option.text, cut, room, flags)
    QStylePainter(button).drawControl(element, option)
