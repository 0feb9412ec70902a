"""The Analysis tab on a corpus."""

from __future__ import annotations

import pytest
from analysing import corpus_of, rest, table_of
from dressing import undress

from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.ui.analysis.tab import AnalysisTab
from parapluie_gui.ui.state.workspace import Workspace
from parapluie_gui.ui.widgets import theme as themes
from parapluie_gui.ui.widgets.theme import LIGHT


@pytest.fixture
def make(qtbot, qapp):
    """Return a function that shows the tab on a corpus."""
    made: list[AnalysisTab] = []

    def show(corpus: Corpus | None, table: ScoreTable | None = None) -> AnalysisTab:
        workspace = Workspace()
        tab = AnalysisTab(workspace)
        tab.workspace = workspace  # the fixture's owner of what the tab only listens to
        tab.choice.draws.setValue(20)
        qtbot.addWidget(tab)
        tab.resize(900, 700)
        if corpus is not None:
            workspace.show(corpus, table_of(corpus) if table is None else table)
            workspace.set_axes(y="pluie.direct")
        themes.apply(qapp, LIGHT)  # now, as the window does: a widget that is made under a sheet is dressed twice
        with qtbot.waitExposed(tab):
            tab.show()
        made.append(tab)
        rest(qtbot, tab)
        return tab

    yield show
    for tab in made:
        tab.close_work()
    undress(qapp)


@pytest.fixture
def tab(make):
    return make(corpus_of())
