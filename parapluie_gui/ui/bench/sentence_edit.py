"""A field for one sentence of the Bench: Enter scores, Shift+Enter breaks the line, Tab moves on."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent, QTextOption
from PySide6.QtWidgets import QPlainTextEdit, QWidget


class SentenceEdit(QPlainTextEdit):
    """Plain text over a few lines.

    Attributes:
        lines: Its height in lines.

    Signals:
        entered: Enter or Ctrl+Enter was pressed.
    """

    entered = Signal()
    lines = 3

    def __init__(self, lines: int = 3, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.lines = lines
        self.setTabChangesFocus(True)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self._fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Score on Enter; Shift+Enter stays a new line."""
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

    def _fit(self) -> None:
        margins = 2 * (self.frameWidth() + round(self.document().documentMargin()))
        self.setFixedHeight(self.fontMetrics().lineSpacing() * self.lines + margins)
