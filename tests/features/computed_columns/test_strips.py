"""Computed columns among the strips of a pair."""

from __future__ import annotations

import numpy as np

from parapluie_gui.features.computed_columns.computed import ComputedColumn
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.ui.pair_panel.view import PairStrips
from parapluie_gui.ui.state.workspace import CorpusWorkspace


def test_computed_columns_have_strips(qtbot):
    workspace = CorpusWorkspace()
    workspace.show(Corpus("two", ["1", "2"], ["a", "b"], ["a", "c"]))
    workspace.put(np.arange(2), {"bleu": np.array([0.5, 0.1]), "edit_distance": np.array([0.2, np.nan])})
    both = ComputedColumn("both", "bleu > 0.3 and edit_distance < 0.5")
    workspace.set_feature_material("computed_columns", (ComputedColumn("sum", "bleu + edit_distance"), both))
    strips = PairStrips(workspace)
    strips.list_strips(0)
    strips.shapes.settle()
    rows = {strip.column: strip for strip in strips.list_strips(0)}
    assert list(rows)[-2:] == ["sum", "both"], "after their inputs"
    assert (rows["sum"].value, rows["sum"].text, rows["sum"].shape.total) == (0.7, "0.700", 1)
    assert rows["sum"].note == "Computed: bleu + edit_distance" and rows["both"].threshold == 0.5
    missing = {strip.column: strip for strip in strips.list_strips(1)}["sum"]
    assert missing.value is None and missing.missing == "a value is missing"
