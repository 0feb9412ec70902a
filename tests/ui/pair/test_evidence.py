"""The evidence: probabilities, the warning about a low sum, tokens made visible, the prompt read only on demand."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from parapluie_gui.pluie.evidence import Evidence
from parapluie_gui.ui.pair.evidence import EvidenceView, visible_token
from parapluie_gui.ui.widgets.theme import LIGHT

SURE = Evidence(0.9, 0.08, (("Yes", 0.9), ("No", 0.08)), 120)
LOST = Evidence(0.1, 0.2, ((" The", 0.4), ("No", 0.2), ("Yes", 0.1), ("\n", 0.05)), 1312, "It says <b>x</b>.", True)


@pytest.fixture
def view(qtbot):
    view = EvidenceView(LIGHT)
    qtbot.addWidget(view)
    view.resize(380, 700)
    view.set_columns(["pluie.direct", "pluie.indirect"])
    view.show()
    return view


def test_probabilities_and_their_sum_are_listed(view):
    view.show_evidence(SURE)
    assert [(gauge.title, gauge.text) for gauge in view._probabilities.gauges] == [
        ("p(yes)", "0.9000"),
        ("p(no)", "0.0800"),
        ("Sum", "0.9800"),
    ]
    assert not view._warning.isVisible() and not view._neutralised.isVisible() and not view._explanation.isVisible()
    assert view._length.text() == "The prompt is 120 tokens long."


def test_a_low_sum_is_told_in_words(view):
    view.show_evidence(LOST)
    assert view._warning.isVisible()
    assert view._warning.text() == "The model would rather say something else: “␣The”"
    assert view._neutralised.isVisible()
    assert view._explanation.toPlainText() == "It says <b>x</b>."
    assert [gauge.title for gauge in view._tokens.gauges] == ["“␣The”", "“No”", "“Yes”", "“⏎”"]


def test_nothing_known_is_said(view):
    view.show_evidence(LOST)
    view.show_evidence(None)
    assert view._empty.isVisible()
    assert not any(part.isVisible() for part in (view._warning, view._probabilities, view._tokens, view._explanation))


def test_the_prompt_is_read_only_when_unfolded_and_copied_exactly(view, qtbot):
    reads = []

    def read():
        reads.append(1)
        return "<s>[INST] a  b\n[/INST]"

    view.show_evidence(SURE, read)
    assert not reads and not view._prompt.isVisible()
    qtbot.mouseClick(view._fold, Qt.MouseButton.LeftButton)
    assert reads == [1] and view._prompt.toPlainText() == "<s>[INST] a  b\n[/INST]"
    qtbot.mouseClick(view._copy, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == "<s>[INST] a  b\n[/INST]"
    view.show_evidence(SURE, lambda: None)
    assert not view._copy.isEnabled()


def test_picking_a_template_is_told(view, qtbot):
    told = []
    view.chosen.connect(told.append)
    qtbot.keyClick(view._templates, Qt.Key.Key_Down)
    assert told == ["pluie.indirect"] and view.column() == "pluie.indirect"
    view.set_columns(["pluie.fs-direct", "pluie.indirect"])
    assert view.column() == "pluie.indirect"
    view.set_columns([])
    assert view.column() == ""


def test_white_space_in_tokens_shows():
    assert [visible_token(t) for t in (" Yes", "\n\n", "", "\x07")] == ["␣Yes", "⏎⏎", "∅", "\\x07"]
