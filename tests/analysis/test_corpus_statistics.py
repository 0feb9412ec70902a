"""Corpus statistics compared with pandas; several corpora, languages, and missing labels."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from parapluie_gui.analysis.evaluations.corpus import MEASURES, describe, measure
from parapluie_gui.analysis.languages import languages
from parapluie_gui.analysis.score_column import part_masks
from parapluie_gui.pairs.corpus import UNLABELLED, Corpus
from parapluie_gui.pairs.pool import pool

SENTENCES = ("a cat sleeps", "the cat is asleep", "two dogs bark loudly", "it rains", "rain is falling")


def corpus(name: str, seed: int, count: int = 30, **more) -> Corpus:
    random = np.random.default_rng(seed)
    source, hypothesis = (random.choice(SENTENCES, count).tolist() for _ in range(2))
    label = random.integers(-1, 2, count).astype(np.int8)
    return Corpus(name, [str(row) for row in range(count)], source, hypothesis, label=label, **more)


def test_statistics_agree_with_pandas():
    pooled = pool([corpus("one", 1), corpus("two", 2, 12)])
    measured = measure(pooled)
    result = describe(pooled, measured, part_masks(pooled))
    assert [each.name for each in result] == ["one", "two", "Global"]
    frame = pd.DataFrame(
        {"source": pooled.source, "label": pooled.label, "name": pooled.extra["corpus"].cells(), **measured}
    )
    frame["words"] = frame["source"].str.split().str.len()
    for each in result:
        own = frame if each.name == "Global" else frame[frame["name"] == each.name]
        assert (each.pairs, each.sources) == (len(own), own["source"].nunique())
        assert each.paraphrases == (own["label"] == 1).sum() and each.unlabelled == (own["label"] == UNLABELLED).sum()
        assert tuple(each.measures) == MEASURES
        assert each.measures["source words"].all.mean == pytest.approx(own["words"].mean())
        wpd = own[own["label"] == 1]["wpd"]
        assert each.measures["wpd"].paraphrase.mean == pytest.approx(wpd.mean())
        assert each.measures["wpd"].paraphrase.std == pytest.approx(wpd.std(ddof=0))


def test_an_empty_part_is_left_out_and_labels_may_be_missing():
    bare = Corpus("bare", ["1"], ["a b"], ["a"])
    (result,) = describe(bare, measure(bare), {"none": np.array([False]), "all": np.array([True])})
    assert (result.name, result.paraphrases, result.unlabelled) == ("all", 0, 1) and not result.languages


def test_languages_are_read_from_a_column_or_the_groups():
    codes = ["en", "fr", None] * 10
    assert languages(corpus("a", 1, extra={"Lang": codes})) == codes
    assert languages(corpus("a", 1, group=["zh-CN"] * 30)) == ["zh-CN"] * 30
    assert languages(corpus("a", 1, group=["negation", "x"] * 15)) is None
    assert languages(corpus("a", 1)) is None
    spoken = corpus("a", 1, extra={"language": codes})
    (result,) = describe(spoken, measure(spoken), part_masks(spoken))
    assert result.languages == {"en": 10, "fr": 10}
