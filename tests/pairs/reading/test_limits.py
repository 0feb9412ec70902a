"""Files that would unpack to more than the memory holds are refused beforehand; other files are read."""

from __future__ import annotations

import base64
import struct
import sys
import time
import zipfile
import zlib
from pathlib import Path

import crafted
import pytest
from reading import pairs, refusal
from waiting import in_time

from parapluie_gui import children
from parapluie_gui.errors import CorpusError
from parapluie_gui.pairs import open_corpus, open_text
from parapluie_gui.pairs.reading import isolated, limits, workbook
from parapluie_gui.report.signatures import read_signatures

REPEATED = ("table:number-columns-repeated", "table:number-rows-repeated")
#: The end of a sheet as LibreOffice writes it.
EMPTY_REST = f'<table:table-row {REPEATED[1]}="1048574"><table:table-cell {REPEATED[0]}="16384"/></table:table-row>'
SECOND = '<row r="1048576">{}</row>'


# The limit


def test_the_limit_is_the_computers_memory_unless_set(monkeypatch, limit):
    monkeypatch.setattr(limits, "_available", list)
    assert limits.memory_limit() == 8e9
    monkeypatch.setattr(limits, "_available", lambda: [4e9, 6e9])
    assert limits.memory_limit() == 4e9
    limit(20.5)
    assert limits.memory_limit() == 20.5e9
    limit("")
    assert limits.memory_limit() == 4e9


@pytest.mark.parametrize("text", ["much", "-1", "0", "nan"])
def test_a_limit_that_is_not_a_number_is_refused(text, limit):
    limit(text)
    with pytest.raises(
        CorpusError, match=f'PARAPLUIE_LIMIT_GB is "{text}", which is not a number of gigabytes. Set it '
    ):
        limits.memory_limit()


def test_the_message_names_a_sufficient_limit(limit):
    limit(0.5)
    limits.check_memory(0.5e9, Path("a.csv"))
    with pytest.raises(CorpusError) as error:
        limits.check_memory(12.3e9, Path("a.csv"))
    assert str(error.value) == (
        "a.csv: reading this would take about 12 GB of memory, but the limit is 0.5 GB. "
        "Read fewer rows or columns, or set PARAPLUIE_LIMIT_GB=13 in the environment."
    )


# Workbooks


@pytest.mark.parametrize(
    "far",
    [
        '<c r="XFD1048576"><v>1</v></c>',
        '<c r="XFD1048576" s="1" t="n"><v>1</v></c>',
        f'<c r="XFD1048576" x="{"y" * 3_000_000}"><v>1</v></c>',
        '<c r="XFD1048576"></c>',
    ],
    ids=["plain", "styled", "long tag", "perhaps empty"],
)
def test_a_distant_cell_is_refused_and_named(far, tmp_path, no_process):
    path = crafted.xlsx(tmp_path / "far.xlsx", crafted.PAIR + SECOND.format(far))
    start = time.process_time()
    sentence = refusal(path)
    assert sentence.startswith(
        "far.xlsx: the sheet extends to column XFD and row 1,048,576, which would take about 687 GB"
    )
    assert "Ctrl+End" in sentence and "PARAPLUIE_LIMIT_GB" in sentence
    assert time.process_time() - start < in_time(5)


def test_an_empty_formatted_far_cell_is_ignored(tmp_path, no_process):
    path = crafted.xlsx(tmp_path / "styled.xlsx", crafted.PAIR + SECOND.format('<c r="XFD1048576" s="1"/>'))
    assert pairs(path) == [("A cat sat.", "A dog ran.")]


@pytest.mark.parametrize(
    "far",
    [
        '<x:c r="XFD1048576"><v>1</v></x:c>',
        "<c r='XFD1048576'><v>1</v></c>",
        '<c  r="XFD1048576"><v>1</v></c>',
        '<c s="0" r="XFD1048576"><v>1</v></c>',
        '<c\nr = "XFD1048576"><v>1</v></c>',
        '<c r="ZZZZZ9"><v>1</v></c>',
        '<c r="xfd1048576"><v>1</v></c>',
    ],
)
def test_odd_cells_are_read_in_a_separate_process(far, tmp_path, limit):
    """The library may misread such cells; if it crashes, only its process ends."""
    limit(0.5)
    path = crafted.xlsx(tmp_path / "odd.xlsx", crafted.PAIR + SECOND.format(far))
    assert not workbook.fits_in_memory(path.read_bytes(), path, None)
    try:
        assert pairs(path) == [("A cat sat.", "A dog ran.")]
    except CorpusError as error:
        assert "takes more than 0.5 GB" in str(error) or "cannot be read" in str(error)


