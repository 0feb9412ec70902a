"""Undo and redo in the window: verdicts, notes, saved selections and labels, also after a restart."""

from __future__ import annotations

import json
from datetime import UTC, datetime, tzinfo

import numpy as np
import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from waiting import at_rest

from parapluie_gui import places
from parapluie_gui.judgements.scheme import pair_verdict
from parapluie_gui.metrics.changes.kinds import kind_texts
from parapluie_gui.scores.signature import Signature, pair_key
from parapluie_gui.storage.store import ScoreStore
from parapluie_gui.ui.bench import entry as entry_module
from parapluie_gui.ui.bench.entry import BenchEntry
from parapluie_gui.ui.window.bench import bench_records

TEXT = "source\thypothesis\tlabel\n" + "".join(f"One {n}.\tTwo {n}.\t{n % 2}\n" for n in range(6))


@pytest.fixture
def window(open_window, qtbot):
    window = open_window()
    with qtbot.waitSignal(window.state.corpora.corpora_changed, timeout=10_000):
        window.state.corpora.open_text(TEXT)
    return window


def undo(window):
    window.actions_by_name["state.history.undo"].trigger()


def redo(window):
    window.actions_by_name["state.history.redo"].trigger()


def undo_words(window) -> str:
    action = window.actions_by_name["state.history.undo"]
    return action.text() if action.isEnabled() else ""


def test_verdicts_and_notes_are_undone_one_by_one(window, qtbot):
    notes, selection = window.state.notes, window.workspace.selection
    assert undo_words(window) == ""
    window.verdicts.fourth()
    window.verdicts.first()
    selection.set_primary(2)
    notes.write(2, "o", "")
    notes.write(2, "odd", "")
    assert undo_words(window) == "&Undo note on pair 3"
    undo(window)
    assert notes.note_and_verdict(2) == ("", "") and window.pair.verdict.text == "", "typed continuously: one step"
    assert window.banner.text == "Undone: note on pair 3."
    assert undo_words(window) == "&Undo “very different” on pair 1"
    undo(window)
    assert selection.primary == 0 and notes.note_and_verdict(0)[1] == "same_meaning", "the changed pair is shown"
    undo(window)
    assert notes.note_and_verdict(0)[1] == "" and undo_words(window) == "" and "verdict" not in window.workspace.people
    redo(window)
    redo(window)
    assert notes.note_and_verdict(0)[1] == "very_different" and window.pair.verdict.verdict == "very_different"
    window.verdicts.first()  # reverses it by hand
    assert undo_words(window) == "&Undo “very different” removed on pair 1"
    assert not window.actions_by_name["state.history.redo"].isEnabled(), "a new change discards the redo steps"


def test_steps_survive_a_restart(window, open_window, qtbot):
    window.verdicts.second()
    window.state.notes.write(0, "a note", "slightly_similar")
    undo(window)
    window.close()
    again = open_window()
    again.state.corpora.show_last()
    qtbot.waitUntil(lambda: again.workspace.corpus is not None and at_rest(again.workspace), timeout=10_000)
    assert again.state.notes.note_and_verdict(0) == ("", "slightly_similar")
    redo(again)
    assert again.state.notes.note_and_verdict(0) == ("a note", "slightly_similar")
    undo(again)
    undo(again)
    assert again.state.notes.note_and_verdict(0) == ("", "") and undo_words(again) == ""


def test_selections_and_labels_are_restored(window, qtbot):
    sets, corpora = window.state.sets, window.state.corpora
    sets.keep("mine", np.array([1, 2]))
    sets.keep("mine", np.array([3]))
    undo(window)
    assert sets.sets["mine"].tolist() == [1, 2]
    undo(window)
    assert not sets.sets and window.state.session.flush_changes()
    redo(window)
    assert sets.sets["mine"].tolist() == [1, 2]
    before = window.workspace.corpus.label.tolist()
    with qtbot.waitSignal(corpora.corpora_changed, timeout=10_000):
        corpora.set_role("label", np.array([1] * 6, dtype=np.int8))
    assert window.workspace.corpus.label.tolist() == [1] * 6
    assert undo_words(window) == "&Undo new labels"
    with qtbot.waitSignal(corpora.corpora_changed, timeout=10_000):
        undo(window)
    assert window.workspace.corpus.label.tolist() == before


