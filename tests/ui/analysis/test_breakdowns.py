"""The page of joint errors: its tables, and the selections that clicks make."""

from __future__ import annotations

import numpy as np
from analysing import corpus_of, mask, rest, turn, two_templates

from parapluie_gui.ui.table.presets import PRESETS


def test_pairs_wrong_under_all_templates_are_counted_selected_and_a_preset(make, qtbot):
    corpus = corpus_of()
    tab = make(corpus, two_templates(corpus))
    page = turn(qtbot, tab, "compare")
    table, labels = tab.workspace.table, tab.workspace.labels()
    wrong = np.array([(table[name] >= 0) != (labels == 1) for name in ("pluie.direct", "pluie.fs-direct")])
    by_all, by_any = wrong.all(axis=0), wrong.any(axis=0)
    grid = page.table_named("shared-errors").grid
    assert "DIRECT" in grid.title and "FS-DIRECT" in grid.title and "BLEU" not in grid.title
    assert grid.rows[0][:3] == (120, by_all.sum(), by_any.sum())
    assert grid.rows[0][4] == 100 * (1 - by_all.sum() / by_any.sum())
    page.table_named("shared-errors").clicked.emit(0, 1)
    assert mask(tab) == np.flatnonzero(by_all).tolist()
    page.table_named("shared-errors").clicked.emit(0, 2)
    assert mask(tab) == np.flatnonzero(by_any).tolist()
    presets = {each.title: each.members(tab.workspace, None) for each in PRESETS}
    assert np.array_equal(presets["Wrong under every template"], by_all)
    assert np.array_equal(presets["Right under at least one template"], by_any & ~by_all)


def test_the_threshold_on_the_scatter_counts(make, qtbot):
    corpus = corpus_of()
    tab = make(corpus, two_templates(corpus))
    page = turn(qtbot, tab, "compare")
    before = page.table_named("shared-errors").grid.rows
    tab.workspace.set_threshold(-9.0)
    rest(qtbot, tab)
    assert page.table_named("shared-errors").grid.rows != before