def test_rows_beyond_excels_limit_are_refused(tmp_path, no_process):
    row = '<row r="99999999"><c r="A99999999"><v>1</v></c></row>'
    assert "row 99,999,999" in refusal(crafted.xlsx(tmp_path / "tall.xlsx", crafted.PAIR + row))


def test_wide_sheets_are_read_if_they_are_small(tmp_path, no_process):
    row = f'<row r="3">{crafted.cell("A3", "One.")}{crafted.cell("B3", "Two.")}{crafted.cell("XFD3", "far")}</row>'
    assert len(pairs(crafted.xlsx(tmp_path / "wide.xlsx", crafted.PAIR + row))) == 2


def test_only_the_chosen_sheet_counts(tmp_path, no_process):
    far = SECOND.format('<c r="XFD1048576"><v>1</v></c>')
    path = crafted.xlsx(tmp_path / "two.xlsx", crafted.PAIR, {"far": crafted.PAIR + far, "signatures": far})
    assert pairs(path) == [("A cat sat.", "A dog ran.")]
    assert read_signatures(path) == {}
    with pytest.raises(CorpusError, match="column XFD"):
        open_corpus(path, sheet="far").read()


@pytest.mark.parametrize("where", ["cells", "one cell", "shared"])
def test_archives_that_unpack_endlessly_are_refused(where, tmp_path, limit, no_process):
    limit(0.1)
    many, text = [b'<row r="3"><c r="A3"><v>1</v></c></row>' * 1000] * 1000, [b"a" * 2**20] * 30
    path = tmp_path / "bomb.xlsx"
    if where == "cells":
        crafted.xlsx(path, [crafted.PAIR.encode(), *many])
    elif where == "one cell":
        crafted.xlsx(path, [b'<row r="1"><c r="A1" t="inlineStr"><is><t>', *text, b"</t></is></c></row>"])
    else:
        crafted.xlsx(path, crafted.PAIR, shared=[b"<si><t>", *text, b"</t></si>"])
    assert path.stat().st_size < 200_000
    assert "but the limit is 0.1 GB" in refusal(path)


def test_an_archive_with_false_sizes_is_refused(tmp_path, limit, no_process):
    limit(0.1)
    path = crafted.xlsx(tmp_path / "liar.xlsx", crafted.PAIR, shared=[b"<si><t>", *[b"a" * 2**20] * 30, b"</t></si>"])
    data = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        size = archive.getinfo("xl/sharedStrings.xml").file_size
    real, said = struct.pack("<I", size), struct.pack("<I", 100)
    assert data.count(real) >= 1
    path.write_bytes(data.replace(real, said))
    assert "but the limit is 0.1 GB" in refusal(path)


def test_a_child_process_reads_the_same(tmp_path):
    rows = crafted.PAIR + "".join(
        f'<row r="{n}">{crafted.cell(f"A{n}", f"Né {n}")}{crafted.cell(f"B{n}", "«ü»")}<c r="C{n}"><v>{n / 4}</v></c>'
        "</row>"
        for n in range(3, 9000)
    )
    path = crafted.xlsx(tmp_path / "same.xlsx", rows)
    here = workbook.open_sheet(path.read_bytes(), path)
    chosen, *names = next(messages := isolated.read("workbook:stream_blocks", path.read_bytes(), path, None, "x"))
    assert (chosen, tuple(names), [row for block in messages for row in block]) == (here.name, here.names, here.rows)
    assert here.rows[4:6] == [["Né 5", "«ü»", 1.25], ["Né 6", "«ü»", 1.5]]


