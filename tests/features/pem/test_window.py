"""PEM in the Pair panel: its section is shown for a pair with a PEM score whose model is available."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from parapluie_gui.features.pem.window import add_section
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.scores.signature import Signature
from parapluie_gui.ui.pair_panel.view import PairView
from parapluie_gui.ui.state.notes import CorpusAnnotations
from parapluie_gui.ui.state.workspace import CorpusWorkspace

NOTHING = SimpleNamespace(evidence=lambda column, row: None, prompt=lambda column, row: None)


def test_the_section_is_shown_for_a_pair_with_a_pem_score(qtbot):
    workspace = CorpusWorkspace()
    rows = np.arange(4)
    workspace.show(Corpus("c", list("abcd"), [f"One sentence {row}." for row in rows], ["Another."] * 4))
    view = PairView(workspace, CorpusAnnotations(lambda work, failure: None), NOTHING)
    qtbot.addWidget(view)
    section = add_section(view, lambda column: "")
    view.resize(400, 900)
    view.show()
    scores = np.full(4, 3.0)
    scores[1] = np.nan
    workspace.put(rows, {"pem": scores})
    workspace.selection.set_primary(0)
    qtbot.waitUntil(section.isVisible, timeout=20_000)
    workspace.selection.set_primary(1)
    qtbot.waitUntil(lambda: not section.isVisible())
    workspace.selection.set_primary(2)
    qtbot.waitUntil(section.isVisible, timeout=20_000)
    workspace.table.declare("pem", Signature.from_fields("pem", {"name": "pem", "model": "mine.npz"}))
    workspace.put(rows, {"pem": scores})
    workspace.selection.set_primary(3)
    qtbot.waitUntil(lambda: not section.isVisible())
    section.stop()
    view.stop()


def test_the_window_creates_the_section_below_the_scores(open_window):
    window = open_window()
    section = window.features["pem"].section
    assert window.pair.isAncestorOf(section) and section.isHidden()
