"""Verdicts by human score, checked against pandas; the boundaries of the bins."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parapluie_gui.features.papers.grades import GradeBin, grade_codes, grade_edges, grades

score = st.sampled_from([0.0, 0.2, 1.0, 2.5, 3.0, 4.75, 5.0, math.nan])
verdict = st.sampled_from([0.0, 1.0, math.nan])


@given(st.lists(st.tuples(score, verdict), min_size=1, max_size=40))
def test_grades_agree_with_pandas(rows):
    human, verdicts = (np.array([row[side] for row in rows]) for side in (0, 1))
    edges = np.arange(6.0)
    frame = pd.DataFrame({"human": human, "verdict": verdicts}).dropna()
    # the last bin includes both of its boundaries
    frame["bin"] = pd.cut(frame["human"].where(frame["human"] < 5, 4.9), edges, right=False, labels=False)
    for number, result in enumerate(grades(verdicts, human, edges)):
        chosen = frame[frame["bin"] == number]["verdict"]
        assert (result.pairs, result.positive) == (len(chosen), int(chosen.sum()))
        assert (result.low, result.high) == (edges[number], edges[number + 1])


@pytest.mark.parametrize(
    ("human", "width", "edges"),
    [
        ([0, 1.2, 5], None, [0, 1, 2, 3, 4, 5, 5]),
        ([0, 1.2, 4.9], None, [0, 1, 2, 3, 4, 5]),
        ([0, 0.4, 1], None, [0, 0.2, 0.4, 0.6, 0.8, 1, 1]),
        ([1, 5], 2.0, [0, 2, 4, 6]),
        ([-1, 1], 1.0, [-1, 0, 1, 1]),
        ([3, 3], None, [3, 4]),
        ([0.1, 0.3], 0.1, [0.1, 0.2, 0.3, 0.3]),
        ([math.nan], None, []),
        ([], None, []),
    ],
)
def test_boundaries_are_multiples_of_the_width(human, width, edges):
    assert grade_edges(np.array(human, dtype=float), width) == pytest.approx(edges)


def test_a_boundary_belongs_to_the_bin_above_and_the_highest_score_is_in_a_bin():
    human = np.arange(11) / 10
    assert grade_codes(human, grade_edges(human, 0.1)).tolist() == list(range(11))
    assert grade_codes(np.array([math.nan, 7.0]), np.arange(3.0)).tolist() == [-1, 1]
    assert len(grade_edges(np.array([0.0, 1.0]), 1e-6)) <= 102


def test_runs_are_pooled_and_files_are_added_up():
    human = np.array([0.0, 0.0, 1.0])
    runs = np.array([[1, 0], [math.nan, 1], [1, 1]])
    (low, high) = grades(runs, human, np.array([0.0, 0.5, 1.0]))
    assert low == GradeBin(0.0, 0.5, 3, 2) and high == GradeBin(0.5, 1.0, 2, 2)
    assert (low + low).share == pytest.approx(2 / 3) and (low + low).pairs == 6
    only = grades(runs, human, np.array([0.0, 0.5, 1.0]), np.array([False, True, False]))
    assert [each.pairs for each in only] == [1, 0] and math.isnan(only[1].share) and math.isnan(only[1].interval[0])
    assert grades(runs, human, np.empty(0)) == ()
