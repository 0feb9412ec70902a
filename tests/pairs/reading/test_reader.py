from __future__ import annotations

import gzip
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from waiting import in_time

from parapluie_gui.errors import CorpusError
from parapluie_gui.pairs import ColumnMapping, open_corpus, open_text, read, read_parallel
from parapluie_gui.pairs.reading.assemble import MOST_CHARACTERS

PLAIN = "source,hypothesis,label\nA a.,B b.,1\nC c.,D d.,0\n"


def test_canonical_columns_survive_a_round_trip(write):
    text = (
        "id,source,hypothesis,reference,label,human,group,note,score DIRECT\n"
        'p1,"A, ""a""",B,R,1,4.5,g1,"two\nlines",-3.25\n'
        "p2,C,D,,,,,,\n"
    )
    corpus = read(write("out.csv", text))
    assert corpus.id == ["p1", "p2"]
    assert corpus.source == ['A, "a"', "C"]
    assert corpus.reference == ["R", None]
    assert corpus.label.tolist() == [1, -1]
    assert corpus.human[0] == 4.5
    assert corpus.group == ["g1", None]
    assert {name: column.cells() for name, column in corpus.extra.items()} == {
        "note": ["two\nlines", ""],
        "score DIRECT": [-3.25, None],
    }
    assert corpus.layout == "custom"
    assert corpus.name == "out"


@pytest.mark.parametrize(
    "header",
    [
        "sentence1\tsentence2\tgold",
        "Text_A\tText_B\tQuality",
        "s1\ts2\tis_duplicate",
        "question1\tquestion2\tparaphrase",
        "source\tmt\tlabel",
    ],
)
def test_clearly_named_columns_are_guessed(write, header):
    corpus = read(write("x.tsv", header + "\nA a\tB b\t1\nC c\tD d\t0\n"))
    assert (corpus.source, corpus.hypothesis) == (["A a", "C c"], ["B b", "D d"])
    assert corpus.label.tolist() == [1, 0]


@pytest.mark.parametrize("delimiter", ["\t", ",", ";", "|"])
def test_every_delimiter_is_detected(write, delimiter):
    text = PLAIN.replace(",", delimiter)
    path = write("x.txt", text)
    assert open_corpus(path).preview.delimiter == delimiter
    assert len(read(path)) == 2


def test_unnamed_columns_must_be_chosen(write):
    path = write("x.csv", "left;right;truth\nA man walks by.;A man is walking.;1\n")
    with pytest.raises(CorpusError, match='"left", "right", "truth"'):
        read(path)
    preview = open_corpus(path).preview
    assert not preview.certain
    corpus = read(path, mapping=ColumnMapping(source="left", hypothesis="right", label="truth"))
    assert corpus.source == ["A man walks by."]
    assert corpus.label.tolist() == [1]


def test_a_missing_chosen_column_is_reported(write):
    with pytest.raises(CorpusError, match='no column "nope"'):
        read(write("x.csv", PLAIN), mapping=ColumnMapping(source="nope", hypothesis="hypothesis"))


def test_rows_without_a_pair_are_skipped_with_line_and_reason(write):
    text = "source\thypothesis\tlabel\nA\tB\t1\n\nC\t  \t1\n\u3000\tD\t0\nE\nF\tG\t0\textra\nH\tI\n\n"
    corpus = read(write("x.tsv", text))
    assert corpus.source == ["A", "H"]
    assert [(item.line, item.reason) for item in corpus.skipped] == [
        (3, "blank line"),
        (4, "no hypothesis"),
        (5, "no source"),
        (6, "no hypothesis"),
        (7, "4 columns instead of 3"),
    ]
    assert corpus.label.tolist() == [1, -1]


