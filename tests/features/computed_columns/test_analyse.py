"""Computed columns in `parapluie analyse --column`."""

from __future__ import annotations

import numpy as np
import pytest
from scored_tables import analysed, columns, refused, rows, table_of, write_two


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_two(tmp_path)
    return tmp_path


def test_computed_columns_are_analysed(folder, capsys):
    result = analysed(
        capsys,
        *("one.csv", "--column", "both = mean(pluie.direct, mine) > 0", "--column", "far=edit_distance * 2"),
        *("--score", "both", "--score", "far", "--filter", "far < 1", "--draws", 0),
    )
    assert list(result["scores"]) == ["both", "far"] and result["scores"]["both"]["natural_threshold"] == 0.5
    assert result["scores"]["both"]["signature"]["expression"] == "mean(pluie.direct, mine) > 0"
    labels, direct, mine, distance = columns(rows(80, 1), "label", "pluie.direct", "mine", "edit_distance")
    assert result["corpora"]["one"]["pairs"] == int((distance < 0.5).sum())
    (natural,) = table_of(result, "thresholds", score="both", threshold="natural")
    says = (direct + mine) / 2 > 0
    folder = (distance < 0.5) & ~np.isnan(direct)
    assert natural["TP"] == int((says & folder & (labels == 1)).sum()), "a pair without a score is not a negative"
    assert natural["FN"] == int((~says & folder & (labels == 1)).sum())
    for text, sentence in (
        ("both", "defines no column"),
        ("both = both + 1", "“both” refers to itself"),
        ("both = some_other_thing", "both: There is no column"),
        ("both = kind", "is text, not a number"),
    ):
        assert sentence in refused(capsys, "one.csv", "--column", text)
