"""The Concordance tab: lines, clicks, counts that follow threshold and selection, and errors."""

from __future__ import annotations

import csv
from dataclasses import replace

import numpy as np
import pytest
from dressing import remove_style
from finding import find_part, label_text
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QPushButton

from parapluie_gui.features.concordance.view import ConcordanceTab
from parapluie_gui.pairs import Corpus
from parapluie_gui.scores.signature import Signature
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.ui.state.selection import NO_PAIR
from parapluie_gui.ui.state.workspace import CorpusWorkspace
from parapluie_gui.ui.widgets import theme as themes
from parapluie_gui.ui.widgets.theme import LIGHT

SOURCES = ["No, the dog did not bark.", "A cat sat.", "He was not late, not at all.", "Birds sing."]
HYPOTHESES = ["The dog barked.", "A cat did not sit.", "He was not late.", "Birds are singing."]
SUMMARY = "Result of the search"


@pytest.fixture
def tab(qtbot, qapp):
    themes.apply(qapp, LIGHT)
    workspace = CorpusWorkspace()
    corpus = Corpus("x", ["a", "b", "c", "d"], SOURCES, HYPOTHESES, label=np.array([0, 0, 1, 1], dtype=np.int8))
    table = ScoreTable(4)
    table.declare("pluie.direct", Signature.from_fields("pluie.direct", {"name": "pluie.direct"}))
    table.put(np.arange(4), {"pluie.direct": np.array([2.0, -1.0, 3.0, -2.0])})
    tab = ConcordanceTab(workspace)
    tab.workspace = workspace  # keeps alive the objects whose signals the tab uses
    qtbot.addWidget(tab)
    tab.resize(1000, 700)
    with qtbot.waitExposed(tab):
        tab.show()
    workspace.show(corpus, table)
    workspace.set_axes(y="pluie.direct")
    yield tab
    tab.close_work()
    remove_style(qapp)


def search(qtbot, tab, text: str) -> None:
    tab.choice.edit.clear()
    qtbot.keyClicks(tab.choice.edit, text)
    with qtbot.waitSignal(tab.settled, timeout=10_000):
        qtbot.keyClick(tab.choice.edit, Qt.Key.Key_Return)


def rows(tab) -> list[int]:
    return [] if tab.lines.lines is None else tab.lines.lines.rows.tolist()


def column(table, name: str) -> dict[object, object]:
    return {row[0]: row[table.grid.header.index(name)] for row in table.grid.rows}


def test_a_search_shows_lines_counts_and_collocates(qtbot, tab):
    search(qtbot, tab, "not")
    assert rows(tab) == [0, 1, 2, 2]
    assert label_text(tab, SUMMARY) == "5 hits in 3 of 4 pairs"
    assert tab.lines.parts(0, 0) == ("No, the dog did ", "not", " bark.")
    assert tab.lines.parts(0, 1) == ("The dog barked.", "", "")
    assert tab.lines.index(1, 2).data() == "not a paraphrase"
    assert column(tab.by_label, "with a hit") == {"paraphrase": 1, "not a paraphrase": 2}
    assert column(tab.by_outcome, "with a hit") == {"TP": 1, "FP": 1, "FN": 0, "TN": 1}
    assert column(tab.near, "right")["late"] == 2
    assert tab.table.grab().width() == tab.table.width(), "lines are painted"


def test_counts_follow_the_threshold(qtbot, tab):
    search(qtbot, tab, "not")
    tab.workspace.set_threshold(2.5)
    qtbot.waitUntil(lambda: "FP" not in column(tab.by_outcome, "pairs"))
    assert column(tab.by_outcome, "with a hit")["TN"] == 2
    assert [tab.lines.index(row, 3).data() for row in range(2)] == ["TN", "TN"]


