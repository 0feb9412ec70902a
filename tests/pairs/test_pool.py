"""Several corpora pooled as one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from parapluie_gui.pairs.corpus import UNLABELLED, Corpus, SkippedRow
from parapluie_gui.pairs.pool import ORIGIN, pool


def corpus(name: str, size: int = 2, **columns) -> Corpus:
    texts = [f"{name} {row}" for row in range(size)]
    return Corpus(name, columns.pop("id", texts), texts, [f"{text}!" for text in texts], **columns)


def test_a_single_corpus_is_unchanged():
    alone = corpus("mrpc", extra={"corpus": ["x", "y"]})
    assert pool([alone]) is alone


def test_pooling_nothing_is_an_internal_error():
    with pytest.raises(ValueError, match="nothing"):
        pool([])


def test_pairs_keep_their_order_and_origin():
    pooled = pool([corpus("mrpc", 2), corpus("paws", 3)])
    assert pooled.name == "mrpc + paws"
    assert list(pooled.source) == ["mrpc 0", "mrpc 1", "paws 0", "paws 1", "paws 2"]
    assert list(pooled.hypothesis)[-1] == "paws 2!"
    assert list(pooled.extra[ORIGIN]) == ["mrpc", "mrpc", "paws", "paws", "paws"]
    assert len(pooled) == 5


def test_equal_ids_are_made_unique():
    pooled = pool([corpus("a", id=["1", "2"]), corpus("b", id=["1", "3"])])
    assert list(pooled.id) == ["1", "2", "1#2", "3"]


def test_columns_that_a_corpus_lacks_are_missing_for_its_pairs():
    full = corpus(
        "full",
        reference=["r", None],
        label=np.array([1, 0], dtype=np.int8),
        human=np.array([0.5, np.nan]),
        group=["g", None],
        extra={"year": [1999.0, 2000.0]},
    )
    pooled = pool([corpus("bare"), full])
    assert pooled.reference == [None, None, "r", None]
    assert pooled.label.tolist() == [UNLABELLED, UNLABELLED, 1, 0]
    assert pooled.label.dtype == np.int8
    np.testing.assert_array_equal(pooled.human, [np.nan, np.nan, 0.5, np.nan])
    assert pooled.group == [None, None, "g", None]
    assert pooled.extra["year"].cells() == [None, None, 1999.0, 2000.0]


def test_columns_that_no_corpus_has_are_absent():
    pooled = pool([corpus("a"), corpus("b")])
    assert pooled.reference is pooled.label is pooled.human is pooled.group is None


def test_columns_called_corpus_are_kept():
    one = corpus("one", extra={"corpus": ["web", "news"], "corpus (corpus)": ["p", "q"]})
    pooled = pool([one, corpus("two")])
    assert list(pooled.extra) == ["corpus", "corpus (corpus) (corpus)", "corpus (corpus)"]
    assert pooled.extra["corpus"] == ["one", "one", "two", "two"]
    assert pooled.extra["corpus (corpus) (corpus)"] == ["web", "news", None, None]
    assert pooled.extra["corpus (corpus)"] == ["p", "q", None, None]


def test_files_of_the_same_name_are_distinguished(tmp_path: Path):
    parts = [corpus("train", 1, path=tmp_path / year / "train.csv") for year in ("2023", "2024")]
    assert list(pool(parts).extra[ORIGIN]) == ["2023/train", "2024/train"]
    assert list(pool([parts[0], parts[0]]).extra[ORIGIN]) == ["2023/train", "2023/train#2"]
    assert list(pool([corpus("x", 1), corpus("x", 1)]).extra[ORIGIN]) == ["x", "x#2"]


def test_skipped_rows_are_kept():
    skipped = SkippedRow(3, "no source", "\tb")
    assert pool([corpus("a", skipped=(skipped,)), corpus("b")]).skipped == (skipped,)
