"""The input line of the filter, with completion of column names and a history."""

from __future__ import annotations

import re
from collections.abc import Iterable

from PySide6.QtCore import QStringListModel, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QCompleter, QLineEdit, QWidget

from parapluie_gui.analysis.filter.words import ends_in_text, quote_column

#: Number of filters remembered.
HISTORY = 20

_WORD_BEFORE = re.compile(r"[^\W\d][\w.\-]*$")


class FilterEdit(QLineEdit):
    """A line of text with completion of the word before the cursor, and a history.

    Attributes:
        history: Earlier filters, latest first.

    Signals:
        entered: The user pressed Enter.
        escaped: The user pressed Escape.
    """

    entered = Signal()
    escaped = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.history: list[str] = []
        self._at = -1
        self._draft = ""
        self._names = QStringListModel(self)
        self._completer = QCompleter(self._names, self)
        self._completer.setWidget(self)
        self._completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self._completer.setCompletionMode(QCompleter.CompletionMode.PopupCompletion)
        self._completer.activated.connect(self._insert)
        self.textEdited.connect(self._complete)

    def set_names(self, names: Iterable[str]) -> None:
        wanted = list(names)
        if wanted != self._names.stringList():
            self._names.setStringList(wanted)

    def remember(self, text: str) -> None:
        """Add a filter at the top of the history."""
        text = text.strip()
        if text:
            self.history = [text, *(old for old in self.history if old != text)][:HISTORY]
        self._at = -1

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if self._popup.isVisible():
            chosen = self._popup.currentIndex().data()
            if key == Qt.Key.Key_Tab or (chosen and key in (Qt.Key.Key_Return, Qt.Key.Key_Enter)):
                self._popup.hide()
                self._insert(str(chosen or self._completer.currentCompletion()))
                return
            if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._popup.hide()
            if key == Qt.Key.Key_Escape:
                self._popup.hide()
                return
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.entered.emit()
        elif key == Qt.Key.Key_Escape:
            self.escaped.emit()
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down) and self.history:
            self._recall(1 if key == Qt.Key.Key_Up else -1)
        else:
            super().keyPressEvent(event)

    def focusNextPrevChild(self, next: bool) -> bool:
        """Use the Tab key for the completions while they are shown."""
        return False if self._popup.isVisible() else super().focusNextPrevChild(next)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() != Qt.FocusReason.PopupFocusReason:
            self._popup.hide()

    @property
    def _popup(self) -> QAbstractItemView:
        popup = self._completer.popup()
        assert popup is not None  # Qt makes one when there is none
        return popup

    def _recall(self, by: int) -> None:
        if self._at < 0:
            self._draft = self.text()
        self._at = min(max(self._at + by, -1), len(self.history) - 1)
        text = self._draft if self._at < 0 else self.history[self._at]
        self.setText(text)
        self.textEdited.emit(text)
        self._popup.hide()

    def _complete(self) -> None:
        before = self.text()[: self.cursorPosition()]
        _, prefix = self._typed_name(before)
        # Text in quotation marks is searched for, and so is an expression; neither is a column.
        if not prefix or ends_in_text(before):
            self._popup.hide()
            return
        self._completer.setCompletionPrefix(prefix)
        only = self._completer.completionCount() == 1 and self._completer.currentCompletion() == prefix
        if not self._completer.completionCount() or only:
            self._popup.hide()
            return
        at, popup = self.cursorRect(), self._popup
        margins = 2 * popup.frameWidth() + popup.verticalScrollBar().sizeHint().width()
        at.setWidth(popup.sizeHintForColumn(0) + margins)
        self._completer.complete(at)

    def _typed_name(self, before: str) -> tuple[int, str]:
        """Return where the name at the end of a text begins, and its typed part: a word, or what follows a backtick."""
        if before.count("`") % 2:
            start = before.rindex("`")
            return start, before[start + 1 :]
        word = _WORD_BEFORE.search(before)
        return (len(before), "") if word is None else (word.start(), word.group())

    def _insert(self, name: str) -> None:
        cursor = self.cursorPosition()
        before, after = self.text()[:cursor], self.text()[cursor:]
        before = before[: self._typed_name(before)[0]] + quote_column(name)
        self.setText(before + after)
        self.setCursorPosition(len(before))
        self.textEdited.emit(self.text())
        self._popup.hide()
