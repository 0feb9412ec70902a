"""The best of several candidates: accepted by the judge and most different from the sentence."""

from __future__ import annotations

import numpy as np
import pytest

from parapluie_gui.errors import ParapluieError
from parapluie_gui.features.writing import choosing
from parapluie_gui.features.writing.choosing import check_choice, keep_best
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.scores.signature import Signature
from parapluie_gui.scores.table import ScoreTable

CORPUS = Corpus(
    "written",
    ["1-1", "1-2", "1-3", "2-1", "2-2", "3-1"],
    ["a"] * 3 + ["b"] * 2 + ["c"],
    ["u", "v", "w", "x", "y", "z"],
)


@pytest.fixture
def scored(monkeypatch):
    """Fake the scores of a judge and two metrics; returns the plans that were computed."""
    plans = []

    class Result:
        table = ScoreTable(6)

    Result.table.declare("pluie.cloze", Signature.from_fields("pluie.cloze", {"model": "pocket"}))
    columns = {
        "edit_distance": [0.1, 0.9, 0.5, 0.2, 0.3, 0.9],
        "bleu": [0.9, 0.1, 0.2, 0.3, 0.9, 0.1],
        "pluie.cloze": [1.0, -1.0, 2.0, 3.0, 0.5, -2.0],
    }
    Result.table.put(np.arange(6), {name: np.array(values) for name, values in columns.items()})
    monkeypatch.setattr(choosing, "compute", lambda corpus, plan: plans.append(plan) or Result)
    return plans


def test_the_most_different_accepted_candidate_is_kept(scored, capsys):
    corpus, table = keep_best(CORPUS, "edit_distance", ["pocket"], ["bleu"])
    assert list(corpus.id) == ["1-3", "2-2"], "1-2 is more different but not accepted, and 3-1 is not accepted"
    assert table["edit_distance"].tolist() == [0.5, 0.3] and "best_by" not in table
    assert "1 of the sentences have no candidate that is accepted" in capsys.readouterr().err
    assert scored[0].metrics == ("edit_distance", "bleu") and scored[0].judgings[0].judge.model == "pocket"


def test_any_expression_of_scores_can_choose(scored):
    corpus, _ = keep_best(CORPUS, "pluie.cloze - bleu", ["pocket"], [])
    assert list(corpus.id) == ["1-3", "2-1"]
    assert scored[0].metrics == ("edit_distance", "bleu"), "a metric of the expression need not be named twice"


def test_an_expression_that_cannot_be_computed_is_refused_before_anything_is_written(scored):
    check_choice("pluie.cloze - bleu", ["pocket"], [])
    for wrong in ("nothing here", "1 - (", "pluie.p1"):
        with pytest.raises(ParapluieError, match="--by"):
            check_choice(wrong, ["pocket"], [])
    assert not scored


def test_without_candidates_a_message_is_given(scored):
    with pytest.raises(ParapluieError, match="No candidate is accepted"):
        keep_best(CORPUS, "(bleu - bleu) / (bleu - bleu)", ["pocket"], ["bleu"])
