"""The columns of the corpus and its scores as every view reads them: numbers, texts, outcomes, names for filters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

import numpy as np

from parapluie_gui.analysis import threshold
from parapluie_gui.analysis.columns import column, column_names
from parapluie_gui.arrays import Numbers
from parapluie_gui.ui.state.workspace import LIKENESS, Workspace

#: Outcomes in the order of their codes; code 0 stands for no label or no score.
OUTCOMES = ("", "TP", "FP", "FN", "TN")


def outcomes(workspace: Workspace, score: str | None = None, rows: slice = slice(None)) -> Numbers:
    """Return the outcome of each pair at the threshold as int8 codes into `OUTCOMES`, shape (n,).

    Args:
        workspace: Holds scores, labels and threshold.
        score: The score column; by default the one on the vertical axis.
        rows: Only these pairs.
    """
    labels = workspace.labels()[rows]
    name = score or workspace.y
    values = workspace.values(name)
    if values is None:
        return np.zeros(len(labels), dtype=np.int8)
    return threshold.outcome(values[rows], labels, workspace.threshold, workspace.higher_is_closer(name))


def values_of(workspace: Workspace, key: str) -> Numbers:
    """Return a column of the table or of filters, shape (n,): float64, or objects that are texts.

    "length" is the number of characters of the longer sentence; a column that is gone is all NaN. Score columns are
    live views; what is derived from scores is not, `Workspace.derived` tells when to ask again.
    """
    corpus, table = workspace.judged, workspace.table
    if key == LIKENESS and workspace.likeness is not None:
        return workspace.likeness
    if key in table:
        return table[key]
    if corpus is not None:
        names = column_names(corpus, table)
        if key in names.derived:
            return workspace.derived.values(key, names.derived[key], partial(column, corpus, table, names, key))
        if key == names.kinds:
            return workspace.kinds.texts()
        if key in names.bounds:
            return column(corpus, table, names, key)
        if key in names.all:
            return workspace.once(f"column {key}", partial(column, corpus, table, names, key), key)
        values = workspace.values(key)
        if values is not None:
            return values
    return np.full(table.rows, np.nan)


def texts_of(workspace: Workspace, key: str) -> Sequence[object]:
    """Return a text column of the corpus: n values, None where a cell is empty; a column that is gone is all None."""
    corpus = workspace.judged
    assert corpus is not None
    names = column_names(corpus, workspace.table)
    if key == names.kinds:
        return list(workspace.kinds.texts())
    own = names.extra.get(key)
    found: Sequence[object] | None = getattr(corpus, key, None) if own is None else corpus.extra[own].cells()
    return [None] * len(corpus) if found is None else found


def filter_names(workspace: Workspace) -> list[str]:
    """Return the names for filters."""
    corpus = workspace.judged
    if corpus is None:
        return []
    names = column_names(corpus, workspace.table).filterable
    return list(dict.fromkeys([*names, "length"]))


def rests_on_scores(workspace: Workspace, names: Iterable[str]) -> bool:
    """Return True if one of these columns may change: it holds scores, is derived, or people add to it."""
    if workspace.corpus is None:
        return False
    columns = column_names(workspace.corpus, workspace.table)
    derived = {*columns.derived, columns.kinds, *columns.bounds}
    return any(name in workspace.table or name in derived or name in workspace.people for name in names)
