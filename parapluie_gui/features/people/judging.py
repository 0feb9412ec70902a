"""The page for judging a pair: its sentences, the questions with their answers, a note, and the progress."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import QEvent, QObject, Qt, Signal, SignalInstance
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from parapluie_gui.judgements.scheme import Scheme, SchemeQuestion
from parapluie_gui.ui.pair.sentences import SentencesView
from parapluie_gui.ui.widgets.arrange import (
    NO_MARGINS,
    FlowLayout,
    button,
    clear,
    hbox,
    scroll_area,
    vbox,
    widget_of,
)
from parapluie_gui.ui.widgets.controls import bar, bold, plain, text_box
from parapluie_gui.ui.widgets.theme import follow_theme, set_rules
from parapluie_gui.ui.widgets.wrapped import WrappedText

_RULES = """
QPushButton[answer=true] { background: $raised; color: $text; padding: 7px 14px; border: 1px solid $border;
    border-radius: 5px; }
QPushButton[aside=true] { border: 1px dashed $muted; }
QPushButton[answer=true]:hover { border-color: $muted; }
QPushButton[answer=true]:checked { background: $accent; color: $accent_text; }
QPushButton[answer=true]:focus { border-color: $text; }
"""

#: Type size of the sentences relative to the other text.
_SCALE = 1.35


class JudgingPage(QWidget):
    """Page for judging pairs one by one; its owner stores the answers.

    Attributes:
        current: Index of the question that a digit answers.

    Signals:
        answered: (question, answer) A question was answered; ids of both.
        complete: The last question was answered and all have an answer.
        back_requested, next_requested: The user wants the previous or the next pair.
        note_written: (text) The note changed; emitted when it loses the focus or the pair changes.
        guideline_requested: The user wants to see the guideline.
    """

    answered = Signal(str, str)
    complete = Signal()
    back_requested = Signal()
    next_requested = Signal()
    note_written = Signal(str)
    guideline_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.current = 0
        self._scheme: Scheme | None = None
        self._answers: dict[str, str] = {}
        self._shown_note = ""
        self._rows: list[tuple[QLabel, dict[str, QPushButton]]] = []
        self._build()

    def begin(self, scheme: Scheme) -> None:
        """Create the rows of a scheme's questions."""
        self._scheme = scheme
        self.sentences.set_marked(scheme.mark_differences)
        clear(self._questions)
        self._rows = []
        for question in scheme.questions:
            self._questions.addWidget(self._row(question))

    def show_pair(
        self,
        source: str,
        hypothesis: str,
        answers: Mapping[str, str],
        note: str = "",
        label: str = "",
        *,
        training: bool = False,
    ) -> None:
        """Show a pair with the annotator's answers, by question, and its label if the label is under review."""
        self._answers = dict(answers)
        self._shown_note = note
        self.sentences.show_pair(source, hypothesis)
        self._label.setText(self.tr("Label: {0}").format(label))
        self._label.setVisible(bool(label))
        self._note.setPlainText(note)
        self._note.setVisible(not training)
        self.feedback.say("")
        assert self._scheme is not None
        questions = enumerate(self._scheme.questions)
        open_ones = [at for at, question in questions if not self._answers.get(question.id)]
        self.current = open_ones[0] if open_ones else 0
        self._show_answers()
        self.setFocus()

    def show_progress(self, words: str, done: int, total: int) -> None:
        """Show the progress of the round."""
        self._place.setText(words)
        self.progress.setRange(0, max(total, 1))
        self.progress.setValue(done)

    def allow(self, *, back: bool, on: bool) -> None:
        """Enable the Back and Next buttons."""
        self._back.setEnabled(back)
        self._next.setEnabled(on)

    def flush(self) -> None:
        """Emit a note that was changed."""
        if self._note.isVisibleTo(self) and (text := self._note.toPlainText()) != self._shown_note:
            self._shown_note = text
            self.note_written.emit(text)

    def _set_style(self) -> None:
        set_rules(self, _RULES)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Answer (digits), go back (Backspace), go on (Enter), write a note (N) or show the guideline (G)."""
        key, plain = event.key(), not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if plain and Qt.Key.Key_0 <= key <= Qt.Key.Key_9 and self._answer_by_digit(key - Qt.Key.Key_0):
            return
        keys = Qt.Key
        if plain and key in (keys.Key_Backspace, keys.Key_Left, keys.Key_K) and self._back.isEnabled():
            self._go(self.back_requested)
        elif plain and key in (keys.Key_Return, keys.Key_Enter, keys.Key_Right, keys.Key_J) and self._next.isEnabled():
            self._go(self.next_requested)
        elif plain and key == keys.Key_N and self._note.isVisible():
            self._note.setFocus(Qt.FocusReason.ShortcutFocusReason)
        elif plain and key == keys.Key_G:
            self.guideline_requested.emit()
        else:
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Leave the note on Escape or Ctrl+Enter; emit it when it loses the focus."""
        if event.type() == QEvent.Type.FocusOut:
            self.flush()
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
            if event.key() == Qt.Key.Key_Escape or (enter and event.modifiers() & Qt.KeyboardModifier.ControlModifier):
                self.setFocus()
                return True
        return super().eventFilter(watched, event)

    # Building

    def _build(self) -> None:
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Pair to judge"))
        self._place = plain(muted=True)
        self.progress = bar(self.tr("Pairs judged"), 100)
        self.progress.setFixedHeight(8)
        self.sentences = SentencesView(self.tr("First sentence"), self.tr("Second sentence"))
        self.sentences.set_scale(_SCALE)
        self._label = bold(plain())
        self._questions = vbox(margins=NO_MARGINS, spacing=14)
        self.feedback = WrappedText()
        self.feedback.say("")
        self._note = text_box(self.tr("Note on this pair"), self.tr("Note on this pair (N; Escape leaves it)"))
        self._note.setFixedHeight(self._note.fontMetrics().lineSpacing() * 3 + 10)
        self._note.installEventFilter(self)
        self._back = button(
            self.tr("Back"), partial(self._go, self.back_requested), self.tr("Previous pair"), icon="chevron-left"
        )
        self._next = button(
            self.tr("Next"),
            partial(self._go, self.next_requested),
            self.tr("Next pair (Enter)"),
            icon="chevron-right",
        )
        for either in (self._back, self._next):
            either.setAutoDefault(False)
        head = hbox(self._place, (self.progress, 1), spacing=12)
        parts = (head, self.sentences, self._label, self._questions, self.feedback, self._note)
        column = vbox(*parts, 1, margins=(40, 24, 40, 10), spacing=20)
        inside = widget_of(column)
        inside.setMaximumWidth(1000)
        middle = widget_of(hbox(1, (inside, 20), 1, margins=NO_MARGINS))
        self._keys = plain(muted=True)
        self._keys.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._keys.setText(self.tr("Digit: answer · Backspace: back · N: note · G: guideline"))
        foot = hbox(self._back, (self._keys, 1), self._next, margins=(20, 4, 20, 4))
        vbox((scroll_area(middle), 1), foot, within=self, margins=NO_MARGINS)
        self._set_style()
        follow_theme(self._set_style)

    def _row(self, question: SchemeQuestion) -> QWidget:
        """Return the row of a question: its text and a button for each answer."""
        holder = QWidget()
        label = plain(question.text, wraps=True)
        answers = QWidget()
        flow = FlowLayout(answers, gap=8)
        if question.lowest:
            flow.addWidget(plain(question.lowest, muted=True))
        buttons = {}
        for at, answer in enumerate(question.answers):
            text = answer.title if question.numeric else f"{at + 1}  {answer.title}"
            choice = button(text, partial(self._answer, question, answer.id), "", f"{question.text} {answer.title}")
            choice.setProperty("answer", True)
            # "Don't know" has a dashed border, as in the paper; a coloured border would look chosen.
            decides = question.numeric or answer.value is not None or answer.label is not None or answer.label_is
            choice.setProperty("aside", not decides)
            choice.setCheckable(True)
            choice.setAutoDefault(False)
            buttons[answer.id] = choice
            flow.addWidget(choice)
        if question.highest:
            flow.addWidget(plain(question.highest, muted=True))
        vbox(label, answers, within=holder, margins=NO_MARGINS, spacing=6)
        self._rows.append((label, buttons))
        return holder

    # Answering

    def _answer_by_digit(self, digit: int) -> bool:
        """Answer the current question with a number of its scale or the answer in this position."""
        if self._scheme is None:
            return False
        question = self._scheme.questions[self.current]
        if question.numeric:
            answer = question.answer(str(digit))
        else:
            answer = question.answers[digit - 1] if 1 <= digit <= len(question.answers) else None
        if answer is not None:
            self._answer(question, answer.id)
        return answer is not None

    def _answer(self, question: SchemeQuestion, answer: str, _checked: bool = False) -> None:
        assert self._scheme is not None
        self.flush()
        self._answers[question.id] = answer
        self.answered.emit(question.id, answer)
        at = self._scheme.questions.index(question)
        places = [*range(at + 1, len(self._rows)), *range(at + 1)]
        open_ones = [place for place in places if not self._answers.get(self._scheme.questions[place].id)]
        self.current = open_ones[0] if open_ones else min(at + 1, len(self._rows) - 1)
        self._show_answers()
        if not open_ones and at == len(self._rows) - 1:
            self.complete.emit()
        self.setFocus()

    def _show_answers(self) -> None:
        assert self._scheme is not None
        several = len(self._rows) > 1
        for at, (question, (label, buttons)) in enumerate(zip(self._scheme.questions, self._rows, strict=True)):
            font = label.font()
            font.setBold(several and at == self.current)
            label.setFont(font)
            label.setText(f"▸ {question.text}" if several and at == self.current else question.text)
            for id, choice in buttons.items():
                choice.setChecked(self._answers.get(question.id) == id)

    def _go(self, signal: SignalInstance, _checked: bool = False) -> None:
        self.flush()
        signal.emit()