@pytest.mark.parametrize(
    ("rows", "read"),
    [
        (crafted.ods_row("x", cells=f'{REPEATED[0]}="2000000000"'), None),
        (crafted.ods_row("x", "y", row=f'{REPEATED[1]}="2000"'), 2001),
        (EMPTY_REST, 1),
    ],
    ids=["columns", "rows", "empty"],
)
def test_repeated_cells_of_open_document_are_counted(rows, read, tmp_path, limit):
    limit(0.5)
    head = crafted.ods_row("source", "hypothesis") + crafted.ods_row("A cat.", "A dog.")
    path = crafted.ods(tmp_path / "repeated.ods", head + rows)
    try:
        count = len(pairs(path))
    except CorpusError as error:
        assert read is None and "\n" not in str(error)
    else:
        assert read in (None, count)


#: An old workbook (.xls) of two pairs, and a cell in row 65,536 and column 65,536; Excel has no such column.
FAR_XLS = zlib.decompress(
    base64.b64decode(
        "eNrtWE1oE0EU/mbzH9r81FRohRIKVq1tQPTgpY2trT2lRC/+INQkXUloSEoSkXqxWnMUBE+Kl0I9CFL14g8q6M2DUFFQEISkHnsSFDy0Wd+83d"
        "SkVmhAi5X9ln0z82beN2/3zd/umwV/afZBexlr0A8LKpoL9hqdoNtVLfhA9Zoms9XUSbdmYkvB5aRA2m142vzaIWMo412GgvvWlySBRbpPYxKj"
        "2Ywa3EQMsg8xIX3oIylwizQetLFXLSwTLLexvMctn7E8xJqrLPuobUmcwkJ4tPugMYpPKJ1c54HkfcQ2H1mzD614JUfxxWtCb2vDQC4VS2+xig"
        "5rE+ZAAR1RM2pOlr24DTdwktAbifQODZUQoGDP4ZsWBL5WZ/WLoKnfXL0A6b/X6x2/0TspiGv11xUrMA3tDE+SIi3QB6z6WIgtI8rrtUuf1/ns"
        "uVxCpUGQnJrMFpJqPpW3AelYXE2TxfmkmqFGA8FErBCikTOcygTfp0M0KwalOByyAGdjObfk4zXDV7dmNPNcaiI5Di/n/TyjfOT08p0vbyPxaH"
        "iMNdO8T+i7yU7pPDRckhZk7KnZaaToZou9LC8z6w7Ot7MM0HCntCvaamSOzHCbK1zbRf3sZ7wL76rJ76Z8ceno447i5/Aeys+PlC8E5j+EZ9FJ"
        "b2qc7OU1gx7RI27ekHgSrqbCWHk+sWz7ZRVyKj723wrNeBAvVuS8I/hZ6iX5dsRqSTHelV6yUMlicIl1uARzWY32grkojnhOvgnmsvMKuXhXIR"
        "7JoqzDojCL3WDR4+UwWJRVj/xYssBg4T1e1LPIHcTP8exXWvBQmtDq+xNumDBhwoQJEyZMmPi3IPj8CT5xyjOlzTjPO4z/Oit0V8zfJP8tjiFL"
        "V4E+KoeRoTSHqYbGz3bYRJVLbNCm+r9Q4jj1nsME4uzHRMPjl75WRO3zbNjQ9+emUKP9Vxrx8y/3/wOLFOoE"
    )
)


def test_a_far_cell_in_an_old_workbook_is_refused(tmp_path, limit):
    limit(0.5)
    path = tmp_path / "old.xls"
    path.write_bytes(FAR_XLS)
    assert refusal(path).startswith("old.xls: reading it crashes, or takes more than 0.5 GB of memory. Copy its table")
    place = struct.pack("<4H", 0xFD, 10, 0xFFFF, 0xFFFF)  # from a LABELSST record
    assert FAR_XLS.count(place) == 1
    path.write_bytes(FAR_XLS.replace(place, struct.pack("<4H", 0xFD, 10, 2, 4)))
    assert pairs(path) == [("A cat.", "Ein Öl."), ("B.", "C.")]


def test_the_readers_own_message_is_passed_on(tmp_path):
    path = crafted.ods(tmp_path / "a.ods", crafted.ods_row("source", "hypothesis"))
    with pytest.raises(CorpusError, match=r'^a\.ods: there is no sheet called "b"\. Choose one of "pairs"\.$'):
        open_corpus(path, sheet="b").read()


