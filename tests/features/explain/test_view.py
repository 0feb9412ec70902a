"""Decisive words: edits, bars, switches and colours, with the scores of a toy metric."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt

from parapluie_gui.features.explain.effects import format_edit
from parapluie_gui.features.explain.view import ExplanationView
from parapluie_gui.metrics.changes.edits import Edits
from parapluie_gui.ui.pair.sentences import SentencesView

SOURCE, HYPOTHESIS = "Shares rose on Friday, the agency reported.", "Shares fell on Monday, the agency announced."
WORTH = {"fell": -4.0, "Monday": -1.0, "announced": 0.5}


def worth(text: str) -> float:
    return 3.0 + sum(WORTH.get(word.strip(".,"), 0.0) for word in text.split())


@pytest.fixture
def why(qtbot):
    sentences = SentencesView()
    view = ExplanationView(sentences)
    qtbot.addWidget(sentences)
    qtbot.addWidget(view)
    view.set_columns(["edit_distance", "pluie.cloze"])
    sentences.show_pair(SOURCE, HYPOTHESIS)
    view.set_pair(SOURCE, HYPOTHESIS)
    view.show()
    return view


def unfold(why, qtbot):
    with qtbot.waitSignal(why.requested, timeout=2000) as request:
        why.fold.click()
    return request.args


def answer(why, plan, score=worth):
    values = np.array([score(text) for text in plan.variants])
    why.show_scores(np.arange(len(values)), values)


def words(why) -> str:
    return f"{why._variant.full_text} {why._notes.full_text} {why._hint.full_text}"


def test_nothing_is_requested_until_the_section_is_unfolded(why, qtbot):
    with qtbot.assertNotEmitted(why.requested, wait=400):
        why.set_pair("a b", "a c")


def test_every_edit_has_its_bar_kind_and_tooltip(why, qtbot):
    plan, column = unfold(why, qtbot)
    assert column == "pluie.cloze"
    assert "8" in words(why)
    answer(why, plan)
    bars = why.bars
    assert [row.title for row in bars.rows] == ["rose → fell", "Friday → Monday", "reported → announced"]
    assert [bars.number(row) for row in range(3)] == ["−4.00", "−1.00", "+0.50"]
    assert [row.towards_yes for row in bars.rows] == [False, False, True]
    assert bars.extra(0) == "antonym" and "opposite" in bars.tip(0) and "Click to undo" in bars.tip(0)
    assert "Put “rose” back and the judge says yes." in words(why)
    assert "+3.00" in words(why) and "−1.50" in words(why)


def test_partial_results_are_shown_before_all_variants_are_scored(why, qtbot):
    plan, _ = unfold(why, qtbot)
    at = [plan.subsets.index(0), plan.subsets.index(1)]
    why.show_scores(np.array(at), np.array([worth(plan.variants[each]) for each in at]))
    assert [why.bars.number(row) for row in range(3)] == ["−4.00", "…", "…"]
    answer(why, plan)
    assert why.bars.number(2) == "+0.50"


def test_a_click_undoes_an_edit_and_shows_the_variant_with_its_score(why, qtbot):
    plan, _ = unfold(why, qtbot)
    answer(why, plan)
    place = why.bars.row_area(0).center().toPoint()
    qtbot.mouseClick(why.bars, Qt.MouseButton.LeftButton, pos=place)
    assert "Shares rose on Monday, the agency announced." in words(why) and "+2.50 yes" in words(why)
    assert why.bars.rows[0].undone and "undone" in why.bars.extra(0)
    why.bars.setFocus()
    qtbot.keyClick(why.bars, Qt.Key.Key_Down)
    qtbot.keyClick(why.bars, Qt.Key.Key_Space)
    assert "Shares rose on Friday, the agency announced." in words(why)
    qtbot.mouseClick(why.bars, Qt.MouseButton.LeftButton, pos=place)
    assert not why.bars.rows[0].undone


def test_every_pair_has_the_scale_of_its_score_and_weak_edits_are_grey(why, qtbot):
    """A judge's bars end at ±10, so that a small effect looks small; if no edit matters, a sentence says so."""
    plan, _ = unfold(why, qtbot)
    answer(why, plan, lambda text: 3.0 + 0.02 * worth(text))
    assert why.bars._limit == 10.0 and [why.bars.grey(row) for row in range(3)] == [True, True, True]
    assert why._sentences._tints == ((), ())
    assert "No word matters here: no edit changes the score by 0.3 or more." in words(why)
    assert "the judge says" not in words(why)


