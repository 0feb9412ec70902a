"""WPD and LD against a simple version of the authors' code (tlkh/paraphrase-metrics), and by hand."""

from __future__ import annotations

from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parapluie_gui.errors import MetricError
from parapluie_gui.metrics.catalogue import metric
from parapluie_gui.metrics.lexical.deviation import lexical_deviation, word_position_deviation


def theirs(s: list[str], t: list[str]) -> tuple[float, float]:
    """Return WPD and LD as the authors' code computes them, which divides by 0 for sentences of one word."""
    places = []
    for words in (s, t):
        positions = defaultdict(list)
        for place, word in enumerate(words):
            positions[word].append(place / (len(words) - 1) if len(words) > 1 else 0.0)
        places.append(positions)
    deltas = []
    for word in places[0]:
        if word in places[1]:
            one, two = places[0][word], places[1][word]
            if len(one) == len(two) == 1:
                deltas.append(max(one + two) - min(one + two))
            else:
                more, fewer = (one, two) if len(one) >= len(two) else (two, one)
                nearest = [min(abs(a - b) for b in fewer) for a in more]
                deltas.append(sum(nearest) / len(nearest))
    wpd = sum(deltas) / len(deltas) if deltas else 1.0
    first, second = ([word for word in words if any(c.isalnum() for c in word)] for words in (s, t))
    vocabulary = set(first + second)
    overlap = {word for word in first if word in second}
    return wpd, 1 - len(overlap) / len(vocabulary) if vocabulary else 1.0


words = st.lists(st.sampled_from(["a", "b", "c", "d", ",", "."]), min_size=1, max_size=12)


@given(words, words)
def test_both_metrics_agree_with_the_authors_code(source, hypothesis):
    wpd, ld = theirs(source, hypothesis)
    assert word_position_deviation(source, hypothesis) == pytest.approx(wpd)
    assert lexical_deviation(source, hypothesis) == pytest.approx(ld)
    assert 0 <= wpd <= 1 and 0 <= ld <= 1


def scores(name: str, source: str, hypothesis: str) -> float:
    return metric(name).score([source], [hypothesis])[0]


def test_both_metrics_match_computation_by_hand():
    assert scores("wpd", "the cat sleeps", "the cat sleeps") == 0.0 == scores("ld", "the cat sleeps", "the cat sleeps")
    # "cats" and "cat" have the same stem; "sleeps" moves from the end to the middle, "today" is new.
    source, hypothesis = "today the cat sleeps", "the cats sleep here today"
    assert scores("ld", source, hypothesis) == pytest.approx(1 / 5)
    assert scores("wpd", source, hypothesis) == pytest.approx((1 + 1 / 3 + (2 / 3 - 1 / 4) + (1 - 1 / 2)) / 4)
    assert scores("ld,stem=none", source, hypothesis) == pytest.approx(5 / 7)
    assert scores("wpd", "one two", "three four") == 1.0 == scores("ld", "!", "?")
    assert scores("wpd", "yes", "yes") == 0.0, "a single word is at the beginning"
    assert scores("ld", "我喜欢猫", "我喜欢狗") == pytest.approx(2 / 5), "characters are words"


def test_both_metrics_are_distances_with_signatures():
    for name in ("wpd", "ld"):
        assert not metric(name).info.higher_is_closer
        assert dict(metric(f"{name},stem=none").signature().fields)["stem"] == "none"
    assert metric("wpd").signature() != metric("wpd,stem=none").signature()
    with pytest.raises(MetricError, match='needs porter or none for stem, not "snow"'):
        metric("ld,stem=snow")
