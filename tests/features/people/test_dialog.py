"""The blind round, operated only by keys, as an annotator does."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QPushButton, QWidget

from parapluie_gui.features.people.dialog import RoundDialog, RoundStore
from parapluie_gui.features.people.judging import JudgingPage
from parapluie_gui.features.people.round import AnnotationRound, PairAllocation, draw_round, find_next_open
from parapluie_gui.judgements.columns import group_answers
from parapluie_gui.judgements.scheme import load_schemes
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.ui.state.notes import CorpusAnnotations

PAIRS = 8
SECRET = "secret label"


@pytest.fixture
def stored_settings():
    return {}


@pytest.fixture
def notes():
    notes = CorpusAnnotations(lambda work, failure: None)
    notes.show(1, ())
    return notes


@pytest.fixture
def open_dialog(qtbot, notes, stored_settings):
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(1000, 800)
    window.show()
    corpus = Corpus(
        SECRET,
        [f"{SECRET} {row}" for row in range(PAIRS)],
        [f"The first sentence {row}." for row in range(PAIRS)],
        [f"A second sentence {row}." for row in range(PAIRS)],
        label=np.ones(PAIRS, dtype=np.int8),
        group=[SECRET] * PAIRS,
    )

    def assess(name: str, scheme: str, answer: str) -> None:
        stored_settings[name, scheme] = answer

    store = RoundStore(
        stored_settings.get, stored_settings.__setitem__, lambda *who: stored_settings.get(who, ""), assess
    )

    def open_it(selected=None) -> RoundDialog:
        rows = np.arange(PAIRS) if selected is None else np.array(selected)
        dialog = RoundDialog(corpus, rows, notes, store, window)
        qtbot.addWidget(dialog)
        dialog.open()
        qtbot.waitExposed(dialog)
        return dialog

    return open_it


def press(qtbot, dialog, *keys) -> None:
    for key in keys:
        target = dialog.focusWidget() or dialog
        if isinstance(key, str):
            qtbot.keyClicks(target, key)
        else:
            qtbot.keyClick(target, key)
        QApplication.processEvents()


def page(dialog) -> str:
    return type(dialog.stack.currentWidget()).__name__


def words(dialog) -> str:
    """Return all readable text of the current page."""
    result = []
    for each in dialog.stack.currentWidget().findChildren(QWidget):
        if each.isVisible():
            for name in ("text", "toPlainText", "accessibleName", "toolTip"):
                result.append(str(getattr(each, name)() if hasattr(each, name) else ""))
    return "\n".join(result)


def begin(qtbot, dialog, name: str = "Anna", pairs: int = PAIRS, scheme: str = "parapluie") -> None:
    """Fill in the first page and go through guideline, self-assessment and training."""
    dialog.start.scheme.setCurrentIndex(dialog.start.scheme.findData(scheme))
    dialog.start.pairs.setValue(pairs)
    dialog.start.name.setText("")
    dialog.start.name.setFocus()
    press(qtbot, dialog, name, Qt.Key.Key_Return)
    assert page(dialog) == "GuidelinePage"
    press(qtbot, dialog, Qt.Key.Key_Return)
    if page(dialog) == "AssessmentPage":
        press(qtbot, dialog, "4")
    while "Training" in words(dialog):
        press(qtbot, dialog, *"1111"[: len(dialog._scheme.questions)], Qt.Key.Key_Return)


def answers(notes, annotator: str) -> dict[int, str]:
    return {record.row: record.answer for record in notes.records() if record.annotator == annotator}


def test_a_round_can_be_completed_by_keys(open_dialog, notes, stored_settings, qtbot):
    dialog = open_dialog()
    dialog.start.pairs.setValue(5)
    press(qtbot, dialog, "Anna", Qt.Key.Key_Return)
    assert "The cat quenches its thirst." in words(dialog), "the paper's examples"
    press(qtbot, dialog, Qt.Key.Key_Return)
    assert "How good is your English?" in words(dialog)
    press(qtbot, dialog, "3")
    assert stored_settings["Anna", "parapluie"] == "advanced"
    for number in range(5):
        assert f"Training pair {number + 1} of 5" in words(dialog)
        press(qtbot, dialog, "4")
        assert "Expected: " in words(dialog)
        press(qtbot, dialog, Qt.Key.Key_Return)
    assert notes.records() == [], "training is not counted"
    assert notes.annotator == "Anna"
    rows = AnnotationRound.from_setting(stored_settings["parapluie.Anna"], PAIRS).rows
    assert len(rows) == 5
    for number, digit in enumerate("12345"):
        assert f"Pair {number + 1} of 5 · {number} judged" in words(dialog)
        assert f"The first sentence {rows[number]}." in words(dialog)
        assert SECRET not in words(dialog)
        press(qtbot, dialog, digit)
    assert page(dialog) == "EndPage"
    given = ["very_different", "slightly_similar", "mostly_similar", "same_meaning", "dont_know"]
    assert answers(notes, "Anna") == dict(zip(rows, given, strict=True))
    press(qtbot, dialog, Qt.Key.Key_Return)
    assert not dialog.isVisible()


def test_the_first_pages_can_be_skipped_with_the_training(open_dialog, notes, qtbot):
    dialog = open_dialog()
    assert dialog.start.pairs.value() == dialog.start.pairs.maximum() == len(dialog._corpus), "no more than available"
    dialog.start.cancel_button.click()
    assert not dialog.isVisible() and not notes.records()
    dialog = open_dialog()
    press(qtbot, dialog, "Ben", Qt.Key.Key_Return)
    assert page(dialog) == "GuidelinePage" and dialog.guideline.skip.isVisible()
    dialog.guideline.skip.click()
    press(qtbot, dialog, "4")
    assert page(dialog) == "JudgingPage" and "Training" not in words(dialog)


def test_back_changes_an_answer_and_a_note_can_be_typed(open_dialog, notes, qtbot):
    dialog = open_dialog()
    begin(qtbot, dialog)
    first = dialog._round.rows[0]
    press(qtbot, dialog, "1", Qt.Key.Key_Backspace)
    assert "Pair 1 of 8" in words(dialog)
    note = next(each for each in dialog.findChildren(QPlainTextEdit) if each.isVisible())
    press(qtbot, dialog, "n")
    press(qtbot, dialog, "odd 5")
    assert note.toPlainText() == "odd 5", "digits are typed into the note"
    press(qtbot, dialog, Qt.Key.Key_Escape)
    assert dialog.isVisible(), "Escape leaves the note first"
    press(qtbot, dialog, "2")
    assert notes.answer(first, "parapluie", "verdict") == "slightly_similar"
    assert notes.note_and_verdict(first)[0] == "odd 5"
    assert "Pair 2 of 8 · 1 judged" in words(dialog)
    press(qtbot, dialog, Qt.Key.Key_Return)
    assert "Pair 2 of 8" in words(dialog), "no pair is skipped without an answer"


def test_a_round_can_be_paused_and_resumed(open_dialog, notes, qtbot):
    dialog = open_dialog()
    begin(qtbot, dialog)
    press(qtbot, dialog, *"123", Qt.Key.Key_Escape)
    assert not dialog.isVisible()
    again = open_dialog()
    assert again.start.name.text() == "Anna"
    assert "You have judged 3 of 8 pairs" in words(again)
    press(qtbot, again, Qt.Key.Key_Return, Qt.Key.Key_Return)
    assert "Pair 4 of 8 · 3 judged" in words(again), "neither training nor assessment is repeated"
    press(qtbot, again, *"44444")
    assert page(again) == "EndPage"
    assert len(answers(notes, "Anna")) == 8


def test_two_annotators_judge_the_same_pairs_in_different_orders(open_dialog, notes, qtbot):
    orders = {}
    for name in ("Anna", "Ben"):
        dialog = open_dialog()
        begin(qtbot, dialog, name, pairs=6)
        orders[name] = dialog._round.rows
        press(qtbot, dialog, *"444444")
        assert page(dialog) == "EndPage"
        dialog.accept()
    assert sorted(orders["Anna"]) == sorted(orders["Ben"])
    assert orders["Anna"] != orders["Ben"]
    (verdict,) = group_answers(notes.records(), notes.schemes)
    assert verdict.annotators == ("Anna", "Ben")
    assert verdict.majority(PAIRS).tolist().count(1) == 6


def test_three_annotators_get_different_pairs_and_some_in_common(open_dialog, qtbot):
    rounds = []
    for number in (1, 2, 3):
        dialog = open_dialog()
        start = dialog.start
        assert not start.overlap.isVisibleTo(start)
        start.judges.setValue(3)
        start.number.setValue(number)
        start.overlap.setValue(1)
        start.pairs.setValue(3)
        assert f"7 of {PAIRS} pairs are judged, 1 of them by every judge" in start._hint.full_text
        begin(qtbot, dialog, f"judge {number}", pairs=3)
        rounds.append(set(dialog._round.rows))
    assert [len(each) for each in rounds] == [3, 3, 3]
    assert len(set.intersection(*rounds)) == 1 and len(set.union(*rounds)) == 7


def test_every_pair_has_an_annotator_if_there_are_enough():
    """ParaPLUIE, A.3: 50 pairs per judge, drawn so that every pair has at least one judge."""
    among = np.arange(578)
    dealt = [draw_round("s", str(n), among, 50, 1, PairAllocation(12, n, 2)).rows for n in range(1, 13)]
    assert set().union(*dealt) == set(among.tolist()) and PairAllocation(12, 1, 2).count_judged(578, 50) == 578
    assert {len(rows) for rows in dealt} == {50}
    few = [set(draw_round("s", str(n), np.arange(7), 50, 1, PairAllocation(3, n, 1)).rows) for n in (1, 2, 3)]
    assert [len(rows) for rows in few] == [3, 3, 3] and len(set.union(*few)) == 7


def test_a_pair_can_have_four_questions(open_dialog, notes, qtbot):
    dialog = open_dialog()
    begin(qtbot, dialog, scheme="pem", pairs=2)
    first, second = dialog._round.rows
    press(qtbot, dialog, *"543")
    assert "Pair 1 of 2" in words(dialog)
    press(qtbot, dialog, *"92")
    assert "Pair 2 of 2" in words(dialog), "9 is not an answer, 2 is the fourth"
    assert {record.question: record.answer for record in notes.records() if record.row == first} == {
        "adequacy": "5",
        "fluency": "4",
        "dissimilarity": "3",
        "overall": "2",
    }
    assert not any(record.row == second for record in notes.records())


def test_a_round_can_be_limited_to_selected_pairs_and_used_by_mouse(open_dialog, notes, qtbot):
    dialog = open_dialog([2, 5])
    dialog.start.scope.setCurrentIndex(1)
    begin(qtbot, dialog, scheme="paraphrasus")
    assert sorted(dialog._round.rows) == [2, 5]
    yes = next(each for each in dialog.findChildren(QPushButton) if each.text() == "2  Paraphrase")
    qtbot.mouseClick(yes, Qt.MouseButton.LeftButton)
    assert answers(notes, "Anna") == {dialog._round.rows[0]: "yes"}
    assert "Pair 2 of 2 · 1 judged" in words(dialog)


def test_labels_are_reviewed_in_the_given_order_and_shown(open_dialog, notes, qtbot):
    notes.judge(5, "review", "label_review", "unsure")
    dialog = open_dialog()
    dialog.review(np.array([5, 2, 7]))
    press(qtbot, dialog, Qt.Key.Key_Return)
    assert "Pair 2 of 3 · 1 judged" in words(dialog), "earlier reviews are skipped"
    assert "Label: paraphrase" in words(dialog) and "The first sentence 2." in words(dialog)
    press(qtbot, dialog, "2", "1")
    assert page(dialog) == "EndPage"
    assert answers(notes, "") == {5: "unsure", 2: "wrong", 7: "right"}
    (review,) = group_answers(notes.records(), notes.schemes)
    labels = np.ones(PAIRS, dtype=np.int8)
    assert np.flatnonzero(review.correct_labels(labels) == 0).tolist() == [2]


def test_the_guideline_is_available_at_any_time(open_dialog, qtbot):
    dialog = open_dialog()
    begin(qtbot, dialog)
    press(qtbot, dialog, "4", "g")
    assert page(dialog) == "GuidelinePage"
    press(qtbot, dialog, Qt.Key.Key_Return)
    assert "Pair 2 of 8 · 1 judged" in words(dialog)


def test_differences_are_marked_only_if_the_scheme_asks_for_it(qtbot):
    page = JudgingPage()
    qtbot.addWidget(page)
    for scheme in load_schemes()[0]:
        page.begin(scheme)
        page.show_pair("The cat sleeps.", "The dog sleeps.", {})
        assert (page.sentences._differences is not None) == scheme.mark_differences


def test_a_draw_does_not_depend_on_the_order_of_the_table():
    among = np.arange(100)
    one, two = draw_round("s", "A", among, 10, 3), draw_round("s", "A", among[::-1], 10, 3)
    assert one == two and len(one.rows) == 10
    assert set(draw_round("s", "B", among, 10, 3).rows) == set(one.rows)
    assert set(draw_round("s", "A", among, 10, 4).rows) != set(one.rows)
    assert sorted(draw_round("s", "A", np.array([4, 7]), 10, 0).rows) == [4, 7]
    assert draw_round("s", "A", np.array([], dtype=np.int64), 10, 0).rows == ()


BAD = (
    *(None, [], {}, {"scheme": 3}),
    {"scheme": "s", "annotator": "a", "seed": 0, "rows": [9]},
    {"scheme": "s", "annotator": "a", "seed": True, "rows": []},
    {"scheme": "s", "annotator": "a", "seed": 0},
)


@pytest.mark.parametrize("value", BAD)
def test_invalid_stored_rounds_are_ignored(value):
    assert AnnotationRound.from_setting(value, 5) is None


def test_the_next_unanswered_pair_is_found():
    scheme = load_schemes()[0][0]
    done = {3: "x", 5: "x"}
    assert find_next_open([3, 4, 5, 6], scheme, lambda row, question: done.get(row, "")) == 1
    assert find_next_open([3, 4, 5, 6], scheme, lambda row, question: done.get(row, ""), 1) == 3
    assert find_next_open([3, 4, 5], scheme, lambda row, question: done.get(row, ""), 2) == 1
    assert find_next_open([3, 5], scheme, lambda row, question: done.get(row, "")) is None
    assert find_next_open([], scheme, lambda row, question: "") is None