def test_a_word_that_changes_the_verdict_is_not_said_to_matter_nothing(why, qtbot):
    plan, _ = unfold(why, qtbot)
    answer(why, plan, lambda text: 0.01 + 0.02 * worth(text))
    assert "but the score is near its threshold:" in words(why) and "the judge says" in words(why)
    assert "No word matters" not in words(why)


def test_edits_without_effect_are_folded_and_the_strongest_edit_is_first(why, qtbot):
    plan, _ = unfold(why, qtbot)
    answer(why, plan, lambda text: 2.0 - 5.0 * ("announced" in text) - 1.0 * ("Monday" in text))
    assert [row.title for row in why.bars.rows] == ["reported → announced", "Friday → Monday"]
    assert why._more.text() == why._more.accessibleName() == "1 more without effect" and why._more.isVisible()
    why._more.click()
    assert [row.title for row in why.bars.rows][2] == "rose → fell" and why.bars.number(2) == "0.00"
    why.bars.setFocus()
    why.bars.set_current(0)
    qtbot.keyClick(why.bars, Qt.Key.Key_Space)
    assert "Shares fell on Monday, the agency reported." in words(why), "a row switches its own edit"


@pytest.mark.parametrize(
    ("source", "hypothesis", "title", "parts"),
    [
        ("The dog bit the man.", "The man bit the dog.", "order: the man ⇄ bit", {"↳ ⇄ the man", "↳ ⇄ bit"}),
        (
            *("The committee approved the plan.", "The plan was approved by the committee."),
            "active or passive: 4 edits",
            {"↳ ⇄ the plan", "↳ + was", "↳ ⇄ approved", "↳ The → by the"},
        ),
    ],
)
def test_a_change_that_spans_words_is_one_row_with_its_parts_inside(why, qtbot, source, hypothesis, title, parts):
    why.set_pair(source, hypothesis)
    plan, _ = unfold(why, qtbot)
    answer(why, plan, lambda text: 3.0 - 4.0 * text.startswith(("The man", "The plan")) - 0.5 * (" by " in text))
    rows = why.bars.rows
    whole, inside = rows[0], [row for row in rows if row.inside]
    assert whole.title == title and {row.title for row in inside} == parts
    assert whole.value == pytest.approx(sum(row.value for row in inside))
    assert set(whole.edits) == {edit for row in inside for edit in row.edits}
    why.bars.switched.emit(whole.edits)
    assert why.bars.rows[0].undone and source.casefold() in words(why).casefold(), "the row undoes all of its edits"
    why.bars.switched.emit(whole.edits)
    assert not why.bars.rows[0].undone


def test_words_are_coloured_until_the_pair_changes(why, qtbot):
    plan, _ = unfold(why, qtbot)
    answer(why, plan)
    source, hypothesis = why._sentences._tints
    assert [(SOURCE[t.start : t.end], t.towards_yes, t.share) for t in source] == [
        ("rose", False, pytest.approx(0.4)),
        ("Friday", False, pytest.approx(0.1)),
        ("reported", True, pytest.approx(0.05)),
    ]
    assert [HYPOTHESIS[t.start : t.end] for t in hypothesis] == ["fell", "Monday", "announced"]
    with qtbot.waitSignal(why.requested, timeout=2000):
        why.set_pair("a b", "a c")
    assert why._sentences._tints == ((), ())


def test_outdated_answers_are_not_shown_and_outdated_requests_are_cancelled(why, qtbot):
    plan, _ = unfold(why, qtbot)
    with qtbot.waitSignal(why.cancelled):
        why.set_pair("one two", "one three")
    answer(why, plan)
    assert not why.bars.rows


