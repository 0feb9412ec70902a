"""Signatures come back from every format that `write_table` writes."""

from __future__ import annotations

import numpy as np
import pytest

from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.report.signatures import read_signatures
from parapluie_gui.report.table import write_table
from parapluie_gui.scores.signature import Signature
from parapluie_gui.scores.table import ScoreTable


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet", "xlsx"])
def test_signatures_come_back(tmp_path, ending):
    table = ScoreTable(1)
    table.declare("bleu", Signature.of("bleu", {"name": "bleu", "model": "C:/a folder", "version": "1"}))
    table.put(np.array([0]), {"bleu": np.array([0.5]), "mine": np.array([1.0])})
    path = tmp_path / f"scores.{ending}"
    write_table(path, Corpus("x", ["1"], ["a"], ["b"]), table)
    assert read_signatures(path) == {"bleu": {"name": "bleu", "model": "C:/a folder", "version": "1"}}


def test_tables_of_others_have_none(tmp_path):
    import pandas

    frame = pandas.DataFrame({"source": ["a"], "hypothesis": ["b"]})
    frame.to_parquet(tmp_path / "a.parquet")
    frame.to_excel(tmp_path / "a.xlsx", engine="xlsxwriter")
    (tmp_path / "a.csv").write_text("source,hypothesis\na,b\n")
    (tmp_path / "b.csv").write_text("source,hypothesis\na,b\n")
    (tmp_path / "b.csv.signatures.json").write_text("[1, 2]")
    (tmp_path / "broken.xlsx").write_bytes(b"PK")
    (tmp_path / "broken.parquet").write_bytes(b"PAR1")
    for name in ("a.parquet", "a.xlsx", "a.csv", "b.csv", "broken.xlsx", "broken.parquet", "missing.parquet"):
        assert read_signatures(tmp_path / name) == {}, name
