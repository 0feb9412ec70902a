"""The errors that several scores share, compared with a loop over the pairs."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from parapluie_gui.analysis.score_column import is_prediction, score_column
from parapluie_gui.analysis.statistics.comparison import default_threshold
from parapluie_gui.analysis.statistics.shared_errors import (
    SharedErrors,
    independent_scores,
    one_per_judge,
    score_verdicts,
    shared_errors,
    wrong_by,
)
from parapluie_gui.scores.identity import identify

verdict = st.sampled_from([0.0, 1.0, math.nan])


@given(st.integers(1, 4).flatmap(lambda k: st.lists(st.tuples(st.sampled_from([-1, 0, 1]), *[verdict] * k))))
def test_shared_errors_agree_with_a_loop(rows):
    if not rows:
        return
    expected = np.array([row[0] for row in rows], dtype=np.int8)
    verdicts = np.array([row[1:] for row in rows], dtype=float)
    pairs = by_all = by_any = 0
    for row in rows:
        if row[0] < 0 or any(math.isnan(each) for each in row[1:]):
            continue
        wrong = [each != row[0] for each in row[1:]]
        pairs, by_all, by_any = pairs + 1, by_all + all(wrong), by_any + any(wrong)
    result = shared_errors(verdicts, expected)
    assert result == SharedErrors(pairs, by_all, by_any)
    counted, all_mask, any_mask = wrong_by(verdicts, expected)
    assert counted.sum() == pairs and not (all_mask & ~any_mask).any() and not (any_mask & ~counted).any()
    assert math.isnan(result.right_by_one) if not by_any else result.right_by_one == 1 - by_all / by_any
    assert math.isnan(result.all_share) if not pairs else result.all_share == by_all / pairs


def test_without_verdicts_there_are_no_errors():
    assert shared_errors(np.empty((3, 0)), np.array([0, 1, 1])) == SharedErrors()
    assert SharedErrors(4, 1, 2) + SharedErrors(1, 1, 1) == SharedErrors(5, 2, 3)


def test_every_score_is_judged_at_its_own_threshold():
    labels = np.array([1, 1, 0, 0], dtype=np.int8)
    judge = score_column("pluie.direct", np.array([2.0, -1.0, 1.0, math.nan]))
    distance = score_column("edit_distance", np.array([0.1, 0.2, 0.7, 0.9]))  # best at 0.2 or less
    said = score_column("says", np.array([1.0, 1.0, 1.0, 0.0]))
    result = score_verdicts([judge, distance, said], labels)
    assert np.array_equal(result, [[1, 1, 1], [0, 1, 1], [1, 0, 1], [math.nan, 0, 0]], equal_nan=True)
    assert np.isnan(score_verdicts([distance], labels, [math.nan])).all()


def test_predictions_are_split_in_the_middle_whatever_the_labels():
    # The best threshold on paraphrases alone would be 0, which calls every pair a paraphrase.
    said = score_column("says", np.array([1.0, 0.0, math.nan]))
    assert default_threshold(said, np.ones(3, dtype=np.int8)) == 0.5
    assert not is_prediction(np.array([0.0, 0.5])) and not is_prediction(np.full(2, math.nan))


def test_templates_take_precedence_over_other_scores():
    assert independent_scores(map(identify, ["bleu", "pluie.a", "pluie.a.p_yes", "pluie.b"])) == ["pluie.a", "pluie.b"]
    assert independent_scores(map(identify, ["bleu", "pluie.a"])) == ["bleu", "pluie.a"]


def test_a_judge_counts_once_regardless_of_its_templates():
    names = ["bleu", "pluie.p1@one", "pluie.direct@one", "pluie.p2@one", "pluie.direct@one.reverse", "pluie.direct@two"]
    scores = [identify(name) for name in [*names, "pluie.p3"]]
    assert independent_scores(scores) == one_per_judge(scores) == ["pluie.direct@one", "pluie.direct@two"]
    assert one_per_judge([*scores, identify("pluie.p4@four")])[2:] == ["pluie.p4@four"], (
        "a judge without DIRECT counts with its only template"
    )
    one = [score for score in scores if "@two" not in score.column and score.column in names]
    assert independent_scores(one) == ["pluie.p1@one", "pluie.direct@one", "pluie.p2@one"], (
        "for a single judge, its templates"
    )
