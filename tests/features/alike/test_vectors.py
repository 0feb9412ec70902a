"""Similarity of pairs by the directions of their sentence vectors."""

from __future__ import annotations

import numpy as np
import pytest

from parapluie_gui.features.alike import vectors
from parapluie_gui.features.alike.vectors import likeness


@pytest.fixture
def codes() -> np.ndarray:
    made = np.random.default_rng(0).integers(-127, 128, (40, 2, 16)).astype(np.int8)
    made[7] = np.clip(made[3].astype(int) + 3, -128, 127)
    return made


def test_a_pair_is_most_similar_to_itself_then_to_its_near_copy(codes):
    result = likeness(codes, 3)
    assert result[3] == pytest.approx(1, abs=1e-6)
    assert np.argsort(-result)[:2].tolist() == [3, 7] and result[7] > 0.9
    assert result.min() >= -1 and abs(np.delete(result, [3, 7]).mean()) < 0.2


def test_pairs_are_compared_in_blocks_and_in_both_orders(codes, monkeypatch):
    expected = likeness(codes, 3)
    monkeypatch.setattr(vectors, "_BLOCK", 7)
    assert likeness(codes, 3) == pytest.approx(expected, abs=1e-5)
    assert likeness(codes[:, ::-1], 3) == pytest.approx(expected, abs=1e-5)


def test_a_single_pair_and_sentences_without_a_direction_are_handled():
    assert np.isfinite(likeness(np.zeros((2, 2, 4), np.int8), 0)).all()
    assert np.isfinite(likeness(np.ones((1, 2, 4), np.int8), 0)).all()
