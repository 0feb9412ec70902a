"""The wording test in the window, with a real worker and the pocket judge."""

from __future__ import annotations

import fake_workers
import numpy as np
import pytest
import two_judges
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLabel

from parapluie_gui.features.wordings.page import WordingTestPage
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.report.heat_map import cell_corner
from parapluie_gui.ui.window.finding import find_commands

PAIRS = (
    ("A cat sat on the mat.", "A cat sat on the mat.", 1),
    ("A cat sat on the mat.", "Rain fell on Rome.", 0),
    ("He sold her a car.", "She bought a car from him.", 1),
    ("The film was long.", "The film was not long.", 0),
    ("Prices rose last year.", "Last year, prices went up.", 1),
    ("It is warm in the south.", "It is cold in the south.", 0),
)


@pytest.fixture
def window(open_window):
    return open_window(fake_workers.light)


def corpus(name: str = "pairs") -> Corpus:
    sources, hypotheses, labels = zip(*PAIRS, strict=True)
    return Corpus(name, list("abcdef"), list(sources), list(hypotheses), label=np.array(labels, dtype=np.int8))


def test_the_page_can_be_searched_by_its_current_and_former_name(window):
    assert any(command.title == "Wording test" and command.kind == "Analysis" for command in window.finder.commands())
    assert find_commands(window.finder.commands(), "sweep")[0].title.startswith("Wording test")


def test_the_selection_is_judged_in_every_form_and_a_click_selects_pairs(window, qtbot):
    window.actions_by_name["wordings.show"].trigger()
    page = window.analysis.page_of(WordingTestPage)
    assert window.analysis.page is page
    assert page.plan.full_text.startswith("No pair is selected.") and not page.start_button.isEnabled()
    window.workspace.show(corpus())
    window.workspace.selection.set_rows("five", np.arange(1, 6))
    page.design.answers.setText("yes/no, true/false")
    page.form.choose({"pairs": 4})
    assert page.plan.full_text == "Pocket: 4 forms × 4 of 5 selected pairs = 16 questions."
    with qtbot.waitSignal(window.features["wordings"].experiment.done, timeout=120_000) as done:
        page.start_button.click()
    qtbot.waitUntil(lambda: not window.features["wordings"].experiment.busy)
    (run,) = done.args
    comparison = run.result.comparison
    assert comparison.pairs == 4 and 0 not in run.material.rows
    heat = page.figure_named("forms")
    assert heat.isVisible() and page.options.measure == "accuracy" and page.stage.full_text == ""
    assert len(page.table_named("sweep").grid) == 4
    page.form.choose({"measure": "mean"})
    picture = heat.picture
    factor = min(1.0, picture.width() / picture.maximumWidth())
    for column in range(4):
        place = cell_corner(heat.value, column + 0.5, 0.5)
        QTest.mouseClick(picture, Qt.MouseButton.LeftButton, pos=QPoint(*(int(each * factor) for each in place)))
        assert np.array_equal(np.flatnonzero(window.workspace.selection.mask), run.result.flips[column])
    for row, hinge in enumerate(comparison.hinges):
        page.table_named("sweep-hinges").clicked.emit(row, 0)
        assert window.workspace.corpus.source[window.workspace.selection.primary] == hinge.source
    window.workspace.show(corpus("others"))
    with qtbot.waitSignal(window.analysis.links.failed) as failure:
        page.table_named("sweep").clicked.emit(0, 0)
    assert failure.args == ["These pairs belong to “pairs”. Show it to select them."]


def test_the_page_and_its_controls_use_the_same_name(window):
    window.features["wordings"].show()
    page = window.analysis.page_of(WordingTestPage)
    texts = [each.text() for kind in (QAbstractButton, QLabel) for each in page.findChildren(kind)]
    assert page.start_button.text().replace("&", "") == "Test wordings"
    assert not [text for text in texts if "sweep" in text.replace("&", "").casefold()]


def test_invalid_fields_are_named_before_the_run_and_failures_after_it(window, qtbot, tmp_path):
    window.workspace.show(corpus())
    window.features["wordings"].show()
    page = window.analysis.page_of(WordingTestPage)
    for answers, examples, sentence in (
        ("yes", "0", "“yes” is not a pair of answers. Write two different words such as Yes/No."),
        ("", "many", "Examples must be numbers from 0 to 100, separated by commas, such as 0, 4."),
        ("", "0, 4", "Choose the file from which solved examples are drawn: a corpus with labels."),
    ):
        page.design.answers.setText(answers)
        page.design.examples.setText(examples)
        assert page.plan.full_text == sentence and not page.start_button.isEnabled()
    page.design.use_file(str(tmp_path / "train.tsv"))
    with qtbot.waitSignal(window.features["wordings"].experiment.ended, timeout=10_000):
        page.start_button.click()
    assert "the examples cannot be read" in page.stage.full_text and page.start_button.isEnabled()


def test_the_page_states_that_it_uses_one_of_two_judges(window, tmp_path):
    two_judges.choose(window, tmp_path)
    window.workspace.show(corpus())
    window.features["wordings"].show()
    page = window.analysis.page_of(WordingTestPage)
    assert page.plan.full_text.startswith("twin: ") and "uses one judge" in page.plan.full_text
    window.setup.set_judgings(window.setup.plan.judgings[:1])
    assert "one judge" not in page.plan.full_text