def test_a_falling_distance_is_evidence_for_a_paraphrase(why, qtbot):
    why.set_columns(["edit_distance"])
    plan, column = unfold(why, qtbot)
    assert column == "edit_distance"
    answer(why, plan, lambda text: (3.5 - worth(text)) / 10)
    assert [row.towards_yes for row in why.bars.rows] == [False, False, True]
    assert why.bars.number(0) == "+0.400"


@pytest.mark.parametrize(
    ("columns", "pair", "sentence"),
    [
        ([], (SOURCE, HYPOTHESIS), "Choose a metric or a template"),
        (["bleu"], ("same", "same"), "are the same"),
    ],
)
def test_a_reason_is_shown_when_there_is_nothing_to_explain(why, qtbot, columns, pair, sentence):
    why.set_columns(columns)
    why.set_pair(*pair)
    why.fold.click()
    qtbot.waitUntil(lambda: sentence in words(why), timeout=2000)


def test_an_error_and_an_undefined_score_are_shown(why, qtbot):
    unfold(why, qtbot)
    why.show_error("The judge cannot be loaded. Choose another.")
    assert "cannot be loaded" in words(why)
    why.fold.click()
    unfold(why, qtbot)
    why.show_scores(np.array([0]), np.array([1.0]))
    why.show_error("")
    assert "not defined" in words(why)


def test_without_a_pair_the_section_is_hidden_and_the_next_pair_is_explained(why, qtbot):
    plan, _ = unfold(why, qtbot)
    answer(why, plan)
    why._sentences.show_pair(SOURCE, HYPOTHESIS)
    assert any(why._sentences._tints), "the same pair shown again keeps its colours"
    why.set_pair()
    assert not why.isVisible() and why._sentences._tints == ((), ())
    with qtbot.waitSignal(why.requested, timeout=2000):
        why.set_pair("a b", "a c")


def test_an_edit_in_arabic_reads_from_source_to_hypothesis():
    (edit,) = Edits("قرأ الكتاب", "قرأ كتابا").edits
    assert format_edit(edit) == "\u200e\u2068الكتاب\u2069 → \u200e\u2068كتابا\u2069"
    (edit,) = Edits("a cat", "a dog").edits
    assert format_edit(edit) == "cat → dog"


def test_the_chip_defines_the_kind_and_corrects_it(why, qtbot):
    plan, _ = unfold(why, qtbot)
    answer(why, plan)
    chip = why.bars.chip_area(0).center().toPoint()
    with qtbot.waitSignal(why.bars.kind_requested):
        qtbot.mouseClick(why.bars, Qt.MouseButton.LeftButton, pos=chip)
    assert not why.bars.rows[0].undone, "the chip is not a switch"
    assert [action.isCheckable() for action in why._menu.actions()] == [False], "not from a corpus: nothing to correct"
    assert "A word that means the opposite" in why._menu.actions()[0].text()
    why.set_corrections("")
    why.bars.setFocus()
    why.bars.set_current(0)
    qtbot.keyClick(why.bars, Qt.Key.Key_Return)
    actions = {action.text(): action for action in why._menu.actions()}
    assert actions["antonym (by rule)"].isChecked() and "dictionaries" in actions["synonym"].toolTip()
    with qtbot.waitSignal(why.corrected) as corrected:
        actions["synonym"].trigger()
    assert corrected.args == ["1. rose → fell: synonym"]
    why.set_corrections(corrected.args[0])
    assert why.bars.extra(0) == "synonym (corrected)" and why.bars.rows[0].corrected
    why.bars.kind_requested.emit(0, QPoint())
    with qtbot.waitSignal(why.corrected) as corrected:
        next(action for action in why._menu.actions() if "by rule" in action.text()).trigger()
    assert corrected.args == [""]


def test_kinds_are_shown_before_a_score_is_chosen(why, qtbot):
    why.set_columns([])
    why.fold.click()
    qtbot.waitUntil(lambda: len(why.bars.rows) == 3, timeout=2000)
    assert why.bars.number(0) == "…" and why.bars.extra(0) == "antonym"
