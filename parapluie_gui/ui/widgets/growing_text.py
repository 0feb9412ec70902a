"""Plain text as tall as necessary, up to a limit: to read (selectable, never rich text) and to type."""

from __future__ import annotations

import re
from collections.abc import Iterable

from PySide6.QtCore import QCoreApplication, QEvent, QMimeData, QSizeF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPalette,
    QResizeEvent,
    QTextCharFormat,
    QTextCursor,
    QTextOption,
)
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QSizePolicy, QTextEdit, QWidget

from parapluie_gui.ui.widgets.text import reading_direction
from parapluie_gui.ui.widgets.theme import current_theme, follow_theme

#: Characters that QTextDocument interprets, or that are not characters at all.
_SPECIAL = {0x00: "\ufffd", 0x0D: " ", 0x2028: " ", 0x2029: " ", 0xFFFC: "\ufffd", 0xFDD0: "\ufffd", 0xFDD1: "\ufffd"}


#: Maximum number of characters shown of a text or typed in a sentence: a word of a million characters takes Qt minutes.
LONGEST_SHOWN = 30_000


#: A space before a sign that may not begin a line, as in tokenised corpora ("a tsunami ?"); copied text has the space.
_ORPHANS = re.compile(r" (?=[?!.,:;…)»”%]+(?:\s|$))")


def displayable(text: str) -> str:
    """Return the text with characters that a text document cannot hold replaced, one for one (offsets stay valid).

    A very long text is cut, followed by the number of characters left out.
    """
    if len(text) > LONGEST_SHOWN:
        more = QCoreApplication.translate("Text", "… and {0:,} more characters").format(len(text) - LONGEST_SHOWN)
        text = f"{text[:LONGEST_SHOWN]}{more}"
    text = _ORPHANS.sub("\u00a0", text.translate(_SPECIAL))
    if not text.isascii():
        text = "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)
    return text


class GrowingText(QTextEdit):
    """Text inside a scrolled panel: as high as its lines, and scrolling itself only above the limit.

    Attributes:
        most_lines: Greatest height in lines of text; 0 for no limit.
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
        """Show text literally, from its start."""
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


#: Least and greatest height of a field, in lines.
_LINES, _MOST_LINES = 3, 10

#: Opacity of the selection.
_SELECTION = 0.18


class SentenceEdit(QPlainTextEdit):
    """A field for one sentence: Enter scores, Shift+Enter breaks the line, Tab moves on, Escape leaves.

    Signals:
        entered: Enter or Ctrl+Enter was pressed.
        left: Escape was pressed.
        clicked: (offset) A character was clicked, by its offset in UTF-16 units.
        pair_pasted: (source, hypothesis) Two cells of a spreadsheet were pasted over the whole text.
        pairs_pasted: (list of source and hypothesis) Several such rows were pasted over the whole text.
    """

    entered = Signal()
    left = Signal()
    clicked = Signal(int)
    pair_pasted = Signal(str, str)
    pairs_pasted = Signal(list)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTabChangesFocus(True)
        self.textChanged.connect(self._follow_language)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.document().documentLayout().documentSizeChanged.connect(self._fit)
        self._fit()
        self._marks: list[QTextEdit.ExtraSelection] = []
        self.textChanged.connect(self._show_marks)
        self._follow_theme()
        follow_theme(self._follow_theme)

    def mark(self, stretches: Iterable[tuple[int, int, QTextCharFormat]]) -> None:
        """Set the formats of spans of the text, (start, end, format) in UTF-16 units, replacing earlier ones."""
        self._marks, last = [], self.document().characterCount() - 1  # the text may be shorter since it was compared
        for start, end, form in stretches:
            cursor = QTextCursor(self.document())
            cursor.setPosition(min(start, last))
            cursor.setPosition(min(end, last), QTextCursor.MoveMode.KeepAnchor)
            self._marks.append(_format_span(cursor, form))
        self._show_marks()

    def event(self, event: QEvent) -> bool:
        """Keep Escape from the window's shortcut, which shows all pairs."""
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.key() == Qt.Key.Key_Escape
        ):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        elif enter and not event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.entered.emit()
        elif enter:
            self.insertPlainText("\n")
        else:
            super().keyPressEvent(event)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Paste up to the longest length, as a line edit does; two cells of a row are a pair."""
        lines = source.text().strip("\r\n").splitlines()
        rows = [[cell.strip()[:LONGEST_SHOWN] for cell in line.split("\t")] for line in lines]
        replaces_all = len(self.textCursor().selectedText()) == len(self.toPlainText())
        if rows and all(len(cells) == 2 and all(cells) for cells in rows) and replaces_all:
            if len(rows) == 1:
                self.pair_pasted.emit(*rows[0])
            else:
                self.pairs_pasted.emit(rows)
            return
        room = LONGEST_SHOWN - len(self.toPlainText()) + len(self.textCursor().selectedText())
        if len(source.text()) > room:
            self.insertPlainText(source.text()[: max(room, 0)])
        else:
            super().insertFromMimeData(source)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Select the text if the field is reached by Tab, so that typing replaces it."""
        super().focusInEvent(event)
        if event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason):
            self.selectAll()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        if event.button() == Qt.MouseButton.LeftButton and not self.textCursor().hasSelection():
            self.clicked.emit(self.cursorForPosition(event.position().toPoint()).position())

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()

    def _follow_theme(self) -> None:
        """Give the selection a veil as background and no letters of its own, so that marks stay visible below it."""
        palette, veil = self.palette(), QColor(current_theme().accent)
        veil.setAlphaF(_SELECTION)
        palette.setColor(QPalette.ColorRole.Highlight, veil)
        palette.setColor(QPalette.ColorRole.HighlightedText, QColor(Qt.GlobalColor.transparent))
        self.setPalette(palette)
        self._show_marks()

    def _show_marks(self) -> None:
        """Show the marks on a format of the whole text, which paints the letters that are selected and not marked."""
        cursor, plain = QTextCursor(self.document()), QTextCharFormat()
        cursor.select(QTextCursor.SelectionType.Document)
        plain.setForeground(QColor(current_theme().text))
        self.setExtraSelections([_format_span(cursor, plain), *self._marks])

    def _follow_language(self) -> None:
        """Align a text in a right-to-left language to the right."""
        option, direction = self.document().defaultTextOption(), reading_direction(self.toPlainText())
        if option.textDirection() != direction:
            option.setTextDirection(direction)
            # The layout of plain text does not mirror left and right by itself.
            leftwards = direction == Qt.LayoutDirection.RightToLeft
            option.setAlignment(Qt.AlignmentFlag.AlignRight if leftwards else Qt.AlignmentFlag.AlignLeft)
            self.document().setDefaultTextOption(option)

    def _fit(self, *_: object) -> None:
        lines = min(max(round(self.document().size().height()), _LINES), _MOST_LINES)  # counted in lines
        margins = 2 * (self.frameWidth() + round(self.document().documentMargin()))
        height = self.fontMetrics().lineSpacing() * lines + margins
        if height != self.maximumHeight():
            self.setFixedHeight(height)


def _format_span(cursor: QTextCursor, form: QTextCharFormat) -> QTextEdit.ExtraSelection:
    selection = QTextEdit.ExtraSelection()
    selection.cursor, selection.format = cursor, form
    return selection
