"""The columns of the pairs table, with outcomes at the threshold, and the names that filters accept."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import numpy as np
from PySide6.QtCore import QCoreApplication

from parapluie_gui.analysis import threshold
from parapluie_gui.analysis.columns import Column, arrange_columns
from parapluie_gui.analysis.filter import words
from parapluie_gui.arrays import Numbers
from parapluie_gui.ui.state.workspace import CorpusWorkspace

translate = QCoreApplication.translate

#: Key of the column of outcomes; a file may well have a column called "outcome".
OUTCOME = "#outcome"
#: Outcomes in the order of their codes; code 0 means no label or no score.
OUTCOMES = ("", *words.OUTCOMES)
#: Name of the outcome in filters, unless a column of the corpus has it.
FILTERED_OUTCOME = words.OUTCOME


def outcomes(workspace: CorpusWorkspace, score: str | None = None, rows: slice = slice(None)) -> Numbers:
    """Return the outcome of each pair at the threshold as int8 codes into `OUTCOMES`, shape (n,).

    Args:
        workspace: Holds scores, labels and threshold.
        score: The score column; by default the one on the vertical axis.
        rows: Only these pairs.
    """
    labels = workspace.labels()[rows]
    name = score or workspace.y
    values = workspace.values(name)
    if values is None or not workspace.predicts(name):
        return np.zeros(len(labels), dtype=np.int8)
    return threshold.outcome(values[rows], labels, workspace.threshold, workspace.higher_is_closer(name))


def has_outcomes(workspace: CorpusWorkspace) -> bool:
    """Return whether there are labels and a score on the vertical axis; the length of sentences has no outcomes."""
    y = workspace.y
    return "label" in workspace.columns and workspace.predicts(y) and workspace.values(y) is not None


def table_columns(workspace: CorpusWorkspace) -> list[Column]:
    """Return the columns of the pairs table; empty without a corpus."""
    columns = dict(workspace.columns)
    if has_outcomes(workspace):
        tip = translate(
            "Pairs", "Does the verdict of the score on the vertical axis, at the threshold, agree with the label?"
        )
        outcome_column = partial(
            Column, OUTCOME, translate("Pairs", "Outcome"), tip, "outcome", partial(outcomes, workspace)
        )
        columns[OUTCOME] = outcome_column(place=4, filters=False, changes="scores")
    return arrange_columns(columns)


def describe_outcome(code: int) -> str:
    """Return a sentence for an outcome code, "" for 0."""
    return (
        "",
        translate("Pairs", "True positive: judged a paraphrase, and labelled a paraphrase"),
        translate("Pairs", "False positive: judged a paraphrase, but labelled “not a paraphrase”"),
        translate("Pairs", "False negative: judged not a paraphrase, but labelled a paraphrase"),
        translate("Pairs", "True negative: judged not a paraphrase, and labelled “not a paraphrase”"),
    )[code]


def filter_columns(workspace: CorpusWorkspace) -> dict[str, Column]:
    """Return the columns by plain name as filters take them: those of the workspace, and the outcome as a text."""
    columns = dict(workspace.columns)
    if has_outcomes(workspace) and FILTERED_OUTCOME not in columns:
        title = translate("Pairs", "Outcome")
        columns[FILTERED_OUTCOME] = Column(
            FILTERED_OUTCOME, title, "", "text", partial(_outcome_texts, workspace), changes="scores"
        )
    return columns


def filter_values(workspace: CorpusWorkspace, key: str) -> Numbers:
    """Return a column as filters compare it; see `CorpusWorkspace.column_values`."""
    if key == FILTERED_OUTCOME and key not in workspace.columns:
        return _outcome_texts(workspace)
    return workspace.column_values(key)


def _outcome_texts(workspace: CorpusWorkspace) -> Numbers:
    return np.array([None, *OUTCOMES[1:]], dtype=object)[outcomes(workspace)]


def filter_names(workspace: CorpusWorkspace) -> list[str]:
    """Return the plain names that filters accept."""
    return [column.key for column in filter_columns(workspace).values() if column.filters]


def may_change(workspace: CorpusWorkspace, names: Iterable[str]) -> bool:
    """Return True if one of these columns may change: it holds scores or people's answers, or is derived."""
    columns = filter_columns(workspace)
    return any(columns[name].changes != "never" for name in names if name in columns)