def test_a_click_shows_the_pair_and_a_button_selects_all_pairs(qtbot, tab):
    search(qtbot, tab, "not")
    selection = tab.workspace.selection
    assert selection.primary == NO_PAIR
    place = tab.table.visualRect(tab.lines.index(2, 0)).center()
    qtbot.mouseClick(tab.table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert selection.primary == 2
    qtbot.mouseClick(find_part(tab, QPushButton, "Select these pairs"), Qt.MouseButton.LeftButton)
    assert np.flatnonzero(selection.mask).tolist() == [0, 1, 2]
    assert selection.rule.name == "Concordance: not"


def test_a_search_can_be_limited_by_side_ordered_and_restricted_to_the_selection(qtbot, tab):
    search(qtbot, tab, "/\\bnot?\\b/i")
    assert len(rows(tab)) == 5
    with qtbot.waitSignal(tab.settled):
        tab.choice.choose(side="one")
    assert rows(tab) == [0, 0, 1]
    with qtbot.waitSignal(tab.settled):
        tab.choice.choose(order="hit")
    assert [tab.lines.parts(line, 0)[1] for line in range(2)] == ["No", "not"]
    tab.workspace.selection.set_rows("two", np.array([1, 2]))
    with qtbot.waitSignal(tab.settled):
        tab.choice.only_set.click()
    assert rows(tab) == [1]
    with qtbot.waitSignal(tab.settled):
        tab.workspace.selection.set_rule(None)
    assert rows(tab) == [0, 0, 1]


def test_lines_can_be_sorted_by_three_words_around_the_hit(qtbot, tab):
    search(qtbot, tab, "not")
    shown = [combo for combo in tab.choice.findChildren(QComboBox) if combo.accessibleName().startswith("Word to sort")]
    assert not any(combo.isVisible() for combo in shown)
    tab.choice.choose(order="1L 2L 1R")
    assert tab.choice.order == "1L 2L 1R" and all(combo.isVisible() for combo in shown)
    qtbot.waitUntil(lambda: rows(tab) == [1, 0, 2, 2])
    tab.choice.choose(order="corpus")
    qtbot.waitUntil(lambda: rows(tab) == [0, 1, 2, 2])
    assert not any(combo.isVisible() for combo in shown)


def test_a_message_appears_when_nothing_is_found(qtbot, tab):
    search(qtbot, tab, "tsunami")
    assert label_text(tab, SUMMARY) == "0 hits in 0 of 4 pairs"
    assert not find_part(tab, QPushButton, "Export lines").isEnabled()
    search(qtbot, tab, "n.*t")
    assert label_text(tab, SUMMARY) == (
        "0 hits in 0 of 4 pairs. To search for a regular expression, write it between slashes: /n.*t/."
    )
    search(qtbot, tab, "/n.*t")
    assert label_text(tab, SUMMARY).endswith("write it between slashes: /n.*t/.")
    search(qtbot, tab, "/no(/")
    assert "invalid" in label_text(tab, "Problem with the search") and rows(tab) == []
    search(qtbot, tab, " ")
    assert "Type a word" in label_text(tab, SUMMARY)
    tab.workspace.show(None)
    assert "Open a corpus" in tab.empty.text() and not examples(tab)


def examples(tab):
    offered = [each for each in tab.findChildren(QPushButton) if each.toolTip().startswith("Search for")]
    return [each for each in offered if each.isVisibleTo(tab)]


def test_an_empty_page_offers_searches(qtbot, tab):
    search(qtbot, tab, "")
    titles = [each.text() for each in examples(tab)]
    assert titles == ["“not” on one side only", "Numbers on one side only", "Words that end in -ly"]
    with qtbot.waitSignal(tab.settled):
        examples(tab)[0].click()
    qtbot.waitUntil(lambda: tab.lines.lines is not None)
    assert (tab.choice.edit.text(), tab.choice.side) == ("not", "one")
    assert not examples(tab), "the results take their place"


def test_all_lines_can_be_saved(qtbot, tab, tmp_path):
    search(qtbot, tab, "not")
    path = tmp_path / "lines.csv"
    with qtbot.waitSignal(tab.written) as signal:
        tab.write(path)
    assert signal.args == [f"4 lines written to {path}.", path]
    with path.open(newline="", encoding="utf-8") as file:
        assert [line["hypothesis hit"] for line in csv.DictReader(file)] == ["", "not", "not", ""]
    tab.workspace.show(replace(tab.workspace.corpus, source=["=1+not(1)", *SOURCES[1:]]))
    search(qtbot, tab, "not")
    for marked, words in (
        (False, "a spreadsheet may run it as a formula"),
        (True, "an apostrophe was put before it"),
    ):
        with qtbot.waitSignal(tab.written) as signal:
            tab.write(path, for_excel=marked)
        assert words in signal.args[0] and ("'=" in path.read_text(encoding="utf-8")) == marked
    with qtbot.waitSignal(tab.failed):
        tab.write(tmp_path / "nowhere" / "lines.csv")


def test_a_single_class_has_no_comparison(qtbot, tab):
    search(qtbot, tab, "not")
    assert not tab.by_label.isHidden() and len(tab.by_label.grid.rows) == 2
    corpus = replace(tab.workspace.corpus, label=np.ones(4, dtype=np.int8))
    tab.workspace.show(corpus, ScoreTable(4))
    search(qtbot, tab, "not")
    assert rows(tab) == [0, 1, 2, 2]
    assert tab.by_label.isHidden() and not tab.by_label.grid.rows


def test_a_single_outcome_has_no_comparison(qtbot, tab):
    corpus = replace(tab.workspace.corpus, label=np.ones(4, dtype=np.int8))
    table = ScoreTable(4)
    table.put(np.arange(4), {"pluie.direct": np.full(4, 2.0)})
    tab.workspace.show(corpus, table)
    tab.workspace.set_axes(y="pluie.direct")
    search(qtbot, tab, "not")
    assert tab.by_outcome.isHidden() and not tab.by_outcome.grid.rows, "every pair is a true positive"
    tab.workspace.set_threshold(3.0)
    search(qtbot, tab, "not")
    assert tab.by_outcome.isHidden(), "every pair is a false negative"
