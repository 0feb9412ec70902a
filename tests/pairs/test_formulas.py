"""Texts that a spreadsheet would run are detected, marked, and restored when the mark is removed."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import parapluie_gui as pp
from parapluie_gui.analysis.table import Table, count_formulas, table_csv
from parapluie_gui.commands.main import main
from parapluie_gui.pairs import Corpus, open_corpus
from parapluie_gui.pairs.column import NumberColumn, TextColumn, to_column
from parapluie_gui.pairs.formulas import CellWriter, is_formula, mark, unmark
from parapluie_gui.report.table import write_table
from parapluie_gui.scores.signature import Signature
from parapluie_gui.scores.table import ScoreTable

RUN = [
    "=1+1",
    "+cmd|' /C calc'!A0",
    "-2+3",
    "@SUM(1)",
    "\t1",
    "\r 1",
    "\na",
    "--5",
    "+33 6 12",
    "-5%",
    "＝1+1",
    "-inf",
]
PLAIN = ["-5", "+5", "-0.25", "+.5e-3", "-1.", "-", "=", "@", "", "a=1", "'", "'a", "'-", " =1", "A – b", "1-2"]


@pytest.mark.parametrize("text", RUN)
def test_formulas_are_marked(text):
    assert is_formula(text) and mark(text) == f"'{text}" and not is_formula(mark(text))
    assert unmark(mark(text)) == text
    # texts that already had a mark differ from texts marked by the program
    assert mark(f"'{text}") == f"''{text}" and unmark(mark(f"'{text}")) == f"'{text}"


@pytest.mark.parametrize("text", PLAIN)
def test_other_texts_are_not_marked(text):
    assert not is_formula(text) and mark(text) == text == unmark(text)


INNER = {
    "a;=1+1": "a;'=1+1",
    "e;@SUM(1)": "e;'@SUM(1)",
    "\t=1": "'\t'=1",
    "a\n-b;-5;+c": "a\n'-b;-5;'+c",
    "=a;=b": "'=a;'=b",
    "a;'=b": "a;''=b",
}


@pytest.mark.parametrize("text", INNER)
def test_formulas_after_a_separator_are_detected(text):
    assert is_formula(text) == ("'" not in text)
    assert mark(text) == INNER[text] and unmark(INNER[text]) == text and not is_formula(INNER[text])


@pytest.mark.parametrize("text", ["a;-5", "a; =1", "a;=", "a;b", "-5;+6", ";\t"])
def test_numbers_after_a_separator_are_not_formulas(text):
    assert mark(text) == unmark(text) == text or text == "-5;+6"
    assert not is_formula(text) or text == "-5;+6"


@given(st.lists(st.one_of(st.none(), st.floats(), st.text(alphabet="a;\t,\"'\r\n=")), min_size=2))
def test_cells_are_read_back_unchanged(row):
    for separator in ",\t":
        file = io.StringIO(newline="")
        CellWriter(file, separator).write([row])
        file.seek(0)
        (cells,) = csv.reader(file, delimiter=separator)
        assert cells == ["" if cell is None else str(cell) for cell in row]
        assert all(f'"{cell}"' in file.getvalue() for cell in cells if ";" in cell and '"' not in cell)


@given(st.text(alphabet="'=+-@\t\r\n＝1.5e%a;", max_size=8))
def test_marks_can_always_be_removed(text):
    assert unmark(mark(text)) == text
    assert not is_formula(mark(text))


# In the files


def example() -> tuple[Corpus, ScoreTable]:
    sources = ["=1+1", "Plain.", "'=quoted", "-5", "@user hi"]
    corpus = Corpus("c", ["+a", "b", "c", "d", "e"], sources, ["x;=1", "\ty", "\rz", "-", "w; a"])
    corpus.extra["=name"] = to_column(["-1", "-2.5", "", "3", "4"])
    corpus.extra["'=text"] = to_column(["-1", "two", "", "=3", "''-x"])
    table = ScoreTable(5)
    table.declare("bleu", Signature.from_fields("bleu", {"name": "bleu"}))
    table.put(np.arange(5), {"bleu": np.array([-1.5, -np.inf, np.nan, 0.0, 1.0])})
    return corpus, table


def cells(column: NumberColumn | TextColumn) -> list[object]:
    return [str(cell) for cell in (column.cells() if isinstance(column, NumberColumn) else column)]


@pytest.mark.parametrize("signed", [True, False])
@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_a_marked_table_is_read_back_unchanged(ending, signed, tmp_path):
    corpus, table = example()
    table = table if signed else ScoreTable(5)
    plain, safe = tmp_path / f"plain.{ending}", tmp_path / f"safe.{ending}"
    warning = write_table(plain, corpus, table).warnings
    warnings = write_table(safe, corpus, table, mark_formulas=True).warnings
    begin = "8 cells begin with =, +, -, @, a tab or a line break, or have one of these characters after a semicolon"
    assert warning[0].startswith(f"{begin}, and a spreadsheet may run them") and "--no-formulas" in warning[0]
    assert warnings == (f"{begin}; an apostrophe was put before each.",)
    with safe.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file, delimiter="," if ending == "csv" else "\t"))
    assert not any(is_formula(cell) and cell != "-inf" for row in rows for cell in row)
    assert [row[1] for row in rows[1:]] == ["'=1+1", "Plain.", "''=quoted", "-5", "'@user hi"]
    assert "'=name" in rows[0] and "''=text" in rows[0]
    values = [row[rows[0].index("'=name")] for row in rows[1:]]
    assert values == ["-1.0", "-2.5", "", "3.0", "4.0"], "numbers are unchanged"
    one, two = (open_corpus(path).read() for path in (plain, safe))
    for name in ("id", "source", "hypothesis"):
        assert list(getattr(one, name)) == list(getattr(two, name)) == list(getattr(corpus, name))
    assert one.extra.keys() == two.extra.keys()
    for name, column in one.extra.items():
        assert type(column) is type(two.extra[name])
        assert cells(column) == cells(two.extra[name])
    assert cells(one.extra["'=text"]) == ["-1", "two", "", "=3", "''-x"]
    assert open_corpus(safe).preview.rows == open_corpus(plain).preview.rows


def test_an_unmarked_file_keeps_its_apostrophes(tmp_path):
    corpus, table = example()
    write_table(tmp_path / "a.csv", corpus, table)
    assert open_corpus(tmp_path / "a.csv").read().source[2] == "'=quoted"
    write_table(tmp_path / "b.csv", corpus, ScoreTable(5), mark_formulas=True)
    write_table(tmp_path / "b.csv", corpus, ScoreTable(5))
    assert open_corpus(tmp_path / "b.csv").read().source[2] == "'=quoted", "nothing of the earlier sidecar is left"


@pytest.mark.parametrize("beside", ["[]", "{", '{"formulas": 1}', "[" * 100_000, ""])
def test_an_unrelated_sidecar_file_is_ignored(beside, tmp_path):
    (tmp_path / "a.csv").write_text("source,hypothesis\n'=a,b\n")
    (tmp_path / "a.csv.signatures.json").write_text(beside)
    assert open_corpus(tmp_path / "a.csv").read().source == ["'=a"]


def test_formulas_in_result_tables_are_marked():
    grid = Table("t", "T", ("=name", "value"), (("+a", -1.5), ("b", -2), ("-5", None), ("'@c", float("-inf"))))
    assert count_formulas(grid) == 2
    assert table_csv(grid).splitlines() == ["=name,value", "+a,-1.5", "b,-2", "-5,", "'@c,-inf"]
    assert table_csv(grid, mark_formulas=True).splitlines() == ["'=name,value", "'+a,-1.5", "b,-2", "-5,", "''@c,-inf"]


def test_the_command_line_can_mark_formulas(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"=id{n}\tA cat {n}.\tThe dog {n}.\t{n % 2}\n" for n in range(20))
    (tmp_path / "a.tsv").write_text(f"id\tsource\thypothesis\tlabel\n{rows}")
    score = ["score", "a.tsv", "--metric", "edit_distance", "-o"]
    assert main([*score, "s.csv"]) == 0
    assert "20 cells begin with" in capsys.readouterr().err
    assert main([*score, "s.csv", "--no-formulas"]) == 0
    assert "20 cells begin with" in capsys.readouterr().err
    assert "\n'=id3," in (tmp_path / "s.csv").read_text()
    assert main(["analyse", "s.csv", "--draws", "0", "--out", "an"]) == 0
    assert "20 cells begin with =, +, -, @, a tab or a line break, or have" in capsys.readouterr().err
    assert "\n=id3," in (tmp_path / "an" / "pairs.csv").read_text()
    assert main(["analyse", "s.csv", "--draws", "0", "--out", "an", "--no-formulas"]) == 0
    assert "was put before each" in capsys.readouterr().err
    assert "\n'=id3," in (tmp_path / "an" / "pairs.csv").read_text()


@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_a_table_for_excel_begins_with_its_mark_and_reads_back(ending, tmp_path):
    texts = ["=1+1 é", "Ça va.", "Plain."]
    scores = pp.score(texts, hypotheses=["Один."] * 3, metrics=["edit_distance"])
    path = tmp_path / f"excel.{ending}"
    with pytest.warns(pp.ParapluieWarning, match="an apostrophe was put before it"):
        scores.write(path, for_excel=True)
    assert path.read_bytes().startswith(b"\xef\xbb\xbfid")
    assert "'=1+1 é" in path.read_text(encoding="utf-8-sig")
    assert list(pp.read(path).source) == texts
    assert table_csv(Table("t", "T", ("a",), (("é",),)), for_excel=True) == "\ufeffa\r\né\r\n"


def test_the_advice_in_python_names_the_argument(tmp_path):
    scores = pp.score(["=1+1"], hypotheses=["b"], metrics=["edit_distance"])
    with pytest.warns(pp.ParapluieWarning, match=r"write it with no_formulas=True\."):
        scores.write(tmp_path / "a.csv")
    with pytest.warns(pp.ParapluieWarning, match="was put before it"):
        scores.write(tmp_path / "b.csv", no_formulas=True)
    assert not (tmp_path / "b.csv").read_bytes().startswith(b"\xef\xbb\xbf")
