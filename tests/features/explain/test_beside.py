"""A second score beside the one explained: its bars, its colours, and its silence until it is chosen."""

from __future__ import annotations

import numpy as np
import pytest

from parapluie_gui.features.explain.why import WhyView
from parapluie_gui.ui.pair.sentences import SentencesView

SOURCE, HYPOTHESIS = "Shares rose on Friday.", "Shares fell on Monday."


def by(worth: dict[str, float], text: str) -> float:
    return sum(worth.get(word.strip("."), 0.0) for word in text.split())


@pytest.fixture
def why(qtbot):
    sentences = SentencesView()
    view = WhyView(sentences)
    for each in (sentences, view):
        qtbot.addWidget(each)
    view.set_columns(["bleu", "edit_distance", "pluie.cloze"], "pocket")
    sentences.show_pair(SOURCE, HYPOTHESIS)
    view.set_pair(SOURCE, HYPOTHESIS)
    view.show()
    with qtbot.waitSignal(view.asked, timeout=2000) as asked:
        view.fold.click()
    answer(view, asked.args, {"fell": -4.0, "Monday": -1.0})
    return view


def answer(view, asked, worth) -> None:
    plan, _ = asked
    view.show_scores(np.arange(len(plan.variants)), np.array([by(worth, text) for text in plan.variants]))


def choose(why, qtbot, column: str):
    with qtbot.waitSignal(why.beside.asked, timeout=2000) as asked:
        why.beside._box.setCurrentIndex(why.beside._box.findData(column))
    return asked.args


def test_nothing_is_asked_until_a_second_score_is_chosen_and_the_first_is_not_offered(why, qtbot):
    beside = why.beside
    assert beside.isVisible() and beside.column() == "" and not beside.sentences.isVisible()
    assert [beside._box.itemData(at) for at in range(beside._box.count())] == ["", "bleu", "edit_distance"]
    with qtbot.assertNotEmitted(beside.asked, wait=300):
        why.set_pair(SOURCE, "Shares fell on Friday.")


def test_both_scores_have_their_own_bars_and_colours_of_the_same_words(why, qtbot):
    asked = choose(why, qtbot, "bleu")
    assert asked[1] == "bleu" and asked[0].source == SOURCE
    answer(why.beside, asked, {"fell": -0.1, "Monday": -0.4})
    assert [why.bars.number(row) for row in range(2)] == ["−4.00", "−1.00"]
    assert [why.beside.bars.number(row) for row in range(2)] == ["−0.100", "−0.400"]
    (fell, monday), (other_fell, other_monday) = (each._tints[1] for each in (why._sentences, why.beside.sentences))
    assert [fell.share, monday.share, other_fell.share, other_monday.share] == pytest.approx([1.0, 0.25, 0.25, 1.0])
    assert (fell.start, fell.end) == (other_fell.start, other_fell.end)


def test_a_distance_beside_a_judge_has_its_colours_the_other_way_round(why, qtbot):
    answer(why.beside, choose(why, qtbot, "edit_distance"), {"fell": 0.3, "Monday": -0.1})
    assert [row.towards_yes for row in why.beside.bars.rows] == [False, True]


def test_an_edit_undone_in_one_is_undone_in_both(why, qtbot):
    answer(why.beside, choose(why, qtbot, "bleu"), {"fell": -0.1})
    why.beside.bars.switched.emit(1)
    assert [row.undone for row in why.bars.rows] == [row.undone for row in why.beside.bars.rows] == [False, True]


def test_the_second_score_follows_the_pair_gives_up_and_goes_with_the_fold(why, qtbot):
    choose(why, qtbot, "bleu")
    with qtbot.waitSignals([why.beside.given_up, why.beside.asked], timeout=2000):
        why.set_pair(SOURCE, "Shares fell on Friday.")
    assert why.beside._hint.full_text == "" and why.beside.column() == "bleu"
    with qtbot.waitSignal(why.beside.given_up):
        why.fold.click()
    assert not why.beside.isVisible()


def test_the_score_chosen_beside_is_let_go_when_it_becomes_the_first(why, qtbot):
    choose(why, qtbot, "bleu")
    with qtbot.waitSignal(why.asked, timeout=2000):
        why._box.setCurrentIndex(why._box.findData("bleu"))
    assert why.beside.column() == "" and why.beside._box.findData("pluie.cloze") > 0


def test_why_the_second_score_is_missing_is_said_beside_it(why, qtbot):
    choose(why, qtbot, "bleu")
    why.beside.show_stage("Loading …")
    assert why.beside._hint.full_text == "Loading …"
    why.beside.show_error("The model is not here.")
    assert why.beside._hint.full_text == "The model is not here." and why._hint.full_text == ""
