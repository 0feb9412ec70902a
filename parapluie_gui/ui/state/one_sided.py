"""Sentences for Setup and the scatter about one-sided judges among the scores of the open corpus."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from parapluie_gui.analysis.one_sided import describe_one_sided
from parapluie_gui.analysis.score_column import score_column
from parapluie_gui.scores.identity import identify
from parapluie_gui.ui.state.workspace import CorpusWorkspace


def one_sided_words(workspace: CorpusWorkspace, names: Iterable[str]) -> str:
    """Return a sentence for each of these scores whose judge gives nearly all pairs the same answer; "" for none."""
    judged = [name for name in names if identify(name).is_from_judge]
    columns = (
        replace(score_column(name, values), title=workspace.title(name))
        for name in judged
        if (values := workspace.values(name)) is not None
    )
    return describe_one_sided(columns, workspace.labels()) if judged else ""
