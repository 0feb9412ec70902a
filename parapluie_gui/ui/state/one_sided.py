"""One-sided judges among the scores of the open corpus."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from parapluie_gui.analysis.one_sided import OneSidedJudge, find_one_sided
from parapluie_gui.analysis.score_column import score_column
from parapluie_gui.scores.identity import identify
from parapluie_gui.ui.state.workspace import CorpusWorkspace


def one_sided_judges(workspace: CorpusWorkspace, names: Iterable[str]) -> dict[str, OneSidedJudge]:
    """Return the judges that give nearly all pairs the same answer, by the names of their scores among these."""
    judges = {}
    for name in names:
        if not identify(name).is_from_judge or (values := workspace.values(name)) is None:
            continue
        column = replace(score_column(name, values), title=workspace.title(name))
        if (judge := find_one_sided(column, workspace.labels())) is not None:
            judges[name] = judge
    return judges
