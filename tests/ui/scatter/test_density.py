"""Counts of points by cell and bar, the index of the nearest point, and sort orders, against simple reference code."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parapluie_gui.ui.scatter import density
from parapluie_gui.ui.scatter.cloud import PointCloud
from parapluie_gui.ui.scatter.density import count_bars, count_cells
from parapluie_gui.ui.state.selection import NO_PAIR
from parapluie_gui.ui.table.model import collation_key, number_order, text_order


@pytest.fixture
def points(monkeypatch):
    monkeypatch.setattr(density, "_PIECE", 700)  # several chunks, the last one short
    random = np.random.default_rng(3)
    return random.random(5000), random.normal(0, 3, 5000), random.integers(0, 4, 5000).astype(np.int8)


def test_cells_agree_with_numpy(points):
    x, y, group = points
    ranges = (0.2, 0.9), (-4.0, 2.5)
    counts = count_cells(x, y, group, 4, ranges, (50, 35))
    assert counts.shape == (4, 35, 50)
    for number in range(4):
        mine = group == number
        expected, _, _ = np.histogram2d(y[mine], x[mine], bins=(35, 50), range=ranges[::-1])
        np.testing.assert_array_equal(counts[number], expected)


def test_both_ends_of_the_view_are_inside():
    ends = np.array([0.0, 1.0, 1.0 + 1e-9, -1e-9])
    counts = count_cells(ends, np.zeros(4), np.zeros(4, np.int8), 1, ((0, 1), (-1, 1)), (10, 2))
    assert counts[0].sum(axis=0).tolist() == [1, *[0] * 8, 1]


def test_bars_agree_with_numpy(points):
    x, _, group = points
    edges = np.arange(0.1, 0.9, 0.05)
    counts = count_bars(x, group, 4, edges)
    for number in range(4):
        np.testing.assert_array_equal(counts[number], np.histogram(x[group == number], edges)[0])


def test_an_empty_view_counts_no_points():
    none = np.zeros(0)
    assert count_cells(none, none, none.astype(np.int8), 4, ((0, 1), (0, 1)), (5, 5)).sum() == 0
    assert count_bars(none, none.astype(np.int8), 4, np.array([0.0, 1.0])).sum() == 0
    assert PointCloud.empty().nearest(0, 0, (1, 1), 12) == NO_PAIR


@pytest.mark.parametrize("spread", [1.0, 0.0], ids=["spread out", "all at one height"])
def test_the_index_finds_the_nearest_point(spread):
    random = np.random.default_rng(5)
    x, y = random.random(3000), random.normal(0, 2, 3000) * spread
    cloud = PointCloud(np.arange(3000) * 2, x, y, np.zeros(3000, np.int8), np.ones(3000, bool))
    pixel = 0.004, 0.03
    result = 0
    for at in random.uniform((-0.1, -6), (1.1, 6), (300, 2)):
        far = np.hypot((x - at[0]) / pixel[0], (y - at[1]) / pixel[1])
        nearest = int(np.argmin(far))
        wanted = nearest * 2 if far[nearest] <= 6 else NO_PAIR
        assert cloud.nearest(*at, pixel, 6) == wanted
        result += wanted != NO_PAIR
    assert result > 5


def test_points_of_a_cloud_are_grouped_by_outcome():
    kind, member = np.array([0, 1, 2], np.int8), np.array([True, False, True])
    numbers = np.arange(3.0)
    assert PointCloud(np.arange(3), numbers, numbers, kind, member, ruled=True).group.tolist() == [0, 3, 2]
    assert PointCloud(np.arange(3), numbers, numbers, kind, np.ones(3, bool)).group.tolist() == [0, 1, 2]


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize(
    "values",
    [
        np.random.default_rng(0).normal(size=4000),
        np.random.default_rng(1).integers(-3, 4, 4000).astype(float),
        1 + np.random.default_rng(2).random(4000) * 1e-13,  # equal in the bits that are compared
        np.array([0.0, -0.0, np.nan, np.inf, -np.inf, 1.0, -1.0, -np.nan, 0.0, -0.0]),
        np.zeros(0),
        np.array([np.nan]),
    ],
    ids=["spread", "ties", "nearly alike", "special", "none", "one"],
)
def test_the_order_of_numbers_is_a_stable_sort(values, descending):
    expected = np.argsort(-values if descending else values, kind="stable")
    np.testing.assert_array_equal(number_order(values, descending), expected)


@pytest.mark.parametrize("descending", [False, True])
@given(st.lists(st.one_of(st.none(), st.text("aAbé\0\U0001f600 019", max_size=20)), max_size=60), st.integers(1, 8))
def test_the_order_of_texts_is_a_stable_sort(descending, texts, group):
    texts = [text if text is None else text * 3 for text in texts]
    keys = ["" if text is None else collation_key(text.casefold()) for text in texts]
    filled = sorted((row for row, key in enumerate(keys) if key), key=keys.__getitem__, reverse=descending)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("parapluie_gui.ui.table.model._GROUP", group)
        patch.setattr("parapluie_gui.ui.table.model._FAR", 40)
        order = text_order(texts, descending).tolist()
    assert order == filled + [row for row, key in enumerate(keys) if not key]


def test_texts_are_ordered_as_in_a_dictionary_and_digits_as_numbers():
    texts = ["banana", None, "Apple", "", "äpfel", "apple", 7, "Äa", "zoo", "ab"]
    assert text_order(texts).tolist() == [6, 7, 9, 4, 2, 5, 0, 8, 1, 3]
    assert text_order(texts, descending=True).tolist() == [8, 0, 2, 5, 4, 9, 7, 6, 1, 3]
    ids = ["10", "2", "a2", "1", "a10", "011", "0"]
    assert [ids[row] for row in text_order(ids)] == ["0", "1", "2", "10", "011", "a2", "a10"]
