"""The presets of the filter bar: ready-made selections of interesting pairs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QCoreApplication

from parapluie_gui.analysis.score_column import score_column
from parapluie_gui.analysis.statistics.shared_errors import one_per_judge, score_verdicts, wrong_by
from parapluie_gui.analysis.threshold import predicted_positive
from parapluie_gui.arrays import Floats, Mask
from parapluie_gui.scores.identity import identify
from parapluie_gui.ui.state.columns import OUTCOMES, outcomes
from parapluie_gui.ui.state.notes import CorpusAnnotations
from parapluie_gui.ui.state.workspace import CorpusWorkspace
from parapluie_gui.ui.widgets.text import QT_TRANSLATE_NOOP

#: Share of the pairs counted as near the threshold.
NEAR = 0.1

#: Sum of p(yes) and p(no) below which the judge would mostly have given a different answer.
LOW_MASS = 0.5


@dataclass(frozen=True)
class FilterPreset:
    """A named set of pairs.

    Attributes:
        tip: Description of the selected pairs.
        lacks: Returns the reason why it does not apply now, or "".
        mask: Returns its pairs, bool (n,); called only when nothing is missing.
        separated: Whether a separator precedes it in the menu.
    """

    title: str
    tip: str
    lacks: Callable[[CorpusWorkspace, CorpusAnnotations | None], str]
    mask: Callable[[CorpusWorkspace, CorpusAnnotations | None], Mask]
    separated: bool = False

    def members(self, workspace: CorpusWorkspace, notes: CorpusAnnotations | None) -> Mask:
        """Return the preset's pairs, bool (n,); none while it does not apply."""
        if self.lacks(workspace, notes):
            return np.zeros(workspace.table.rows, dtype=bool)
        return self.mask(workspace, notes)


def tr(text: str) -> str:
    """Translate a text of the presets."""
    return QCoreApplication.translate("Presets", text)


# Missing requirements


def _nothing(workspace: CorpusWorkspace, notes: CorpusAnnotations | None) -> str:
    return "" if workspace.corpus is not None else tr("Open a corpus first.")


def _score(workspace: CorpusWorkspace, notes: CorpusAnnotations | None) -> str:
    if workspace.values(workspace.y) is None:
        return tr("There is no score on the vertical axis yet.")
    return _nothing(workspace, notes)


def _labels_and(
    other: Callable[[CorpusWorkspace, CorpusAnnotations | None], str],
) -> Callable[[CorpusWorkspace, CorpusAnnotations | None], str]:
    def lacks(workspace: CorpusWorkspace, notes: CorpusAnnotations | None) -> str:
        if workspace.corpus is not None and not workspace.corpus.has_labels:
            return tr("This corpus has no labels.")
        return other(workspace, notes)

    return lacks


def _distance(workspace: CorpusWorkspace, notes: CorpusAnnotations | None) -> str:
    if workspace.values("edit_distance") is None:
        return tr("The edit distance has not been computed yet.")
    return _score(workspace, notes)


def _templates(workspace: CorpusWorkspace, notes: CorpusAnnotations | None) -> str:
    return "" if len(_template_scores(workspace)) > 1 else tr("Scores of one judge under two templates are needed.")


def _directions(workspace: CorpusWorkspace, notes: CorpusAnnotations | None) -> str:
    return "" if workspace.table.gaps else tr("Tick “Also with the sentences swapped” in Setup and press Run (F5).")


def _two_judges(workspace: CorpusWorkspace, notes: CorpusAnnotations | None) -> str:
    return "" if len(_scores_by_judge(workspace)) > 1 else tr("Scores of two judges are needed.")


def _evidence(workspace: CorpusWorkspace, notes: CorpusAnnotations | None) -> str:
    return "" if _evidence_scores(workspace) else tr("Not judged yet. Press Run (F5).")


def _notes(workspace: CorpusWorkspace, notes: CorpusAnnotations | None) -> str:
    return "" if notes is not None and notes.texts() else tr("No pair has a note yet.")


# Selected pairs


def _outcome(*wanted: str) -> Callable[[CorpusWorkspace, CorpusAnnotations | None], Mask]:
    codes = [OUTCOMES.index(word) for word in wanted]
    return lambda workspace, notes: np.isin(outcomes(workspace), codes)


def _far_but_high(workspace: CorpusWorkspace, notes: CorpusAnnotations | None) -> Mask:
    distance = _values(workspace, "edit_distance")
    return _reach_quantile(distance, 0.75) & _predict_positive(workspace)


def _close_but_low(workspace: CorpusWorkspace, notes: CorpusAnnotations | None) -> Mask:
    distance = _values(workspace, "edit_distance")
    return _reach_quantile(-distance, 0.75) & ~_predict_positive(workspace) & ~_lack_scores(workspace, notes)


