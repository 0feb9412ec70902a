"""A field for one sentence."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent, QTextOption
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from parapluie_gui.ui.widgets.text import reading_direction

#: Height of a field in lines.
_LINES = 3


class SentenceEdit(QPlainTextEdit):
    """A field for one sentence: Enter scores, Shift+Enter breaks the line, Tab moves on.

    Signals:
        entered: Enter or Ctrl+Enter was pressed.
    """

    entered = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTabChangesFocus(True)
        self.textChanged.connect(self._follow_language)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self._fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enter and not event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.entered.emit()
        elif enter:
            self.insertPlainText("\n")
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()

    def _follow_language(self) -> None:
        """Begin a text at the right where its language does."""
        option, direction = self.document().defaultTextOption(), reading_direction(self.toPlainText())
        if option.textDirection() != direction:
            option.setTextDirection(direction)
            self.document().setDefaultTextOption(option)

    def _fit(self) -> None:
        margins = 2 * (self.frameWidth() + round(self.document().documentMargin()))
        self.setFixedHeight(self.fontMetrics().lineSpacing() * _LINES + margins)
