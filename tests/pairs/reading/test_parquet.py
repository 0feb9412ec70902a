"""Parquet files that unpack to more than the memory holds, and dates that Python does not support."""

from __future__ import annotations

import datetime
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest
from reading import pairs, refusal

from parapluie_gui.pairs import open_corpus
from parapluie_gui.pairs.reading import parquet


def parquet_file(path: Path, columns: dict[str, object], **options) -> Path:
    pyarrow.parquet.write_table(pyarrow.table(columns), path, compression="zstd", **options)
    return path


def shared(text: str, rows: int) -> pyarrow.DictionaryArray:
    """Return a column in which all rows but the first have the same text, which is stored once."""
    return pyarrow.DictionaryArray.from_arrays([0] + [1] * (rows - 1), ["short", text])


def test_parquet_with_too_many_rows_is_refused(tmp_path, limit, no_process):
    limit(0.1)
    path = parquet_file(tmp_path / "rows.parquet", {name: shared("x", 10**6) for name in ("source", "hypothesis")})
    assert path.stat().st_size < 10_000
    assert "rows.parquet: reading this would take about 0.2 GB of memory, but the limit is 0.1 GB." in refusal(path)


def test_parquet_with_shared_texts_is_estimated(tmp_path, limit):
    limit(0.3)
    columns = {"source": shared("b" * 10**6, 20_000), "hypothesis": ["c"] * 20_000}
    path = parquet_file(tmp_path / "shared.parquet", columns, dictionary_pagesize_limit=10**8)
    assert path.stat().st_size < 10_000
    assert not parquet.fits_in_memory(path.read_bytes(), path)
    assert "takes more than 0.3 GB of memory. Export it again in parts" in refusal(path)


def test_parquet_with_ordinary_texts_is_read_in_this_process(tmp_path, limit, no_process):
    limit(0.3)
    texts = [f"A sentence of some length, number {row}." for row in range(50_000)]
    path = parquet_file(
        tmp_path / "plain.parquet", {"source": texts, "hypothesis": texts, "score": list(range(50_000))}
    )
    assert len(pairs(path)) == 50_000


def test_parquet_with_lists_reads_the_same_in_a_child_process(tmp_path, limit):
    columns = {"source": ["A b.", "C d."] * 2000, "hypothesis": ["E f."] * 4000, "other": [["x" * 3000, None]] * 4000}
    path = parquet_file(tmp_path / "lists.parquet", {**columns, "when": [datetime.date(2020, 2, 3)] * 4000})
    here = open_corpus(path).read()
    limit(0.1)
    assert not parquet.fits_in_memory(path.read_bytes(), path)
    there = open_corpus(path).read()
    assert (list(there.source), there.extra.keys()) == (list(here.source), here.extra.keys())
    for name in here.extra:
        assert list(there.extra[name]) == list(here.extra[name])
    assert open_corpus(path).preview.rows == open_corpus(path).preview.rows


@pytest.mark.parametrize(
    "column",
    [
        pyarrow.array([10**12, 0], pyarrow.timestamp("s")),
        pyarrow.array([2**62, 0], pyarrow.timestamp("us")),
        pyarrow.array([10**7, 0], pyarrow.int32()).cast(pyarrow.date32()),
        pyarrow.array([2**62, 0], pyarrow.duration("s")),
    ],
    ids=["seconds", "microseconds", "days", "duration"],
)
def test_dates_that_python_does_not_support_are_refused(column, tmp_path):
    path = parquet_file(tmp_path / "far.parquet", {"source": ["a", "b"], "hypothesis": ["c", "d"], "when": column})
    assert refusal(path) == (
        'far.parquet: column "when" contains dates or times outside the years 1 to 9999. '
        "Export it as text, or leave the column out."
    )
