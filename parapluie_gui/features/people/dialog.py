"""The dialog of a blind round; it covers the main window, so that scores and labels are hidden while judging."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QCloseEvent, QKeyEvent
from PySide6.QtWidgets import QDialog, QStackedWidget, QWidget

from parapluie_gui.arrays import Rows
from parapluie_gui.features.people.judging import JudgingPage
from parapluie_gui.features.people.pages import (
    AssessmentPage,
    EndPage,
    GuidelinePage,
    RoundStartPage,
    describe_expected,
)
from parapluie_gui.features.people.round import AnnotationRound, draw_round, find_next_open, is_answered
from parapluie_gui.judgements.record import NOTE
from parapluie_gui.judgements.scheme import REVIEW, Scheme
from parapluie_gui.pairs.corpus import UNLABELLED, Corpus
from parapluie_gui.ui.state.notes import CorpusAnnotations
from parapluie_gui.ui.state.score_names import label_words
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, vbox


@dataclass(frozen=True)
class RoundStore:
    """Functions that read and store rounds and self-assessments.

    Attributes:
        rounds: Returns the stored round of a key, None if there is none.
        keep: Stores the round of a key.
        assessment: Returns an annotator's self-assessment for a scheme, "" if there is none.
        assess: Stores a self-assessment: name, scheme, answer.
    """

    rounds: Callable[[str], object]
    keep: Callable[[str, object], None]
    assessment: Callable[[str, str], str]
    assess: Callable[[str, str, str], None]


class RoundDialog(QDialog):
    """Dialog of a blind round or a review, from its start page to its end page.

    Signals:
        named: (str) The annotator's name.

    Args:
        corpus: The pairs.
        selected: The selected rows, int64 (k,).
        notes: Receives the answers.
        store: Reads and stores rounds.
        window: The main window, which the dialog covers.
    """

    named = Signal(str)

    def __init__(
        self, corpus: Corpus, selected: Rows, notes: CorpusAnnotations, store: RoundStore, window: QWidget
    ) -> None:
        super().__init__(window)
        self.setProperty("manual_page", "judgements")
        self.setWindowTitle(self.tr("Blind round"))
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self._corpus, self._selected, self._notes, self._store = corpus, selected, notes, store
        self._round: AnnotationRound | None = None
        self._scheme: Scheme = notes.schemes[0]
        self._at = 0
        self._training = -1
        self.start = RoundStartPage(notes.schemes, notes.broken)
        self.guideline, self.assessment, self.end = GuidelinePage(), AssessmentPage(), EndPage()
        self.judging = JudgingPage()
        self.stack = QStackedWidget()
        for page in (self.start, self.guideline, self.assessment, self.judging, self.end):
            self.stack.addWidget(page)
        vbox(self.stack, within=self, margins=NO_MARGINS)
        self._connect()
        self.start.offer(len(corpus), len(selected), notes.annotator)
        self._look_for_round()
        # Keep the buttons at the lower edge on the screen.
        self.setGeometry(window.geometry() & window.screen().availableGeometry())

    # The beginning

    def _connect(self) -> None:
        self.start.changed.connect(self._look_for_round)
        self.start.begin_asked.connect(self._begin)
        self.start.resume_asked.connect(self._resume)
        self.start.cancelled.connect(self.close)
        self.guideline.accepted.connect(self._leave_guideline)
        self.guideline.skipped.connect(self._skip_training)
        self.assessment.chosen.connect(self._take_assessment)
        self.judging.answered.connect(self._take_answer)
        self.judging.complete.connect(self._complete_pair)
        self.judging.back_requested.connect(self._step_back)
        self.judging.next_requested.connect(self._step_on)
        self.judging.note_written.connect(self._take_note)
        self.judging.guideline_requested.connect(lambda: self._show_guideline(self.tr("Back to the pair")))
        self.end.closed.connect(self.accept)

    def _name(self) -> str:
        return " ".join(self.start.name.text().split())

    def _stored_round(self) -> AnnotationRound | None:
        """Return the last round with the entered name and scheme."""
        key = f"{self.start.chosen_scheme().id}.{self._name()}"
        return AnnotationRound.from_setting(self._store.rounds(key), len(self._corpus))

    def _look_for_round(self) -> None:
        stored, scheme = self._stored_round(), self.start.chosen_scheme()
        if stored is None:
            self.start.show_unfinished(0, 0)
            return
        answers = {
            (record.row, record.question)
            for record in self._notes.records()
            if record.annotator == self._name() and record.scheme == scheme.id
        }
        done = sum(all((row, question.id) in answers for question in scheme.questions) for row in stored.rows)
        self.start.show_unfinished(done, len(stored.rows))

    def _begin(self) -> None:
        among = self._selected if self.start.scope.currentData() == "selection" else np.arange(len(self._corpus))
        scheme, name = self.start.chosen_scheme(), self._name()
        if scheme.show_label:
            among = among[self._corpus.labels[among] != UNLABELLED]
        drawn = draw_round(
            scheme.id, name, among, self.start.pairs.value(), self.start.seed.value(), self.start.dealing()
        )
        self._store.keep(drawn.key, drawn.to_setting())
        self._training = 0 if scheme.training else -1
        self._enter(drawn)

    def review(self, rows: Rows) -> None:
        """Start a review of the labels of some pairs, int64 (k,), in the given order; skip those judged before."""
        self.setWindowTitle(self.tr("Review of labels"))
        self.start.scheme.setCurrentIndex(self.start.scheme.findData(REVIEW))
        self._training = -1
        review = AnnotationRound(REVIEW, self._name(), 0, tuple(rows.tolist()))
        self._store.keep(review.key, review.to_setting())
        self._enter(review)

    def _resume(self) -> None:
        if (stored := self._stored_round()) is not None:
            self._training = -1
            self._enter(stored)

    def _enter(self, entered: AnnotationRound) -> None:
        """Set the annotator's name and show the guideline."""
        self._round, self._scheme = entered, self.start.chosen_scheme()
        self._notes.set_annotator(entered.annotator)
        self.named.emit(entered.annotator)
        self.judging.begin(self._scheme)
        self._at = find_next_open(entered.rows, self._scheme, self._find_answer) or 0
        training = self._training >= 0
        self._show_guideline(self.tr("Begin with the training pairs") if training else self.tr("Begin"), training)

    def _show_guideline(self, words: str, training: bool = False) -> None:
        self.guideline.show_scheme(self._scheme, words, training)
        self._turn_to(self.guideline)
        self.guideline.go_on.setFocus()

    def _leave_guideline(self) -> None:
        assert self._round is not None
        if self._scheme.assessment and not self._store.assessment(self._round.annotator, self._scheme.id):
            self.assessment.show_scheme(self._scheme)
            self._turn_to(self.assessment)
            self.assessment.setFocus()
        else:
            self._show()

    def _skip_training(self) -> None:
        self._training = -1
        self._leave_guideline()

    def _take_assessment(self, answer: str) -> None:
        assert self._round is not None
        self._store.assess(self._round.annotator, self._scheme.id, answer)
        self._show()

    # Pair after pair

    def _find_answer(self, row: int, question: str) -> str:
        return self._notes.answer(row, self._scheme.id, question)

    def _show(self) -> None:
        """Show the current training pair or pair."""
        assert self._round is not None
        rows = self._round.rows
        self._turn_to(self.judging)
        if self._training >= 0:
            pair, total = self._scheme.training[self._training], len(self._scheme.training)
            self.judging.show_pair(pair.source, pair.hypothesis, {}, training=True)
            words = self.tr("Training pair {0} of {1}: not counted").format(self._training + 1, total)
            self.judging.show_progress(words, self._training, total)
            self.judging.allow(back=self._training > 0, on=False)
            return
        row = rows[self._at]
        answers = {question.id: self._find_answer(row, question.id) for question in self._scheme.questions}
        note = self._notes.answer(row, *NOTE)
        label = label_words(int(self._corpus.labels[row])) if self._scheme.show_label else ""
        self.judging.show_pair(self._corpus.source[row], self._corpus.hypothesis[row], answers, note, label)
        done = sum(is_answered(pair, self._scheme, self._find_answer) for pair in rows)
        words = self.tr("Pair {0} of {1} · {2} judged").format(self._at + 1, len(rows), done)
        self.judging.show_progress(words, done, len(rows))
        self.judging.allow(back=self._at > 0, on=is_answered(row, self._scheme, self._find_answer))

    def _take_answer(self, question: str, answer: str) -> None:
        if self._training < 0 and self._round is not None:
            self._notes.judge(self._round.rows[self._at], self._scheme.id, question, answer)

    def _complete_pair(self) -> None:
        """Go to the next pair; after a training pair, show the expected answers first."""
        if self._training >= 0:
            pair = self._scheme.training[self._training]
            words = self.tr("Expected: {0}. {1} Press Enter to continue.")
            self.judging.feedback.say(words.format(describe_expected(self._scheme, pair), pair.why))
            self.judging.allow(back=self._training > 0, on=True)
        else:
            self._step_on()

    def _step_on(self) -> None:
        assert self._round is not None
        rows = self._round.rows
        if self._training >= 0:
            self._training = self._training + 1 if self._training + 1 < len(self._scheme.training) else -1
            self._show()
            return
        following = find_next_open(rows, self._scheme, self._find_answer, self._at)
        if following is None:
            self.end.show_count(len(rows))
            self._turn_to(self.end)
        else:
            # After going back, show the answered pairs again one by one.
            after = self._at + 1
            went_back = after < len(rows) and is_answered(rows[after], self._scheme, self._find_answer)
            self._at = after if went_back else following
            self._show()

    def _step_back(self) -> None:
        if self._training > 0:
            self._training -= 1
        elif self._training < 0 and self._at > 0:
            self._at -= 1
        self._show()

    def _take_note(self, text: str) -> None:
        if self._training < 0 and self._round is not None:
            self._notes.judge(self._round.rows[self._at], *NOTE, text)

    def _turn_to(self, page: QWidget) -> None:
        self.stack.setCurrentWidget(page)

    # Leaving

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close the dialog on Escape; the answers are stored already."""
        if event.key() == Qt.Key.Key_Escape:
            self.close()
        else:
            super().keyPressEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Store a note that is being typed."""
        self.judging.flush()
        super().closeEvent(event)
