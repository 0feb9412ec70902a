"""Parquet files too large for a table: a uniform sample, an exact count, all numbers of some columns."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas
import pytest

from parapluie_gui.errors import CorpusError
from parapluie_gui.pairs.reading.large import read_numbers, read_sample

ROWS = 4000


@pytest.fixture(scope="module")
def large(tmp_path_factory) -> Path:
    """Two files with different columns and odd row groups, in which every tenth row has no pair."""
    folder = tmp_path_factory.mktemp("large")
    rows = np.arange(ROWS)
    frame = pandas.DataFrame(
        {
            "source": [f"Sentence {row}." for row in rows],
            "hypothesis": ["  " if row % 10 == 0 else f"Saying {row}." for row in rows],
            "label": rows % 2,
            "points": np.where(rows % 4 == 0, np.nan, rows.astype(float)),
        }
    )
    frame[:1500].to_parquet(folder / "a.parquet", row_group_size=333)
    frame[1500:].assign(extra="late").to_parquet(folder / "b.parquet", row_group_size=1001)
    return folder


def test_a_sample_is_uniform_and_the_count_exact(large):
    result = read_sample(large, size=1000)
    corpus = result.corpus
    assert result.origin.pairs == ROWS * 9 // 10 and (result.origin.label, result.origin.path) == ("label", large)
    numbers = np.array([int(text.split()[1].rstrip(".")) for text in corpus.source])
    assert [int(number) - 1 for number in corpus.id] == numbers.tolist(), "an id is the number of the row"
    assert (np.diff(numbers) > 0).all() and 860 < len(corpus) < 940 and (numbers % 10 != 0).all()
    assert (np.histogram(numbers, bins=8, range=(0, ROWS))[0] > 80).all(), (
        "all parts of the files are equally represented"
    )
    np.testing.assert_array_equal(corpus.label, numbers % 2)
    np.testing.assert_array_equal(corpus.numbers("points"), np.where(numbers % 4 == 0, np.nan, numbers))
    late = [None if row < 1500 else "late" for row in numbers]
    assert corpus.extra["extra"].cells() == late
    assert read_sample(large, size=1000).corpus.id == corpus.id != read_sample(large, size=1000, seed=1).corpus.id


def test_files_that_are_not_too_large_are_read_completely(large):
    assert len(read_sample(large).corpus) == ROWS * 9 // 10
    assert len(read_sample(large / "a.parquet", size=1500).corpus) == 1350


def test_all_numbers_of_a_column_are_read(large, tmp_path):
    files = sorted(large.iterdir())
    pieces = list(read_numbers(files, ("points", "label", "points")))
    score, label, again = (np.concatenate(each) for each in zip(*pieces, strict=True))
    assert len(score) == ROWS and np.isnan(score).sum() == ROWS // 4 and label.sum() == ROWS // 2
    np.testing.assert_array_equal(score, again)
    with pytest.raises(CorpusError, match='column "source" contains no numbers'):
        list(read_numbers(files, ("source",)))
    (tmp_path / "cut.parquet").write_bytes(files[0].read_bytes()[:-50])
    with pytest.raises(CorpusError, match="is damaged"):
        read_sample(tmp_path / "cut.parquet")
