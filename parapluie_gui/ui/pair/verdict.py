"""The user's verdict on a pair: one of five answers and a note, saved while typing."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent, QResizeEvent, QTextCursor
from PySide6.QtWidgets import (
    QAbstractButton,
    QButtonGroup,
    QGridLayout,
    QPushButton,
    QSizePolicy,
    QWidget,
)

from parapluie_gui.judgements.scheme import pair_verdict
from parapluie_gui.ui.state.selection import NO_PAIR
from parapluie_gui.ui.state.throttle import CallThrottle
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, button, name_control, vbox
from parapluie_gui.ui.widgets.controls import plain, text_box
from parapluie_gui.ui.widgets.theme import follow_theme, set_rules
from parapluie_gui.ui.widgets.wrapped import WrappedText

_VERDICTS = pair_verdict()[1].answers

#: Delay after the last key before a note is saved, in milliseconds.
TYPING_MS = 300

#: Window height, in lines of text, below which the answers are numbers in one row, to leave room for the scores.
_SHORT = 45

_RULES = """
QPushButton { background: $raised; color: $text; padding: 4px 6px; border: 1px solid $edge; border-radius: 4px; }
QPushButton:hover { border-color: $muted; }
QPushButton:disabled { color: $muted; }
QPushButton:checked { background: $accent; color: $accent_text; }
QPushButton:focus { border: 2px solid $accent; padding: 3px 5px; }
QPushButton:checked:focus { border-color: $text; }
"""


class VerdictView(QWidget):
    """The five answers, with the keys 1 to 5, and a note.

    Attributes:
        row: The row of the pair, or NO_PAIR.

    Signals:
        note_written: (row, text, verdict) The note or the answer changed. The verdict is the id of an answer of
            `pair_verdict`, or "" for none. A note is emitted after a pause in typing, or at once if the pair changes or
            the focus leaves.
            note_left: Escape was pressed in the note; no answer gets the focus, since it would look chosen.
    """

    note_written = Signal(int, str, str)
    note_left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.row = NO_PAIR
        self._annotator, self._advancing = "", False
        self._group = QButtonGroup(self)
        self._group.setExclusive(False)  # a second click clears the answer
        titles = {
            "very_different": self.tr("Very different"),
            "slightly_similar": self.tr("Slightly similar"),
            "mostly_similar": self.tr("Mostly similar"),
            "same_meaning": self.tr("Same meaning"),
            "dont_know": self.tr("Don't know"),
        }
        caption = self._caption = plain(self.tr("Your verdict"), muted=True)
        self._answers = QGridLayout()
        self._answers.setSpacing(4)
        self._titles: list[str] = []
        for at, answer in enumerate(_VERDICTS):
            title = titles.get(answer.id, answer.title)
            tip = self.tr("Press {0}; press it again to clear").format(at + 1)
            choice = name_control(QPushButton(), self.tr("{0} {1}").format(at + 1, title), tip)
            choice.setCheckable(True)
            self._titles.append(title)
            self._group.addButton(choice, at)
        tip = self.tr("Clear the verdict. The note is kept")
        self._clear = button("", self._take_back, tip, self.tr("Clear the verdict"))
        for either in self._buttons():
            either.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._key = WrappedText(self, muted=True)
        self._place(2, True)
        self._group.idClicked.connect(self._on_click)
        self._note = text_box(self.tr("Note on this pair"), self.tr("Note on this pair"))
        self._note.textChanged.connect(self._on_edit)
        self._note.installEventFilter(self)
        self._telling = CallThrottle(self._emit, TYPING_MS, self, rest=True)
        self._painting = CallThrottle(self._paint_again, 0, self)
        vbox(caption, self._answers, self._key, self._note, within=self, margins=NO_MARGINS, spacing=4)
        self._dress()
        follow_theme(self._dress)
        self._fit()
        self.show_note("", "")

    @property
    def text(self) -> str:
        return self._note.toPlainText()

    @property
    def verdict(self) -> str:
        """The id of the chosen answer, or ""."""
        return next((answer.id for at, answer in enumerate(_VERDICTS) if self._group.button(at).isChecked()), "")

    @property
    def typing(self) -> bool:
        """Whether typed text has not been saved yet."""
        return self._telling.isActive()

    def set_row(self, row: int, text: str = "", verdict: str = "") -> None:
        """Show a pair, after saving the text typed for the last one."""
        self.flush()
        self.row = row
        self.setEnabled(row != NO_PAIR)
        self.show_note(text, verdict)

    def show_note(self, text: str, verdict: str) -> None:
        """Show the note and verdict of the pair, without a signal; the cursor stays if the text is equal."""
        self._telling.stop()
        if text != self.text:
            self._note.blockSignals(True)
            self._note.setPlainText(text)
            self._note.blockSignals(False)
        self._check(next((at for at, answer in enumerate(_VERDICTS) if answer.id == verdict), -1))

    def set_annotator(self, name: str) -> None:
        """Set the annotator in the caption, "" for an unnamed one."""
        self._annotator = name
        self._write_caption()

    def set_advancing(self, on: bool) -> None:
        """Set whether a verdict moves on to the next pair, as the caption then says."""
        self._advancing = on
        self._write_caption()

    def focus_note(self) -> None:
        """Focus the note, with the cursor at its end."""
        self._note.moveCursor(QTextCursor.MoveOperation.End)
        self._note.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def choose(self, number: int) -> None:
        if self.row != NO_PAIR and 1 <= number <= len(_VERDICTS):
            self._group.button(number - 1).click()

    def _take_back(self) -> None:
        self._check(-1)
        self._emit()

    def flush(self) -> None:
        self._telling.flush()

    def minimumSizeHint(self) -> QSize:
        """Return the size of one row of the answers' numbers, none of them elided."""
        row = sum(self._width_of(either, at) for either, at in zip(self._buttons(), self._short(), strict=True))
        gaps = self._answers.spacing() * (len(self._buttons()) - 1)
        return super().minimumSizeHint().expandedTo(QSize(row + gaps, 0))

    def set_scale(self, factor: float) -> None:
        self._fit()
        self._arrange()

    def _dress(self) -> None:
        set_rules(self, _RULES)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and hasattr(self, "_note"):
            self._fit()

    def hideEvent(self, event: QHideEvent) -> None:
        """Save typed text when the panel or the window closes."""
        self.flush()
        super().hideEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Save typed text when the focus leaves the note; Escape leaves it, for the keys of the verdict."""
        if event.type() == QEvent.Type.FocusOut:
            self.flush()
        elif isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            if event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress:
                self.setFocus(Qt.FocusReason.OtherFocusReason)
                self.note_left.emit()
                return True
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show the answers in one row or two columns, or as numbers in one row with a legend if neither fits."""
        super().resizeEvent(event)
        self._arrange()

    def _write_caption(self) -> None:
        name = self._annotator
        text = self.tr("Verdict of {0}").format(name) if name else self.tr("Your verdict")
        self._caption.setText(self.tr("{0}, then the next pair").format(text) if self._advancing else text)

    def _arrange(self) -> None:
        both = zip(self._buttons(), self._long(), strict=True)
        widest = max(self._width_of(choice, text) for choice, text in both)
        high = self.window().height() / self.fontMetrics().height()
        most = (self.width() + self._answers.spacing()) // (widest + self._answers.spacing())
        worded = most >= len(self._buttons()) or (most >= 2 and high >= _SHORT)
        columns = 2 if worded and most < len(self._buttons()) else len(self._buttons())
        if (columns, worded) != (self._columns, self._worded):
            self._place(columns, worded)
            self._fit()
            self.setUpdatesEnabled(False)  # until the layouts around give the height that the answers need now
            self._painting.ask()

    def _paint_again(self) -> None:
        part: QWidget | None = self
        while part is not None:
            if (layout := part.layout()) is not None:
                layout.activate()
            part = part.parentWidget()
        self.setUpdatesEnabled(True)

    def _buttons(self) -> list[QAbstractButton]:
        return [*self._group.buttons(), self._clear]

    def _long(self) -> list[str]:
        numbered = (self.tr("{0}  {1}").format(at + 1, title) for at, title in enumerate(self._titles))
        return [*numbered, self.tr("Clear")]

    def _short(self) -> list[str]:
        return [*(str(at + 1) for at in range(len(self._titles))), "×"]

    def _width_of(self, choice: QAbstractButton, text: str) -> int:
        """Return the width that a button has with a text."""
        width = choice.fontMetrics().horizontalAdvance
        return choice.sizeHint().width() - width(choice.text()) + width(text)

    def _place(self, columns: int, worded: bool) -> None:
        """Place the answers in columns, with words or as numbers with a legend below."""
        self._columns, self._worded = columns, worded
        texts = self._long() if worded else self._short()
        for at, (choice, text) in enumerate(zip(self._buttons(), texts, strict=True)):
            choice.setText(text)
            self._answers.addWidget(choice, at // columns, at % columns)
        for column in range(len(texts)):
            self._answers.setColumnStretch(column, int(column < columns))
        key = (self.tr("{0} {1}").format(at + 1, title) for at, title in enumerate(self._titles))
        self._key.say("" if worded else "\u2003 ".join(label.replace(" ", "\u00a0") for label in key))

    def _fit(self) -> None:
        lines = 3.6 if self._worded else 2.2  # the legend needs room too
        self._note.setFixedHeight(round(self._note.fontMetrics().lineSpacing() * lines) + 8)

    def _on_edit(self) -> None:
        if self.row != NO_PAIR:
            self._telling.ask()

    def _on_click(self, at: int) -> None:
        self._check(at if self._group.button(at).isChecked() else -1)
        self._emit()

    def _check(self, at: int) -> None:
        for choice in self._group.buttons():
            choice.setChecked(self._group.id(choice) == at)
        self._clear.setEnabled(at >= 0)

    def _emit(self) -> None:
        self._telling.stop()
        if self.row != NO_PAIR:
            self.note_written.emit(self.row, self.text, self.verdict)
