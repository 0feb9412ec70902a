"""The order of the scores in the window, which does not depend on what was computed last."""

from __future__ import annotations

from itertools import permutations

import pytest

from parapluie_gui.scores.signature import Signature
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.ui.state.score_order import arrange_scores

SCORES = [("cloze", "pocket"), ("direct", "qwen-1.5b"), ("direct", "smollm2-135m"), ("fs-direct", "smollm2-135m")]


@pytest.mark.parametrize("made", list(permutations(SCORES)))
def test_the_templates_of_a_judge_stand_together_before_the_metrics(made):
    table = ScoreTable(1)
    for metric in ("chrf", "bleu", "edit_distance"):
        table.declare(metric, Signature.from_fields(metric, {"name": metric}))
    for template, judge in made:
        fields = {"name": "pluie", "model": judge, "template": template.upper()}
        table.declare(f"pluie.{template}", Signature.from_fields(f"pluie.{template}", fields))
    arrange_scores(table)
    judges = [table.identity(name).maker.judge for name in table if name.startswith("pluie")]
    assert judges in (
        ["qwen-1.5b", "smollm2-135m", "smollm2-135m", "pocket"],
        ["smollm2-135m", "smollm2-135m", "qwen-1.5b", "pocket"],
    ), "the judge that scored first under a template comes first"
    assert list(table)[4:] == ["edit_distance", "bleu", "chrf"]
