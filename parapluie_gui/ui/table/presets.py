"""The presets of the filter bar: sets of pairs that are worth a look, as one table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QCoreApplication

from parapluie_gui.analysis.threshold import predicted_positive
from parapluie_gui.arrays import Floats, Mask
from parapluie_gui.scores.column_kind import evidence_columns, is_judge_score
from parapluie_gui.ui.state.columns import OUTCOMES, outcomes
from parapluie_gui.ui.state.notes import Notes
from parapluie_gui.ui.state.workspace import Workspace
from parapluie_gui.ui.widgets.text import QT_TRANSLATE_NOOP

#: Share of the pairs that count as near the threshold.
NEAR = 0.1

#: Below this, the judge mostly wanted to say something else than yes or no.
LOW_MASS = 0.5


@dataclass(frozen=True)
class Preset:
    """A named set of pairs.

    Attributes:
        key: Its name for programs.
        title: Its name for the user.
        tip: What it picks, in words.
        lacks: Returns why it cannot be had for what is shown now, or "".
        mask: Returns the boolean array (n,) of its pairs; called only when nothing lacks.
        separated: Whether a line comes before it in the menu.
    """

    key: str
    title: str
    tip: str
    lacks: Callable[[Workspace, Notes | None], str]
    mask: Callable[[Workspace, Notes | None], np.ndarray]
    separated: bool = False


def tr(text: str) -> str:
    """Translate a text of the presets."""
    return QCoreApplication.translate("Presets", text)


# What may lack


def _nothing(workspace: Workspace, notes: Notes | None) -> str:
    return "" if workspace.corpus is not None else tr("Open a corpus first.")


def _score(workspace: Workspace, notes: Notes | None) -> str:
    if workspace.values(workspace.y) is None:
        return tr("There is no score on the vertical axis yet.")
    return _nothing(workspace, notes)


def _labels(workspace: Workspace, notes: Notes | None) -> str:
    if workspace.corpus is not None and not workspace.corpus.labelled:
        return tr("This corpus has no labels.")
    return _score(workspace, notes)


def _distance(workspace: Workspace, notes: Notes | None) -> str:
    if workspace.values("edit_distance") is None:
        return tr("The edit distance is not computed yet.")
    return _score(workspace, notes)


def _templates(workspace: Workspace, notes: Notes | None) -> str:
    return "" if len(_judged(workspace)) > 1 else tr("Scores of two templates are needed.")


def _evidence(workspace: Workspace, notes: Notes | None) -> str:
    return "" if _with_evidence(workspace) else tr("Not judged yet. Press Run (F5).")


def _notes(workspace: Workspace, notes: Notes | None) -> str:
    return "" if notes is not None and notes.texts() else tr("No pair has a note yet.")


# What is picked


def _outcome(*wanted: str) -> Callable[[Workspace, Notes | None], np.ndarray]:
    codes = [OUTCOMES.index(word) for word in wanted]
    return lambda workspace, notes: np.isin(outcomes(workspace), codes)


def _far_but_high(workspace: Workspace, notes: Notes | None) -> np.ndarray:
    distance = _values(workspace, "edit_distance")
    return _at_least(distance, 0.75) & _taken(workspace)


def _close_but_low(workspace: Workspace, notes: Notes | None) -> np.ndarray:
    distance = _values(workspace, "edit_distance")
    return _at_least(-distance, 0.75) & ~_taken(workspace) & ~_unscored(workspace, notes)


def _disagree(workspace: Workspace, notes: Notes | None) -> np.ndarray:
    scores = np.array([_values(workspace, name) for name in _judged(workspace)])
    return np.logical_and((scores > 0).any(axis=0), (scores < 0).any(axis=0))


def _near(workspace: Workspace, notes: Notes | None) -> np.ndarray:
    return _at_least(-np.abs(_values(workspace, workspace.y) - workspace.threshold), 1 - NEAR)


def _low_mass(workspace: Workspace, notes: Notes | None) -> np.ndarray:
    low = np.zeros(workspace.table.rows, dtype=bool)
    for name in _with_evidence(workspace):
        p_yes, p_no = (_values(workspace, each) for each in evidence_columns(name))
        low |= p_yes + p_no < LOW_MASS
    return low


def _unscored(workspace: Workspace, notes: Notes | None) -> Mask:
    return np.isnan(_values(workspace, workspace.y))


def _noted(workspace: Workspace, notes: Notes | None) -> np.ndarray:
    mask = np.zeros(workspace.table.rows, dtype=bool)
    if notes is not None:
        mask[list(notes.texts())] = True
    return mask


PRESETS: tuple[Preset, ...] = (
    Preset(
        "false_positives",
        QT_TRANSLATE_NOOP("Presets", "False positives"),
        QT_TRANSLATE_NOOP("Presets", "Labelled not a paraphrase, but judged one at the threshold"),
        _labels,
        _outcome("FP"),
    ),
    Preset(
        "false_negatives",
        QT_TRANSLATE_NOOP("Presets", "False negatives"),
        QT_TRANSLATE_NOOP("Presets", "Labelled a paraphrase, but judged not a paraphrase at the threshold"),
        _labels,
        _outcome("FN"),
    ),
    Preset(
        "wrong",
        QT_TRANSLATE_NOOP("Presets", "Wrong"),
        QT_TRANSLATE_NOOP("Presets", "Score and label disagree at the threshold, either way"),
        _labels,
        _outcome("FP", "FN"),
    ),
    Preset(
        "far_but_high",
        QT_TRANSLATE_NOOP("Presets", "Far apart but high"),
        QT_TRANSLATE_NOOP(
            "Presets", "Among the quarter of pairs with the largest edit distance, yet judged a paraphrase"
        ),
        _distance,
        _far_but_high,
        separated=True,
    ),
    Preset(
        "close_but_low",
        QT_TRANSLATE_NOOP("Presets", "Close but low"),
        QT_TRANSLATE_NOOP(
            "Presets", "Among the quarter of pairs with the smallest edit distance, yet judged not a paraphrase"
        ),
        _distance,
        _close_but_low,
    ),
    Preset(
        "disagree",
        QT_TRANSLATE_NOOP("Presets", "Templates disagree"),
        QT_TRANSLATE_NOOP("Presets", "Above 0 with one template and below 0 with another"),
        _templates,
        _disagree,
    ),
    Preset(
        "near",
        QT_TRANSLATE_NOOP("Presets", "Near the threshold"),
        QT_TRANSLATE_NOOP("Presets", "The tenth of the pairs whose score is nearest to the threshold"),
        _score,
        _near,
    ),
    Preset(
        "low_mass",
        QT_TRANSLATE_NOOP("Presets", "Low answer mass"),
        QT_TRANSLATE_NOOP("Presets", "p(yes) + p(no) is below 0.5: the judge prefers another answer"),
        _evidence,
        _low_mass,
    ),
    Preset(
        "unscored",
        QT_TRANSLATE_NOOP("Presets", "Not scored"),
        QT_TRANSLATE_NOOP("Presets", "Pairs that have no score on the vertical axis yet"),
        _nothing,
        _unscored,
        separated=True,
    ),
    Preset(
        "noted",
        QT_TRANSLATE_NOOP("Presets", "With a note"),
        QT_TRANSLATE_NOOP("Presets", "Pairs with a note or a verdict of yours"),
        _notes,
        _noted,
    ),
)


def _values(workspace: Workspace, column: str) -> Floats:
    values = workspace.values(column)
    return np.full(workspace.table.rows, np.nan) if values is None else values


def _taken(workspace: Workspace) -> Mask:
    """Return which pairs the score takes for paraphrases at the threshold."""
    closer = workspace.higher_is_closer(workspace.y)
    return predicted_positive(_values(workspace, workspace.y), workspace.threshold, closer)


def _at_least(values: Floats, share: float) -> Mask:
    """Return which values are at or above the quantile `share` of those there are."""
    known = values[~np.isnan(values)]
    if not len(known):
        return np.zeros(len(values), dtype=bool)
    return np.asarray(values >= np.quantile(known, share))


def _judged(workspace: Workspace) -> list[str]:
    return [name for name in workspace.table.scores if is_judge_score(name)]


def _with_evidence(workspace: Workspace) -> list[str]:
    """Return the score on the vertical axis if it has probabilities, else every score that has them."""
    names = [name for name in _judged(workspace) if evidence_columns(name)[0] in workspace.table]
    return [workspace.y] if workspace.y in names else names