def _disagree(workspace: CorpusWorkspace, notes: CorpusAnnotations | None) -> Mask:
    return _cross_zero(workspace, _template_scores(workspace))


def _judges_disagree(workspace: CorpusWorkspace, notes: CorpusAnnotations | None) -> Mask:
    return _cross_zero(workspace, _scores_by_judge(workspace))


def _cross_zero(workspace: CorpusWorkspace, names: list[str]) -> Mask:
    scores = np.array([_values(workspace, name) for name in names])
    return np.logical_and((scores > 0).any(axis=0), (scores < 0).any(axis=0))


def _wrong_under_all_templates(workspace: CorpusWorkspace, notes: CorpusAnnotations | None) -> Mask:
    return _wrong_together(workspace, _template_scores(workspace))[1]


def _wrong_by_all_judges(workspace: CorpusWorkspace, notes: CorpusAnnotations | None) -> Mask:
    return _wrong_together(workspace, _scores_by_judge(workspace))[1]


def _right_under_one_template(workspace: CorpusWorkspace, notes: CorpusAnnotations | None) -> Mask:
    _, by_all, by_any = _wrong_together(workspace, _template_scores(workspace))
    return by_any & ~by_all


def _wrong_together(workspace: CorpusWorkspace, names: list[str]) -> tuple[Mask, Mask, Mask]:
    names = list(filter(workspace.table.has_scores, names))
    columns = [score_column(name, _values(workspace, name)) for name in names]
    return wrong_by(score_verdicts(columns, workspace.labels()), workspace.labels())


def _order_decides(workspace: CorpusWorkspace, notes: CorpusAnnotations | None) -> Mask:
    mask = np.zeros(workspace.table.rows, dtype=bool)
    for gap in workspace.table.gaps:
        forward, reverse = (_values(workspace, name) for name in identify(gap).orders)
        mask |= ((forward > 0) & (reverse < 0)) | ((forward < 0) & (reverse > 0))
    return mask


def _mark_near_threshold(workspace: CorpusWorkspace, notes: CorpusAnnotations | None) -> Mask:
    return _reach_quantile(-np.abs(_values(workspace, workspace.y) - workspace.threshold), 1 - NEAR)


def _low_mass(workspace: CorpusWorkspace, notes: CorpusAnnotations | None) -> Mask:
    low = np.zeros(workspace.table.rows, dtype=bool)
    for name in _evidence_scores(workspace):
        p_yes, p_no = (_values(workspace, evidence) for evidence in identify(name).evidence)
        low |= p_yes + p_no < LOW_MASS
    return low


def _lack_scores(workspace: CorpusWorkspace, notes: CorpusAnnotations | None) -> Mask:
    return np.isnan(_values(workspace, workspace.y))


def _have_notes(workspace: CorpusWorkspace, notes: CorpusAnnotations | None) -> Mask:
    mask = np.zeros(workspace.table.rows, dtype=bool)
    if notes is not None:
        mask[list(notes.texts())] = True
    return mask


