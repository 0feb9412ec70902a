"""One pair to be judged: its two sentences, the questions with their answers, a note, and how far the round is."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import QEvent, QObject, Qt, Signal, SignalInstance
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from parapluie_gui.judgements.scheme import Question, Scheme
from parapluie_gui.ui.pair.sentences import SentencesView
from parapluie_gui.ui.widgets.arrange import (
    NO_MARGINS,
    FlowLayout,
    button,
    clear,
    hbox,
    scrolled,
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

#: The type of the sentences against that of the rest.
_SCALE = 1.35


class JudgingPage(QWidget):
    """Shows pairs one by one; knows nothing of scores, labels and of where answers go.

    Attributes:
        current: The place of the question that a digit answers.

    Signals:
        answered: (question, answer) Ids of both.
        complete: Every question on the pair has an answer, and the last one was just given.
        back_requested, next_requested: The pair before, the next one.
        note_written: (text) The note was typed on; comes when the focus leaves it or the pair changes.
        guideline_requested: The guideline is to be looked at.
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
        """Lay out the questions of a scheme."""
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
        """Show a pair with the annotator's answers so far, by question, and its label where that is judged."""
        self._answers = dict(answers)
        self._shown_note = note
        self.sentences.show_pair(source, hypothesis)
        self._label.setText(self.tr("Label: {0}").format(label))
        self._label.setVisible(bool(label))
        self._note.setPlainText(note)
        self._note.setVisible(not training)
        self.feedback.say("")
        assert self._scheme is not None
        open_ones = [at for at, each in enumerate(self._scheme.questions) if not self._answers.get(each.id)]
        self.current = open_ones[0] if open_ones else 0
        self._show_answers()
        self.setFocus()

    def show_progress(self, words: str, done: int, total: int) -> None:
        """Say how far the round is."""
        self._place.setText(words)
        self.progress.setRange(0, max(total, 1))
        self.progress.setValue(done)

    def allow(self, *, back: bool, on: bool) -> None:
        """Enable going back and on."""
        self._back.setEnabled(back)
        self._next.setEnabled(on)

    def flush(self) -> None:
        """Pass on a note that was typed."""
        if self._note.isVisibleTo(self) and (text := self._note.toPlainText()) != self._shown_note:
            self._shown_note = text
            self.note_written.emit(text)

    def _dress(self) -> None:
        set_rules(self, _RULES)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Digits answer, Backspace goes back, Enter goes on, N writes a note, G shows the guideline."""
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
        """Leave the note with Escape or Ctrl+Enter; pass it on when the focus leaves."""
        if event.type() == QEvent.Type.FocusOut:
            self.flush()
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
            if event.key() == Qt.Key.Key_Escape or (enter and event.modifiers() & Qt.KeyboardModifier.ControlModifier):
                self.setFocus()
                return True
        return super().eventFilter(watched, event)

    # Making

    def _build(self) -> None:
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Pair to be judged"))
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
            self.tr("Back"), partial(self._go, self.back_requested), self.tr("The one before"), icon="chevron-left"
        )
        self._next = button(
            self.tr("Next"),
            partial(self._go, self.next_requested),
            self.tr("The next one (Enter)"),
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
        self._keys.setText(self.tr("Digits answer · Backspace goes back · N writes a note · G shows the guideline"))
        foot = hbox(self._back, (self._keys, 1), self._next, margins=(20, 4, 20, 4))
        vbox((scrolled(middle), 1), foot, within=self, margins=NO_MARGINS)
        self._dress()
        follow_theme(self._dress)

    def _row(self, question: Question) -> QWidget:
        """Return a question with its answers, each beside the digit that gives it."""
        holder = QWidget()
        label = plain(question.text, wraps=True)
        answers = QWidget()
        flow = FlowLayout(answers, gap=8)
        if question.lowest:
            flow.addWidget(self._end(question.lowest))
        buttons = {}
        for at, answer in enumerate(question.answers):
            text = answer.title if question.numeric else f"{at + 1}  {answer.title}"
            made = button(text, partial(self._give, question, answer.id), "", f"{question.text} {answer.title}")
            made.setProperty("answer", True)
            # "Don't know" is set apart, as in the paper; a coloured edge would look chosen.
            decides = question.numeric or answer.value is not None or answer.label is not None or answer.label_is
            made.setProperty("aside", not decides)
            made.setCheckable(True)
            made.setAutoDefault(False)
            buttons[answer.id] = made
            flow.addWidget(made)
        if question.highest:
            flow.addWidget(self._end(question.highest))
        vbox(label, answers, within=holder, margins=NO_MARGINS, spacing=6)
        self._rows.append((label, buttons))
        return holder

    def _end(self, words: str) -> QLabel:
        label = QLabel(words)
        label.setProperty("muted", True)
        return label

    # Answering

    def _answer_by_digit(self, digit: int) -> bool:
        """Answer the current question: a number of its scale, or the answer in that place."""
        if self._scheme is None:
            return False
        question = self._scheme.questions[self.current]
        if question.numeric:
            answer = question.answer(str(digit))
        else:
            answer = question.answers[digit - 1] if 1 <= digit <= len(question.answers) else None
        if answer is not None:
            self._give(question, answer.id)
        return answer is not None

    def _give(self, question: Question, answer: str, _checked: bool = False) -> None:
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
            for id, each in buttons.items():
                each.setChecked(self._answers.get(question.id) == id)

    def _go(self, signal: SignalInstance, _checked: bool = False) -> None:
        self.flush()
        signal.emit()
