"""The evidence: probabilities, the warning about a low sum, visible tokens, and the prompt, read only on demand."""

from __future__ import annotations

import dataclasses

import pytest
from finding import find_part
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QComboBox, QLabel, QPushButton, QToolButton

from parapluie_gui.pluie.evidence import AnswerEvidence
from parapluie_gui.ui.pair.evidence import EvidenceView, visible_token
from parapluie_gui.ui.pair.gauges import GaugeColumn
from parapluie_gui.ui.state import score_names
from parapluie_gui.ui.widgets.growing_text import GrowingText

SURE = AnswerEvidence(0.9, 0.08, (("Yes", 0.9), ("No", 0.08)), 120)
LOST = AnswerEvidence(
    0.1, 0.2, ((" The", 0.4), ("No", 0.2), ("Yes", 0.1), ("\n", 0.05)), 1312, "It says <b>x</b>.", True
)


@pytest.fixture
def view(qtbot):
    view = EvidenceView()
    qtbot.addWidget(view)
    view.resize(380, 700)
    view.set_columns([("pluie.direct", "SmolLM2 · DIRECT"), ("pluie.indirect", "SmolLM2 · INDIRECT")])
    view.show()
    view.fold.click()
    return view


def label(view, name):
    return find_part(view, QLabel, name)


def chances(view):
    return find_part(view, GaugeColumn, "Probabilities of the two answers")


def likeliest(view):
    return find_part(view, GaugeColumn, "Most likely answers of the judge")


def written(view):
    return find_part(view, GrowingText, "What the judge wrote before answering")


def test_spellings_of_an_answer_are_listed_with_their_proportions(view):
    both = ((("Yes", 0.85), (" yes", 0.05)), (("No", 0.08),))
    view.show_evidence(dataclasses.replace(SURE, spellings=both))
    assert label(view, "spellings").isVisible()
    assert label(view, "spellings").text() == "p(yes) is “Yes” 0.8500 + “␣yes” 0.0500; p(no) is “No” 0.0800."
    view.show_evidence(SURE)
    assert not label(view, "spellings").isVisible()


def test_probabilities_and_their_sum_are_listed(view):
    view.show_evidence(SURE)
    assert [(gauge.title, gauge.text) for gauge in chances(view).rows] == [
        ("p(yes)", "0.9000"),
        ("p(no)", "0.0800"),
        ("Sum", "0.9800"),
    ]
    assert label(view, "odds").text() == "In words: 11 to 1 for yes."
    assert (
        not label(view, "low sum").isVisible()
        and not label(view, "control words").isVisible()
        and not written(view).isVisible()
    )
    assert label(view, "length of the prompt").text() == "The prompt is 120 tokens long."


def test_a_low_sum_is_explained_in_words(view):
    view.show_evidence(LOST)
    assert label(view, "low sum").isVisible()
    assert label(view, "low sum").text() == "The model prefers another answer: “␣The”"
    assert label(view, "control words").isVisible()
    assert written(view).toPlainText() == "It says <b>x</b>."
    assert [gauge.title for gauge in likeliest(view).rows] == [
        "“␣The”",
        "“No”",
        "“Yes”",
        "“⏎”",
    ]


def test_missing_evidence_is_reported(view):
    view.show_evidence(LOST)
    view.show_evidence(None)
    assert label(view, "nothing kept").isVisible()
    parts = (label(view, "low sum"), chances(view), likeliest(view), written(view))
    assert not any(part.isVisible() for part in parts)


def test_the_prompt_is_read_only_when_unfolded_and_is_copied_exactly(view, qtbot):
    reads = []

    def read():
        reads.append(1)
        return "<s>[INST] a  b\n[/INST]"

    view.show_evidence(SURE, read)
    assert not reads and not find_part(view, GrowingText, "Exact prompt").isVisible()
    qtbot.mouseClick(find_part(view, QToolButton, "Exact prompt"), Qt.MouseButton.LeftButton)
    assert reads == [1] and find_part(view, GrowingText, "Exact prompt").toPlainText() == "<s>[INST] a  b\n[/INST]"
    qtbot.mouseClick(find_part(view, QPushButton, "Copy the prompt"), Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == "<s>[INST] a  b\n[/INST]"
    view.show_evidence(SURE, lambda: None)
    assert not find_part(view, QPushButton, "Copy the prompt").isEnabled()


def test_choosing_a_template_emits_a_signal(view, qtbot):
    emitted = []
    view.chosen.connect(emitted.append)
    qtbot.keyClick(find_part(view, QComboBox, "Template whose evidence is shown"), Qt.Key.Key_Down)
    assert emitted == ["pluie.indirect"] and view.column() == "pluie.indirect"
    view.set_columns([("pluie.fs-direct", "FS-DIRECT"), ("pluie.indirect", "INDIRECT")])
    assert view.column() == "pluie.indirect"
    view.set_columns([])
    assert view.column() == ""


def test_white_space_in_tokens_is_visible():
    assert [visible_token(t) for t in (" Yes", "\n\n", "", "\x07")] == ["␣Yes", "⏎⏎", "∅", "\\x07"]


@pytest.mark.parametrize(
    ("yes", "no", "words"),
    [
        (0.5, 0.5, "even"),
        (0.51, 0.49, "even"),
        (0.6, 0.4, "1.5 to 1 for yes"),
        (0.25, 0.75, "3 to 1 for no"),
        (0.95, 0.05, "19 to 1 for yes"),
        (0.9921, 0.0079, "130 to 1 for yes"),
        (0.0005, 0.9995, "over 1,000 to 1 for no"),
        (0.9, 0.0, "over 1,000 to 1 for yes"),
        (0.0, 0.0, ""),
        (float("nan"), float("nan"), ""),
    ],
)
def test_probabilities_are_described_in_words(yes, no, words):
    assert score_names.odds(yes, no) == words
