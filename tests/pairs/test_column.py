"""A column of a corpus is numeric or text, by one rule for every kind of file."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parapluie_gui.analysis.columns import ColumnMaterial, columns_of, compile_column_filter
from parapluie_gui.pairs import read
from parapluie_gui.pairs.column import NumberColumn, TextColumn, number, to_column
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.report.table import write_table
from parapluie_gui.scores.table import ScoreTable

NAN = np.nan


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["0.5", " 1e-3", "", None, "nan", True], [0.5, 0.001, NAN, NAN, NAN, 1]),
        (["-3", "+2", ".5", "1.", "n/a", "?", "-"], [-3, 2, 0.5, 1, NAN, NAN, NAN]),
        (["1", "inf", "-inf"], [1, np.inf, -np.inf]),
        ([1, 2.5, None], [1, 2.5, NAN]),
        ([np.int64(2), "3"], [2, 3]),
        (["true", "FALSE", ""], [1, 0, NAN]),
        (["yes", "no"], [1, 0]),
        (["1", "0", "-100", ""], [1, 0, NAN, NAN]),
        (["0.25", "-100"], [0.25, NAN]),
        (["5", "-100"], [5, -100]),
        (["-1", "-100"], [-1, -100]),
        (np.array([1, 2]), [1, 2]),
        ([None, ""], [NAN, NAN]),
    ],
)
def test_numeric_columns_are_recognised(cells, values):
    result = to_column(cells)
    assert isinstance(result, NumberColumn)
    np.testing.assert_array_equal(result.values, values)


@pytest.mark.parametrize(
    "cells",
    [["1", "x"], ["12_7"], ["007", "8"], [str(2**53 + 1)], [2**60], ["1,5"], ["٣"], ["1e999"], ["NA"], ["1", "- 1"]],
)
def test_text_columns_are_recognised(cells):
    result = to_column(cells)
    assert isinstance(result, TextColumn)
    assert result.cells() == [str(cell) for cell in cells]


ODD = ["", "0", "1", "-100", "07", "1_0", "yes", "no", "True", "NA", "x", " 2", "1e5", "½", "nan", "-inf"]
cell = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.sampled_from(ODD), st.text(max_size=3))


@given(st.lists(cell))
def test_cells_of_a_column_are_read_back_unchanged(cells):
    first = to_column(cells)
    again = to_column(first.cells())
    assert type(first) is type(again)
    assert list(map(repr, first.cells())) == list(map(repr, again.cells()))
    # the same rule, however the column was read
    result = [number(each) for each in cells]
    if None in result:
        assert isinstance(first, TextColumn)
    else:
        blank = not any(isinstance(each, str) and each.strip() for each in cells)
        assert isinstance(first, NumberColumn) == (blank or not np.isnan(result).all())
    if isinstance(first, NumberColumn):
        np.testing.assert_array_equal(first.written, [number(each) for each in cells])


ROWS = {
    "year": [1999, 2000, 2001, 2002],
    "code": ["007", "008", "1", "2"],
    "long": ["12345678901234567890", "1", "2", "3"],
    "P1": [1, -100, 0, 1],
    "weight": [0.1, None, 0.123456789012345, 1e-07],
    "tag": ["a", "b", None, "007"],
}


def files(folder: Path) -> list[Path]:
    """Return files of every kind with the same pairs."""
    import pandas

    frame = pandas.DataFrame({"source": list("ABCD"), "hypothesis": list("EFGH"), **ROWS})
    frame["weight"] = frame["weight"].astype(float)
    frame.to_csv(folder / "a.csv", index=False)
    frame.to_csv(folder / "a.tsv", index=False, sep="\t")
    frame.to_parquet(folder / "a.parquet")
    frame.to_excel(folder / "a.xlsx", index=False, engine="xlsxwriter")
    records = [
        {name: None if value != value else value for name, value in row.items()} for row in frame.to_dict("records")
    ]
    (folder / "a.jsonl").write_text("\n".join(json.dumps(row) for row in records), encoding="utf-8")
    return [folder / f"a.{ending}" for ending in ("csv", "tsv", "jsonl", "parquet", "xlsx")]


def test_every_kind_of_file_is_filtered_in_the_same_way(tmp_path):
    for path in files(tmp_path):
        corpus = read(path)
        table = ScoreTable(4)
        columns = columns_of(ColumnMaterial(corpus, table))

        def found(text: str, columns=columns) -> list[int]:
            mask = compile_column_filter(text, columns).mask(lambda name: columns[name].values())
            return np.flatnonzero(mask).tolist()

        assert found("year > 2000") == [2, 3], path
        assert found('year == "2000"') == [1], path
        assert found('code == "007"') == [0], path
        assert found('long == "12345678901234567890"') == [0], path
        assert found("P1 < 0.5") == [2], path
        assert found("missing(P1)") == [1], path
        assert found("weight < 0.2") == [0, 2, 3], path


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet", "xlsx"])
def test_nothing_is_lost_through_a_written_table(tmp_path, ending):
    for path in files(tmp_path):
        corpus = read(path)
        target = tmp_path / f"out.{ending}"
        write_table(target, corpus, ScoreTable(4))
        again = read(target)
        for name in ROWS:
            # in delimited text, an empty text equals a missing one
            before, after = (
                [None if cell == "" else cell for cell in each.extra[name].cells()] for each in (corpus, again)
            )
            assert after == before, (path, name)
        assert again.extra["P1"].cells() == [1, -100, 0, 1]
        assert again.extra["weight"].cells() == ROWS["weight"]
        assert again.extra["code"].cells() == ROWS["code"]
        assert again.extra["long"].cells() == ROWS["long"]
    assert "2000.0" not in (tmp_path / "a.csv").read_text()


def test_words_for_truth_values_are_written_unchanged(tmp_path):
    source = tmp_path / "a.csv"
    source.write_text("source,hypothesis,ok,sure\nA,B,yes,TRUE\nC,D,no,\n", encoding="utf-8")
    write_table(tmp_path / "o.tsv", read(source), ScoreTable(2))
    assert (tmp_path / "o.tsv").read_text().splitlines()[1:] == ["1\tA\tB\tyes\tTRUE", "2\tC\tD\tno\t"]


def test_an_almost_numeric_column_is_reported(tmp_path):
    source = tmp_path / "a.csv"
    rows = [f"S {n},H {n},{n},{n:03},{'x' if n % 2 else n}" for n in range(1, 41)]
    rows[9] = "S 10,H 10,ten,010,x"
    rows[19] = "S 20,H 20,twenty,020,x"
    source.write_text("source,hypothesis,grade,code,half\n" + "\n".join(rows), encoding="utf-8")
    corpus = read(source)
    assert isinstance(corpus.extra["grade"], TextColumn)
    assert [str(each) for each in corpus.mixed] == [
        'Column "grade" is read as text: 2 cells are not numbers (the first is "ten" in line 11).'
    ]


def test_a_subset_keeps_the_types_of_columns():
    corpus = Corpus("c", ["1", "2"], ["a", "b"], ["c", "d"], extra={"x": ["1", "y"], "p": ["1", "-100"]})
    part = corpus.take([0])
    assert isinstance(part.extra["x"], TextColumn)
    assert part.pair(0).extra == {"x": "1", "p": 1}
    other = corpus.take([1])
    assert np.isnan(other.extra["p"].values[0]) and other.pair(0).extra["p"] == -100
    assert other.numbers("p") is None and other.numbers("x") is None and other.numbers("z") is None
