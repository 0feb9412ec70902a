"""Annotations in the complete window: keys, filter, export, merged copies, answers as labels, blind rounds."""

from __future__ import annotations

import csv
import shutil

import numpy as np
import pytest
from finding import label_text
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialogButtonBox

from parapluie_gui.features.people.dialog import RoundDialog
from parapluie_gui.storage.session import Session
from parapluie_gui.ui.setup.roles_dialog import RolesDialog

PAIRS = [("The cat sat.", "The cat was sitting.", 1), ("A tsunami.", "A tiramisu.", 0), ("It rains.", "Rain falls.", 1)]
ASKED = ("parapluie", "verdict")


@pytest.fixture
def window(open_window, qtbot, tmp_path):
    window = open_window()
    path = tmp_path / "pairs.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("source", "hypothesis", "label"), *PAIRS])
    window.files.open_paths([path])
    qtbot.waitUntil(lambda: window.workspace.corpus is not None, timeout=10_000)
    return window


def people(window):
    return window.features["people"]


def names(window) -> list[str]:
    return [column.key for column in window.table.pairs.columns]


def selected(window) -> list[int]:
    return np.flatnonzero(window.workspace.selection.mask).tolist()


def test_keys_from_the_table_set_verdicts_that_can_be_filtered_and_exported(window, qtbot, tmp_path):
    window.table.setFocus()
    window.workspace.selection.set_primary(0)
    QTest.keyClick(window, Qt.Key.Key_4)
    window.actions_by_name["verdicts.advance"].setChecked(True)
    window.workspace.selection.set_primary(1)
    QTest.keyClick(window, Qt.Key.Key_1)
    assert window.workspace.selection.primary == 2
    QTest.keyClick(window, Qt.Key.Key_N)
    qtbot.waitUntil(window.pair.verdict._note.hasFocus)
    QTest.keyClicks(window.pair.verdict._note, "odd 4")
    window.pair.flush()
    assert [window.state.notes.note_and_verdict(row)[1] for row in range(3)] == ["same_meaning", "very_different", ""]
    assert window.state.notes.note_and_verdict(2)[0] == "odd 4", "digits are typed in text fields"
    assert {"verdict", "note"} <= set(names(window))
    window.filter.set_filter('verdict == "same meaning"')
    assert (window.filter.error, selected(window)) == ("", [0])
    window.filter.set_filter('note contains "ODD"')
    assert (window.filter.error, selected(window)) == ("", [2])
    window.filter.clear()
    with qtbot.waitSignal(window.exporter.written, timeout=60_000):
        window.exporter.write_table(tmp_path / "out.csv", None)
    with (tmp_path / "out.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["verdict.unnamed"] for row in rows] == ["same meaning", "very different", ""]
    assert rows[2]["note"] == "odd 4" and rows[2]["note.unnamed.time"].endswith("+00:00")


def test_a_review_of_labels_corrects_them_and_can_be_undone(window, qtbot):
    window.analysis.links.review_wanted.emit(np.array([1, 0]))
    dialog = window.findChild(RoundDialog)
    for key in (Qt.Key.Key_Return, Qt.Key.Key_2, Qt.Key.Key_1):
        QTest.keyClick(dialog.focusWidget() or dialog, key)
    dialog.accept()
    window.filter.set_filter('label_review == "label is wrong"')
    assert (window.filter.error, selected(window)) == ("", [1])
    (words,) = [words for words in people(window).label_choices() if "corrected" in words]
    assert people(window).label_choices()[words][1].tolist() == [1, 1, 1]
    window.state.history.undo()
    window.state.history.undo()
    assert not window.state.notes.records()


def test_a_filter_on_verdicts_follows_new_verdicts(window):
    window.state.notes.write(0, "", "same_meaning")
    window.filter.set_filter("missing(verdict)")
    assert selected(window) == [1, 2]
    window.state.notes.write(1, "", "dont_know")
    assert selected(window) == [2]


def test_a_copy_is_merged_into_the_open_session(window, qtbot, tmp_path):
    window.annotator.restore({"annotator": "Anna"})
    window.state.notes.write(0, "", "same_meaning")
    with qtbot.waitSignal(window.state.session.saved):
        window.state.session.save_as(tmp_path / "a.pluie")
    shutil.copy(tmp_path / "a.pluie", tmp_path / "b.pluie")
    with Session.open(tmp_path / "b.pluie") as copy:
        copy.judge(1, 0, "Ben", *ASKED, "very_different")
        copy.judge(1, 1, "Anna", *ASKED, "dont_know")
    with qtbot.waitSignal(people(window).message) as told:
        people(window).merge_from(tmp_path / "b.pluie")
    assert told.args == ["2 records from b.pluie were added."]
    assert {(record.row, record.annotator) for record in window.state.notes.records()} == {
        (0, "Anna"),
        (0, "Ben"),
        (1, "Anna"),
    }
    assert "verdict.Ben" in window.workspace.people
    with qtbot.waitSignal(window.state.session.saved):
        window.state.session.save()
    with Session.open(tmp_path / "a.pluie", reading=True) as saved:
        assert len(saved.judgements(1)) == 3


def test_answers_from_a_table_are_imported_into_the_open_session(window, qtbot, tmp_path):
    table = tmp_path / "answers.csv"
    table.write_text("id,worker,answer\n1,Ben,same meaning\n9,Ben,same meaning\n", encoding="utf-8")
    with qtbot.waitSignal(people(window).message) as told:
        people(window).import_from(table)
    assert told.args[0].startswith("1 answer of Ben was added to pairs. 1 was left out: 1 about a pair that")
    assert window.workspace.people["verdict.Ben"] == ["same meaning", None, None]
    table.write_text("id,worker,answer\n9,Ben,same meaning\n", encoding="utf-8")
    with qtbot.waitSignal(window.state.queue.failed) as told:
        people(window).import_from(table)
    assert "no answer can be used" in told.args[0]
    assert len(window.state.notes.records()) == 1


def test_a_file_other_than_a_session_is_not_merged(window, qtbot, tmp_path):
    (tmp_path / "x.pluie").write_text("no session")
    with qtbot.waitSignal(window.state.queue.failed) as told:
        people(window).merge_from(tmp_path / "x.pluie")
    assert "x.pluie" in told.args[0]


def test_answers_become_labels_and_the_files_labels_can_be_restored(window, qtbot):
    assert people(window).label_choices() == {}
    with qtbot.waitSignal(people(window).failed):
        people(window).ask_for_labels()
    notes = window.state.notes
    for name, verdicts in {
        "Anna": ["very_different", "same_meaning"],
        "Ben": ["slightly_similar", "dont_know"],
    }.items():
        notes.set_annotator(name)
        for row, verdict in enumerate(verdicts):
            notes.write(row, "", verdict)
    window.workspace.put(np.arange(3), {"bleu": np.array([0.1, 0.2, 0.3])})
    choices = people(window).label_choices()
    assert list(choices) == [
        "Labels: verdict, majority of annotators",
        "Labels: verdict, by Anna",
        "Labels: verdict, by Ben",
        "Human scores: verdict, mean of annotators",
        "Human scores: verdict, by Anna",
        "Human scores: verdict, by Ben",
    ]

    def use(words: str) -> None:
        with qtbot.waitSignal(window.workspace.corpus_changed):
            people(window).use_answers(words)

    use("Labels: verdict, majority of annotators")
    assert window.workspace.labels().tolist() == [0, 1, -1]
    assert window.workspace.corpus.extra["label (file)"].values.tolist() == [1, 0, 1]
    assert len(notes.records()) == 4, "the answers are kept"
    use("Human scores: verdict, mean of annotators")
    np.testing.assert_array_equal(window.workspace.corpus.human, [1.5, 4.0, np.nan])
    use("Labels: from the file")
    assert window.workspace.labels().tolist() == [1, 0, 1]


def test_answers_given_after_others_became_labels_are_offered(window, qtbot):
    notes, banner, title = window.state.notes, window.banner, "Labels: verdict, majority of annotators"
    notes.write(0, "", "same_meaning")
    with qtbot.waitSignal(window.workspace.corpus_changed):
        people(window).use_answers(title)
    assert window.workspace.labels().tolist() == [1, -1, -1]
    notes.write(1, "", "very_different")
    words = f"There are later answers than in “{title}”."
    qtbot.waitUntil(lambda: banner.text == words)
    with qtbot.waitSignal(window.workspace.corpus_changed):
        banner.action_button.click()
    assert window.workspace.labels().tolist() == [1, 0, -1]
    notes.write(2, "", "same_meaning")
    qtbot.waitUntil(lambda: banner.text == words)
    notes.write(2, "", "")
    qtbot.waitUntil(lambda: banner.text != words)
    with qtbot.waitSignal(window.workspace.corpus_changed):
        people(window).use_answers("Labels: from the file")
    notes.write(2, "", "same_meaning")
    people(window)._offering.stop()
    people(window)._offer_later_answers()
    assert banner.text != words, "other labels are in use"


def test_the_round_opens_from_the_menu_with_its_stored_answers(window, qtbot):
    window.actions_by_name["people.begin_round"].trigger()
    dialog = window.findChild(RoundDialog)
    assert dialog.isVisible() and dialog.isModal()
    dialog.start.scheme.setCurrentIndex(dialog.start.scheme.findData("paraphrasus"))
    dialog.start.name.setText("Cleo")
    dialog.start.begin_asked.emit()
    dialog.guideline.accepted.emit()
    dialog.judging.next_requested.emit()
    for _ in range(3):
        QTest.keyClick(dialog.judging, Qt.Key.Key_2)
    dialog.close()
    assert window.workspace.people["paraphrase"] == ["paraphrase"] * 3
    stored = window.state.settings.values[f"round.{window.state.corpora.number}.paraphrasus.Cleo"]
    assert sorted(stored["rows"]) == [0, 1, 2]
    assert window.annotator.settings() == {"annotator": "Cleo"}


def test_other_columns_become_labels_and_scores_of_an_open_corpus(window, qtbot, tmp_path):
    path = tmp_path / "more.csv"
    rows = [(s, h, label, f"{1 + n % 2}", n) for n, (s, h, label) in enumerate(PAIRS)]
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("source", "hypothesis", "label", "kind", "closeness"), *rows])
    window.files.open_paths([path])
    corpus = window.setup.corpus
    qtbot.waitUntil(lambda: window.workspace.corpus is not None and window.workspace.corpus.name == "more")
    corpus.section.heading.click()
    assert corpus.roles_button.isVisibleTo(corpus)
    corpus.roles_button.click()
    dialog = window.findChild(RolesDialog)
    okay = dialog.buttons.button(QDialogButtonBox.StandardButton.Ok)
    assert not okay.isEnabled() and not dialog.positive.isVisibleTo(dialog)
    dialog.label.choose("kind")
    assert label_text(dialog, "Problem to solve") and not okay.isEnabled()
    dialog.positive.box("2").click()
    dialog.human.choose("closeness")
    assert label_text(dialog, "Problem to solve") == ""
    okay.click()
    qtbot.waitUntil(lambda: window.workspace.corpus.human is not None, timeout=10_000)
    assert window.workspace.corpus.label.tolist() == [0, 1, 0]
    assert window.workspace.corpus.human.tolist() == [0, 1, 2]
    assert window.workspace.corpus.extra["label (file)"].cells() == [1, 0, 1]
    window.state.history.undo()
    window.state.history.undo()
    qtbot.waitUntil(lambda: window.workspace.corpus.label.tolist() == [1, 0, 1], timeout=10_000)
    assert "label (file)" not in window.workspace.corpus.extra, "a column in use needs no additional column"
    assert list(window.workspace.corpus.extra) == ["kind", "closeness"]


