"""The identity of a column and the maker of its scores, by its name and by its signature."""

from __future__ import annotations

import numpy as np
import pytest

from parapluie_gui.metrics.spec import MetricSpec
from parapluie_gui.scores.identity import (
    ScoreKind,
    ScoreMaker,
    describe_ambiguity,
    identify,
    judge_column,
    reserved_ending,
)
from parapluie_gui.scores.signature import Signature
from parapluie_gui.scores.table import ScoreTable


def signed(column: str, **fields: str) -> Signature:
    return Signature.from_fields(column, {"name": column, **fields})


def test_columns_of_scores_and_probabilities_are_recognised():
    column = judge_column("FS-DIRECT")
    score = identify(column)
    assert column == "pluie.fs-direct" and score.maker == ScoreMaker("FS-DIRECT")
    assert score.is_from_judge and score.is_score and score.score == column
    assert score.evidence == ("pluie.fs-direct.p_yes", "pluie.fs-direct.p_no")
    for name, yes in zip(score.evidence, (True, False), strict=True):
        identity = identify(name)
        assert (
            identity.kind is ScoreKind.EVIDENCE
            and not identity.is_from_judge
            and (identity.score, identity.yes) == (column, yes)
        )


def test_both_orders_and_their_gap_are_recognised():
    column = judge_column("P1,reverse")
    score = identify(column)
    assert column == "pluie.p1.reverse" and score.reverse and not identify("pluie.p1").reverse
    assert score.gap == identify("pluie.p1").gap == "pluie.p1.gap"
    gap = identify(score.gap)
    assert gap.kind is ScoreKind.GAP and not gap.is_score and gap.score == "pluie.p1"
    assert gap.orders == score.orders == ("pluie.p1", column)
    assert identify("external.gap").kind is identify("external.reverse").kind is ScoreKind.OTHER


def test_bound_columns_belong_to_their_score():
    score = identify("pluie.p1")
    assert identify(score.bound).kind is ScoreKind.BOUND and identify(score.bound).score == "pluie.p1"


def test_metrics_are_not_mistaken_for_judges():
    for column in ("bleu", "pluie", "bleu.ref", MetricSpec.parse("user,as=p_yes:mine.py").column):
        identity = identify(column)
        assert (
            identity.kind is ScoreKind.OTHER
            and identity.maker is None
            and identity.is_score
            and identity.score == column
        )


def test_the_signature_identifies_the_judge():
    table = ScoreTable(1)
    table.declare("pluie.p1", signed("pluie.p1", model="smollm2-135m", precision="q4_1"))
    maker = ScoreMaker("P1", "smollm2-135m", "q4_1")
    for name in ("pluie.p1", "pluie.p1.p_yes", "pluie.p1.gap", "pluie.p1.bound"):
        assert table.identity(name).maker == maker
    assert table.identity("pluie.p2").maker == ScoreMaker("P2")
    assert table.identity("bleu").maker is None


def test_two_judges_under_one_template_are_two_columns():
    table = ScoreTable(2)
    for judge in ("", "smollm2-135m"):
        column = judge_column("P1,reverse", judge)
        table.declare(column, signed(column, model=judge or "pocket"))
        table.declare(judge_column("P1", judge))
    assert table.scores == ["pluie.p1.reverse", "pluie.p1", "pluie.p1@smollm2-135m.reverse", "pluie.p1@smollm2-135m"]
    first, _, second, _ = map(table.identity, table.scores)
    assert first.maker == ScoreMaker("P1", "pocket", reverse=True)
    assert second.maker == ScoreMaker("P1", "smollm2-135m", reverse=True)
    assert first.gap != second.gap and second.orders[0] == "pluie.p1@smollm2-135m"


def test_a_different_judge_or_precision_has_its_own_column():
    table, rows = ScoreTable(2), np.arange(2)
    for judge, precision, order in (
        *(("org/A-7B", "float32", ""), ("B.gguf", "llama.cpp", ""), ("B.gguf", "llama.cpp", ".reverse")),
        *(("org/A-7B", "bfloat16", ""), ("org/A-7B", "float32", ".reverse"), ("org/A-7B", "float32", "")),
    ):
        asked = f"pluie.p1{order}"
        column = table.declare(asked, signed(asked, model=judge, precision=precision))
        table.put(rows, {column: np.full(2, len(table.signatures)), identify(column).evidence[0]: np.ones(2)})
    both, plain = ["pluie.p1@b", "pluie.p1@b.reverse"], ["pluie.p1", "pluie.p1.reverse"]
    assert table.scores == [plain[0], *both, "pluie.p1@a-7b-bfloat16", plain[1]]
    assert table.gaps == ["pluie.p1@b.gap", "pluie.p1.gap"], "no gap between two judges"
    assert table["pluie.p1@b.gap"].tolist() == [-1, -1] and table["pluie.p1"].tolist() == [5, 5]
    assert table.columns_for("pluie.p1@a-7b") == ["pluie.p1", "pluie.p1@a-7b-bfloat16"]
    written = table.with_full_names()
    assert set(written.scores) == {
        *both,
        *(f"pluie.p1@a-7b-{ending}" for ending in ("bfloat16", "float32", "float32.reverse")),
    }
    assert written.columns_for("pluie.p1") == ["pluie.p1@a-7b-float32", both[0], "pluie.p1@a-7b-bfloat16"]


def test_a_changed_template_resets_the_column():
    table = ScoreTable(1)
    table.declare("pluie.p1", signed("pluie.p1", model="a", template="P1@1"))
    table.put(np.arange(1), {"pluie.p1": np.ones(1)})
    assert table.declare("pluie.p1", signed("pluie.p1", model="a", template="P1@2")) == "pluie.p1"
    assert np.isnan(table["pluie.p1"]).all()


def test_a_name_that_fits_two_judges_names_both():
    columns = ["pluie.p1@a", "pluie.p1@b", "bleu"]
    assert describe_ambiguity("pluie.p1", columns) == "pluie.p1 is the score of 2 judges, pluie.p1@a and pluie.p1@b"
    assert not describe_ambiguity("bleu", columns) and not describe_ambiguity("pluie.p1", columns[1:])


def test_the_caller_can_supply_the_judge():
    assert identify("pluie.p1").with_judge("pocket").maker == ScoreMaker("P1", "pocket")
    assert identify("bleu").with_judge("pocket") is identify("bleu")


@pytest.mark.parametrize("ending", [".p_yes", ".P_NO", ".reverse", ".gap", ".bound"])
def test_reserved_endings_of_template_names_are_detected(ending):
    assert reserved_ending(f"MINE{ending}") == ending.lower()
    assert not reserved_ending(f"MINE{ending}-2")
