"""Sentences about one-sided judges among the scores of the open corpus."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from parapluie_gui.analysis.one_sided import find_one_sided
from parapluie_gui.analysis.score_column import score_column
from parapluie_gui.scores.identity import identify
from parapluie_gui.ui.state.workspace import CorpusWorkspace


def one_sided_words(workspace: CorpusWorkspace, names: Iterable[str]) -> dict[str, str]:
    """Return a sentence for each of these scores whose judge gives nearly all pairs the same answer, by its name."""
    sentences = {}
    for name in names:
        if not identify(name).is_from_judge or (values := workspace.values(name)) is None:
            continue
        column = replace(score_column(name, values), title=workspace.title(name))
        if (judge := find_one_sided(column, workspace.labels())) is not None:
            sentences[name] = judge.sentence
    return sentences