def test_a_step_on_a_different_corpus_shows_it_and_steps_of_closed_corpora_are_skipped(window, qtbot):
    corpora = window.state.corpora
    window.verdicts.fifth()
    first = corpora.number
    with qtbot.waitSignal(corpora.corpora_changed, timeout=10_000):
        corpora.open_text("source\thypothesis\nA.\tB.\n")
    window.verdicts.first()
    second = corpora.number
    corpora.show_corpus(0)
    qtbot.waitUntil(lambda: corpora.number == first and not window.state.queue.busy, timeout=10_000)
    undo(window)
    qtbot.waitUntil(lambda: corpora.number == second and not window.state.queue.busy, timeout=10_000)
    assert window.state.notes.answer(0, pair_verdict()[0], pair_verdict()[1].id) == ""
    corpora.close(second)  # like a corpus closed so long ago that its step is no longer stored
    qtbot.waitUntil(lambda: corpora.number == first and not window.state.queue.busy, timeout=10_000)
    redo(window)
    assert corpora.number == first and window.state.notes.note_and_verdict(0)[1] == "dont_know", "its corpus is closed"
    undo(window)
    assert window.state.notes.note_and_verdict(0)[1] == ""


def test_a_closed_corpus_is_restored_with_its_annotations_even_after_a_restart(window, open_window, qtbot):
    window.verdicts.fifth()
    first = window.state.corpora.number
    window.files.remove_corpus()
    assert window.state.corpora.entries == () and window.workspace.corpus is None
    assert undo_words(window) == "&Undo closing of Pasted pairs"
    window.close()
    again = open_window()
    corpora, notes = again.state.corpora, again.state.notes
    assert corpora.entries == ()
    undo(again)
    qtbot.waitUntil(lambda: corpora.number == first and not again.state.queue.busy, timeout=10_000)
    assert notes.note_and_verdict(0)[1] == "dont_know" and [entry.id for entry in corpora.entries] == [first]
    undo(again)
    assert notes.note_and_verdict(0)[1] == ""
    for _ in range(2):
        redo(again)
    assert corpora.entries == () and again.workspace.corpus is None
    with qtbot.waitSignal(corpora.corpora_changed, timeout=10_000):
        corpora.open_text("source\thypothesis\nA.\tB.\n")
    assert [entry.id for entry in corpora.entries] == [corpora.number] != [first]
    again.files.remove_corpus()
    undo(again)
    undo(again)
    qtbot.waitUntil(lambda: corpora.number == first and not again.state.queue.busy, timeout=10_000)
    assert corpora.entries[0].id == first and len(corpora.entries) == 2


def test_a_new_session_has_nothing_to_undo(window, qtbot):
    window.verdicts.first()
    with qtbot.waitSignal(window.state.session.opened, timeout=10_000):
        window.state.session.new()
    assert undo_words(window) == ""


def bench_pair(window, source: str, hypothesis: str, note: str = "") -> None:
    window.bench.take([BenchEntry(source, hypothesis, {"edit_distance": 0.5}, note=note)])


def test_bench_pairs_are_judged_collected_and_undone(window, qtbot):
    window.tabs.show_bench()
    bench, corpora = window.bench, window.state.corpora
    bench_pair(window, "A cat.", "The cat.")
    bench_pair(window, "A dog.", "The dog.", note="a note")
    window.verdicts.third()
    assert bench.history[-1].verdict == "mostly_similar", "keys judge the typed pair while the Bench is visible"
    assert window.state.notes.note_and_verdict(0) == ("", "")
    undo(window)
    assert bench.history[-1].verdict == "" and bench.verdict.verdict == ""
    redo(window)

    before = corpora.number
    bench.past.list.selectAll()
    with qtbot.waitSignal(corpora.corpora_changed, timeout=10_000):
        window.collecting.collect(None)
    corpus = window.workspace.corpus
    assert corpus.name == "Bench" and list(corpus.source) == ["A cat.", "A dog."]
    assert window.state.notes.note_and_verdict(1) == ("a note", "mostly_similar")

    window.state.notes.write(0, "stays", "")
    with qtbot.waitSignal(corpora.collected, timeout=10_000):
        window.collecting.collect(before)
    corpus = window.workspace.corpus
    assert corpora.number == before and len(corpus) == 8 and list(corpus.hypothesis[-2:]) == ["The cat.", "The dog."]
    assert corpus.label.tolist() == [0, 1, 0, 1, 0, 1, -1, -1], "columns that the pairs lack are missing values"
    assert window.state.notes.note_and_verdict(7) == ("a note", "mostly_similar")
    assert undo_words(window) == "&Undo 2 pairs added to Pasted pairs"
    with qtbot.waitSignal(corpora.corpora_changed, timeout=10_000):
        undo(window)
    assert len(window.workspace.corpus) == 6 and not window.state.notes.records()
    with qtbot.waitSignal(corpora.corpora_changed, timeout=10_000):
        redo(window)
    assert len(window.workspace.corpus) == 8 and undo_words(window) == "&Undo 2 pairs added to Pasted pairs"


