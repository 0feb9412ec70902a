"""The second score of an explanation: bars, colours, and nothing requested before a choice."""

from __future__ import annotations

import numpy as np
import pytest

from parapluie_gui.features.explain.view import ExplanationView
from parapluie_gui.ui.pair.sentences import SentencesView

SOURCE, HYPOTHESIS = "Shares rose on Friday.", "Shares fell on Monday."


def toy_score(worth: dict[str, float], text: str) -> float:
    return sum(worth.get(word.strip("."), 0.0) for word in text.split())


@pytest.fixture
def why(qtbot):
    sentences = SentencesView()
    view = ExplanationView(sentences)
    for each in (sentences, view):
        qtbot.addWidget(each)
    view.set_columns(["bleu", "edit_distance", "pluie.cloze"], "pocket")
    sentences.show_pair(SOURCE, HYPOTHESIS)
    view.set_pair(SOURCE, HYPOTHESIS)
    view.show()
    with qtbot.waitSignal(view.requested, timeout=2000) as request:
        view.fold.click()
    answer(view, request.args, {"fell": -4.0, "Monday": -1.0})
    return view


def answer(view, request, worth) -> None:
    plan, _ = request
    view.show_scores(np.arange(len(plan.variants)), np.array([toy_score(worth, text) for text in plan.variants]))


def choose(why, qtbot, column: str):
    with qtbot.waitSignal(why.second_score.requested, timeout=2000) as request:
        why.second_score._box.setCurrentIndex(why.second_score._box.findData(column))
    return request.args


def test_nothing_is_requested_until_a_second_score_is_chosen_and_the_first_is_not_offered(why, qtbot):
    second_score = why.second_score
    assert second_score.isVisible() and second_score.column() == "" and not second_score.sentences.isVisible()
    assert [second_score._box.itemData(at) for at in range(second_score._box.count())] == ["", "bleu", "edit_distance"]
    with qtbot.assertNotEmitted(second_score.requested, wait=300):
        why.set_pair(SOURCE, "Shares fell on Friday.")


def test_both_scores_have_their_own_bars_and_colours_on_the_same_words(why, qtbot):
    request = choose(why, qtbot, "bleu")
    assert request[1] == "bleu" and request[0].source == SOURCE
    answer(why.second_score, request, {"fell": -0.1, "Monday": -0.4})
    assert [why.bars.number(row) for row in range(2)] == ["−4.00", "−1.00"]
    assert [why.second_score.bars.number(row) for row in range(2)] == ["−0.400", "−0.100"]
    assert [row.title for row in why.second_score.bars.rows] == [row.title for row in why.bars.rows][::-1]
    (fell, monday), (other_fell, other_monday) = (
        each._tints[1] for each in (why._sentences, why.second_score.sentences)
    )
    assert [fell.share, monday.share, other_fell.share, other_monday.share] == pytest.approx([0.4, 0.1, 0.1, 0.4])
    assert (fell.start, fell.end) == (other_fell.start, other_fell.end)


def test_a_distance_next_to_a_judge_has_inverted_colours(why, qtbot):
    answer(why.second_score, choose(why, qtbot, "edit_distance"), {"fell": 0.3, "Monday": -0.1})
    assert [row.towards_yes for row in why.second_score.bars.rows] == [False, True]


def test_an_edit_undone_for_one_score_is_undone_for_both(why, qtbot):
    answer(why.second_score, choose(why, qtbot, "bleu"), {"fell": -0.1})
    why.second_score.bars.switched.emit((1,))
    for bars in (why.bars, why.second_score.bars):
        assert {row.title for row in bars.rows if row.undone} == {"Friday → Monday"}


def test_the_second_score_follows_the_pair_can_be_cancelled_and_is_folded_with_the_section(why, qtbot):
    choose(why, qtbot, "bleu")
    with qtbot.waitSignals([why.second_score.cancelled, why.second_score.requested], timeout=2000):
        why.set_pair(SOURCE, "Shares fell on Friday.")
    assert why.second_score._hint.full_text == "" and why.second_score.column() == "bleu"
    with qtbot.waitSignal(why.second_score.cancelled):
        why.fold.click()
    assert not why.second_score.isVisible()


def test_the_second_score_is_deselected_when_it_becomes_the_first(why, qtbot):
    choose(why, qtbot, "bleu")
    with qtbot.waitSignal(why.requested, timeout=2000):
        why._box.setCurrentIndex(why._box.findData("bleu"))
    assert why.second_score.column() == "" and why.second_score._box.findData("pluie.cloze") > 0


def test_the_reason_for_a_missing_second_score_is_shown(why, qtbot):
    choose(why, qtbot, "bleu")
    why.second_score.show_stage("Loading …")
    assert why.second_score._hint.full_text == "Loading …"
    why.second_score.show_error("The model is not here.")
    assert why.second_score._hint.full_text == "The model is not here." and why._hint.full_text == ""
