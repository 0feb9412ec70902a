"""Drawing pairs at random: equal numbers per stratum, reproducible seeds, and the precision of a proportion."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from parapluie_gui.features.sampling.draw import divide_into_quarters, draw_pairs, half_width, pairs_for


def test_strata_get_equal_numbers_of_pairs():
    strata = ["a"] * 50 + ["b"] * 30 + [None] * 20
    rows = draw_pairs(strata, 20, seed=3)
    assert Counter(strata[row] for row in rows) == {"a": 10, "b": 10}
    assert rows.tolist() == sorted(set(rows.tolist()))


def test_small_strata_are_drawn_completely_and_others_make_up_the_number():
    strata = ["a"] * 100 + ["b"] * 3 + ["c"] * 100
    assert Counter(strata[row] for row in draw_pairs(strata, 41, seed=0)) == {"a": 19, "b": 3, "c": 19}


@pytest.mark.parametrize("count", [1, 2, 7, 100, 1_000])
def test_the_requested_number_is_drawn_if_there_are_enough_pairs(count):
    strata = list("aaabbbbbbcccccccccccccccddddd") + [None] * 9
    assert len(draw_pairs(strata, count, seed=1)) == min(count, 29)


def test_a_seed_gives_the_same_pairs_and_a_different_seed_different_pairs():
    first, same, other = (draw_pairs([0] * 1_000, 50, seed) for seed in (7, 7, 8))
    assert first.tolist() == same.tolist() != other.tolist()


def test_every_pair_has_the_same_probability():
    drawn = Counter(row for seed in range(400) for row in draw_pairs([0] * 20, 5, seed).tolist())
    assert len(drawn) == 20
    expected = 400 * 5 / 20
    assert sum((count - expected) ** 2 / expected for count in drawn.values()) < 36.2  # chi-squared, 19 df, p = 0.01


def test_nothing_is_drawn_from_an_empty_corpus():
    assert draw_pairs([], 5, 0).tolist() == draw_pairs([None, None], 5, 0).tolist() == []


def test_quarters_divide_by_rank_and_keep_ties_together():
    values = np.array([4.0, 1.0, np.nan, 3.0, 2.0])
    assert divide_into_quarters(values) == [4, 1, None, 3, 2]
    assert len(set(divide_into_quarters(np.full(8, 2.0)))) == 1
    assert divide_into_quarters(np.array([np.nan])) == [None]
    counts = Counter(divide_into_quarters(np.arange(400.0)))
    assert set(counts.values()) == {100}


def test_the_precision_of_a_proportion_is_computed():
    assert half_width(100, 10**9) == pytest.approx(0.098, abs=1e-4)
    assert half_width(400, 10**9) == pytest.approx(half_width(100, 10**9) / 2, rel=1e-6)
    assert half_width(50, 50) == 0
    for population in (30, 500, 100_000):
        for width in (0.02, 0.05, 0.1):
            least = pairs_for(width, population)
            assert half_width(least, population) <= width + 1e-9
            assert least == 1 or half_width(least - 1, population) > width