PRESETS: tuple[FilterPreset, ...] = (
    FilterPreset(
        QT_TRANSLATE_NOOP("Presets", "False positives"),
        QT_TRANSLATE_NOOP("Presets", "Labelled not a paraphrase, but judged one at the threshold"),
        _labels_and(_score),
        _outcome("FP"),
    ),
    FilterPreset(
        QT_TRANSLATE_NOOP("Presets", "False negatives"),
        QT_TRANSLATE_NOOP("Presets", "Labelled a paraphrase, but judged not a paraphrase at the threshold"),
        _labels_and(_score),
        _outcome("FN"),
    ),
    FilterPreset(
        QT_TRANSLATE_NOOP("Presets", "Wrong"),
        QT_TRANSLATE_NOOP("Presets", "Score and label disagree at the threshold, in either direction"),
        _labels_and(_score),
        _outcome("FP", "FN"),
    ),
    FilterPreset(
        QT_TRANSLATE_NOOP("Presets", "Far apart but high"),
        QT_TRANSLATE_NOOP(
            "Presets", "Among the quarter of pairs with the largest edit distance, yet judged a paraphrase"
        ),
        _distance,
        _far_but_high,
        separated=True,
    ),
    FilterPreset(
        QT_TRANSLATE_NOOP("Presets", "Close but low"),
        QT_TRANSLATE_NOOP(
            "Presets", "Among the quarter of pairs with the smallest edit distance, yet judged not a paraphrase"
        ),
        _distance,
        _close_but_low,
    ),
    FilterPreset(
        QT_TRANSLATE_NOOP("Presets", "Templates disagree"),
        QT_TRANSLATE_NOOP("Presets", "Above 0 with one template of a judge and below 0 with another of its templates"),
        _templates,
        _disagree,
    ),
    FilterPreset(
        QT_TRANSLATE_NOOP("Presets", "Wrong under every template"),
        QT_TRANSLATE_NOOP("Presets", "Every template of a judge gives a score on the wrong side of 0"),
        _labels_and(_templates),
        _wrong_under_all_templates,
    ),
    FilterPreset(
        QT_TRANSLATE_NOOP("Presets", "Right under at least one template"),
        QT_TRANSLATE_NOOP(
            "Presets", "One template of a judge gives a score on the wrong side of 0, and another on the right side"
        ),
        _labels_and(_templates),
        _right_under_one_template,
    ),
    FilterPreset(
        QT_TRANSLATE_NOOP("Presets", "Judges disagree"),
        QT_TRANSLATE_NOOP(
            "Presets", "Above 0 for one judge and below 0 for another, with the template that most judges share"
        ),
        _two_judges,
        _judges_disagree,
    ),
    FilterPreset(
        QT_TRANSLATE_NOOP("Presets", "All judges wrong"),
        QT_TRANSLATE_NOOP(
            "Presets", "Every judge's score is on the wrong side of 0, with the template that most judges share"
        ),
        _labels_and(_two_judges),
        _wrong_by_all_judges,
    ),
    FilterPreset(
        QT_TRANSLATE_NOOP("Presets", "Order changes the verdict"),
        QT_TRANSLATE_NOOP("Presets", "Above 0 with one sentence first, and below 0 with the other first"),
        _directions,
        _order_decides,
    ),
    FilterPreset(
        QT_TRANSLATE_NOOP("Presets", "Near the threshold"),
        QT_TRANSLATE_NOOP("Presets", "The tenth of the pairs whose score is nearest to the threshold"),
        _score,
        _mark_near_threshold,
    ),
    FilterPreset(
        QT_TRANSLATE_NOOP("Presets", "Judge says neither yes nor no"),
        QT_TRANSLATE_NOOP("Presets", "p(yes) + p(no) is below 0.5: the judge prefers another answer"),
        _evidence,
        _low_mass,
    ),
    FilterPreset(
        QT_TRANSLATE_NOOP("Presets", "Not scored"),
        QT_TRANSLATE_NOOP("Presets", "Pairs that have no score on the vertical axis yet"),
        _nothing,
        _lack_scores,
        separated=True,
    ),
    FilterPreset(
        QT_TRANSLATE_NOOP("Presets", "With a note"),
        QT_TRANSLATE_NOOP("Presets", "Pairs with a note or an answer by anybody"),
        _notes,
        _have_notes,
    ),
)


def _values(workspace: CorpusWorkspace, column: str) -> Floats:
    values = workspace.values(column)
    return np.full(workspace.table.rows, np.nan) if values is None else values


def _predict_positive(workspace: CorpusWorkspace) -> Mask:
    """Return the pairs predicted as paraphrases at the threshold."""
    closer = workspace.higher_is_closer(workspace.y)
    return predicted_positive(_values(workspace, workspace.y), workspace.threshold, closer)


def _reach_quantile(values: Floats, share: float) -> Mask:
    """Return the values at or above their quantile `share`; NaN never is."""
    present = values[~np.isnan(values)]
    if not len(present):
        return np.zeros(len(values), dtype=bool)
    return np.asarray(values >= np.quantile(present, share))


def _judge_scores(workspace: CorpusWorkspace) -> list[str]:
    return [name for name in workspace.table.scores if identify(name).is_from_judge]


def _forward_scores(workspace: CorpusWorkspace) -> list[str]:
    """Return the score of each judge and template with the source first."""
    return [name for name in _judge_scores(workspace) if not identify(name).reverse]


def _template_scores(workspace: CorpusWorkspace) -> list[str]:
    """Return a score for each template of one judge: that on the y axis, otherwise the one with most scores."""
    by_judge: dict[tuple[str, str, str] | None, list[str]] = {}
    for name in _forward_scores(workspace):
        by_judge.setdefault(_who(workspace, name), []).append(name)
    shown = by_judge.get(_who(workspace, workspace.y), [])
    return shown if len(shown) > 1 else max(by_judge.values(), key=len, default=[])


def _who(workspace: CorpusWorkspace, name: str) -> tuple[str, str, str] | None:
    maker = workspace.table.identity(name).maker
    return None if maker is None else maker.who


def _scores_by_judge(workspace: CorpusWorkspace) -> list[str]:
    """Return one score of each judge with scores."""
    return one_per_judge(map(workspace.table.identity, filter(workspace.table.has_scores, workspace.table.scores)))


def _evidence_scores(workspace: CorpusWorkspace) -> list[str]:
    """Return the score on the y axis if it has probabilities, otherwise all scores that do."""
    names = [name for name in _judge_scores(workspace) if identify(name).evidence[0] in workspace.table]
    return [workspace.y] if workspace.y in names else names
