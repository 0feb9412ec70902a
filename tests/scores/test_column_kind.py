"""What a column holds, by its name."""

from __future__ import annotations

from parapluie_gui.metrics.spec import Spec
from parapluie_gui.scores.column_kind import (
    directions,
    evidence_columns,
    evidence_of,
    gap_column,
    is_evidence,
    is_gap,
    is_judge_score,
    is_reverse,
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


def test_the_two_directions_and_their_gap():
    column = judge_column("P1,reverse")
    assert column == "pluie.p1.reverse" and is_judge_score(column) and is_reverse(column)
    gap = gap_column(column)
    assert gap == gap_column("pluie.p1") == "pluie.p1.gap" and directions(gap) == ("pluie.p1", column)
    assert is_gap(gap) and not is_judge_score(gap) and not is_evidence(gap)
    assert (template_title(column), template_title(gap)) == ("P1 (reverse)", "P1 (gap)")
    assert not is_gap("external.gap") and not is_reverse("external.reverse")


def test_no_metric_is_taken_for_either():
    for column in ("bleu", "pluie", "bleu.ref", Spec.parse("user,as=p_yes:mine.py").column):
        assert not is_judge_score(column) and not is_evidence(column)
