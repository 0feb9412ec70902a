"""The corpus "Two meanings" in the window: opened from the start page, with its families in the Analysis tab."""

from __future__ import annotations

import fake_workers
import numpy as np
from analysing import corpus_of, mask, rest, table_of, turn
from PySide6.QtCore import Qt

from parapluie_gui.pairs import read
from parapluie_gui.shipped import shipped_corpora


def test_the_start_page_opens_the_corpus(open_window, qtbot):
    window = open_window(fake_workers.light)
    qtbot.mouseClick(window.tabs.start.shipped_buttons["meanings"], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.workspace.corpus is not None, timeout=10_000)
    assert (window.workspace.corpus.name, len(window.workspace.corpus)) == ("Two meanings", 6420)


def test_families_are_shown_and_selected_and_a_corpus_without_families_gives_a_message(make, qtbot):
    corpus = read(shipped_corpora()["meanings"].path).take(range(120))
    tab = make(corpus)
    page = turn(qtbot, tab, "families")
    values, relations = tab.workspace.values("pluie.direct"), np.array(corpus.extra["relation"].cells())
    fallen = values[relations == "a1-a3"] <= values[relations == "a1-b1"]
    grid = page.table_named("families").grid
    row = next(number for number, each in enumerate(grid.rows) if "DIRECT" in each[0])
    assert grid.rows[row][2].value == 1 - fallen.mean()
    page.table_named("families").clicked.emit(row, 2)
    rows = np.flatnonzero(np.repeat(fallen, 10) & np.isin(relations, ("a1-a3", "a1-b1")))
    assert mask(tab) == rows.tolist()
    assert len(page.figure_named("trap-rate").value.columns) == len(grid.rows) == 3

    tab.workspace.show(corpus_of(), table_of(corpus_of()))
    rest(qtbot, tab)
    assert page.empty.isVisible() and "not families with two meanings" in page.reason.text()