def test_overlong_sentences_are_skipped_and_reported(write):
    book = "word " * (MOST_CHARACTERS // 5) + "end"
    rows = [f"{book},B,C", f"A,{book},C", f"A,B,{book}", f"{book[3:]},B,C"]
    corpus = read(write("x.csv", "\n".join(["source,hypothesis,reference", *rows])))
    assert corpus.source == [book[3:]]
    reason = "a sentence has 2,000,003 characters; the limit is 2,000,000"
    assert [(item.line, item.reason) for item in corpus.skipped] == [(2, reason), (3, reason), (4, reason)]
    assert all(len(item.text) <= 80 for item in corpus.skipped)


@pytest.mark.parametrize("unit", ["word ", "x"])
def test_an_overlong_column_name_is_reported_quickly_and_briefly(write, unit):
    book = unit * (2_000_000 // len(unit))
    started = time.process_time()
    with pytest.raises(
        CorpusError, match=r'the name of the column "(word|xxxx).*…" has (1,999,999|2,000,000) char'
    ) as it:
        read(write("x.csv", f"source,hypothesis,{book}\nA,B,C\n"))
    assert len(str(it.value)) < 300
    with pytest.raises(CorpusError, match=r'the columns of the two sentences were not recognised among "column 1"'):
        read(write("x.csv", f"{book},hypothesis\nA cat,B dog\nA cow,An owl\n"))
    # Formerly 38 s for forty megabytes, in each of 200 comparisons of names.
    assert time.process_time() - started < in_time(4)


def test_line_numbers_count_physical_lines(write):
    text = 'source,hypothesis,label\n"A\nwith\nlines",B,1\nC,D,perhaps\n'
    with pytest.raises(CorpusError) as caught:
        read(write("x.csv", text))
    assert caught.value.line == 5
    assert '"perhaps"' in str(caught.value)
    assert "line 5" in str(caught.value)


def test_ids_are_made_unique(write):
    corpus = read(write("x.csv", "id,source,hypothesis\n7,A,B\n7,C,D\n7#2,E,F\n,G,H\n"))
    assert corpus.id == ["7", "7#3", "7#2", "row 4"]
    assert read(write("y.csv", PLAIN)).id == ["1", "2"]


def test_repeated_column_names_are_made_unique(write):
    path = write("x.csv", "source,hypothesis,note,note\nA,B,1,2\n")
    assert {name: column.cells() for name, column in read(path).extra.items()} == {"note": [1], "note (2)": [2]}
    path = write("y.csv", "source,hypothesis,source\nA,B,C\n")
    with pytest.raises(CorpusError, match='several columns are called "source"'):
        read(path)
    chosen = ColumnMapping(source="source (2)", hypothesis="hypothesis")
    assert read(path, mapping=chosen).source == ["C"]


def test_lone_carriage_returns_end_lines(write):
    assert len(read(write("x.csv", PLAIN.replace("\n", "\r")))) == 2
    assert len(read(write("x.tsv", PLAIN.replace(",", "\t").replace("\n", "\r")))) == 2


def test_unicode_line_separators_are_text(write):
    corpus = read(write("x.tsv", "source\thypothesis\nA\u2028a\x0bb\x85c\tB\n"))
    assert corpus.source == ["A\u2028a\x0bb\x85c"]


def test_long_fields_are_read(write):
    assert len(read(write("x.csv", f'source,hypothesis\n"{"a, " * 100_000}",B\n')).source[0]) == 300_000


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.png", b"\x89PNG\r\n\x1a\n", "picture"),
        ("a.csv", b"%PDF-1.7 \x00", "PDF"),
        ("a.zip", b"PK\x03\x04rubbish", "archive"),
        ("a.xlsx", b"PK\x03\x04rubbish", "workbook is damaged"),
        ("a.xlsx", b"source,hypothesis\nA,B\n", "named like a workbook"),
        ("a.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1rubbish", "workbook is damaged"),
        ("a.parquet", b"PAR1 rubbish PAR1", "Parquet file is damaged"),
        ("a.parquet", b"source", "named like a Parquet"),
        ("a.db", b"SQLite format 3\0....", "SQLite"),
        ("a.gz", b"\x1f\x8b\x08", "gzip"),
        ("a.html", b" <!DOCTYPE html><p>", "web page"),
        ("a.csv", b"", "empty"),
        ("a.csv", b"\xef\xbb\xbf\n \n", "empty"),
        ("a.csv", b"source,hypothesis\n", "no rows below"),
        ("a.csv", b"source,hypothesis\nA,\x00B\n", "NUL"),
        ("a.bin", bytes(range(256)) * 4, "NUL"),
        ("a.csv", b"source,hypothesis\n,B\n", "no row contains a pair"),
        ("a.txt", b"Only one sentence a line.\nAnd another.\n", "no tab, comma"),
        ("a.csv", b"source,hypothesis\nA,b,c,d\nE,f,g,h\nI,J\n", "4 columns where 2"),
    ],
)
def test_errors_are_reported_in_one_sentence(write, name, content, words):
    with pytest.raises(CorpusError) as caught:
        read(write(name, content))
    text = str(caught.value)
    assert words in text
    assert text.startswith(name)
    assert text.endswith(".")
    assert "\n" not in text


