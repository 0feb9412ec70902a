"""Bags of n-grams: the paper's worked example, and every path through small networks."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parapluie_gui.features.pem.network import (
    BITS,
    LEAST,
    ORDER,
    SegmentTranslations,
    bag,
    count_ngrams,
    f1,
    shared_weight,
)


def key(words):
    return sum(word << BITS * at for at, word in enumerate(reversed(words)))


def test_the_papers_worked_example_is_reproduced():
    # Liu, Dahlmeier and Ng (EMNLP 2010), section 4.3: 3.8 of 10 n-grams, F1 = 0.38
    number = {word: at for at, word in enumerate(["Bonjour", "Salut", ",", "monsieur", ".", "Querrien"], 1)}

    def column(*edges):
        return SegmentTranslations([([number[word] for word in text.split()], share) for text, share in edges])

    reference = bag([column(("Bonjour , monsieur .", 1.0))])
    candidate = bag([column(("Bonjour ,", 0.9), ("Salut ,", 0.1)), column(("Querrien", 1.0)), column((".", 1.0))])
    common = shared_weight(reference, candidate)
    assert common == pytest.approx(3.8)
    assert sum(reference.values()) == pytest.approx(10.0) and sum(candidate.values()) == pytest.approx(10.0)
    assert f1(common, sum(reference.values()), sum(candidate.values())) == pytest.approx(0.38)
    assert candidate[key([number["Bonjour"], number[","], number["Querrien"], number["."]])] == pytest.approx(0.9)
    assert candidate[number[","]] == pytest.approx(1.0)


def by_paths(network):
    """Return the expected n-grams path by path, weighted by the product of the edges' probabilities."""
    expected = Counter()
    for first, last in itertools.combinations_with_replacement(range(len(network)), 2):
        for path in itertools.product(*network[first : last + 1]):
            weight, words = 1.0, []
            for at, (text, share) in enumerate(path):
                weight *= share
                words += [(word, at) for word in text]
            for n in range(1, ORDER + 1):
                for start in range(len(words) - n + 1):
                    gram = words[start : start + n]
                    if gram[0][1] == 0 and gram[-1][1] == len(path) - 1:
                        expected[key([word for word, _ in gram])] += weight
    return {gram: weight for gram, weight in expected.items() if weight > LEAST}


edge = st.tuples(st.lists(st.integers(1, 4), min_size=1, max_size=4), st.sampled_from([0.11, 0.25, 0.5, 1.0]))


@given(st.lists(st.lists(edge, min_size=1, max_size=3), max_size=5))
def test_the_bag_equals_the_sum_over_all_paths(network):
    assert bag([SegmentTranslations(edges) for edges in network]) == pytest.approx(by_paths(network))


def test_a_sentence_is_a_network_with_one_path():
    words = [1, 2, 1, 3, 2, 1]
    assert count_ngrams(words) == bag([SegmentTranslations([([word], 1.0)]) for word in words])
    assert sum(count_ngrams(words).values()) == 6 + 5 + 4 + 3


def test_f1_is_the_harmonic_mean():
    one, other = {1: 2.0, 2: 1.0}, {1: 0.5, 3: 1.5, 2: 4.0}
    precision, recall = 1.5 / 6.0, 1.5 / 3.0
    assert shared_weight(one, other) == shared_weight(other, one) == 1.5
    assert f1(1.5, 3.0, 6.0) == pytest.approx(2 * precision * recall / (precision + recall))
    assert f1(0.0, 0.0, 0.0) == 0.0


def test_rare_n_grams_are_left_out():
    assert bag(
        [SegmentTranslations([([1], 0.1), ([2], 0.9)]), SegmentTranslations([([3], 0.09), ([4], 0.9)])]
    ).keys() == {
        *(1, 2, 3, 4),
        *(key(pair) for pair in ([1, 4], [2, 3], [2, 4])),  # 1 3 has an expected count of 0.009
    }
