"""Gathers the inputs of an analysis from the workspace and the choices beside it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from parapluie_gui.analysis.material import Facts, Material
from parapluie_gui.analysis.score_column import score_column
from parapluie_gui.analysis.study import DISTANCE
from parapluie_gui.arrays import Mask
from parapluie_gui.metrics import catalogue
from parapluie_gui.scores.identity import identify
from parapluie_gui.ui.analysis.choice import AnalysisChoice
from parapluie_gui.ui.state.workspace import Workspace

#: Columns of numbers that are certainly no scores: ids, numbers of lines.
_NO_SCORE = re.compile(r"(?i)\bid\b|_id$|^(index|line|row|unnamed.*)$")
_ROLES = ("label", "human", "length")


def offered_scores(workspace: Workspace) -> tuple[list[str], list[str]]:
    """Return the columns that may be scores, and those of them that certainly are."""
    if workspace.corpus is None:
        return [], []
    scores = list(workspace.table.scores)
    more = [name for name in workspace.numeric_columns() if name not in scores and name not in _ROLES]
    more = [name for name in more if identify(name).is_score and not _NO_SCORE.search(name)]
    certain = [name for name in more if identify(name).judged or catalogue.info(name) is not None]
    return [*scores, *more], [*scores, *certain]


def collect(
    workspace: Workspace,
    facts: Facts,
    choice: AnalysisChoice,
    only: Mask | None,
    scope: int,
    title: Callable[[str], str],
) -> Material:
    """Return a copy of everything that an analysis of the pairs in `only` (None: all) needs; see `Material`.

    `title` names a score.
    """
    columns = {name: workspace.values(name) for name in choice.scores.chosen()}
    score_columns = [
        replace(
            score_column(name, values.copy(), None if identify(name).judged else not workspace.higher_is_closer(name)),
            title=title(name),
            bounds=workspace.table.all_bounds(name),
        )
        for name, values in columns.items()
        if values is not None
    ]
    corpora = choice.corpora.chosen() if len(facts.parts) > 1 else []
    parts = {name: mask for name, mask in facts.parts.items() if not corpora or name in corpora}
    where = np.any(list(parts.values()), axis=0) if len(parts) < len(facts.parts) else None
    if only is not None:
        parts = {name: mask & only for name, mask in parts.items()}
        where = only if where is None else where & only
    distance, kinds = workspace.values(DISTANCE), workspace.kinds.numbers
    return Material(
        facts=facts,
        score_columns=tuple(each for each in score_columns if not np.isnan(each.values).all()),
        versions={name: workspace.version(name) for name in (DISTANCE, *choice.scores.chosen())},
        labels=workspace.labels(),
        parts=parts,
        where=where,
        scope=scope,
        draws=choice.draws.value(),
        y=workspace.y,
        given={workspace.y: workspace.threshold} if workspace.y in columns else {},
        distance=None if distance is None or np.isnan(distance).any() else distance.copy(),
        kinds=None if np.isnan(kinds).any() else kinds.copy(),
        corrected=workspace.kinds.corrected,
        signatures=dict(workspace.table.signatures),
        own=frozenset(workspace.table.own),
        people=workspace.judgements,
    )
