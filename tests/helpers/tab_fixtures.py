"""Fixtures with the Analysis tab on a corpus."""

from __future__ import annotations

import pytest
from analysing import corpus_of, rest, table_of
from dressing import remove_style

from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.ui.analysis.tab import AnalysisTab
from parapluie_gui.ui.state.workspace import CorpusWorkspace
from parapluie_gui.ui.widgets import theme as themes
from parapluie_gui.ui.widgets.theme import LIGHT


@pytest.fixture
def make(qtbot, qapp):
    """Return a function that shows the tab on a corpus."""
    tabs: list[AnalysisTab] = []

    def show(corpus: Corpus | None, table: ScoreTable | None = None) -> AnalysisTab:
        workspace = CorpusWorkspace()
        tab = AnalysisTab(workspace)
        tab.workspace = workspace  # keeps the workspace alive; the tab only listens to it
        tab.choice.draws.setValue(20)
        qtbot.addWidget(tab)
        tab.resize(900, 700)
        if corpus is not None:
            workspace.show(corpus, table_of(corpus) if table is None else table)
            workspace.set_axes(y="pluie.direct")
        themes.apply(qapp, LIGHT)  # after creation, as in the window, so that widgets are styled once
        with qtbot.waitExposed(tab):
            tab.show()
        tabs.append(tab)
        rest(qtbot, tab)
        return tab

    yield show
    for tab in tabs:
        tab.close_work()
    remove_style(qapp)


@pytest.fixture
def tab(make):
    return make(corpus_of())
