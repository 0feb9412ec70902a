"""The pages before and after judging: start, guideline, self-assessment and end."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QComboBox, QFrame, QLabel, QLineEdit, QPushButton, QWidget

from parapluie_gui.features.people.round import PairAllocation
from parapluie_gui.judgements.scheme import SamplePair, Scheme
from parapluie_gui.own_files import BrokenFile
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, button, clear, hbox, name_control, scroll_area, vbox, widget_of
from parapluie_gui.ui.widgets.controls import bold, form, make_spin_box, plain
from parapluie_gui.ui.widgets.wrapped import WrappedText

_WIDTH = 860


def _centre(inside: QWidget) -> QWidget:
    """Return a scroll area with a centred column."""
    inside.setMaximumWidth(_WIDTH)
    return scroll_area(widget_of(hbox(1, (inside, 20), 1, margins=NO_MARGINS)))


def _heading(text: str = "") -> QLabel:
    label = bold(plain(text, wraps=True))
    font = label.font()
    font.setPointSizeF(font.pointSizeF() * 1.4)
    label.setFont(font)
    return label


class RoundStartPage(QWidget):
    """Page for choosing the annotator's name, the questions and the pairs of a round.

    Attributes:
        name, scheme, pairs, scope, seed: The fields for these choices.
        judges, number, overlap: The fields for dealing pairs out: number of judges (1: all judge the same pairs),
            number of this judge, and number of pairs that all judge.

    Signals:
        begin_asked: The user wants a new round.
        resume_asked: The user wants to continue the unfinished round.
        cancelled: The user closed the pages without a round.
        changed: The name or the scheme changed.
    """

    begin_asked = Signal()
    resume_asked = Signal()
    cancelled = Signal()
    changed = Signal()

    def __init__(self, schemes: Sequence[Scheme], broken: Sequence[BrokenFile], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._schemes = {scheme.id: scheme for scheme in schemes}
        self.name = name_control(QLineEdit(), self.tr("Your name"), self.tr("Shown with every answer you give"))
        self.scheme = name_control(QComboBox(), self.tr("Questions"), "")
        for scheme in schemes:
            self.scheme.addItem(scheme.title, scheme.id)
        self.pairs = make_spin_box(self.tr("Number of pairs"), (1, 1_000_000), 1)
        self.scope = name_control(QComboBox(), self.tr("Drawn from"), "")
        tip = self.tr("The same seed draws the same pairs for everybody, in a different order for each")
        self.seed = make_spin_box(self.tr("Seed"), (0, 2**31 - 1), 0, tip)
        several = self.tr("Number of judges who divide the pairs among them. 1: everybody judges the same pairs")
        self.judges = make_spin_box(self.tr("Judges"), (1, 500), 1, several)
        self.number = make_spin_box(self.tr("You are judge number"), (1, 1), 1)
        shared = self.tr("Number of pairs that every judge gets, to measure their agreement")
        self.overlap = make_spin_box(self.tr("Pairs for every judge"), (0, 1_000_000), 0, shared)
        choices = (
            (self.tr("Your &name"), self.name),
            (self.tr("&Questions"), self.scheme),
            (self.tr("Number of &pairs"), self.pairs),
            (self.tr("&Drawn from"), self.scope),
            (self.tr("&Seed"), self.seed),
            (self.tr("&Judges"), self.judges),
            (self.tr("&You are number"), self.number),
            (self.tr("Pairs for &every judge"), self.overlap),
        )
        self._sizes = (0, 0)
        self._form = form(choices)
        self._about = WrappedText(muted=True)
        self._hint = WrappedText(muted=True)
        self._state = WrappedText()
        self._state.say("")
        self._problems = WrappedText(bad=True)
        self._problems.say("\n".join(file.error for file in broken))
        self._resume = button(self.tr("&Resume"), self.resume_asked.emit)
        self._begin = button(self.tr("&Begin"), self.begin_asked.emit)
        self._buttons = (self._resume, self._begin)
        self._begin.setProperty("primary", True)
        parts = (_heading(self.tr("Blind round")), self._about, self._form, self._hint, self._state, self._problems)
        self.cancel_button = button(self.tr("Cancel"), self.cancelled.emit)
        self.cancel_button.setAutoDefault(False)
        foot = hbox(1, self.cancel_button, *self._buttons)
        inside = widget_of(vbox(*parts, foot, 1, margins=(40, 30, 40, 20), spacing=16))
        vbox(_centre(inside), within=self, margins=NO_MARGINS)
        self.name.textChanged.connect(self.changed)
        self.scheme.currentIndexChanged.connect(self._take_scheme)
        self.scope.currentIndexChanged.connect(self._deal)
        for field in (self.judges, self.pairs, self.overlap):
            field.valueChanged.connect(self._deal)
        self._take_scheme()
        self._deal()

    def chosen_scheme(self) -> Scheme:
        return self._schemes[self.scheme.currentData()]

    def dealing(self) -> PairAllocation | None:
        """Return the dealing of pairs; None if all judge the same pairs."""
        judges = self.judges.value()
        return PairAllocation(judges, self.number.value(), self.overlap.value()) if judges > 1 else None

    def _deal(self) -> None:
        """Show which pairs are drawn, and the fields that several judges need."""
        several = self.judges.value() > 1
        self.number.setMaximum(self.judges.value())
        total = self._sizes[self.scope.currentData() == "selection"]
        self.pairs.setMaximum(max(total, 1))
        for field in (self.number, self.overlap):
            self._form.setRowVisible(field, several)
        dealing = self.dealing()
        if dealing is None:
            text = self.tr("The same seed draws the same pairs for everybody, in a different order for each.")
            self._hint.say(text)
            return
        judged = dealing.count_judged(total, self.pairs.value())
        text = self.tr(
            "Judges with the same seed and different numbers get different pairs: {0} of {1} pairs are judged, {2} of "
            "them by every judge."
        )
        self._hint.say(text.format(f"{judged:,}", f"{total:,}", f"{min(dealing.overlap, self.pairs.value()):,}"))

    def offer(self, total: int, selected: int, name: str) -> None:
        """Offer to draw from all pairs or, if fewer are selected, from the selected pairs."""
        self._sizes = (total, selected)
        self.scope.clear()
        self.scope.addItem(self.tr("all {0} pairs").format(f"{total:,}"), "all")
        if selected < total:
            self.scope.addItem(self.tr("the {0} selected pairs").format(f"{selected:,}"), "selection")
        self.pairs.setValue(self.chosen_scheme().pairs)
        self.name.setText(name)
        self.name.setFocus()
        self.name.selectAll()

    def show_unfinished(self, done: int, total: int) -> None:
        """Show the progress of the stored round with this name and scheme; a total of 0 means none."""
        unfinished = done < total
        self._resume.setVisible(unfinished)
        self._begin.setText(self.tr("&Begin again") if unfinished else self.tr("&Begin"))
        words = self.tr("You have judged {0} of {1} pairs of your last round.")
        self._state.say(words.format(f"{done:,}", f"{total:,}") if total else "")
        for choice in self._buttons:
            choice.setDefault(choice is (self._resume if unfinished else self._begin))

    def _take_scheme(self) -> None:
        self.pairs.setValue(self.chosen_scheme().pairs)
        shown = self.tr("Sentences are shown in a random order, without scores and labels.")
        if self.chosen_scheme().show_label:
            shown = self.tr("Labelled pairs are shown in a random order with their labels, without scores.")
        stored = self.tr("Every answer is saved at once. You can stop at any time and continue later.")
        self._about.say(f"{shown} {stored}")
        self.changed.emit()


class GuidelinePage(QWidget):
    """The guideline of a scheme with its examples.

    Signals:
        accepted: The annotator continues.
        skipped: The annotator skips the training pairs.
    """

    accepted = Signal()
    skipped = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = _heading()
        self._text = WrappedText()
        self._examples = vbox(margins=NO_MARGINS, spacing=10)
        self._source = WrappedText(muted=True)
        self.go_on = button(self.tr("Continue"), self.accepted.emit)
        inside = widget_of(
            vbox(self._title, self._text, self._examples, self._source, 1, margins=(40, 30, 40, 20), spacing=16)
        )
        self.skip = button(self.tr("Skip the training pairs"), self.skipped.emit)
        self.skip.setAutoDefault(False)
        foot = hbox(1, self.go_on, self.skip, 1, margins=(20, 4, 20, 12))
        vbox((_centre(inside), 1), foot, within=self, margins=NO_MARGINS)

    def show_scheme(self, scheme: Scheme, words: str, training: bool = False) -> None:
        """Show a scheme's guideline.

        Args:
            scheme: The scheme.
            words: Text of the button that continues.
            training: Whether it leads to training pairs, which can be skipped.
        """
        self.skip.setVisible(training)
        self._title.setText(scheme.title)
        self._text.say(scheme.guideline)
        self._source.say(" ".join(scheme.provenance.split()))
        clear(self._examples)
        for example in scheme.examples:
            self._examples.addWidget(_example(scheme, example))
        self.go_on.setText(words)
        self.go_on.setAccessibleName(words)
        self.go_on.setDefault(True)
        self.go_on.setFocus()


class AssessmentPage(QWidget):
    """Page for the annotator's self-assessment, asked once per scheme; digits answer.

    Signals:
        chosen: (str) The answer.
    """

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._levels: tuple[str, ...] = ()
        self._title = _heading()
        self._buttons = vbox(margins=NO_MARGINS, spacing=8)
        inside = widget_of(vbox(self._title, self._buttons, 1, margins=(40, 30, 40, 20), spacing=20))
        vbox(_centre(inside), within=self, margins=NO_MARGINS)

    def show_scheme(self, scheme: Scheme) -> None:
        self._levels = scheme.levels
        self._title.setText(scheme.assessment)
        self.setAccessibleName(scheme.assessment)
        clear(self._buttons)
        for at, level in enumerate(scheme.levels):
            choice: QPushButton = button(f"{at + 1}  {level}", partial(self.chosen.emit, level), "", level)
            choice.setAutoDefault(False)
            self._buttons.addWidget(choice)
        self.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        at = event.key() - Qt.Key.Key_1
        if 0 <= at < len(self._levels):
            self.chosen.emit(self._levels[at])
        else:
            super().keyPressEvent(event)


class EndPage(QWidget):
    """Page shown after the last pair.

    Signals:
        closed: The user closes the dialog.
    """

    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = WrappedText()
        self._close = button(self.tr("Close"), self.closed.emit)
        parts = (_heading(self.tr("All pairs are judged")), self._text, hbox(self._close, 1))
        inside = widget_of(vbox(*parts, 1, margins=(40, 30, 40, 20), spacing=16))
        vbox(_centre(inside), within=self, margins=NO_MARGINS)

    def show_count(self, pairs: int) -> None:
        words = self.tr(
            "Thank you. Your answers on {0} pairs are in the session. They are columns of the table, can be used as "
            "labels (Pairs, Use answers as labels…), and are compared on the Agreement page of the Analysis tab."
        )
        self._text.say(words.format(f"{pairs:,}"))
        self._close.setDefault(True)
        self._close.setFocus()


def _example(scheme: Scheme, pair: SamplePair) -> QWidget:
    """Return a frame with an example, its answer and the reason."""
    frame = QFrame()
    frame.setFrameShape(QFrame.Shape.StyledPanel)
    sentences = WrappedText()
    sentences.say(f"{pair.source}\n{pair.hypothesis}")
    answer = bold(plain(describe_expected(scheme, pair), wraps=True))
    why = WrappedText(muted=True)
    why.say(pair.why)
    vbox(sentences, answer, why, within=frame, margins=(14, 8, 14, 8), spacing=4)
    return frame


def describe_expected(scheme: Scheme, pair: SamplePair) -> str:
    """Return the expected answers of an example: "Same meaning", or "adequacy 5, fluency 5"."""
    answers = []
    for question in scheme.questions:
        answer = question.answer(pair.answers.get(question.id, ""))
        if answer is not None:
            answers.append(answer.title if len(scheme.questions) == 1 else f"{question.id} {answer.title}")
    return ", ".join(answers)
