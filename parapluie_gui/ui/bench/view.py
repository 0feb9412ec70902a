"""The Bench: typed pairs with their scores, a history, and edited copies with the effect of the edit."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QBoxLayout, QPushButton, QWidget

from parapluie_gui.pluie.evidence import AnswerEvidence
from parapluie_gui.scores.identity import identify
from parapluie_gui.ui.bench.entry import AskedEntry, BenchEntry
from parapluie_gui.ui.bench.fields import BenchFields, BenchVerdict, EditChange
from parapluie_gui.ui.bench.history import HistoryPanel, shift_index
from parapluie_gui.ui.pair.bars import axis_limit
from parapluie_gui.ui.pair.scores_panel import FIRST_BASELINES, ScoresPanel
from parapluie_gui.ui.state.throttle import CallThrottle
from parapluie_gui.ui.widgets.arrange import (
    MOST_LETTERS,
    NO_MARGINS,
    CentredColumn,
    scroll_area,
    split,
    vbox,
    widget_of,
)
from parapluie_gui.ui.widgets.growing_text import LONGEST_SHOWN
from parapluie_gui.ui.widgets.sections import SectionPlace
from parapluie_gui.ui.widgets.text import set_type_size, usual_points
from parapluie_gui.ui.widgets.theme import NEAR, PAGE
from parapluie_gui.ui.widgets.wrapped import WrappedText

_COMMANDS = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier

#: Width in letters from which the scores are next to the sentences, not below them.
TWO_COLUMNS = 110

#: Delay after the last key before the differences are updated, in milliseconds.
TYPING_MS = 120

#: Keys that move through the history, which shows the newest pair first.
_STEPS = {"j": 1, "k": -1}
#: Keys that give a verdict or begin a note.
_VERDICTS = "12345n"

#: Maximum number of pasted pairs that are scored.
_MOST_PASTED = 100


class BenchView(QWidget):
    """The Bench: two fields, their live differences, the scores, and the history.

    It does not know the worker: the receiver of `score_requested` answers with `show_stage`, `show_scores` (any number
    of times), and at the end `finish` or `show_error`.

    Attributes:
        sentences: The live differences.
        sections: Place for features' sections on the pair, above its scores.
        change: The edit of a copy.
        past: The history.
        verdict: The user's verdict and note on the pair shown; hidden while the pair is not in the history.

    Signals:
        score_requested: (request, source, hypothesis) Score the pair; the answers come with the number of the request.
        history_changed: (list of BenchEntry, oldest first) An entry was added or removed, or got scores or answers.
        removed: (index, BenchEntry, indices of its copies) The user removed an entry.
        pair_changed: (source, hypothesis) Different sentences are scored or shown with scores; both are "" if none are.
        corrections_changed: (corrections or None) The corrections of their kinds of change; see `corrections`.
        noted: (index, BenchEntry before, answers) The user wrote a note, gave a verdict or corrected a kind of change.
    """

    score_requested = Signal(int, str, str)
    history_changed = Signal(list)
    removed = Signal(int, BenchEntry, list)
    pair_changed = Signal(str, str)
    corrections_changed = Signal(object)
    noted = Signal(int, BenchEntry, tuple)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("manual_page", "bench")
        self._columns: list[str] = []
        self._models: Mapping[str, str] = {}
        self._asked: dict[int, AskedEntry] = {}
        self._request = 0
        self._entry: BenchEntry | None = None
        self._original: int | None = None
        self._point_size = usual_points()
        self._build()
        self._comparing = CallThrottle(self._show_difference, TYPING_MS, self, rest=True)
        self._show_difference()

    @property
    def history(self) -> list[BenchEntry]:
        return list(self.past.model.entries)

    @property
    def busy(self) -> bool:
        """Whether a request is running."""
        return bool(self._asked)

    def texts(self) -> tuple[str, str] | None:
        """Return the sentences in the fields, or None unless there are two."""
        source, hypothesis = self.fields.texts()
        return (source, hypothesis) if source and hypothesis else None

    def corrections(self) -> str | None:
        """Return the corrected kinds of change; None if the pair is not in the history.

        See `metrics.changes.corrections` for the format.
        """
        entry = self._current()
        return None if entry is None or self.past.model.place_of(entry) is None else entry.kinds

    def correct_kinds(self, kinds: str) -> None:
        """Store the corrected kinds of change of the entry shown."""
        place = self.past.model.place_of(self._entry)
        if place is not None and self._entry is not None:
            self._say(place, self._entry.note, self._entry.verdict, kinds)

    def set_columns(self, columns: Sequence[str], models: Mapping[str, str] | None = None) -> None:
        """Set the scores to compute, which are listed as not scored yet.

        Args:
            columns: The score columns.
            models: The judge of each judge's score, by column.
        """
        self._columns, self._models = list(columns), models or {}
        self._show_result()

    def set_history(self, history: Sequence[BenchEntry]) -> None:
        """Set the history of a session, oldest first, and abandon running requests."""
        self.verdict.forget()
        self._asked.clear()
        self.past.search.clear()
        self.past.model.reset(history)
        self._entry = None
        self._set_original(None)
        self.fields.set_busy("")
        self._show_result()
        self.past.refresh()

    def open_copy(
        self,
        source: str,
        hypothesis: str,
        values: Mapping[str, float] | None = None,
        models: Mapping[str, str] | None = None,
    ) -> None:
        """Start an edited copy of a pair from a different view; the pair joins the history with its scores."""
        if max(len(source), len(hypothesis)) > LONGEST_SHOWN:
            words = self.tr("This pair is too long for the Bench: the limit is {0:,} characters per sentence.")
            self.fields.hint.say(words.format(LONGEST_SHOWN))
            return
        place, changed = self.past.model.add_pair(source, hypothesis, values or {}, models or {})
        if changed:
            self._emit()
        self.edit_copy(place)

    def score_copy(
        self,
        original: tuple[str, str],
        edited: tuple[str, str],
        values: Mapping[str, float] | None = None,
        models: Mapping[str, str] | None = None,
    ) -> None:
        """Score an edited copy of a pair; see `open_copy`."""
        self.open_copy(*original, values, models)
        self._set_texts(*edited)
        self.score()

    def take(self, entries: Sequence[BenchEntry]) -> None:
        """Add scored pairs to the history, and show the last of them."""
        places = [self.past.model.append(entry) for entry in entries]
        self.past.refresh()
        self.bring_back(places[-1])
        self._emit()

    def add_panel(self, panel: QWidget, switch: QPushButton, stops: Sequence[QWidget]) -> None:
        """Add a panel below the fields, with a button next to theirs that shows and hides it.

        Tab moves through its `stops` in order.
        """
        panel.hide()
        switch.setCheckable(True)
        switch.toggled.connect(panel.setVisible)
        self.fields.add_button(switch)
        self._panels.add(panel, stops)
        self._switches[panel] = switch

    def show_panel(self, part: QWidget) -> None:
        """Show the added panel that contains a widget, and focus the widget."""
        for panel, switch in self._switches.items():
            if panel.isAncestorOf(part):
                switch.setChecked(True)
                part.setFocus()

    def begin_pair(self, source: str) -> None:
        """Start a new pair with this source."""
        self._set_texts(source, "")
        self._entry = None
        self._set_original(None)
        self._show_result()

    def remove_chosen(self) -> None:
        """Remove the selected entries from the history."""
        self.verdict.flush()
        for place in reversed(self.past.list.chosen_places()):
            entry = self.past.model.entries[place]
            self.removed.emit(place, entry, self.take_out(place))

    def take_out(self, place: int) -> list[int]:
        """Remove an entry of the history, and return the indices of its copies."""
        self.verdict.flush()
        if self.past.model.entries[place] is self._entry:
            self._entry = None
        copies = self.past.model.remove(place)
        self._shift_places(place, -1)
        return copies

    def put_in(self, place: int, entry: BenchEntry, copies: Sequence[int]) -> None:
        """Restore a removed entry; raise a LookupError if its index is out of range."""
        self.verdict.flush()
        self.past.model.insert(place, entry, copies)
        self._shift_places(place, 1)

    def edit_copy(self, place: int) -> None:
        self.bring_back(place)
        self._set_original(place)
        self.fields.hypothesis.setFocus()
        self.fields.hypothesis.selectAll()

    def bring_back(self, place: int) -> None:
        """Show an entry of the history again, with its scores."""
        entry = self._entry = self.past.model.entries[place]
        self._set_texts(entry.source, entry.hypothesis)
        self._set_original(entry.original)
        self.past.list.set_current_place(place)
        self.fields.hint.say("")
        self._show_result()

    def score(self) -> None:
        """Request the scores of the pair in the fields."""
        if not self.fields.complete():
            return
        source, hypothesis = self.fields.texts()
        self.fields.hint.say("")
        self._request += 1
        place = self.past.model.find_scored(source, hypothesis, self._original, self._models)
        entry = BenchEntry(source, hypothesis, original=self._original)
        self._entry = entry if place is None else self.past.model.entries[place]
        self._asked[self._request] = AskedEntry(self._entry, place)
        self.fields.set_busy(self.tr("Scoring …"))
        self._show_difference()
        self._show_result()
        if self._original is None:  # while an edited copy is shown, the focus stays
            self.fields.select_source()
        self.score_requested.emit(self._request, source, hypothesis)

    def _score_all(self, pairs: Sequence[tuple[str, str]]) -> None:
        """Score pasted pairs one after the other."""
        for source, hypothesis in pairs[:_MOST_PASTED]:
            self._set_original(None)
            self._set_texts(source, hypothesis)
            self.score()
        if len(pairs) > _MOST_PASTED:
            words = self.tr("Only the first {0} of {1} pasted pairs are scored. File, Paste pairs opens all of them.")
            self.fields.hint.say(words.format(_MOST_PASTED, f"{len(pairs):,}"))

    def show_stage(self, request: int, text: str) -> None:
        """Show the current step before scores arrive ("Loading …")."""
        if request == self._request and request in self._asked:
            self.fields.set_busy(text)

    def show_scores(
        self,
        request: int,
        values: Mapping[str, float],
        evidence: Mapping[str, AnswerEvidence] | None = None,
        prompts: Mapping[str, str] | None = None,
        model: str = "",
    ) -> None:
        """Add scores of a request as they arrive, a judge's with its `model`; those of an older pair are not shown."""
        asked = self._asked.get(request)
        if asked is None:
            return
        # The user may have written a note since.
        entry = asked.entry if asked.place is None else self.past.model.entries[asked.place]
        asked.entry = entry.with_scores(values, evidence, prompts, model)
        if asked.place is None:
            asked.place = self.past.model.append(asked.entry)
            self.past.refresh()
        else:
            self.past.model.replace(asked.place, asked.entry)
        judged, wanted = (
            any(identify(name).is_from_judge for name in names) for names in (asked.entry.values, self._columns)
        )
        self.past.model.wait_for_judge(asked.place, wanted and not judged)
        if self._entry is entry:
            self._entry = asked.entry
            self.past.list.set_current_place(asked.place)
            self._show_result()
        self._emit()

    def finish(self, request: int) -> None:
        """End a request: no more scores of it will arrive."""
        asked = self._asked.pop(request, None)
        if asked is not None and asked.place is not None:
            self.past.model.wait_for_judge(asked.place, False)
        if request == self._request:
            self.fields.set_busy("")

    def show_error(self, request: int, text: str) -> None:
        """Show why a request failed; its earlier scores are kept."""
        self.finish(request)
        if request == self._request:
            self.fields.hint.say(text)
            if self._entry is not None and not self._entry.values:
                self._entry = None
                self._show_result()

    def clear(self) -> None:
        """Clear both fields; the history is kept."""
        self._set_texts("", "")
        self._entry = None
        self._set_original(None)
        self.fields.hint.say("")
        self._show_result()
        self.fields.source.setFocus()

    def set_scale(self, factor: float) -> None:
        set_type_size(self, self._point_size * factor)
        for part in (self.change, self.scores, self.verdict):
            part.set_scale(factor)

    def leave_fields(self) -> None:
        """Move the focus out of the fields: digits then give verdicts, and J and K move through the history."""
        self.fields.score_button.setFocus(Qt.FocusReason.OtherFocusReason)

    def step(self, by: int) -> None:
        """Show the pair that was scored before the one shown (1), or after it (−1), of those that the list shows."""
        places, shown = self.past.list.shown_places(), self.past.model.place_of(self._entry)
        if shown is None:
            at = len(places) - by
        else:
            at = bisect_left(places, shown) - 1 if by > 0 else bisect_right(places, shown)
        if 0 <= at < len(places):
            self.bring_back(places[at])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handle the keys of the verdict and the history; type any other letter into the source."""
        letter = event.text()
        if not letter.isprintable() or not letter.strip() or event.modifiers() & _COMMANDS:
            super().keyPressEvent(event)
        elif letter in _STEPS and self.past.model.entries:
            self.step(_STEPS[letter])
        elif self.verdict.take_key(letter):
            return
        elif letter.lower() in _VERDICTS and self._request in self._asked:  # as a letter it would replace the source
            self.fields.hint.say(self.tr("You can give a verdict or a note once the pair has its first score."))
        else:
            self.fields.source.setFocus(Qt.FocusReason.ShortcutFocusReason)
            self.fields.source.insertPlainText(letter)

    def _build(self) -> None:
        self.fields = BenchFields()
        self.fields.entered.connect(self.score)
        self.fields.pairs_pasted.connect(self._score_all)
        self.fields.left.connect(self.leave_fields)
        self.fields.typed.connect(self._on_edit)
        self.fields.cleared.connect(self.clear)
        self._panels, self._switches = SectionPlace(), dict[QWidget, QPushButton]()
        self.sentences = self.fields.marks
        self.change = EditChange()
        self._stale = WrappedText(muted=True)
        self._stale.setText(self.tr("The text has changed since it was scored. Press Enter to score it again."))
        self._invitation = WrappedText(muted=True)
        self._invitation.setText(self.tr("Type two sentences and press Enter to see their scores and the reasons."))
        self.scores = ScoresPanel()
        self.scores.chosen.connect(self._show_evidence)
        self.sections = SectionPlace()
        self.past = HistoryPanel()
        self.past.list.brought_back.connect(self.bring_back)
        self.past.copy_asked.connect(self.edit_copy)
        self.past.removal_asked.connect(self.remove_chosen)
        self.verdict = BenchVerdict()
        self.verdict.note_written.connect(self._write_note)
        writing = vbox(self.fields, self._panels, self.change, self._stale, 1, margins=NO_MARGINS, spacing=NEAR)
        reading = vbox(self._invitation, self.sections, self.scores, 1, margins=NO_MARGINS, spacing=NEAR)
        self._sides = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        for side in (writing, reading):
            self._sides.addLayout(side)
        self._sides.setContentsMargins(12, 10, 12, 12)
        self._area = scroll_area(CentredColumn(self._sides, 2 * MOST_LETTERS), sideways=True)
        below = CentredColumn(vbox(self.verdict, margins=(12, 4, 12, 8)), 2 * MOST_LETTERS, under=self._area)
        left = widget_of(vbox((self._area, 1), below, margins=NO_MARGINS, spacing=0))
        vbox(split(left, self.past, (3, 1)), within=self, margins=NO_MARGINS)
        self._area.installEventFilter(self)
        self.setFocusProxy(self.fields)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Show the scores next to the sentences if there is space for both."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.FontChange):
            beside = self._area.width() >= TWO_COLUMNS * self.fontMetrics().averageCharWidth()
            direction = QBoxLayout.Direction
            self._sides.setDirection(direction.LeftToRight if beside else direction.TopToBottom)
            self._sides.setSpacing(PAGE if beside else NEAR)
            self._sides.setStretch(0, int(beside))
            self._sides.setStretch(1, 1)
        return super().eventFilter(watched, event)

    def _set_texts(self, source: str, hypothesis: str) -> None:
        self.fields.set_texts(source, hypothesis)
        self._show_difference()

    def _on_edit(self) -> None:
        self.fields.hint.say("")
        self._show_edit()
        self._comparing.ask()

    def _show_difference(self) -> None:
        self._comparing.stop()
        texts = self.texts()
        if texts is not None:
            self.sentences.show_pair(*texts)
        else:
            self.sentences.clear()
        self._show_edit()

    def _show_edit(self) -> None:
        """Show the edited words of the original, and a hint if the scores belong to a different text."""
        texts, entry = self.fields.texts(), self._entry
        current = self._current() is not None
        # Scores of a different text are hidden; they reappear with their text.
        self.scores.setVisible(current)
        self.pair_changed.emit(*(texts if current else ("", "")))
        place = self.past.model.place_of(self._entry) if current else None
        self.verdict.show_entry(place, self._entry)
        self.corrections_changed.emit(self.corrections())
        self._invitation.setVisible(not any(texts))
        self._stale.setVisible(entry is not None and all(texts) and not current)
        self.change.show_change(self._original_entry(), *texts)

    def _current(self) -> BenchEntry | None:
        """Return the entry shown, or None if the sentences in the fields differ from it."""
        entry = self._entry
        return entry if entry is not None and (entry.source, entry.hypothesis) == self.fields.texts() else None

    def _original_entry(self) -> BenchEntry | None:
        history, at = self.past.model.entries, self._original
        return history[at] if at is not None and 0 <= at < len(history) else None

    def _show_result(self) -> None:
        entry = self._entry
        if entry is not None:
            original = self._original_entry() if entry.original is not None else None
            first = () if entry.values else FIRST_BASELINES
            columns = dict.fromkeys([*self._columns, *first, *entry.values])
            before = original.values if original is not None else None
            self.scores.pair = entry.source, entry.hypothesis
            heads = entry.heads(columns, self._models)
            judged = [column for column in columns if identify(column).is_from_judge]
            judges = {column: entry.model_of(column, self._models) for column in judged}
            # One scale for all pairs of the history, so that their bars can be compared.
            limit = axis_limit([*self.past.model.scores_of(judges), 5.0])
            self.scores.show_values(
                columns,
                entry.values,
                before,
                limit,
                title=partial(entry.title, models=self._models),
                heads=heads,
                judges={column: model for column, model in entry.models.items() if column in entry.values},
            )
            self._show_evidence(self.scores.column())
        self._show_edit()

    def _show_evidence(self, column: str) -> None:
        entry = self._entry
        if entry is not None:
            prompt = entry.prompts.get(column)
            self.scores.show_evidence(entry.evidence.get(column), lambda: prompt)

    def _shift_places(self, place: int, by: int) -> None:
        """Update the history after an entry was removed (`by` −1) or inserted (1)."""
        for asked in self._asked.values():
            asked.place = shift_index(asked.place, place, by)
        self._original = None if self._entry is None else self._entry.original
        self._show_result()
        self.past.refresh()
        self._emit()

    def note(
        self, place: int, text: str, verdict: str, kinds: str, times: Mapping[str, datetime] | None = None
    ) -> None:
        """Store the note, the verdict and the corrected kinds of an entry; `times` are those of restored answers."""
        entries = self.past.model.entries
        entry = entries[place].with_answers(text, verdict, kinds, times)
        if entries[place] is self._entry:
            self._entry = entry
        self.past.model.replace(place, entry)
        self._show_edit()
        self._emit()

    def _write_note(self, place: int, text: str, verdict: str) -> None:
        if 0 <= place < len(self.past.model.entries):
            self._say(place, text, verdict, self.past.model.entries[place].kinds)

    def _say(self, place: int, note: str, verdict: str, kinds: str) -> None:
        answers = note, verdict, kinds
        before = self.past.model.entries[place]
        if before.answers != answers:
            self.note(place, *answers)
            self.noted.emit(place, before, answers)

    def _set_original(self, place: int | None) -> None:
        self._original = place
        self._show_edit()

    def _emit(self) -> None:
        self.history_changed.emit(self.history)
