"""Scores that are bounds: their detection, their gaps, and tables written and read back."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas
import pytest

from parapluie_gui.analysis.columns import ColumnMaterial, columns_of, compile_column_filter
from parapluie_gui.commands.main import main
from parapluie_gui.pairs import Corpus, read
from parapluie_gui.report.table import write_table
from parapluie_gui.scores.table import ScoreTable

NAN = float("nan")


@pytest.fixture
def table():
    result = ScoreTable(4)
    columns = {"": [4.0, -2.0, 1.0, NAN], ".p_yes": [0.9, NAN, 0.6, NAN], ".p_no": [NAN, 0.7, 0.2, NAN]}
    result.put(np.arange(4), {f"pluie.direct{ending}": np.array(values) for ending, values in columns.items()})
    return result


@pytest.fixture
def corpus():
    return Corpus("some", source=list("abcd"), hypothesis=list("efgh"), id=list("1234"))


def test_bounds_are_detected(table):
    assert table.bounds("pluie.direct", np.arange(4)).tolist() == [1, -1, 0, 0]
    assert table.bounds("edit_distance", np.array([1])).tolist() == [0]
    assert table.bounded_columns == {"pluie.direct"} == table.take(np.array([2, 0])).bounded_columns
    assert table.bound_counts("pluie.direct") == (1, 1) and table.bound_counts("edit_distance") == (0, 0)
    table.drop("pluie.direct")
    assert not table.bounded_columns


def test_bounds_have_no_gap(table):
    values = {"pluie.direct.reverse": np.ones(4)}
    values |= {f"pluie.direct.reverse{ending}": np.full(4, 0.3) for ending in (".p_yes", ".p_no")}
    table.put(np.arange(4), values)
    np.testing.assert_array_equal(table["pluie.direct.gap"], [NAN, NAN, 0.0, NAN])


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("pluie.direct > 0", [0, 2]),  # at least 4 is certainly above 0
        ("pluie.direct > 3 or pluie.direct < 0", [0, 1]),
        ("pluie.direct < 5", [1, 2]),  # at least 4 can be above 5
        ("pluie.direct >= -3", [0, 2]),  # at most -2 can be below -3
        ("0 < pluie.direct", [0, 2]),
        ("pluie.direct == 4", []),
        ("pluie.direct != 9", [2]),
        ("abs(pluie.direct) > 0", [2]),
        ("pluie.direct * 2 > 0", [2]),
        ('pluie.direct.bound == "at least"', [0]),
        ("missing(pluie.direct.bound)", [2, 3]),
    ],
)
def test_filters_include_bounds_only_if_certain(table, corpus, text, rows):
    columns = columns_of(ColumnMaterial(corpus, table))
    result = compile_column_filter(text, columns).mask(lambda name: columns[name].values())
    assert np.flatnonzero(result).tolist() == rows


def test_analyses_report_the_number_of_bounds(table, corpus, tmp_path, capsys):
    write_table(tmp_path / "out.csv", replace(corpus, label=np.array([1, 0, 1, 0], dtype=np.int8)), table)
    assert main(["analyse", str(tmp_path / "out.csv"), "--out", str(tmp_path / "folder")]) == 0
    sentence = (
        "2 of 3 scores of pluie.direct are bounds (1 lower bounds, 1 upper bounds); the bound is used as the score."
    )
    assert sentence in capsys.readouterr().out
    assert sentence in (tmp_path / "folder" / "report.html").read_text("utf-8")
    result = json.loads((tmp_path / "folder" / "analysis.json").read_text("utf-8"))
    direct = result["scores"]["pluie.direct"]
    assert (direct["at_least"], direct["at_most"]) == (1, 1)


def test_written_tables_mark_bounds(table, corpus, tmp_path):
    write_table(tmp_path / "out.csv", corpus, table)
    frame = pandas.read_csv(tmp_path / "out.csv", keep_default_na=False)
    assert frame["pluie.direct.bound"].tolist() == ["at least", "at most", "", ""]
    assert "pluie.direct.bound" in read(tmp_path / "out.csv").extra
