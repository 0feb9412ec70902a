"""The pair in the Bench: the fields where it is typed, the changes in an edited copy, and the verdict."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QTextCharFormat
from PySide6.QtWidgets import QPushButton, QWidget

from parapluie_gui.ui.bench.entry import BenchEntry
from parapluie_gui.ui.pair.sentences import (
    ENLARGED,
    MarkedPair,
    SentenceMark,
    SentencesView,
    TintedSpan,
    letter_format,
    mark_format,
    tint_format,
    utf16_places,
)
from parapluie_gui.ui.pair.verdict import VerdictView
from parapluie_gui.ui.state.selection import NO_PAIR
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, FlowLayout, button, name_control, vbox
from parapluie_gui.ui.widgets.controls import bar, bold, caption, plain
from parapluie_gui.ui.widgets.growing_text import SentenceEdit
from parapluie_gui.ui.widgets.text import enlarge
from parapluie_gui.ui.widgets.theme import current_theme, follow_theme
from parapluie_gui.ui.widgets.wrapped import WrappedText


class FieldMarks(MarkedPair):
    """Marks the differences in the fields in which the sentences are typed, with the legend below them."""

    def __init__(self, edits: Sequence[SentenceEdit], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._edits = tuple(edits)
        for side, edit in enumerate(self._edits):
            edit.clicked.connect(partial(self._click, side))
        vbox(self._legend, self.languages, within=self, margins=NO_MARGINS, spacing=2)
        self._show()
        follow_theme(self._show)

    def _show_side(self, side: int, text: str, marks: Sequence[SentenceMark], tints: Sequence[TintedSpan]) -> None:
        if side >= len(self._edits):
            return
        edit, theme = self._edits[side], current_theme()
        before, places = self._space_before(edit), utf16_places(text)
        letters, stretches = letter_format(theme), []
        for mark in marks:
            form = mark_format(mark.kind, theme)
            stretches.append((mark.start, mark.end, form))
            both = QTextCharFormat(form)
            both.merge(letters)
            stretches += [(start, end, both) for start, end in mark.letters]
        stretches += [(tint.start, tint.end, tint_format(tint, theme)) for tint in tints]
        edit.mark((before + places[start], before + places[end], form) for start, end, form in stretches)
        edit.setAccessibleDescription(self._describe_marks(text, marks))

    def _click(self, side: int, place: int) -> None:
        """Emit the clicked character of the sentence, without the space before it."""
        edit = self._edits[side]
        places = utf16_places(edit.toPlainText().strip())
        self.clicked.emit(side, max(bisect_right(places, place - self._space_before(edit)) - 1, 0))

    def _space_before(self, edit: SentenceEdit) -> int:
        text = edit.toPlainText()
        return len(text) - len(text.lstrip())


class BenchFields(QWidget):
    """Fields for source and hypothesis, with Score, Swap, Clear, progress and a hint.

    Attributes:
        marks: The differences of the two sentences.

    Signals:
        entered: The user asked to score the pair.
        left: Escape was pressed.
        typed: A text changed.
        pairs_pasted: (list of source and hypothesis) Several rows of a spreadsheet were pasted.
        cleared: The Clear button was pressed.
    """

    entered = Signal()
    left = Signal()
    typed = Signal()
    pairs_pasted = Signal(list)
    cleared = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.source = SentenceEdit()
        self.source.setPlaceholderText(self.tr("The little cat refreshes himself with water every morning."))
        self.hypothesis = SentenceEdit()
        self.hypothesis.setPlaceholderText(
            self.tr("Every morning, the little cat refreshes himself by drinking water.")
        )
        layout = vbox(within=self, margins=NO_MARGINS, spacing=4)
        for words, edit in ((self.tr("&Source"), self.source), (self.tr("&Hypothesis"), self.hypothesis)):
            name_control(edit, words.replace("&", ""), self.tr("Enter scores the pair, Shift+Enter starts a new line"))
            enlarge(edit, ENLARGED, bold=False)
            edit.entered.connect(self.entered)
            edit.left.connect(self.left)
            edit.textChanged.connect(self.typed)
            edit.pair_pasted.connect(self.set_texts)
            edit.pairs_pasted.connect(self.pairs_pasted)
            layout.addWidget(caption(words, edit))
            layout.addWidget(edit)
        self.marks = FieldMarks((self.source, self.hypothesis))
        layout.addWidget(self.marks)
        self.score_button = button(self.tr("Score"), self.entered.emit, self.tr("Score the pair (Enter)"))
        self.score_button.setProperty("primary", True)
        self.swap_button = button(self.tr("Swap"), self.swap, self.tr("Swap source and hypothesis"))
        tip = self.tr("Clear both fields. The history is kept")
        self.clear_button = button(self.tr("Clear"), self.cleared.emit, tip)
        self.busy = bar(self.tr("Scoring in progress"), height=8)
        self.stage, self.hint = WrappedText(muted=True), WrappedText(bad=True)
        layout.addSpacing(4)
        self._buttons = FlowLayout()
        for control in (self.score_button, self.swap_button, self.clear_button):
            self._buttons.addWidget(control)
        self._last_button = self.clear_button
        layout.addLayout(self._buttons)
        for part in (self.busy, self.stage, self.hint):
            layout.addWidget(part)
        self.setFocusProxy(self.source)
        self.hint.say("")
        self.set_busy("")

    def add_button(self, button: QPushButton) -> None:
        """Add a button after the others."""
        self._buttons.addWidget(button)
        self.setTabOrder(self._last_button, button)
        self._last_button = button

    def texts(self) -> tuple[str, str]:
        """Return source and hypothesis, stripped of white space."""
        return self.source.toPlainText().strip(), self.hypothesis.toPlainText().strip()

    def set_texts(self, source: str, hypothesis: str) -> None:
        with QSignalBlocker(self):  # a new text with an old one would not be a pair
            self.source.setPlainText(source)
            self.hypothesis.setPlainText(hypothesis)
        self.typed.emit()

    def select_source(self) -> None:
        """Focus and select the source, so that typing replaces it."""
        self.source.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.source.selectAll()

    def swap(self) -> None:
        self.set_texts(self.hypothesis.toPlainText(), self.source.toPlainText())

    def complete(self) -> bool:
        """Return True if there are two sentences; otherwise show which is missing, and focus its field."""
        source, hypothesis = self.texts()
        if source and hypothesis:
            return True
        missing = self.tr("Write a hypothesis first.") if source else self.tr("Write a source sentence first.")
        self.hint.say(missing)
        (self.hypothesis if source else self.source).setFocus()
        return False

    def set_busy(self, stage: str) -> None:
        """Show the current step; "" when idle."""
        self.busy.setVisible(bool(stage))
        self.stage.say(stage)


class EditChange(QWidget):
    """The edited sentences, old above new; an unchanged sentence is not shown."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.heading = bold(plain(wraps=True))
        self.source = SentencesView(self.tr("Original source"), self.tr("Edited source"))
        self.hypothesis = SentencesView(self.tr("Original hypothesis"), self.tr("Edited hypothesis"))
        vbox(self.heading, self.source, self.hypothesis, within=self, margins=NO_MARGINS, spacing=6)

    def show_change(self, original: BenchEntry | None, source: str, hypothesis: str) -> None:
        """Compare the text of the fields with the original, if it is an edited copy."""
        self.setVisible(original is not None)
        if original is None:
            return
        edited = False
        sides = (self.source, original.source, source), (self.hypothesis, original.hypothesis, hypothesis)
        for view, old, new in sides:
            differs = bool(new) and old != new
            view.setVisible(differs)
            if differs:
                edited = True
                view.show_pair(old, new)
        start = self.tr("Edit the copy: change a word, then press Enter.")
        self.heading.setText(self.tr("Effect of the edit") if edited else start)

    def set_scale(self, factor: float) -> None:
        self.source.set_scale(factor)
        self.hypothesis.set_scale(factor)


class BenchVerdict(VerdictView):
    """A verdict on an entry of the history; hidden while the pair shown is not in the history."""

    def show_entry(self, place: int | None, entry: BenchEntry | None) -> None:
        """Show the verdict and note of a history entry, or hide them (None); text that is being typed is kept."""
        if place is None or entry is None:
            self.set_row(NO_PAIR)
        elif (self.row, self.text, self.verdict) != (place, entry.note, entry.verdict):
            self.set_row(place, entry.note, entry.verdict)
        self.setVisible(place is not None)

    def forget(self) -> None:
        """Show nothing, without saving typed text: its session has been closed."""
        self.show_note("", "")
        self.set_row(NO_PAIR)

    def take_key(self, letter: str) -> bool:
        """Handle a digit (a verdict) or N (focus the note); return False for any other key."""
        if not self.isVisible() or letter not in "12345nN":
            return False
        self.choose(int(letter)) if letter.isdecimal() else self.focus_note()
        return True
