"""Computed columns in the window: defined in the dialog, updated in every view, stored with the session."""

from __future__ import annotations

import csv

import numpy as np
import pytest

import parapluie_gui as pp
from parapluie_gui.ui.analysis.choice import offered_scores

ROWS = [
    ("The cat sat.", "The cat was sitting.", 1, 2.0, 3.0, 0.4),
    ("He left before noon.", "He left after noon.", 0, -1.0, 2.0, 0.9),
    ("It rains.", "Water falls.", 1, 1.0, 0.5, 0.0),
]


@pytest.fixture
def window(open_window, qtbot, tmp_path):
    path = tmp_path / "pairs.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("source", "hypothesis", "label", "pluie.p1", "pluie.p2", "bleu"))
        writer.writerows(ROWS)
    window = open_window()
    window.files.open_paths([path])
    qtbot.waitUntil(lambda: window.workspace.corpus is not None and not window.state.queue.busy)
    return window


def typed(window, name: str, text: str):
    """Type a definition into the dialog and return the dialog."""
    window.actions_by_name["computed_columns.new"].trigger()
    dialog = window.features["computed_columns"].dialog
    dialog.name.setText(name)
    dialog.edit.setText(text)
    dialog._try()
    return dialog


def test_a_defined_column_appears_in_every_view(window, qtbot, tmp_path):
    dialog = typed(window, "both", "min(pluie.p1, pluie.p2) > 0")
    assert "3 of 3 pairs" in dialog.outcome.full_text and "2 of them are called paraphrases" in dialog.outcome.full_text
    dialog.save.click()
    workspace, table = window.workspace, window.table.pairs
    at = table.column_at("both")
    assert [table.text(row, table.columns[at]) for row in range(3)] == ["1", "0", "1"]
    assert not window.table.isColumnHidden(at)
    window.filter.set_filter("both = 1 and label = 1")
    assert workspace.selection.mask.tolist() == [True, False, True]
    workspace.set_axes(y="both")
    assert workspace.threshold == 0.5, "a verdict is divided at the middle of the range"
    assert "both" in offered_scores(workspace)[1], "the Analysis tab includes it from the start"
    menu = window.table.columns_menu(at)
    assert any("both" in action.text() and "Change" in action.text() for action in menu.actions())
    menu.deleteLater()
    workspace.put(np.array([1]), {"pluie.p1": np.array([5.0])})
    qtbot.waitUntil(lambda: table.text(1, table.columns[at]) == "1")
    qtbot.waitUntil(lambda: workspace.selection.mask.tolist() == [True, False, True])
    window.exporter.write_table(tmp_path / "out.csv", None)
    qtbot.waitUntil((tmp_path / "out.csv.signatures.json").exists)
    assert "min(pluie.p1, pluie.p2) > 0" in (tmp_path / "out.csv.signatures.json").read_text()
    assert pp.analyse(pp.read(tmp_path / "out.csv"), "thresholds", columns="both").tables["thresholds"]


def test_a_column_is_stored_with_the_session_and_can_be_undone(window, qtbot, tmp_path):
    typed(window, "mean", "mean(pluie.p1, pluie.p2)").save.click()
    dialog = typed(window, "double", "`mean` * 2")
    dialog.save.click()
    assert dialog.chosen_name == "double"
    dialog.edit.setText("`mean` * 3")
    dialog._try()
    dialog.save.click()
    assert window.workspace.column_values("double").tolist() == [7.5, 1.5, 2.25]
    window.state.history.undo()
    assert window.workspace.column_values("double").tolist() == [5.0, 1.0, 1.5]
    dialog.delete.click()
    assert "double" not in window.workspace.columns
    window.state.history.undo()
    assert "double" in window.workspace.columns
    window.state.session.save_as(tmp_path / "kept.pluie")
    qtbot.waitUntil(lambda: (tmp_path / "kept.pluie").exists() and not window.state.queue.busy)
    with pp.open_session(tmp_path / "kept.pluie") as session:
        assert session.scores()["double"].tolist() == [5.0, 1.0, 1.5]
    window.files.new_session()
    qtbot.waitUntil(lambda: window.workspace.corpus is None and not window.state.queue.busy)
    assert window.features["computed_columns"].computed.all == ()
    window.files.open_paths([tmp_path / "kept.pluie"])
    qtbot.waitUntil(lambda: window.workspace.corpus is not None and not window.state.queue.busy)
    assert window.workspace.column_values("double").tolist() == [5.0, 1.0, 1.5]


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("a", "a + 1", "“a” refers to itself."),
        ("a", "gone > 0", 'There is no column "gone"'),
        ("a", "source", "is text, not a number"),
        ("bleu", "pluie.p1", "There is a column “bleu” already."),
    ],
)
def test_an_invalid_definition_gives_one_sentence_and_the_text_is_kept(window, name, text, sentence):
    dialog = typed(window, name, text)
    assert sentence in dialog.problem.full_text and not dialog.save.isEnabled()
    assert (dialog.name.text(), dialog.edit.text()) == (name, text) and window.features[
        "computed_columns"
    ].computed.all == ()
