"""acc_eq with tie calibration against a simple implementation following Deutsch et al. (2023), on data with ties."""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parapluie_gui.features.papers.within_source import (
    WithinSource,
    pair_within_sources,
    pairwise_permutation_test,
    score_within_source,
)


def accuracy(rows, epsilon: float) -> float:
    """Return acc_eq for one ε of rows (source, human, score), averaged over the sources; NaN without pairs."""
    groups = defaultdict(list)
    for source, human, score in rows:
        if human is not None and score is not None:
            groups[source].append((human, score))
    shares = []
    for group in groups.values():
        right = []
        for (h1, m1), (h2, m2) in combinations(group, 2):
            metric = 0 if abs(m1 - m2) <= epsilon else math.copysign(1, m1 - m2)
            people = 0 if h1 == h2 else math.copysign(1, h1 - h2)
            right.append(metric == people)
        if right:
            shares.append(sum(right) / len(right))
    return sum(shares) / len(shares) if shares else math.nan


def plain(rows) -> tuple[float, float]:
    """Return the best acc_eq and the smallest ε that reaches it."""
    scores = [(source, score) for source, human, score in rows if human is not None and score is not None]
    steps = {abs(a - b) for (s, a), (t, b) in combinations(scores, 2) if s == t}
    tried = [(accuracy(rows, epsilon), epsilon) for epsilon in sorted({0.0, *steps})]
    best = max(value for value, _ in tried) if tried and not math.isnan(tried[0][0]) else math.nan
    return best, next((epsilon for value, epsilon in tried if value >= best - 1e-12), math.nan)


row = st.tuples(
    st.sampled_from("abc"),
    st.sampled_from([None, 1.0, 2.0, 3.0]),
    st.sampled_from([None, 0.0, 0.25, 0.5, 0.75, 2.0, -1.0]),
)


def arrays(rows):
    sources = [each[0] for each in rows]
    human, score = (np.array([math.nan if each[at] is None else each[at] for each in rows]) for at in (1, 2))
    return pair_within_sources(sources, human), score


@given(st.lists(row, max_size=14))
def test_accuracy_and_epsilon_agree_with_a_simple_implementation(rows):
    pairs, score = arrays(rows)
    result = score_within_source(pairs, score)
    best, epsilon = plain(rows)
    if math.isnan(best):
        assert result.pairs == 0 and math.isnan(result.accuracy) and math.isnan(result.epsilon)
        return
    assert result.accuracy == pytest.approx(best)
    assert result.epsilon == epsilon
    assert result.plain == pytest.approx(accuracy(rows, 0.0))


def test_the_accuracy_is_the_mean_over_sources_and_not_over_pairs():
    # Source a: 3 pairs, all right; source b: 1 pair, wrong for any ε that keeps the pairs of a.
    rows = [("a", 1.0, 1.0), ("a", 2.0, 2.0), ("a", 3.0, 3.0), ("b", 1.0, 9.0), ("b", 2.0, 5.0)]
    result = score_within_source(*arrays(rows))
    assert (result.sources, result.pairs, result.accuracy, result.epsilon) == (2, 4, 0.5, 0.0)
    assert result.human_ties == 0.0


def test_human_ties_are_matched_by_tied_scores():
    rows = [("a", 1.0, 0.50), ("a", 1.0, 0.52), ("a", 2.0, 0.9)]
    result = score_within_source(*arrays(rows))
    assert result.plain == pytest.approx(2 / 3) and result.accuracy == 1.0 and result.epsilon == pytest.approx(0.02)
    assert result.human_ties == pytest.approx(1 / 3)


@pytest.mark.parametrize("rows", [[], [("a", 1.0, 1.0)], [("a", 1.0, 1.0), ("b", 2.0, 2.0)]])
def test_too_few_pairs_give_no_accuracy(rows):
    assert str(score_within_source(*arrays(rows))) == str(WithinSource())


def test_only_the_requested_pairs_are_used():
    rows = [("a", 1.0, 1.0), ("a", 2.0, 2.0), ("a", 3.0, 0.0)]
    sources = [each[0] for each in rows]
    human, score = np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 0.0])
    where = np.array([True, True, False])
    assert score_within_source(pair_within_sources(sources, human, where), score).accuracy == 1.0


def test_p_matches_exhaustive_enumeration():
    random = np.random.default_rng(5)
    sources = ["a"] * 3 + ["b"] * 3
    human = np.array([1.0, 2.0, 2.0, 3.0, 1.0, 2.0])
    first, second = human + 0.01 * random.normal(size=6), random.normal(size=6)
    pairs = pair_within_sources(sources, human)
    right = []
    for values in (first, second):
        epsilon = score_within_source(pairs, values).epsilon
        people = np.sign(human[pairs.first] - human[pairs.second])
        apart = values[pairs.first] - values[pairs.second]
        right.append((np.where(np.abs(apart) <= epsilon, 0, np.sign(apart)) == people).astype(float))
    change = (right[0] - right[1]) / 6  # two sources with three pairs each
    gap = change.sum()
    exact = np.mean([float(change @ np.array(signs)) >= gap - 1e-12 for signs in product([-1, 1], repeat=6)])
    result, p = pairwise_permutation_test(pairs, first, second, draws=4000)
    assert result == pytest.approx(gap) and gap > 0
    assert p == pytest.approx(exact, abs=0.03)
    back, again = pairwise_permutation_test(pairs, second, first, draws=4000)
    assert back == pytest.approx(-gap) and again == pytest.approx(exact, abs=0.03)
    assert math.isnan(pairwise_permutation_test(pairs, first, second, draws=0)[1])
    nothing = np.full(6, math.nan)
    assert all(map(math.isnan, pairwise_permutation_test(pairs, first, nothing, draws=10)))
