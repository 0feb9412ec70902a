"""Recording of changes in the session's history, and undoing them."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping
from math import isnan, nan
from typing import Any

import numpy as np
from PySide6.QtGui import QAction

from parapluie_gui.arrays import Rows
from parapluie_gui.errors import one_line
from parapluie_gui.judgements.record import NOTE
from parapluie_gui.judgements.scheme import find_scheme
from parapluie_gui.metrics.changes import corrections
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.ui.bench.entry import BenchEntry, times_as_json, times_from_json
from parapluie_gui.ui.state.history import HistoryStep
from parapluie_gui.ui.state.notes import AnswerChange
from parapluie_gui.ui.widgets.text import pairs_words
from parapluie_gui.ui.window.context import WindowContext, WindowController

#: NumPy types in which arrays are stored: rows, labels, human scores.
_KINDS = {"set": "<i8", "label": "<i1", "human": "<f8"}

#: Largest number of characters of a name or an id in the text of a step.
_LONGEST = 40


class UndoRecorder(WindowController):
    """Records and undoes changes of judgements, threshold, selections, corpora, pairs and labels; names the actions."""

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context)
        state, bench = self._state, self._bench
        self._history = state.history
        self._putting = False
        state.corpora.collected.connect(self._take_pairs)
        bench.removed.connect(self._take_removal)
        bench.noted.connect(self._take_bench_note)
        self._history.handle("pairs", self._put_pairs)
        self._history.handle("bench", self._put_entry)
        self._history.handle("bench note", self._put_bench_note)
        state.notes.answered.connect(self._take_answer)
        state.sets.saved.connect(self._take_set)
        state.corpora.role_set.connect(self._take_role)
        state.corpora.closed.connect(self._take_closing)
        self._history.handle("corpus", self._put_corpus)
        self._history.handle("answer", self._put_answer)
        self._history.handle("set", self._put_set)
        self._history.handle("role", self._put_role)
        self._workspace.threshold_moved.connect(self._take_threshold)
        self._history.handle("threshold", self._put_threshold)

    def name_actions(self, undo: QAction, redo: QAction) -> None:
        """Show the step to undo or redo in the actions' text."""

        def show() -> None:
            words = (undo, self.tr("&Undo"), self._history.undo_text), (redo, self.tr("&Redo"), self._history.redo_text)
            for action, word, text in words:
                action.setText(f"{word} {text.replace('&', '&&')}" if text else word)
                action.setEnabled(bool(text))

        self._history.changed.connect(show)
        show()

    # Judgements

    def _take_answer(self, change: AnswerChange) -> None:
        row, _, scheme, question = change.key
        note = (scheme, question) == NOTE
        corpus = self._workspace.corpus
        pair = str(row + 1) if corpus is None else _short(corpus.id[row])
        if note:
            words = self.tr("note on pair {0}").format(pair)
        elif scheme == corrections.SCHEME:
            words = self.tr("kinds of change of pair {0}").format(pair)
        else:
            words = self.tr("{0} on pair {1}").format(self._answer(scheme, question, change), pair)
        self._history.record(
            HistoryStep("answer", words, change.number, list(change.key), change.before, change.after, typed=note)
        )

    def _answer(self, scheme: str, question: str, change: AnswerChange) -> str:
        chosen_scheme = find_scheme(scheme, self._state.notes.schemes)
        asked = None if chosen_scheme is None else chosen_scheme.question(question)
        answer = None if asked is None else asked.answer(change.after or change.before)
        word = answer.word if answer is not None else change.after or change.before
        return self.tr("“{0}”").format(_short(word)) if change.after else self.tr("“{0}” removed").format(_short(word))

    def _put_answer(self, number: int | None, where: Any, answer: Any) -> None:
        row, annotator, scheme, question = where
        assert number is not None
        if number == self._state.corpora.number:
            self._workspace.selection.set_primary(int(row))
        self._state.notes.restore_answer(number, (int(row), str(annotator), str(scheme), str(question)), str(answer))
        self._state.corpora.bring(number)

    # Threshold

    def _take_threshold(self, start: float, value: float) -> None:
        column, shown = self._workspace.y, f"{value:.4g}".replace("-", "−")
        words = self.tr("threshold {0} of {1}").format(shown, _short(self._workspace.title(column)))
        if (number := self._state.corpora.number) is not None:
            where = [column, start]
            self._history.record(HistoryStep("threshold", words, number, where, start, value, typed=True))

    def _put_threshold(self, number: int | None, where: Any, value: Any) -> None:
        assert number is not None
        column, threshold = str(where[0]), float(value)
        if number != self._state.corpora.number:  # the corpus is shown with its stored view
            settings = self._state.settings
            settings.keep_view(number, {**settings.view(number), "y": column, "threshold": threshold})
            self._state.corpora.bring(number)
        elif column in self._workspace.numeric_columns():
            self._workspace.set_axes(y=column)
            self._workspace.set_threshold(threshold)
        else:
            raise LookupError(column)

    # Saved selections

    def _take_set(self, number: int, name: str, before: Rows | None, rows: Rows) -> None:
        words = self.tr("saved selection “{0}”").format(_short(name))
        self._history.record(
            HistoryStep("set", words, number, name, _pack_array(before, "set"), _pack_array(rows, "set"))
        )

    def _put_set(self, number: int | None, name: Any, rows: Any) -> None:
        assert number is not None
        self._state.sets.put(number, str(name), None if rows is None else _unpack_array(rows, "set").astype(np.int64))

    # Corpora

    def _take_closing(self, number: int, name: str) -> None:
        words = self.tr("closing of {0}").format(_short(name))
        self._history.record(HistoryStep("corpus", words, None, [number, name], True, False))
        self._state.corpora.forget_closed({step.where[0] for step in self._history.steps("corpus")})

    def _put_corpus(self, _: int | None, where: Any, there: Any) -> None:
        number, name = int(where[0]), str(where[1])
        if there:
            self._state.corpora.reopen(number, name)
        else:
            self._state.corpora.close(number)

    # Pairs

    def _take_pairs(self, number: int, count: int, pairs: Corpus) -> None:
        if self._putting:
            self._putting = False
            return
        name = next((entry.name for entry in self._state.corpora.entries if entry.id == number), "")
        words = self.tr("{0} added to {1}").format(pairs_words(len(pairs)), _short(name))
        texts = {"name": pairs.name, "id": list(pairs.id), "source": list(pairs.source)}
        self._history.record(
            HistoryStep("pairs", words, number, count, None, {**texts, "hypothesis": list(pairs.hypothesis)})
        )

    def _put_pairs(self, number: int | None, count: Any, pairs: Any) -> None:
        assert number is not None
        if pairs is None:
            self._state.corpora.keep_pairs(number, int(count))
        else:
            self._putting = True
            self._state.corpora.collect(number, Corpus(**pairs), lambda first: [])

    def _take_removal(self, place: int, entry: BenchEntry, copies: list[int]) -> None:
        words = self.tr("removal of “{0}” from the Bench").format(_short(entry.hypothesis))
        self._history.record(
            HistoryStep("bench", words, None, place, {"entry": entry.as_dict(), "copies": copies}, None)
        )

    def _put_entry(self, number: int | None, place: Any, stored: Any) -> None:
        if stored is None:
            self._bench.take_out(int(place))
        else:
            self._bench.put_in(
                int(place), BenchEntry.from_dict(stored["entry"]), [int(copy) for copy in stored["copies"]]
            )

    def _take_bench_note(self, place: int, before: BenchEntry, answers: tuple[str, str, str]) -> None:
        typed = answers[0] != before.note
        words = self.tr("kinds of change of “{0}” in the Bench")
        if typed:
            words = self.tr("note on “{0}” in the Bench")
        elif answers[1] != before.verdict:
            words = self.tr("verdict on “{0}” in the Bench")
        where = [place, before.source, before.hypothesis]
        words = words.format(_short(before.hypothesis))
        after = self._bench.history[place]
        self._history.record(
            HistoryStep(
                "bench note", words, None, where, _written_answers(before), _written_answers(after), typed=typed
            )
        )

    def _put_bench_note(self, number: int | None, where: Any, answers: Any) -> None:
        place, *texts = where
        history = self._bench.history
        fitting = [at for at, entry in enumerate(history) if [entry.source, entry.hypothesis] == texts]
        # Its place may have changed, as pairs may have been removed.
        at = place if place in fitting else fitting[-1]
        text, verdict, kinds = map(str, answers[:3])
        times = times_from_json(answers[3]) if len(answers) > 3 else None  # steps of earlier versions have none
        self._bench.note(at, text, verdict, kinds, times)

    # Labels, human scores and annotators

    def _take_role(self, number: int, role: str, before: Any, values: Any) -> None:
        if role == "annotators":
            words, old, new = self.tr("new annotators"), _written_annotators(before), _written_annotators(values)
            self._history.record(HistoryStep("role", words, number, role, old, new))
            return
        words = self.tr("new labels") if role == "label" else self.tr("new human scores")
        self._history.record(
            HistoryStep("role", words, number, role, _pack_array(before, role), _pack_array(values, role))
        )

    def _put_role(self, number: int | None, role: Any, values: Any) -> None:
        assert number is not None
        if role == "annotators":
            people = {str(name): nan if least is None else float(least) for name, least in dict(values).items()}
            self._state.corpora.put_annotators(number, people)
            return
        if role not in ("label", "human"):
            raise ValueError(role)
        self._state.corpora.put_role(number, role, None if values is None else _unpack_array(values, role))


def _pack_array(values: Any, kind: str) -> str | None:
    """Return an array as text; None stays None."""
    return None if values is None else base64.b64encode(zlib.compress(values.astype(_KINDS[kind]).tobytes())).decode()


def _unpack_array(text: Any, kind: str) -> Any:
    """Return the array of a text from `_pack_array`.

    Raises:
        ValueError: The text is not a packed array.
    """
    try:
        return np.frombuffer(zlib.decompress(base64.b64decode(text)), dtype=_KINDS[kind])
    except zlib.error as error:
        raise ValueError(kind) from error


def _written_answers(entry: BenchEntry) -> list[object]:
    """Return note, verdict, kinds and their times as JSON values."""
    return [*entry.answers, times_as_json(entry.times)]


def _written_annotators(annotators: Mapping[str, float]) -> dict[str, float | None]:
    return {name: None if isnan(least) else least for name, least in annotators.items()}


def _short(text: str) -> str:
    line = one_line(text)
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"
