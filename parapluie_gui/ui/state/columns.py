"""The columns of the pairs table, with outcomes at the threshold, and the names that filters accept."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import numpy as np
from PySide6.QtCore import QCoreApplication

from parapluie_gui.analysis import threshold
from parapluie_gui.analysis.columns import LENGTH, Column, arrange_columns
from parapluie_gui.arrays import Numbers
from parapluie_gui.ui.state.workspace import Workspace

translate = QCoreApplication.translate

#: Key of the column of outcomes; a file may well have a column called "outcome".
OUTCOME = "#outcome"
#: Outcomes in the order of their codes; code 0 means no label or no score.
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
    if values is None or name == LENGTH:
        return np.zeros(len(labels), dtype=np.int8)
    return threshold.outcome(values[rows], labels, workspace.threshold, workspace.higher_is_closer(name))


def has_outcomes(workspace: Workspace) -> bool:
    """Return True if there are labels and a score on the vertical axis; a length has no outcomes."""
    return "label" in workspace.columns and workspace.y != LENGTH and workspace.values(workspace.y) is not None


def table_columns(workspace: Workspace) -> list[Column]:
    """Return the columns of the pairs table; empty without a corpus."""
    columns = dict(workspace.columns)
    if has_outcomes(workspace):
        tip = translate("Pairs", "Does the score on the vertical axis, at the threshold, agree with the label?")
        outcome_column = partial(
            Column, OUTCOME, translate("Pairs", "Outcome"), tip, "outcome", partial(outcomes, workspace)
        )
        columns[OUTCOME] = outcome_column(place=4, filters=False, changes="scores")
    return arrange_columns(columns)


def describe_outcome(code: int) -> str:
    """Return a sentence for an outcome code, "" for 0."""
    return (
        "",
        translate("Pairs", "True positive: judged a paraphrase, and labelled one"),
        translate("Pairs", "False positive: judged a paraphrase, but labelled not a paraphrase"),
        translate("Pairs", "False negative: judged not a paraphrase, but labelled one"),
        translate("Pairs", "True negative: judged not a paraphrase, and labelled so"),
    )[code]


def filter_names(workspace: Workspace) -> list[str]:
    """Return the plain names that filters accept."""
    return [column.key for column in workspace.columns.values() if column.filters]


def may_change(workspace: Workspace, names: Iterable[str]) -> bool:
    """Return True if one of these columns may change: it holds scores, is derived, or takes people's answers."""
    columns = workspace.columns
    return any(columns[name].changes != "never" for name in names if name in columns)
