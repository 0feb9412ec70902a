"""Texts unlike any training data: every neural metric returns a score or the reason for a missing one."""

from __future__ import annotations

import numpy as np
import pytest

from parapluie_gui.metrics import catalogue

TEXTS = [
    "",
    " ",
    "\n",
    "a",
    ".",
    "Word",
    "😀👩‍👩‍👧‍👦",
    "שלום עולם",
    "مرحبا بالعالم.",
    "我想开通花呗分期",
    "\ud800 lone",
    "\x00\x01",
]
TEXTS += ["[SEP] [CLS] [PAD]", "the cat sat " * 3334]


@pytest.fixture(scope="module")
def specs(bert, bart, make_classifier) -> list[str]:
    encoders = ["sbert", "simcse", "bertscore", "bertscore,part=r", "parascore", "parascore_free", "bert_ibleu"]
    classes = [f"classifier:{make_classifier('no', 'yes')}", f"nli:{make_classifier('entailment', 'neutral', 'other')}"]
    return [f"{name}:{bert}" for name in encoders] + [f"bartscore:{bart}", *classes]


def test_unusual_texts_have_a_score_or_a_reason(specs):
    sources, hypotheses = [*TEXTS, *TEXTS], [*TEXTS, *TEXTS[3:], *TEXTS[:3]]
    for spec in specs:
        metric = catalogue.metric(spec)
        scores = metric.score(sources, hypotheses, sources)
        assert scores.shape == (len(sources),) and scores.dtype == np.float64
        for source, hypothesis, score in zip(sources, hypotheses, scores, strict=True):
            if np.isnan(score):
                assert metric.why_missing(source, hypothesis, source), (spec, source, hypothesis)
            else:
                assert metric.info.low - 1e-6 <= score <= metric.info.high + 1e-6, (spec, source, hypothesis)
        empty = catalogue.metric(spec).score([], [], [])
        assert empty.shape == (0,) and empty.dtype == np.float64
