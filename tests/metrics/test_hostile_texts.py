"""Unusual texts: every lexical metric quickly returns a score or the reason for a missing one."""

from __future__ import annotations

import time

import numpy as np
import pytest
from waiting import in_time

from parapluie_gui.metrics.catalogue import metric, metrics, ready

LEXICAL = [info.id for info in metrics() if info.family == "lexical"]

TEXTS = [
    "",
    " ",
    "\n\t",
    "a",
    ".",
    '"',
    "Word",
    "😀👩‍👩‍👧‍👦 🏳️‍🌈",
    "שלום עולם",
    "مرحبا بالعالم.",
    "我想开通花呗分期",
    "\u202eabc\u200b\ufeff",
    "\ud800 lone",
    "\x00\x01",
    "e\u0301 é",
    "a" * 3000,
    'it\'s "quoted" (and so on) ...',
]


@pytest.fixture(params=LEXICAL)
def name(request: pytest.FixtureRequest) -> str:
    """A lexical metric's name."""
    if not ready(request.param):
        request.getfixturevalue("wordnet_folder")
    return request.param


def test_unusual_texts_have_a_score_or_a_reason(name):
    instance = metric(name)
    sources = [text for text in TEXTS for _ in TEXTS]
    hypotheses = TEXTS * len(TEXTS)
    references = [None, *sources[1:]]
    scores = instance.score(sources, hypotheses, references)
    assert scores.shape == (len(sources),) and scores.dtype == np.float64
    for row, score in enumerate(scores):
        if np.isnan(score):
            assert instance.why_missing(sources[row], hypotheses[row], references[row])
        else:
            assert instance.info.low <= score <= instance.info.high + 1e-9
    assert np.array_equal(scores, instance.score(sources, hypotheses, references), equal_nan=True)


def test_a_pair_has_the_same_number_alone_and_among_other_pairs(name):
    instance, alone = metric(name), metric(name)
    sources, hypotheses = ["A dog ran home.", "", "我想", "x y z"], ["The dogs run home.", "a", "我想 ok", "x y z"]
    scores = instance.score(sources, hypotheses)
    one_by_one = [
        alone.score([source], [hypothesis])[0] for source, hypothesis in zip(sources, hypotheses, strict=True)
    ]
    np.testing.assert_array_equal(scores, one_by_one)


def test_ten_thousand_words_are_scored_quickly(name):
    rng = np.random.default_rng(0)
    instance = metric(name)
    latin = [" ".join(f"word{word}" for word in rng.integers(0, 3000, 10_000)) for _ in range(2)]
    chinese = ["".join(map(chr, rng.integers(0x4E00, 0x9FA0, 10_000))) for _ in range(2)]
    start = time.process_time()
    scores = instance.score([latin[0], chinese[0]], [latin[1], chinese[1]])
    assert time.process_time() - start < in_time(10)
    assert np.isfinite(scores[0]) and (np.isfinite(scores[1]) or instance.why_missing(chinese[0], chinese[1]))


def test_lists_of_different_length_are_refused(name):
    with pytest.raises(ValueError):
        metric(name).score(["a", "b"], ["a"])