def test_files_that_cannot_be_opened_are_reported(tmp_path, monkeypatch):
    with pytest.raises(CorpusError, match="folder"):
        read(tmp_path)
    with pytest.raises(CorpusError, match="no such file"):
        read(tmp_path / "none.csv")

    def forbidden(self: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", forbidden)
    with pytest.raises(CorpusError, match="not allowed"):
        read(tmp_path / "secret.csv")


def test_an_unclosed_quotation_mark_is_reported(write):
    path = write("x.csv", 'source,hypothesis\nA,B\n"C,D\nE,F\n')
    assert read(path).source == ["A", '"C', "E"]
    with pytest.raises(CorpusError, match="never closed") as caught:
        read(path, quoting="minimal")
    assert caught.value.line == 3


def test_parallel_files_are_read(write):
    source = write("a.en", "One.\r\nTwo.\r\n\r\n")
    corpus = read_parallel(source, write("a.fr", "Un.\nDeux.\nTrois."))
    assert (corpus.source, corpus.hypothesis) == (["One.", "Two."], ["Un.", "Deux."])
    assert [(item.line, item.reason) for item in corpus.skipped] == [(3, "no source")]
    with pytest.raises(CorpusError, match=r"3 lines but b\.fr has 2"):
        read_parallel(source, write("b.fr", "Un.\nDeux.\n"))


def test_pasted_text_is_read():
    assert open_text("A cat sat.\tThe cat sat.\nOne dog.\tA dog.\n").read().source == ["A cat sat.", "One dog."]
    assert open_text("A, b\tC, d").read().hypothesis == ["C, d"]
    assert open_text(PLAIN).read().label.tolist() == [1, 0]
    assert open_text('{"source": "A", "hypothesis": "B"}').read().source == ["A"]
    assert open_text('{"source": "A", "hypothesis": "B"}\n{"source": "C", "hypothesis": "D"}').read().id == ["1", "2"]
    assert open_text('[{"s1": "A", "s2": "B"}]').read().hypothesis == ["B"]
    assert open_text("\ufeffsource\thypothesis\nA\tB").read().source == ["A"]
    assert open_text("A\tB\n").preview.mapping == ColumnMapping(source="column 1", hypothesis="column 2")
    for nothing in ("", " \n\t"):
        with pytest.raises(CorpusError, match="it is empty"):
            open_text(nothing).read()


def test_the_users_choices_take_precedence(write):
    path = write("x.txt", "source\thypothesis\nA;1\tB;2\n")
    assert len(read(path, header=False)) == 2
    other = write("y.txt", "A;1\tB;2\nC;3\tD;4\n")
    assert read(other).source == ["A;1", "C;3"]
    corpus = read(other, delimiter=";", header=False, mapping=ColumnMapping(source="column 1", hypothesis="column 3"))
    assert (corpus.source, corpus.hypothesis) == (["A", "C"], ["2", "4"])
    assert read(write("t.tsv", 'source\thypothesis\n"A"\tB\n'), quoting="minimal").source == ["A"]
    assert read(write("t.tsv", 'source\thypothesis\n"A"\tB\n'), quoting="none").source == ['"A"']
    with pytest.raises(CorpusError, match="cannot separate"):
        read(path, delimiter="ab")


def test_the_preview_shows_columns_and_guessed_roles(write):
    preview = open_corpus(write("x.csv", PLAIN + "E,F,\n" * 300)).preview
    assert preview.columns == ("source", "hypothesis", "label")
    assert preview.rows[:2] == (("A a.", "B b.", "1"), ("C c.", "D d.", "0"))
    assert len(preview.rows) == 20
    assert preview.lines[0] == 2
    assert (preview.encoding, preview.encoding_from) == ("utf-8", "valid UTF-8")
    assert preview.mapping == ColumnMapping(source="source", hypothesis="hypothesis", label="label")


def test_reading_reports_progress_and_can_be_cancelled(write):
    path = write("x.tsv", "source\thypothesis\n" + "A\tB\n" * 45_000)
    seen: list[int] = []
    read(path, tick=seen.append)
    assert seen == [20_000, 40_000, 45_001]

    class Cancelled(Exception):
        pass

    def cancel(rows: int) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        read(path, tick=cancel)


def test_many_rows_are_read_in_seconds(write):
    import time

    rows = "".join(f'{n}\tsome "words" number {n}\tother words number {n}\t{n % 2}\n' for n in range(100_000))
    path = write("x.tsv", "id\tsource\thypothesis\tlabel\n" + rows)
    start = time.process_time()
    corpus = read(path)
    assert len(corpus) == 100_000
    assert np.array_equal(corpus.label[:4], [0, 1, 0, 1])
    assert time.process_time() - start < in_time(3)  # 0.5 s on two cores


def test_importing_pairs_loads_few_modules():
    heavy = "{'pandas', 'pyarrow', 'python_calamine', 'torch', 'transformers', 'PySide6'}"
    code = f"import sys, parapluie_gui.pairs; sys.exit(','.join({heavy} & set(sys.modules)) or None)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    start=st.sampled_from(
        [b"", b"source\thypothesis\tlabel\n", b"source,hypothesis\n", b'[{"s1": "', b'{"a": {"s1": 1']
    ),
    rest=st.one_of(st.binary(max_size=60), st.text('ab\t,;|"\n\r{}[]:01é', max_size=60).map(str.encode)),
    ending=st.sampled_from(["csv", "tsv", "txt", "json", "jsonl", "xlsx", "parquet", ""]),
)
def test_any_file_is_read_or_refused(write, start, rest, ending):
    path = write(f"any.{ending}", start + rest)
    try:
        corpus = read(path)
    except CorpusError as error:
        assert str(error).endswith(".")
        return
    assert len(corpus) == len(corpus.id) == len(set(corpus.id)) == len(corpus.hypothesis) > 0
    assert all(text.strip() for text in (*corpus.source, *corpus.hypothesis))
    assert all(len(values) == len(corpus) for values in corpus.extra.values())


