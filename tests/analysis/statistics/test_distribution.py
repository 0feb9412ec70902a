"""Histograms, overlap and distance of two classes, against numpy and scipy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ks_2samp

from parapluie_gui.analysis.statistics.distribution import bin_mask, distribution, histogram_edges

scores_and_labels = st.lists(
    st.tuples(st.sampled_from([-2.0, -0.5, 0.0, 0.1, 0.3, 1.0, math.nan]), st.sampled_from([0, 1, -1])),
    min_size=1,
    max_size=40,
)


@given(scores_and_labels, st.integers(1, 7))
def test_histograms_agree_with_numpy_and_clicks_with_bins(rows, bins):
    scores, labels = np.array([row[0] for row in rows]), np.array([row[1] for row in rows])
    result = distribution(scores, labels, histogram_edges(scores, bins))
    for label, counts in ((1, result.paraphrase), (0, result.other), (-1, result.unlabelled)):
        values = scores[(labels == label) & ~np.isnan(scores)]
        assert counts.tolist() == np.histogram(values, result.edges)[0].tolist()
        clicked = [int((bin_mask(scores, result.edges, number) & (labels == label)).sum()) for number in range(bins)]
        assert clicked == counts.tolist()


def test_distance_and_overlap_agree_with_scipy():
    random = np.random.default_rng(3)
    scores, labels = np.round(random.normal(size=300), 1), random.integers(0, 2, 300)
    scores += labels
    result = distribution(scores, labels, histogram_edges(scores, 10))
    assert result.distance == pytest.approx(ks_2samp(scores[labels == 1], scores[labels == 0]).statistic)
    one, two = (np.histogram(scores[labels == label], result.edges)[0] / (labels == label).sum() for label in (1, 0))
    assert result.overlap == pytest.approx(sum(min(pair) for pair in zip(one, two, strict=True)))


def test_overlap_is_0_or_1_at_its_extremes():
    labels = np.array([1, 1, 0, 0])
    edges = np.arange(8.0)
    apart = distribution(np.array([5.0, 6, 1, 2]), labels, edges)
    alike = distribution(np.array([1.0, 2, 1, 2]), labels, edges)
    assert (apart.overlap, apart.distance) == (0.0, 1.0)
    assert (alike.overlap, alike.distance) == (1.0, 0.0)
    alone = distribution(np.array([1.0, 2.0]), np.array([1, 1]), edges)
    assert math.isnan(alone.overlap) and math.isnan(alone.distance)


def test_histograms_share_edges_and_follow_a_selection():
    low = np.array([0.0, 1.0, math.inf])
    edges = histogram_edges(np.array([*low, 3.0, math.nan]), 3)
    assert edges.tolist() == [0, 1, 2, 3]
    where = np.array([False, True, True])
    result = distribution(low[where], np.array([1, 1]), edges)
    assert result.paraphrase.tolist() == [0, 1, 0], "an infinite score is in no bin"
    assert result.summary.paraphrase.scored == 2
    assert bin_mask(low, edges, 0, where=where).tolist() == [False, False, False]


def test_edges_work_for_few_or_equal_scores():
    assert histogram_edges(np.array([2.0, 2.0]), bins=2).tolist() == [1.5, 2.0, 2.5]
    assert histogram_edges(np.array([math.nan]), bins=2).tolist() == [0.0, 0.5, 1.0]
