"""Warnings about judges that give nearly all pairs of the open corpus the same answer."""

from __future__ import annotations

from parapluie_gui.analysis.one_sided import describe_judges
from parapluie_gui.scores.identity import identify
from parapluie_gui.ui.state.one_sided import one_sided_judges
from parapluie_gui.ui.state.throttle import CallThrottle
from parapluie_gui.ui.window.context import WindowContext, WindowController

#: Milliseconds between two looks at the scores while they arrive.
_TURN_MS = 500


class OneSidedJudges(WindowController):
    """Names one-sided judges in Setup and below the scores of a pair, before anybody relies on their zero."""

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context)
        self._looking = CallThrottle(self._look, _TURN_MS, self)
        self._workspace.corpus_changed.connect(self._look)
        self._workspace.columns_changed.connect(self._look)
        self._workspace.scores_changed.connect(self._take_scores)

    def _take_scores(self, columns: frozenset[str]) -> None:
        if any(identify(name).is_from_judge for name in columns):
            self._looking.ask()

    def _look(self) -> None:
        workspace = self._workspace
        names = () if workspace.corpus is None else [*workspace.table.scores, *workspace.numeric_columns()]
        judges = one_sided_judges(workspace, dict.fromkeys(names))
        self._setup.notes.set_one_sided(describe_judges(list(judges.values())))
        by_judge = {(name, workspace.model_of(name)): judge for name, judge in judges.items()}
        for view in (self._pair, self._bench):
            view.scores.set_one_sided(by_judge)