def test_a_reader_process_that_dies_or_hangs_is_reported(tmp_path, limit, monkeypatch):
    limit(0.1)
    for code in (
        "import os; os.abort()",
        "print('[1, 2]'); print('[3', end='')",
        "while 1: print('[' + '1,' * 9999 + '1]')",
    ):
        monkeypatch.setattr(children, "call", lambda *_, code=code: [sys.executable, "-c", code])
        with pytest.raises(
            CorpusError, match=r"^a\.ods: reading it crashes, or takes more than 0\.1 GB of memory\. Split"
        ):
            list(isolated.read("workbook:stream_blocks", b"", tmp_path / "a.ods", None, "split it"))


# Text


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("lines.csv", lambda: "source,hypothesis\n" + "\n" * 1_000_000),
        ("cells.csv", lambda: ("," * 20_000 + "\n") * 500),
        ("long.csv", lambda: "source,hypothesis\n" + "a" * 40_000_000),
        ("records.json", lambda: "[" + "{}," * 500_000 + "{}]"),
        ("members.jsonl", lambda: "{" + ",".join(f'"{n}":1' for n in range(1_000_000)) + "}"),
        ("distinct.jsonl", lambda: "".join(f'{{"k{n}": 1}}\n' for n in range(4000))),
        ("returns.txt", lambda: "a\tb\r" * 600_000),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_texts_that_grow_in_memory_are_refused(name, text, tmp_path, limit):
    """The texts are created when their test runs, because every test process loads this file."""
    limit(0.1)
    (tmp_path / name).write_text(text())
    start = time.process_time()
    sentence = refusal(tmp_path / name)
    assert "the limit is 0.1 GB" in sentence and sentence.startswith(f"{name}: ")
    assert time.process_time() - start < in_time(5)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("commas.csv", "a," * 1_000_000),
        ("keys.json", "[{" + ",".join(f'"{n}":1' for n in range(100_001)) + "}]"),
    ],
    ids=["csv", "json"],
)
def test_too_many_columns_are_refused(name, text, tmp_path):
    (tmp_path / name).write_text(text)
    start = time.process_time()
    with pytest.raises(CorpusError, match=r"it has 1[0,]*1 columns; the limit is 100,000"):
        open_corpus(tmp_path / name, delimiter="," if name.endswith("csv") else None).read()
    with pytest.raises(CorpusError, match=r"separates columns|it has 100,001 columns"):
        open_corpus(tmp_path / name).read()
    assert time.process_time() - start < in_time(5)


def test_a_large_file_is_refused_before_it_is_read(tmp_path, limit):
    limit(0.1)
    with (tmp_path / "hole.csv").open("wb") as file:
        file.truncate(10**11)
    assert "would take about 300 GB of memory" in refusal(tmp_path / "hole.csv")


def test_short_rows_are_counted_before_padding(limit):
    """A wide header above many short rows would become a table of many gigabytes."""
    limit(2)
    text = ",".join(f"c{n}" for n in range(100_000)) + "\n" + "a,b\n" * 20_000
    with pytest.raises(CorpusError, match="has 2 columns where 100000 are expected"):
        open_text(text, header=True, delimiter=",").read()


def test_records_with_few_common_members_are_counted():
    text = "\n".join(f'{{"source": "A {n}", "hypothesis": "B {n}", "k{n}": {n}, "l{n}": [{n}]}}' for n in range(50))
    corpus = open_text(text).read()
    assert len(corpus) == 50 and len(corpus.extra) == 100
    assert [value for value in corpus.extra["l7"] if value] == ["[7]"]
    assert list(corpus.extra["l7"]).index("[7]") == 7


def test_running_out_of_memory_is_reported(tmp_path, monkeypatch):
    def full(*arguments, **options):
        raise MemoryError

    (tmp_path / "a.csv").write_text("source,hypothesis\na,b\n")
    opened = open_corpus(tmp_path / "a.csv")
    monkeypatch.setattr("parapluie_gui.pairs.reading.dispatch.read_delimited", full)
    for attempt in (opened.read, lambda: opened.preview):
        with pytest.raises(CorpusError, match=r"a\.csv: there is not enough memory to read it\. Close other programs"):
            attempt()
