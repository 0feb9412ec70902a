"""Written tables are read back unchanged by pandas, csv, pyarrow and calamine."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

from parapluie_gui.errors import ParapluieError
from parapluie_gui.pairs import read
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.report import table as table_module
from parapluie_gui.report.table import write_table
from parapluie_gui.scores.signature import Signature, signature_lines
from parapluie_gui.scores.table import ScoreTable

SOURCES = [
    'He said "no", then\tleft.',
    "two\nlines\r\nand a lone \r return",
    "=1+1",
    "«Ça, c'est l'été» 日本語 😀",
    " spaces around  ",
    "http://example.org",
    "007",
    "_x000D_ and , ; '",
]
COLUMNS = [
    "id", "source", "hypothesis", "reference", "label", "human", "group",
    "#1 ID", "bleu (corpus)", "flag", "note",
    "bleu", "pluie.direct", "pluie.direct.p_yes", "pluie.direct.p_no",
]  # fmt: skip


def example() -> tuple[Corpus, ScoreTable]:
    n = len(SOURCES)
    corpus = Corpus(
        name="exämple",
        id=[f"{row:03}" for row in range(n)],
        source=SOURCES,
        hypothesis=SOURCES[::-1],
        reference=[None, "r", *["x"] * (n - 2)],
        label=np.array([1, 0, -1, 1, 0, 1, 0, -1], dtype=np.int8),
        human=np.array([0.1 + 0.2, np.nan, 5, 4, 3, 2, 1, 1 / 3]),
        group=["a", None, *["b"] * (n - 2)],
        extra={
            "#1 ID": [702876.0, None, *[1.0] * (n - 2)],
            "bleu": [float(row) + 0.5 for row in range(n)],
            "flag": [True, False, None, *[True] * (n - 3)],
            "note": ["n", None, *["-"] * (n - 2)],
        },
    )
    table = ScoreTable(n)
    table.declare("bleu", Signature.from_fields("bleu", {"name": "bleu", "tok": "treebank"}))
    table.put(np.arange(n), {"bleu": np.linspace(0, 1, n) / 3})
    table.declare("pluie.direct", Signature.from_fields("pluie.direct", {"name": "pluie", "model": "mödel"}))
    table.put(
        np.arange(n - 1),
        {
            "pluie.direct": np.array([-16.97607421875, 1e-300, 1e300, 0.1, 2, 3, 4]),
            "pluie.direct.p_yes": np.linspace(0, 1, n - 1),
            "pluie.direct.p_no": np.linspace(1, 0, n - 1),
        },
    )
    return corpus, table


def check_frame(frame, corpus: Corpus, table: ScoreTable) -> None:
    """Check a pandas frame against the corpus; None and NaN both count as missing."""
    assert list(frame.columns) == COLUMNS
    for name in ("id", "source", "hypothesis", "reference", "group"):
        expected = getattr(corpus, name)
        assert [None if value != value or value is None else value for value in frame[name]] == list(expected), name
    label = frame["label"].to_numpy(dtype=float, na_value=np.nan)
    np.testing.assert_array_equal(label, np.where(corpus.label == -1, np.nan, corpus.label))
    np.testing.assert_array_equal(frame["human"], corpus.human)
    np.testing.assert_array_equal(frame["#1 ID"].to_numpy(dtype=float, na_value=np.nan), [702876, np.nan, *[1] * 6])
    np.testing.assert_array_equal(frame["bleu (corpus)"], corpus.numbers("bleu"))
    flags = [None if value != value or value is None else bool(value) for value in frame["flag"]]
    assert flags == corpus.extra["flag"].cells()
    for name in table:
        np.testing.assert_array_equal(frame[name].to_numpy(dtype=float, na_value=np.nan), table[name], err_msg=name)


@pytest.mark.filterwarnings("ignore:.*float_precision")  # the default since pandas 3, needed before
@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_pandas_reads_separated_text_back(tmp_path, ending):
    pandas = pytest.importorskip("pandas")
    corpus, table = example()
    written = write_table(tmp_path / f"t.{ending}", corpus, table)
    separator = "," if ending == "csv" else "\t"
    frame = pandas.read_csv(
        written.path,
        sep=separator,
        dtype={"id": str, "source": str, "hypothesis": str},
        float_precision="round_trip",
    )
    check_frame(frame, corpus, table)
    with written.path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file, delimiter=separator))
    assert [row[1] for row in rows[1:]] == SOURCES
    assert [row[4] for row in rows[1:]] == ["1", "0", "", "1", "0", "1", "0", ""]
    assert rows[1][7] == "702876"
    assert written.path.read_bytes().startswith(b"id"), "a byte order mark would rename the first column for scripts"
    assert (written.rows, list(written.columns)) == (8, COLUMNS)


def test_json_lines_are_read_back(tmp_path):
    pandas = pytest.importorskip("pandas")
    corpus, table = example()
    written = write_table(tmp_path / "t.jsonl", corpus, table)
    lines = [json.loads(line) for line in written.path.read_text(encoding="utf-8").split("\n")[:-1]]
    assert [line["source"] for line in lines] == SOURCES
    assert lines[2]["label"] is None and lines[0]["label"] == 1
    assert lines[7]["pluie.direct"] is None
    assert lines[1]["flag"] is False
    check_frame(pandas.DataFrame(lines), corpus, table)


def test_parquet_is_read_back(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    corpus, table = example()
    written = write_table(tmp_path / "t.parquet", corpus, table)
    read = parquet.read_table(written.path)
    assert str(read.schema.field("label").type) == "int64"
    assert str(read.schema.field("flag").type) == "bool"
    assert read["pluie.direct"].null_count == 1
    check_frame(read.to_pandas(), corpus, table)
    signatures = json.loads(read.schema.metadata[b"parapluie.signatures"])
    assert signatures["signatures"]["pluie.direct"] == {"name": "pluie", "model": "mödel"}
    assert written.sidecar is None


def test_excel_is_read_back(tmp_path):
    pandas = pytest.importorskip("pandas")
    corpus, table = example()
    written = write_table(tmp_path / "t.xlsx", corpus, table)
    sheets = pandas.read_excel(
        written.path, sheet_name=None, engine="calamine", dtype={"id": str, "source": str, "hypothesis": str}
    )
    assert list(sheets) == ["pairs", "signatures"]
    frame = sheets["pairs"]
    # Excel files store 16 significant digits
    for name in ("human", "bleu", "pluie.direct.p_yes", "pluie.direct.p_no"):
        expected = corpus.human if name == "human" else table[name]
        np.testing.assert_allclose(frame[name], expected, rtol=1e-15)
        frame[name] = expected
    check_frame(frame, corpus, table)
    assert sheets["signatures"].values.tolist() == [
        ["bleu", "name:bleu|tok:treebank", '{"name": "bleu", "tok": "treebank"}'],
        ["pluie.direct", "name:pluie|model:mödel", '{"name": "pluie", "model": "mödel"}'],
    ]
    import zipfile

    with zipfile.ZipFile(written.path) as archive:
        assert b"<f>" not in archive.read("xl/worksheets/sheet1.xml"), "a sentence became a formula"


def test_chosen_rows_are_written_in_their_order(tmp_path):
    corpus, table = example()
    written = write_table(tmp_path / "t.jsonl", corpus, table, rows=np.array([3, 0]))
    lines = [json.loads(line) for line in written.path.read_text(encoding="utf-8").splitlines()]
    assert [line["id"] for line in lines] == ["003", "000"]
    assert lines[1]["pluie.direct"] == -16.97607421875
    assert written.rows == 2


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet", "xlsx"])
def test_empty_and_bare_corpora_are_written(tmp_path, ending):
    corpus = Corpus("bare", ["1"], ["s"], ["h"])
    for rows in (None, []):
        written = write_table(tmp_path / f"t.{ending}", corpus, ScoreTable(1), rows)
        assert written.columns == ("id", "source", "hypothesis")
        assert written.rows == (1 if rows is None else 0)
        assert written.sidecar is None and written.warnings == ()


def test_signatures_are_written_to_a_sidecar_file(tmp_path):
    corpus, table = example()
    written = write_table(tmp_path / "t.csv", corpus, table)
    assert written.sidecar == tmp_path / "t.csv.signatures.json"
    beside = json.loads(written.sidecar.read_text(encoding="utf-8"))
    assert beside["corpus"] == "exämple"
    assert beside["signatures"] == {
        "bleu": {"name": "bleu", "tok": "treebank"},
        "pluie.direct": {"name": "pluie", "model": "mödel"},
    }
    assert signature_lines(table.signatures) == ("bleu: name:bleu|tok:treebank", "pluie.direct: name:pluie|model:mödel")
    write_table(tmp_path / "t.csv", corpus, ScoreTable(8))
    assert not written.sidecar.exists(), "signatures of an earlier table would be wrong"


def test_csv_warns_of_formulas(tmp_path):
    corpus, table = example()
    for ending in ("csv", "tsv"):
        (warning,) = write_table(tmp_path / f"t.{ending}", corpus, table).warnings
        assert "and a spreadsheet may run" in warning
    assert write_table(tmp_path / "t.xlsx", corpus, table).warnings == ()


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet", "xlsx"])
def test_lone_surrogates_and_infinity_are_written(tmp_path, ending):
    corpus = Corpus("c", ["1"], ["half \ud83d"], ["control \x00\x01\uffff"])
    table = ScoreTable(1)
    table.put(np.array([0]), {"x": np.array([np.inf])})
    written = write_table(tmp_path / f"t.{ending}", corpus, table)
    assert any("incomplete characters" in warning for warning in written.warnings)
    assert any("infinite" in warning for warning in written.warnings) == (ending == "jsonl")


def test_excel_limits_are_respected(tmp_path, monkeypatch):
    pandas = pytest.importorskip("pandas")
    long = "😀" * 20_000
    written = write_table(tmp_path / "t.xlsx", Corpus("c", ["1"], [long], ["x" * 32_767]), ScoreTable(1))
    assert written.warnings == (
        "1 texts were longer than the 32,767 characters that fit into an Excel cell and were cut.",
    )
    frame = pandas.read_excel(written.path, engine="calamine")
    assert frame["source"][0] == "😀" * 16_383 and len(frame["hypothesis"][0]) == 32_767

    assert table_module.EXCEL_ROWS == 1_048_576
    monkeypatch.setattr(table_module, "EXCEL_ROWS", 3)
    with pytest.raises(ParapluieError, match=r"can hold 2 pairs .* this table has 3 and .*Write .csv or .parquet"):
        write_table(tmp_path / "u.xlsx", Corpus("c", ["1"] * 3, ["s"] * 3, ["h"] * 3), ScoreTable(3))
    assert [path.name for path in tmp_path.iterdir()] == ["t.xlsx"]


# Unwritable files


def test_unknown_endings_are_refused(tmp_path):
    corpus, table = example()
    with pytest.raises(ParapluieError, match=r"End the name in .csv, .tsv, .jsonl, .parquet, .xlsx"):
        write_table(tmp_path / "t.doc", corpus, table)
    assert write_table(tmp_path / "T.CSV", corpus, table).path.exists()


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet", "xlsx"])
def test_missing_folders_and_folders_as_targets_are_refused(tmp_path, ending):
    corpus, table = example()
    with pytest.raises(ParapluieError, match="There is no folder"):
        write_table(tmp_path / "no" / f"t.{ending}", corpus, table)
    (tmp_path / f"t.{ending}").mkdir()
    with pytest.raises(ParapluieError, match="cannot be written"):
        write_table(tmp_path / f"t.{ending}", corpus, table)
    assert [path.name for path in tmp_path.iterdir() if not path.name.endswith(".signatures.json")] == [f"t.{ending}"]


def test_a_file_in_use_is_reported(tmp_path, monkeypatch):
    """As on Windows while Excel has the file open; simulated, because root ignores permissions."""
    corpus, table = example()

    def refuse(path, target):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.replace", refuse)
    with pytest.raises(ParapluieError, match=r"no permission to write .*t.tsv. Close it in other programs"):
        write_table(tmp_path / "t.tsv", corpus, table)
    assert not list(tmp_path.iterdir())


def test_a_failure_while_writing_leaves_the_old_file(tmp_path, monkeypatch):
    corpus, table = example()
    write_table(tmp_path / "t.csv", corpus, table)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    def fail(path, *rest):
        path.write_text("half a")
        raise OSError(28, "No space left on device")

    monkeypatch.setitem(table_module._WRITERS, ".csv", fail)
    other = Corpus("other", ["1"], ["s"], ["h"])
    scores = ScoreTable(1)
    scores.declare("x", Signature.from_fields("x", {"name": "x"}))
    with pytest.raises(ParapluieError, match="No space left on device"):
        write_table(tmp_path / "t.csv", other, scores)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".xlsx"])
def test_progress_is_reported_and_cancelling_keeps_the_old_file(tmp_path, ending):
    count, path, progress = 2500, tmp_path / f"out{ending}", []
    texts = [f"text {row}" for row in range(count)]
    corpus = Corpus("many", list(map(str, range(count))), texts, texts)
    path.write_text("before")

    def tick(done: int) -> None:
        progress.append(done)
        if done > 500:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_table(path, corpus, ScoreTable(count), tick=tick)
    assert progress == sorted(progress) and 0 <= progress[0] < progress[-1] <= 1000 and len(progress) >= 3
    assert path.read_text() == "before" and list(tmp_path.iterdir()) == [path]


def test_characters_that_excel_cannot_hold_are_replaced_and_counted(tmp_path):
    corpus = Corpus("c", ["1", "2"], ["a\ufffeb", "plain"], ["_xFFFE_", "x\uffff"])
    written = write_table(tmp_path / "t.xlsx", corpus, ScoreTable(2))
    assert "2 texts contain U+FFFE or U+FFFF, which Excel cannot hold; they are written as \ufffd." in written.warnings
    again = read(tmp_path / "t.xlsx")
    assert (again.source[0], again.hypothesis) == ("a\ufffdb", ["_xFFFE_", "x\ufffd"])
