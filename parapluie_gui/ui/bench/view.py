"""The Bench: type a pair, press Enter, see its scores; a history; copies to edit, with the effect of the edit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QSplitter, QWidget

from parapluie_gui.pluie.evidence import Evidence
from parapluie_gui.ui.bench.change import EditChange
from parapluie_gui.ui.bench.entry import BenchEntry
from parapluie_gui.ui.bench.fields import BenchFields
from parapluie_gui.ui.bench.history import HistoryView
from parapluie_gui.ui.bench.paraphrases import ParaphrasesPanel
from parapluie_gui.ui.pair.scores_panel import FIRST_BASELINES, ScoresPanel
from parapluie_gui.ui.pair.sentences import SentencesView
from parapluie_gui.ui.pair.why import WhyView
from parapluie_gui.ui.state.throttle import Throttle
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, button, scrolled, vbox, widget_of
from parapluie_gui.ui.widgets.text import set_type_size
from parapluie_gui.ui.widgets.theme import Theme
from parapluie_gui.ui.widgets.wrapped import WrappedText

#: The difference follows the typing after this pause.
TYPING_MS = 120


@dataclass
class _Asked:
    """A request under way: its scores so far, and its place in the history, None before the first scores."""

    entry: BenchEntry
    place: int | None = None


class BenchView(QWidget):
    """Two fields, the live difference, the scores in place, and the history.

    It knows no worker: the receiver of `score_requested` answers with `show_stage`, `show_scores` (any number of
    times), and at the end `finish` or `show_error`.

    Attributes:
        sentences: The live difference.
        change: The edit of a copy.
        paraphrases: Candidates that a judge writes, hidden until they are wanted.

    Signals:
        score_requested: (request, source, hypothesis) The pair is to be scored; the number comes back with the answers.
        history_changed: (list of BenchEntry, oldest first) An entry came or got its scores.
    """

    score_requested = Signal(int, str, str)
    history_changed = Signal(list)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("manual_page", "bench")
        self._columns: list[str] = []
        self._asked: dict[int, _Asked] = {}
        self._request = 0
        self._entry: BenchEntry | None = None
        self._original: int | None = None
        self._point_size = self.font().pointSizeF()
        self._build(theme)
        self._comparing = Throttle(self._show_difference, TYPING_MS, self, rest=True)
        self.apply_theme(theme)
        self._show_result()

    @property
    def history(self) -> list[BenchEntry]:
        return list(self._history.entries.entries)

    @property
    def busy(self) -> bool:
        """Whether scores are still to come."""
        return bool(self._asked)

    def set_columns(self, columns: Sequence[str]) -> None:
        """Set the scores to come, which are listed as not scored yet."""
        self._columns = list(columns)
        self.why.set_columns(columns)
        self._show_result()

    def set_history(self, history: Sequence[BenchEntry]) -> None:
        """Show the history of another session, oldest first; requests under way are forgotten."""
        self._asked.clear()
        self._history.entries.reset(history)
        self._entry = None
        self._set_original(None)
        self.fields.set_busy("")
        self._show_result()
        self._show_history()

    def open_copy(self, source: str, hypothesis: str, values: Mapping[str, float] | None = None) -> None:
        """Begin an edited copy of a pair from elsewhere; with its scores the change can be shown.

        The pair itself comes into the history, as the original.
        """
        history = self._history.entries.entries
        same = (at for at, entry in enumerate(history) if (entry.source, entry.hypothesis) == (source, hypothesis))
        place = next(same, None)
        if place is None:
            place = self._history.entries.append(BenchEntry(source, hypothesis, dict(values or {})))
            self._emit()
        elif values and not history[place].values:
            self._history.entries.replace(place, replace(history[place], values=dict(values)))
            self._emit()
        self.edit_copy(place)

    def take(self, entries: Sequence[BenchEntry]) -> None:
        """Put scored pairs into the history, and show the last of them."""
        places = [self._history.entries.append(entry) for entry in entries]
        self._show_history()
        self.bring_back(places[-1])
        self._emit()

    def show_paraphrases(self, source: str | None = None) -> None:
        """Show the paraphrases, of another sentence if one is given, ready to be written."""
        if source is not None:
            self._set_texts(source, "")
            self._entry = None
            self._set_original(None)
            self._show_result()
        self.fields.paraphrase_button.setChecked(True)
        self.paraphrases.write_button.setFocus()

    def edit_copy(self, place: int) -> None:
        self.bring_back(place)
        self._set_original(place)
        self.fields.hypothesis.setFocus()
        self.fields.hypothesis.selectAll()

    def bring_back(self, place: int) -> None:
        """Show an entry of the history again, with its result."""
        entry = self._history.entries.entries[place]
        self._set_texts(entry.source, entry.hypothesis)
        self._entry = entry
        self._set_original(entry.original)
        self._history.set_current_place(place)
        self.fields.hint.say("")
        self._show_result()

    def score(self) -> None:
        """Ask for the scores of the pair in the fields."""
        if not self.fields.complete():
            return
        source, hypothesis = self.fields.texts()
        self.fields.hint.say("")
        self._request += 1
        self._entry = BenchEntry(source, hypothesis, original=self._original)
        self._asked[self._request] = _Asked(self._entry)
        self.fields.set_busy(self.tr("Scoring …"))
        self._show_difference()
        self._show_result()
        self.score_requested.emit(self._request, source, hypothesis)

    def show_stage(self, request: int, text: str) -> None:
        """Show what is being done before scores can come ("Loading …")."""
        if request == self._request and request in self._asked:
            self.fields.set_busy(text)

    def show_scores(
        self,
        request: int,
        values: Mapping[str, float],
        evidence: Mapping[str, Evidence] | None = None,
        prompts: Mapping[str, str] | None = None,
    ) -> None:
        """Take in scores of a request, as many times as they come; late ones of older requests go to the history."""
        asked = self._asked.get(request)
        if asked is None:
            return
        entry = asked.entry
        asked.entry = replace(
            entry,
            values={**entry.values, **values},
            evidence={**entry.evidence, **(evidence or {})},
            prompts={**entry.prompts, **(prompts or {})},
        )
        if asked.place is None:
            asked.place = self._history.entries.append(asked.entry)
            self._show_history()
        else:
            self._history.entries.replace(asked.place, asked.entry)
        if self._entry is entry:
            self._entry = asked.entry
            self._history.set_current_place(asked.place)
            self._show_result()
        self._emit()

    def finish(self, request: int) -> None:
        """Note that no more scores of a request will come."""
        self._asked.pop(request, None)
        if request == self._request:
            self.fields.set_busy("")

    def show_error(self, request: int, text: str) -> None:
        """Show in one sentence why a request failed; scores that came before stay."""
        self.finish(request)
        if request == self._request:
            self.fields.hint.say(text)
            if self._entry is not None and not self._entry.values:
                self._entry = None
                self._show_result()

    def clear(self) -> None:
        """Clear both fields; the history stays."""
        self._set_texts("", "")
        self._entry = None
        self._set_original(None)
        self.fields.hint.say("")
        self._show_result()
        self.fields.source.setFocus()

    def apply_theme(self, theme: Theme) -> None:
        for part in (self.sentences, self.change, self.scores, self.why, self._history):
            part.apply_theme(theme)

    def set_scale(self, factor: float) -> None:
        set_type_size(self, self._point_size * factor)
        for part in (self.sentences, self.change, self.scores):
            part.set_scale(factor)

    def _build(self, theme: Theme) -> None:
        self.fields = BenchFields()
        self.fields.entered.connect(self.score)
        self.fields.typed.connect(self._typed)
        self.fields.cleared.connect(self.clear)
        self.paraphrases = ParaphrasesPanel()
        self.paraphrases.hide()
        self.paraphrases.taken.connect(self.take)
        self.fields.paraphrase_button.toggled.connect(self.paraphrases.setVisible)
        self.sentences = SentencesView(theme)
        self.change = EditChange(theme)
        self._stale = WrappedText(muted=True)
        self._stale.setText(self.tr("The text has changed since it was scored. Press Enter to score it again."))
        self.scores = ScoresPanel(theme)
        self.scores.chosen.connect(self._show_evidence)
        self.why = WhyView(theme, self.sentences)
        parts = (self.fields, self.paraphrases, self.sentences, self.change, self._stale, self.why, self.scores)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.addWidget(scrolled(widget_of(vbox(*parts, 1, margins=(12, 10, 12, 12), spacing=8)), sideways=True))
        split.addWidget(self._build_history(theme))
        split.setStretchFactor(0, 3)
        split.setStretchFactor(1, 1)
        split.setSizes([640, 240])
        split.setChildrenCollapsible(False)
        vbox(split, within=self, margins=NO_MARGINS)
        self.setFocusProxy(self.fields)
        self._show_history()

    def _build_history(self, theme: Theme) -> QWidget:
        self._history = HistoryView(theme)
        self._history.brought_back.connect(self.bring_back)
        self._history.selectionModel().currentChanged.connect(self._show_history)
        self._no_history = WrappedText(muted=True)
        self._no_history.setText(self.tr("Scored pairs are listed here."))
        tip = self.tr("Change the chosen pair and see how its scores move")
        self._copy = button(self.tr("Edit a copy"), self._edit_current, tip)
        heading = QLabel(self.tr("History"))
        heading.setBuddy(self._history)
        return widget_of(vbox(heading, self._no_history, (self._history, 1000), self._copy, 1, margins=(8, 10, 10, 10)))

    def _set_texts(self, source: str, hypothesis: str) -> None:
        self.fields.set_texts(source, hypothesis)
        self._show_difference()

    def _typed(self) -> None:
        self.fields.hint.say("")
        self._comparing.ask()

    def _show_difference(self) -> None:
        self._comparing.stop()
        source, hypothesis = self.fields.texts()
        both = bool(source and hypothesis)
        self.sentences.setVisible(both)
        self.why.setVisible(both)
        if both:
            self.sentences.show_pair(source, hypothesis)
            self.why.set_pair(source, hypothesis)
        self._show_edit()

    def _show_edit(self) -> None:
        """Show which words of the original were edited, and a hint if the scores are not those of the text."""
        texts, entry = self.fields.texts(), self._entry
        self._stale.setVisible(entry is not None and all(texts) and (entry.source, entry.hypothesis) != texts)
        self.change.show_change(self._compared(), *texts)

    def _compared(self) -> BenchEntry | None:
        history = self._history.entries.entries
        at = self._original
        return history[at] if at is not None and 0 <= at < len(history) else None

    def _show_result(self) -> None:
        entry = self._entry
        self.scores.setVisible(entry is not None)
        if entry is not None:
            original = self._compared() if entry.original is not None else None
            first = () if entry.values else FIRST_BASELINES
            columns = dict.fromkeys([*self._columns, *first, *entry.values])
            self.scores.show_values(columns, entry.values, original.values if original is not None else None)
            self._show_evidence(self.scores.column())
        self._show_edit()

    def _show_evidence(self, column: str) -> None:
        entry = self._entry
        if entry is not None:
            prompt = entry.prompts.get(column)
            self.scores.show_evidence(entry.evidence.get(column), lambda: prompt)

    def _show_history(self, *_: object) -> None:
        empty = not self._history.entries.entries
        self._no_history.setVisible(empty)
        self._history.setVisible(not empty)
        self._copy.setVisible(not empty)
        self._copy.setEnabled(self._history.current_place() is not None)

    def _edit_current(self) -> None:
        place = self._history.current_place()
        if place is not None:
            self.edit_copy(place)

    def _set_original(self, place: int | None) -> None:
        self._original = place
        self._show_edit()

    def _emit(self) -> None:
        self.history_changed.emit(self.history)
