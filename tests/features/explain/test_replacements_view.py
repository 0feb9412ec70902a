"""Replacements of a word: chosen, scored by a toy metric, sorted by effect, opened in the Bench."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QRect, Qt
from PySide6.QtWidgets import QScrollArea, QWidget

from parapluie_gui.features.explain.replacements_view import ReplacementsView
from parapluie_gui.features.explain.view import ExplanationView
from parapluie_gui.ui.pair.sentences import SentencesView
from parapluie_gui.ui.widgets.arrange import vbox, widget_of

SOURCE, HYPOTHESIS = "He paid 3 euros.", "He paid 4 euros."


@pytest.fixture
def view(qtbot):
    view = ReplacementsView()
    qtbot.addWidget(view)
    view.set_pair(SOURCE, HYPOTHESIS, "pluie.cloze")
    view.show()
    return view


def ask(view, qtbot, word="4"):
    with qtbot.waitSignal(view.requested) as request:
        view.replace(1, HYPOTHESIS.index(word))
    return request.args


def answer(view, pairs):
    """Reply with scores that decrease with the distance of a pair's number from 3."""
    numbers = [int("".join(filter(str.isdigit, text))) for text in pairs.hypothesis]
    view.show_scores(np.arange(len(pairs)), np.array([2.5 - abs(number - 3) for number in numbers]))


def test_replacements_are_scored_and_sorted_by_effect(view, qtbot):
    pairs, column = ask(view, qtbot)
    assert column == "pluie.cloze" and pairs.hypothesis[0] == HYPOTHESIS and set(pairs.source) == {SOURCE}
    assert view.rows.number(0) == "…" and "4 replacements" in view._hint.full_text
    answer(view, pairs)
    assert [row.title for row in view.rows.rows] == ["4 → 40", "4 → 8", "4 → 5", "4 → 3"]
    assert [view.rows.number(row) for row in range(4)] == ["−36.00", "−4.00", "−1.00", "+1.00"]
    assert view.rows.extra(3) == "number, +2.50 yes" and view.rows.rows[3].towards_yes
    assert view._box.currentText() == "4" and not view._hint.full_text


def test_a_click_or_a_key_opens_a_replacement_in_the_bench(view, qtbot):
    answer(view, ask(view, qtbot)[0])
    with qtbot.waitSignal(view.chosen) as chosen:
        qtbot.mouseClick(view.rows, Qt.MouseButton.LeftButton, pos=view.rows.row_area(3).center().toPoint())
    assert chosen.args == [SOURCE, HYPOTHESIS, SOURCE, "He paid 3 euros."]
    view.rows.setFocus()
    qtbot.keyClick(view.rows, Qt.Key.Key_Up)
    with qtbot.waitSignal(view.chosen) as chosen:
        qtbot.keyClick(view.rows, Qt.Key.Key_Return)
    assert chosen.args[3] == "He paid 5 euros."


def test_words_of_both_sentences_can_be_chosen_and_deselected(view, qtbot):
    words = [view._box.itemText(place) for place in range(view._box.count())]
    assert words[0] == "Choose a word" and "4" in words and "3 (source)" in words
    with qtbot.waitSignal(view.requested) as request:
        view._box.activated.emit(words.index("3 (source)"))
    assert request.args[0].source[1:3] == ["He paid 4 euros.", "He paid 2 euros."]
    with qtbot.waitSignal(view.cancelled):
        view._box.activated.emit(0)
    assert not view.rows.rows
    view.replace(1, HYPOTHESIS.index(" "))
    assert "No rule has" in view._hint.full_text


def test_a_failure_is_shown(view, qtbot):
    ask(view, qtbot)
    view.show_stage("Loading …")
    assert view._hint.full_text == "Loading …"
    view.show_scores(np.array([0]), np.array([1.0]))
    view.show_error("")
    assert "not defined for every replacement" in view._hint.full_text


def test_a_click_on_a_word_requests_its_replacements(qtbot):
    sentences = SentencesView()
    why = ExplanationView(sentences)
    for each in (sentences, why):
        qtbot.addWidget(each)
        each.show()
    why.set_columns(["pluie.cloze"])
    sentences.show_pair(SOURCE, HYPOTHESIS)
    why.set_pair(SOURCE, HYPOTHESIS)
    sentences.clicked.emit(1, HYPOTHESIS.index("4"))
    assert not why.replacements.rows.rows, "folded: a click has no effect"
    with qtbot.waitSignal(why.requested, timeout=2000):
        why.fold.click()
    field = sentences._fields[1]
    cursor = field.textCursor()
    cursor.setPosition(HYPOTHESIS.index("4"))
    place = QPointF(field.cursorRect(cursor).center()) + QPointF(2, 0)
    with qtbot.waitSignal(why.replacements.requested) as request:
        qtbot.mouseClick(field.viewport(), Qt.MouseButton.LeftButton, pos=place.toPoint())
    assert "He paid 5 euros." in request.args[0].hypothesis


def test_the_view_scrolls_to_the_replacements_of_a_clicked_word(qtbot):
    sentences, area = SentencesView(), QScrollArea()
    why, above = ExplanationView(sentences), QWidget()
    above.setFixedHeight(300)
    area.setWidgetResizable(True)
    area.setWidget(widget_of(vbox(sentences, above, why, 1)))
    qtbot.addWidget(area)
    area.resize(400, 320)
    area.show()
    why.set_columns(["pluie.cloze", "bleu"])
    sentences.show_pair(SOURCE, HYPOTHESIS)
    why.set_pair(SOURCE, HYPOTHESIS)
    with qtbot.waitSignal(why.requested, timeout=2000):
        why.fold.click()
    why.second_score._box.setCurrentIndex(1)
    area.verticalScrollBar().setValue(0)
    sentences.clicked.emit(1, HYPOTHESIS.index("4"))
    rows = why.replacements.rows

    def in_sight(widget):
        return area.viewport().rect().contains(QRect(widget.mapTo(area.viewport(), QPoint()), widget.size()))

    qtbot.waitUntil(lambda: in_sight(rows) and in_sight(why.replacements._box), timeout=2000)
