"""Signatures are read back from every format that `write_table` writes."""

from __future__ import annotations

import numpy as np
import pytest

from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.report.signatures import read_signatures
from parapluie_gui.report.table import write_table
from parapluie_gui.scores.signature import Signature
from parapluie_gui.scores.table import ScoreTable


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet", "xlsx"])
def test_signatures_are_read_back(tmp_path, ending):
    signatures = {
        "bleu": Signature.from_fields("bleu", {"name": "bleu", "model": "C:/a folder", "version": "1"}),
        # In a printed signature, fields are separated by bars and colons.
        "a|b:c": Signature.from_fields(
            "a|b:c", {"name": "external", "column": "a|b:c", "model": "/models/x|name:bleu|y:z"}
        ),
    }
    table = ScoreTable(1)
    for name, signature in signatures.items():
        table.declare(name, signature)
    table.put(np.array([0]), {"bleu": np.array([0.5]), "a|b:c": np.array([0.5]), "mine": np.array([1.0])})
    path = tmp_path / f"scores.{ending}"
    write_table(path, Corpus("x", ["1"], ["a"], ["b"]), table)
    assert read_signatures(path) == signatures


def test_a_signature_too_long_for_an_excel_cell_is_read_up_to_the_cut(tmp_path):
    table = ScoreTable(1)
    table.declare("bleu", Signature.from_fields("bleu", {"name": "bleu", "model": "x" * 40_000}))
    table.put(np.array([0]), {"bleu": np.array([0.5])})
    write_table(tmp_path / "scores.xlsx", Corpus("x", ["1"], ["a"], ["b"]), table)
    fields = dict(read_signatures(tmp_path / "scores.xlsx")["bleu"].fields)
    assert fields["name"] == "bleu" and len(fields["model"]) > 32_000


def test_excel_files_of_an_earlier_version_are_read(tmp_path):
    import pandas

    with pandas.ExcelWriter(tmp_path / "old.xlsx", engine="xlsxwriter") as book:
        pandas.DataFrame({"source": ["a"], "hypothesis": ["b"], "bleu": [0.5]}).to_excel(
            book, sheet_name="pairs", index=False
        )
        frame = pandas.DataFrame({"column": ["bleu"], "signature": ["name:bleu|model:C:/a folder|version:1"]})
        frame.to_excel(book, sheet_name="signatures", index=False)
    wanted = Signature.from_fields("bleu", {"name": "bleu", "model": "C:/a folder", "version": "1"})
    assert read_signatures(tmp_path / "old.xlsx") == {"bleu": wanted}


def test_tables_of_other_programs_have_no_signatures(tmp_path):
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