def test_a_single_compressed_file_is_read_directly(write):
    for name, text in (("x.csv.gz", PLAIN), ("x.jsonl.gz", '{"source": "A a.", "hypothesis": "B b."}\n')):
        assert read(write(name, gzip.compress(text.encode()))).source[0] == "A a."


def test_a_compressed_file_cannot_fill_the_memory(write, monkeypatch):
    monkeypatch.setenv("PARAPLUIE_LIMIT_GB", "0.01")
    with pytest.raises(CorpusError, match="of memory"):
        read(write("x.csv.gz", gzip.compress(b"a" * 20_000_000)))


@pytest.mark.parametrize("name", ["x.csv", "x.parquet", "x.jsonl", "x.xlsx"])
def test_a_git_lfs_pointer_is_named(write, name):
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 15096\n"
    with pytest.raises(CorpusError, match="Git LFS pointer"):
        read(write(name, pointer))


def test_a_tab_inside_quotation_marks_is_named(write):
    text = 'seg\tsource\ttarget\tnote\n0\tA a.\tB b.\tx\n1\t"A ""a"".\tB b."\tno-error\t\n2\t"A ""c"""\tB d.\tx\n'
    corpus = read(write("x.tsv", text))
    assert "1 row has a TAB inside quotation marks (line 3)" in corpus.plan.remarks[0]
