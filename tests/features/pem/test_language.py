"""The language model against a simple version of modified Kneser-Ney smoothing, and the sum of its probabilities."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from parapluie_gui.features.pem.language import BEGIN, END, FIRST, ORDER, UNKNOWN, find_rows, train

WORDS = 9
_rng = np.random.default_rng(0)
TEXT = [
    [
        int(word)
        for word in _rng.choice(range(FIRST, WORDS), size=_rng.integers(1, 8), p=[0.4, 0.3, 0.1, 0.1, 0.05, 0.05])
    ]
    for _ in range(300)
]


class Written:
    """Chen and Goodman (1999), equation 20 ff., with dictionaries and recursion."""

    def __init__(self, text):
        raw = [Counter() for _ in range(ORDER + 1)]
        for words in text:
            tokens = [BEGIN, *words, END]
            for n in range(1, ORDER + 1):
                raw[n].update(tuple(tokens[at : at + n]) for at in range(len(tokens) - n + 1))
        self.count = [Counter() for _ in range(ORDER + 1)]
        self.count[ORDER] = raw[ORDER]
        for n in range(1, ORDER):
            before = Counter(gram[1:] for gram in raw[n + 1])
            self.count[n] = Counter({g: raw[n][g] if g[0] == BEGIN else before[g] for g in raw[n]})
        del self.count[1][(BEGIN,)]
        self.discount = []
        for counts in self.count[1:]:
            n1, n2, n3, n4 = (sum(value == number for value in counts.values()) for number in (1, 2, 3, 4))
            discounts = (0.5, 1.0, 1.5)
            if min(n1, n2, n3, n4):
                y = n1 / (n1 + 2 * n2)
                own = (1 - 2 * y * n2 / n1, 2 - 3 * y * n3 / n2, 3 - 4 * y * n4 / n3)
                discounts = own if all(0 < d <= at for at, d in enumerate(own, 1)) else discounts
            self.discount.append((0.0, *discounts))

    def probability(self, history, word):
        n = len(history) + 1
        counts = self.count[n]
        followers = {gram: value for gram, value in counts.items() if gram[:-1] == history}
        total = sum(followers.values())
        shorter = self.probability(history[1:], word) if history else 1 / (WORDS - 1)
        if not total:
            return shorter
        discount = self.discount[n - 1]
        left = sum(discount[min(value, 3)] for value in followers.values())
        own = counts.get((*history, word), 0)
        return max(own - discount[min(own, 3)], 0) / total + left / total * shorter


def conditional(model, history, word):
    """Return log Pr(word | history) as the difference that the last word makes, without the end mark."""
    tokens = np.array([*history, word])
    rows = model._rows(tokens, np.arange(len(tokens)))
    value = 0.0
    for order in range(ORDER, 0, -1):
        row = rows[order - 1][-1]
        if row >= 0:
            return value + float(model.log_probability[order - 1][row])
        if order > 1 and rows[order - 2][-2] >= 0:
            value += float(model.log_backoff[order - 2][rows[order - 2][-2]])
    raise AssertionError("every word is in the table of single words")


def test_the_model_agrees_with_the_definition():
    model, written = train(TEXT, WORDS, (1, 1, 1, 1)), Written(TEXT)
    for words in ([3, 4, 3], [8, 8, 8, 8, 8], [5], [3, 3, 4, 6, 3, 7, 4], [3, UNKNOWN, 4]):
        tokens = [BEGIN, *words, END]
        expected = sum(
            math.log(written.probability(tuple(tokens[max(0, at - ORDER + 1) : at]), tokens[at]))
            for at in range(1, len(tokens))
        )
        assert model.score([words])[0] == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("least", [(1, 1, 1, 1), (1, 1, 2, 2), (1, 2, 3, 4)])
def test_probabilities_after_every_history_sum_to_one(least):
    model = train(TEXT, WORDS, least)
    histories = [(BEGIN,), (BEGIN, 3), (BEGIN, 3, 4), (3, 3, 3), (4, 8), (8, 8, 8), (5,), (BEGIN, 7, 7), (UNKNOWN, 3)]
    for history in histories:
        total = sum(math.exp(conditional(model, history, word)) for word in (UNKNOWN, END, *range(FIRST, WORDS)))
        assert total == pytest.approx(1.0, abs=1e-5)


def test_pruning_shrinks_the_model_and_nearly_keeps_the_ranking():
    full, small = train(TEXT, WORDS, (1, 1, 1, 1)), train(TEXT, WORDS, (1, 1, 2, 2))
    assert sum(map(len, small.keys)) < sum(map(len, full.keys))
    assert np.corrcoef(small.score(TEXT), full.score(TEXT))[0, 1] > 0.95


def test_sentences_do_not_influence_each_other():
    model = train(TEXT, WORDS, (1, 1, 1, 1))
    together = model.score(TEXT[:50])
    assert together.tolist() == pytest.approx([model.score([words])[0] for words in TEXT[:50]])
    assert model.score([]).shape == (0,)
    assert model.score([[]])[0] < 0  # an empty sentence is one end mark


def test_one_sentence_is_enough_text():
    model = train([[3, 4]], 5, (1, 1, 1, 1))
    assert np.isfinite(model.score([[3, 4], [4, 3], [UNKNOWN]])).all()
    assert model.score([[3, 4]])[0] > model.score([[4, 3]])[0]


def test_rows_are_found_in_a_sorted_table():
    table = np.array([2, 5, 9], dtype=np.uint64)
    assert find_rows(table, np.array([5, 1, 9, 10], dtype=np.uint64)).tolist() == [1, -1, 2, -1]
    assert find_rows(table[:0], np.array([5], dtype=np.uint64)).tolist() == [-1]