def test_collected_pairs_include_their_scores(window, qtbot):
    """Scores shown in the Bench are in the new corpus at once; cached scores under a different number do not count."""
    texts = [("A cat.", "The cat."), ("A dog.", "The dog.")]
    shown, other = (Signature("edit_distance", (("version", version),)) for version in "12")
    judge = Signature("pluie.direct", (("model", "one"),))
    with ScoreStore(places.score_cache()) as cache:
        keys = [pair_key(*text) for text in texts]
        cache.put(shown, keys, [0.5, 0.25])
        cache.put(other, keys, [0.7, 0.7])
        cache.put(judge, keys[:1], [2.0], [0.8], [0.1], ["because"])
    window.tabs.show_bench()
    values = [{"edit_distance": 0.5, "pluie.direct": 2.0}, {"edit_distance": 0.25}]
    window.bench.take([BenchEntry(*each, scores) for each, scores in zip(texts, values, strict=True)])
    with qtbot.waitSignal(window.state.corpora.corpora_changed, timeout=10_000):
        window.collecting.collect(None)
    table = window.workspace.table
    assert table["edit_distance"].tolist() == [0.5, 0.25] and table["pluie.direct"][0] == 2.0
    assert table.count_scores("pluie.direct") == 1 and table["pluie.direct.p_yes"][0] == 0.8
    assert table.signatures == {"edit_distance": shown, "pluie.direct": judge}
    assert window.banner.text == "2 pairs added to the corpus “Bench”. Ctrl+1 shows it."


def test_removed_bench_pairs_are_restored_with_their_copies(window, qtbot):
    bench = window.bench
    bench_pair(window, "One.", "Two.")
    bench.edit_copy(0)
    bench.take([BenchEntry("One.", "Too.", original=0)])
    bench.past.list.set_current_place(0)
    bench.past.list.setFocus()
    qtbot.keyClick(bench.past.list, Qt.Key.Key_Delete)
    assert [(entry.hypothesis, entry.original) for entry in bench.history] == [("Too.", None)]
    undo(window)
    assert [(entry.hypothesis, entry.original) for entry in bench.history] == [("Two.", None), ("Too.", 0)]
    redo(window)
    assert len(bench.history) == 1 and len(window.state.settings.bench) == 1


def test_the_history_is_written_to_a_file(window, qtbot, tmp_path, monkeypatch):
    bench_pair(window, "A cat.", "The cat.", note="mine")
    asked = []
    monkeypatch.setattr(window.exporter, "_ask_for_file", lambda *args: asked.append(args))
    window.bench.past.export_button.click()
    _, formats, write, name = asked[0]
    with qtbot.waitSignal(window.exporter.written, timeout=10_000):
        write(tmp_path / "bench.csv", formats[0])
    text = (tmp_path / "bench.csv").read_text(encoding="utf-8")
    assert name == "Bench" and "edit_distance" in text and "mine" in text and "The cat." in text


def test_a_verdict_is_exported_with_the_time_when_it_was_given(window, monkeypatch):
    """The time is stored in the session, and undoing a later answer restores it."""
    given, later = (datetime(2026, 11, 27, 12, minute, tzinfo=UTC) for minute in (33, 42))
    bench_pair(window, "A cat.", "The cat.")
    monkeypatch.setattr(entry_module, "datetime", FixedClock(given))
    window.bench.note(0, "", "mostly_similar", "")
    monkeypatch.setattr(entry_module, "datetime", FixedClock(later))
    window.bench.verdict.forget()
    window.bench.bring_back(0)
    window.bench.note(0, "a note", "mostly_similar", "")

    (entry,) = [BenchEntry.from_dict(json.loads(json.dumps(entry.as_dict()))) for entry in window.bench.history]
    note, verdict = bench_records([entry], "Ann")
    assert (verdict.answer, verdict.changed) == ("mostly_similar", given)
    assert (note.answer, note.changed) == ("a note", later)

    window.tabs.show_bench()
    window.verdicts.first()
    assert window.bench.history[0].times["verdict"] == later
    undo(window)
    assert window.bench.history[0].times["verdict"] == given, "undone answers have their own time again"


