"""What a column holds, by its name."""

from __future__ import annotations

from parapluie_gui.metrics.spec import Spec
from parapluie_gui.scores.column_kind import (
    evidence_columns,
    evidence_of,
    is_evidence,
    is_judge_score,
    judge_column,
    template_title,
)


def test_judges_scores_and_the_probabilities_behind_them():
    column = judge_column("FS-DIRECT")
    assert column == "pluie.fs-direct" and template_title(column) == "FS-DIRECT"
    assert is_judge_score(column) and not is_evidence(column)
    for name, yes in zip(evidence_columns(column), (True, False), strict=True):
        assert is_evidence(name) and not is_judge_score(name) and evidence_of(name) == (column, yes)
    assert evidence_columns(column) == ("pluie.fs-direct.p_yes", "pluie.fs-direct.p_no")


def test_no_metric_is_taken_for_either():
    for column in ("bleu", "pluie", "bleu.ref", Spec.parse("user,as=p_yes:mine.py").column):
        assert not is_judge_score(column) and not is_evidence(column)
