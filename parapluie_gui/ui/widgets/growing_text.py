"""Plain text as tall as it needs to be, up to a cap: to read (selectable, never rich text) and to type."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent, QMimeData, QSizeF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent, QTextOption
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QSizePolicy, QTextEdit, QWidget

from parapluie_gui.ui.widgets.text import reading_direction

#: Characters that QTextDocument gives a meaning of its own, or that are no characters at all.
_SPECIAL = {0x00: "\ufffd", 0x0D: " ", 0x2028: " ", 0x2029: " ", 0xFFFC: "\ufffd", 0xFDD0: "\ufffd", 0xFDD1: "\ufffd"}


#: Characters of a text that are shown, and of a sentence that can be typed: a word of a million takes Qt minutes.
LONGEST_SHOWN = 30_000


def displayable(text: str) -> str:
    """Return the text with characters that a text document cannot hold replaced, one for one (offsets stay valid).

    Of a very long one the beginning, and how much follows.
    """
    if len(text) > LONGEST_SHOWN:
        more = QCoreApplication.translate("Text", "… and {0:,} more characters").format(len(text) - LONGEST_SHOWN)
        text = f"{text[:LONGEST_SHOWN]}{more}"
    text = text.translate(_SPECIAL)
    if not text.isascii():
        text = "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)
    return text


class GrowingText(QTextEdit):
    """Text in the flow of a scrolled panel: it takes the height of its lines and only scrolls itself past the cap.

    Attributes:
        most_lines: Height cap in lines of text; 0 for none.
    """

    def __init__(self, most_lines: int = 20, boxed: bool = True, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.most_lines = most_lines
        self.setReadOnly(True)
        self.setAcceptRichText(False)
        self.setUndoRedoEnabled(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setProperty("boxed", boxed)
        self.setTabChangesFocus(True)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.viewport().setAutoFillBackground(boxed)
        self.document().setDocumentMargin(4 if boxed else 0)
        self.document().documentLayout().documentSizeChanged.connect(self._fit)

    def show_text(self, text: str) -> None:
        """Show text literally, from its beginning."""
        self.setPlainText(displayable(text))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit(self.document().size())

    def _fit(self, size: QSizeF) -> None:
        cap = self.most_lines * self.fontMetrics().lineSpacing() * 1.4 if self.most_lines else float("inf")
        over = size.height() > cap
        policy = Qt.ScrollBarPolicy.ScrollBarAlwaysOn if over else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        if policy != self.verticalScrollBarPolicy():
            self.setVerticalScrollBarPolicy(policy)
        height = round(min(size.height(), cap) + 0.5) + 2 * self.frameWidth()
        if height != self.height() or self.minimumHeight() != height:
            self.setFixedHeight(height)


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

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Paste as much as there is room for, as a field of one line does."""
        room = LONGEST_SHOWN - len(self.toPlainText()) + len(self.textCursor().selectedText())
        if len(source.text()) > room:
            self.insertPlainText(source.text()[: max(room, 0)])
        else:
            super().insertFromMimeData(source)

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
