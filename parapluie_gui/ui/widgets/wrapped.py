"""Running text in narrow places: labels that wrap everywhere they must or are cut, and a box that is cut."""

from __future__ import annotations

import re

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QComboBox, QLabel, QSizePolicy, QStyle, QStyleOptionComboBox, QStylePainter, QWidget

from parapluie_gui.ui.widgets.arrange import set_shown
from parapluie_gui.ui.widgets.text import speak_text

#: Longest piece of a word that is left whole; file names and model ids are longer.
_LONGEST = 22


class WrappedText(QLabel):
    """A label of plain text that wraps, inside long words too.

    Attributes:
        full_text: The text without the marks where it may break.
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
        # A zero-width space is where Qt may break a word.
        self.setText(re.sub(rf"\S{{{_LONGEST},}}", _breakable, text))
        set_shown(self, bool(text))

    def minimumSizeHint(self) -> QSize:
        return QSize(_LONGEST * self.fontMetrics().averageCharWidth() // 2, self.fontMetrics().height())


def _breakable(word: re.Match[str]) -> str:
    parts = re.findall(rf"[^/\\_.\-]{{1,{_LONGEST}}}[/\\_.\-]*|[/\\_.\-]+", word.group())
    return "\u200b".join(parts)


#: Letters that are always left of it.
_LEAST = 3


class ElidedText(QLabel):
    """A label of one line of plain text."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("muted", True)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)

    def say(self, text: str) -> None:
        """Show a text; an empty one hides the label."""
        speak_text(self, self.text(), text)
        self.setText(text)
        self.setToolTip(text)
        set_shown(self, bool(text))

    def minimumSizeHint(self) -> QSize:
        metrics = self.fontMetrics()
        return QSize(_LEAST * metrics.averageCharWidth(), metrics.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint as much as there is room for."""
        painter = QPainter(self)
        room = self.contentsRect()
        text = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)


class NarrowBox(QComboBox):
    """A combo box that can be as narrow as a number of letters, whatever its entries are, with … where they are cut."""

    def __init__(self, letters: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(letters)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the box as Qt does, with as much of the entry as there is room for."""
        option, box = QStyleOptionComboBox(), QStyle.ComplexControl.CC_ComboBox
        self.initStyleOption(option)
        room = self.style().subControlRect(box, option, QStyle.SubControl.SC_ComboBoxEditField, self).width()
        option.currentText = self.fontMetrics().elidedText(option.currentText, Qt.TextElideMode.ElideRight, room - 2)
        painter = QStylePainter(self)
        painter.drawComplexControl(box, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
