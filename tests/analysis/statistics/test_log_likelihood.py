"""G² against scipy's test of independence, and the effect size by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2_contingency

from parapluie_gui.analysis.statistics.log_likelihood import log_likelihood, log_ratio


@given(st.integers(0, 50), st.integers(1, 500), st.integers(0, 50), st.integers(1, 500))
def test_g2_agrees_with_scipy(count, more, other, other_more):
    size, other_size = count + more, other + other_more
    if count + other == 0:
        assert log_likelihood(count, size, other, other_size) == pytest.approx(0, abs=1e-9)  # scipy refuses it
        return
    table = [[count, more], [other, other_more]]
    expected = chi2_contingency(table, correction=False, lambda_="log-likelihood").statistic
    assert log_likelihood(count, size, other, other_size) == pytest.approx(expected, abs=1e-6)


def test_arrays_are_computed_at_once():
    result = log_likelihood(np.array([5, 10]), 100, np.array([5, 0]), 100)
    assert result.shape == (2,) and result[0] == 0 and result[1] > 10.83


def test_a_log_ratio_of_1_means_twice_as_frequent():
    assert log_ratio(20, 100, 10, 100) == pytest.approx(1)
    assert log_ratio(0, 100, 10, 100) == pytest.approx(np.log2(0.5 / 10))


def test_the_sign_is_right_for_a_count_of_zero():
    """Half an occurrence among three pairs is a larger share than one in a thousand: the word would look overused."""
    assert log_ratio(0, 3, 1, 1000) < 0 < log_ratio(1, 1000, 0, 3)
    sizes = np.arange(1, 200)
    assert (log_ratio(0, sizes, 5, 1000) < 0).all() and log_ratio(0, 10, 0, 20) == pytest.approx(1)
