"""Word error rate against jiwer."""

from __future__ import annotations

import random

import pytest

from parapluie_gui.metrics.lexical import sequences
from parapluie_gui.metrics.lexical.edit_distance import WordErrorRate


def by_library(sources, hypotheses) -> list[float]:
    jiwer = pytest.importorskip("jiwer")
    return [jiwer.wer(source, hypothesis) for source, hypothesis in zip(sources, hypotheses, strict=True)]


@pytest.mark.parametrize("chunk", [1 << 18, 9])
def test_random_pairs_agree_with_jiwer(chunk, monkeypatch):
    monkeypatch.setattr(sequences, "_CHUNK", chunk)
    rng = random.Random(3)
    texts = [" ".join(rng.choices("abcdé猫", k=rng.randint(0, 9))) for _ in range(400)]
    assert WordErrorRate().score(texts[:200], texts[200:]).tolist() == by_library(texts[:200], texts[200:])


def test_mrpc_agrees_with_jiwer(mrpc):
    sources, hypotheses = mrpc.source[:200], mrpc.hypothesis[:200]
    assert WordErrorRate().score(sources, hypotheses).tolist() == by_library(sources, hypotheses)


@pytest.mark.parametrize("space", ["\t", "\n", "\u00a0", "\u2028", "\x1c"])
def test_any_white_space_separates_words(space):
    """jiwer separates words only at the plain space, as stated in the manual."""
    sources, hypotheses = [f"a{space}b c"], [f"a b{space}c d"]
    assert WordErrorRate().score(sources, hypotheses)[0] == pytest.approx(1 / 3)
    plain = [[text.replace(space, " ") for text in side] for side in (sources, hypotheses)]
    assert WordErrorRate().score(*plain).tolist() == by_library(*plain)
    assert by_library(sources, hypotheses) != by_library(*plain)


@pytest.mark.parametrize(
    ("source", "hypothesis", "expected"),
    [("a b c d", "a x c d", 0.25), ("a b", "", 1.0), ("a", "b c d", 3.0), ("", "", 0.0), ("", "a b", 2.0)],
)
def test_the_rate_matches_computation_by_hand(source, hypothesis, expected):
    assert WordErrorRate().score([source], [hypothesis]).tolist() == [expected]


def test_lower_is_closer():
    info = WordErrorRate().info
    assert not info.higher_is_closer and info.range == "from 0"
