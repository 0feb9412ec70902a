"""Counts of shared n-grams by both methods, against counting one by one."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parapluie_gui.metrics.lexical import ngrams
from parapluie_gui.metrics.lexical.ngrams import shared_runs, totals


def one_by_one(left: list[int], right: list[int], order: int) -> int:
    def runs(tokens: list[int]) -> Counter:
        return Counter(tuple(tokens[i : i + order]) for i in range(len(tokens) - order + 1))

    return sum((runs(left) & runs(right)).values())


def counted(pairs: list[tuple[list[int], list[int]]], orders: int) -> np.ndarray:
    sides = [[pair[side] for pair in pairs] for side in (0, 1)]
    tokens = [np.array([token for text in side for token in text], dtype=np.int32) for side in sides]
    lengths = [np.array([len(text) for text in side], dtype=np.int64) for side in sides]
    return shared_runs((tokens[0], lengths[0]), (tokens[1], lengths[1]), orders)


texts = st.lists(st.integers(0, 3), max_size=12)


@pytest.mark.parametrize("bits", [63, 1], ids=["packed", "stepwise"])
@pytest.mark.parametrize("chunk", [1 << 14, 7], ids=["one chunk", "many chunks"])
@given(pairs=st.lists(st.tuples(texts, texts), max_size=8))
def test_both_methods_agree_with_counting_one_by_one(bits, chunk, pairs):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ngrams, "_BITS", bits)
        patch.setattr(ngrams, "_CHUNK", chunk)
        counts = counted(pairs, 4)
    assert counts.shape == (4, len(pairs))
    assert counts.T.tolist() == [[one_by_one(*pair, order) for order in range(1, 5)] for pair in pairs]


def test_texts_with_many_distinct_words_are_counted():
    # 20,000 distinct words need 15 bits each: four of them and the pair number do not fit into one key
    rng = np.random.default_rng(0)
    left, right = rng.permutation(20_000).tolist(), rng.permutation(20_000).tolist()
    right[:100] = left[:100]
    counts = counted([(left, right), (left, left), ([1, 2], [2, 1])], 4)
    for order in range(1, 5):
        assert counts[order - 1].tolist() == [one_by_one(left, right, order), 20_001 - order, 2 if order == 1 else 0]


def test_totals_are_counted():
    assert totals(np.array([0, 1, 5]), 3).tolist() == [[0, 1, 5], [0, 0, 4], [0, 0, 3]]
