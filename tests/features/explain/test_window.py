"""The explanation sections: their place, and the pair of their view."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from parapluie_gui.features.explain.window import add_section
from parapluie_gui.ui.bench.view import BenchView


@pytest.fixture
def bench(qtbot):
    bench = BenchView()
    qtbot.addWidget(bench)
    bench.resize(900, 800)
    bench.show()
    return bench


def typed(bench, source="A cat sat.", hypothesis="A cat slept."):
    bench.fields.set_texts(source, hypothesis)
    bench.score()


def test_the_section_stays_unfolded_when_a_field_is_emptied(bench, qtbot):
    why = add_section(bench)
    why.set_columns(["edit_distance"])
    typed(bench)
    why.fold.click()
    bench.clear()
    assert not why.isVisible()
    with qtbot.waitSignal(why.requested):
        typed(bench)
    assert why.isVisible()


def test_a_section_added_late_shows_the_current_pair_in_its_place(bench, qtbot):
    typed(bench)
    why = add_section(bench)
    qtbot.waitUntil(why.isVisible)
    with qtbot.waitSignal(why.requested) as request:
        why.set_columns(["edit_distance"])
        why.fold.click()
    plan, _ = request.args
    assert plan.source == "A cat sat." and "A cat slept." in plan.variants
    assert why.geometry().bottom() < bench.scores.geometry().top()
    chain, at = list[QWidget](), bench.sections
    while (at := at.nextInFocusChain()) is not bench.sections and len(chain) < len(why.stops):
        if at.focusPolicy() & Qt.FocusPolicy.TabFocus:
            chain.append(at)
    assert chain[:2] == list(why.stops[:2]), "Tab reaches it in its visual position"


def test_kinds_cannot_be_corrected_after_the_sentences_have_changed(bench, qtbot):
    why = add_section(bench)
    typed(bench)
    assert not why.bars.correctable
    bench.show_scores(1, {"edit_distance": 0.5})
    assert why.bars.correctable
    bench.fields.set_texts("A cat sat.", "A dog slept.")
    bench.fields.typed.emit()
    assert not why.bars.correctable