def test_columns_of_the_file_become_annotators_whose_agreement_is_computed(window, qtbot, tmp_path):
    path = tmp_path / "crowd.csv"
    rows = [(s, h, anna, ben) for (s, h, _), anna, ben in zip(PAIRS, (5, 2, 4), (4, 4, 5), strict=True)]
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("source", "hypothesis", "Anna", "Ben"), *rows])
    window.files.open_paths([path])
    qtbot.waitUntil(lambda: window.workspace.corpus is not None and window.workspace.corpus.name == "crowd")
    window.setup.corpus.roles_button.click()
    dialog = window.findChild(RolesDialog)
    for name in ("Anna", "Ben"):
        dialog.annotators.box(name).click()
    dialog.least.setValue(4)
    dialog.buttons.button(QDialogButtonBox.StandardButton.Ok).click()
    qtbot.waitUntil(lambda: bool(window.workspace.judgements.questions), timeout=10_000)
    (asked,) = window.workspace.judgements.questions
    assert (asked.annotators, asked.majority(3).tolist()) == (("Anna", "Ben"), [1, -1, 1])
    assert window.workspace.people["answers"].values.tolist() == [4.5, 3.0, 4.5]
    window.state.notes.judge(1, *ASKED, "same_meaning")
    assert window.workspace.people["answers"].values.tolist() == [4.5, 3.0, 4.5], (
        "an answer in the session does not change the column of the file"
    )
    assert "Labels: answers, by Ben" in people(window).label_choices()
    for _ in range(2):  # the answer, then the choice of annotators
        window.state.history.undo()
    qtbot.waitUntil(lambda: not window.workspace.corpus.annotators, timeout=10_000)
    window.state.history.redo()
    qtbot.waitUntil(lambda: window.workspace.corpus.annotators == {"Anna": 4.0, "Ben": 4.0}, timeout=10_000)