class FixedClock:
    """Replaces the class `datetime` in a module, with a clock that stands still."""

    fromisoformat = staticmethod(datetime.fromisoformat)

    def __init__(self, time: datetime) -> None:
        self._time = time

    def now(self, zone: tzinfo) -> datetime:
        return self._time.astimezone(zone)


def test_a_corrected_kind_of_change_is_stored_and_can_be_undone(window):
    corpus = window.workspace.corpus
    window.workspace.selection.set_primary(1)
    window.pair.correct_kinds("1. One → Two: name")
    assert window.workspace.people["type_corrected"][1] == "1. One → Two: name"
    assert kind_texts(window.workspace.kinds.numbers)[1] == "name"
    assert undo_words(window) == f"&Undo kinds of change of pair {corpus.id[1]}"
    undo(window)
    assert "type_corrected" not in window.workspace.people and not window.workspace.kinds.corrected


def test_a_kind_corrected_in_the_bench_stays_with_its_pair(window):
    bench = window.bench
    bench.take([BenchEntry("One.", "Two.", {"edit_distance": 0.5}, note="mine")])
    window.tabs.show_bench()
    assert bench.corrections() == ""
    bench.correct_kinds("1. One → Two: name")
    assert bench.history[-1].answers == ("mine", "", "1. One → Two: name")
    assert BenchEntry.from_dict(bench.history[-1].as_dict()) == bench.history[-1]
    assert undo_words(window) == "&Undo kinds of change of “Two.” in the Bench"
    undo(window)
    assert bench.history[-1].answers == ("mine", "", "")
    redo(window)
    assert bench.history[-1].kinds == "1. One → Two: name"
    (note, correction) = bench_records(bench.history, "Ann")
    assert (correction.scheme, correction.answer) == ("change_types", "1. One → Two: name") and note.answer == "mine"


def test_each_movement_of_the_threshold_is_one_step(window, qtbot):
    workspace, scatter = window.workspace, window.scatter
    workspace.set_axes(y="length")
    natural = workspace.threshold
    spin, line = scatter.bar.spin, scatter.canvas.line
    spin.selectAll()
    QTest.keyClicks(spin, "12")  # each key moves the line
    QTest.keyClick(spin, Qt.Key.Key_Return)
    line.dragged.emit(5.5)
    line.dragged.emit(6.5)
    line.dropped.emit(12.0, 6.5)
    assert undo_words(window) == "&Undo threshold 6.5 of Length"
    workspace.set_axes(y="label")
    undo(window)
    assert (workspace.y, workspace.threshold) == ("length", 12.0), "the score is shown again"
    assert undo_words(window) == "&Undo threshold 12 of Length"
    undo(window)
    assert workspace.threshold == natural and undo_words(window) == ""
    redo(window)
    assert workspace.threshold == 12.0 and window.banner.text == "Redone: threshold 12 of Length."
    scatter.bar.reset()
    undo(window)
    assert workspace.threshold == 12.0


def test_a_threshold_of_another_corpus_is_undone_there(window, qtbot):
    first = window.state.corpora.number
    window.workspace.set_axes(y="length")
    natural = window.workspace.threshold
    window.workspace.move_threshold(3.0)
    with qtbot.waitSignal(window.state.corpora.corpora_changed, timeout=10_000):
        window.state.corpora.open_text("source\thypothesis\nA.\tB.\n")
    qtbot.waitUntil(lambda: window.state.corpora.number != first and at_rest(window.workspace))
    undo(window)
    qtbot.waitUntil(lambda: window.state.corpora.number == first and at_rest(window.workspace), timeout=10_000)
    assert (window.workspace.y, window.workspace.threshold) == ("length", natural)


@pytest.mark.parametrize("keys", [QKeySequence.StandardKey.Undo, QKeySequence.StandardKey.Redo])
def test_undo_belongs_to_the_window_while_a_threshold_is_typed(window, keys):
    key = QKeySequence(keys)[0]
    event = QKeyEvent(QEvent.Type.ShortcutOverride, key.key(), key.keyboardModifiers(), "")
    QApplication.sendEvent(window.scatter.bar.spin, event)
    assert not event.isAccepted()
