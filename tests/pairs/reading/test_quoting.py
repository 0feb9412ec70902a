from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parapluie_gui.pairs import open_text
from parapluie_gui.pairs.reading.quoting import decide_quoting, sniff_delimiter, split_lines

CELL = st.text(st.sampled_from('ab"\t, ;é\n'), min_size=1, max_size=8).filter(lambda cell: cell.strip())


def decide(text: str, delimiter: str = "\t") -> str:
    return decide_quoting(text, split_lines(text), delimiter)


def test_raw_quotation_marks_in_a_tsv_are_text():
    assert decide('s\th\n"Yes," he said\tB\n') == "none"
    assert decide('s\th\n"Yes\tB\nC\tD"\n') == "none"
    assert decide('s\th\n"Yes"\tB\nC\tD\nE\tF\n') == "none"  # a minimal writer would not have quoted this cell


def test_protected_cells_in_a_tsv_are_unquoted():
    assert decide('s\th\n"Say ""yes"""\tB\nC\tD\n') == "minimal"
    assert decide('s\th\n"two\nlines"\tB\nC\tD\n') == "minimal"
    assert decide('s\th\n"a TAB\tinside"\tB\nC\tD\n') == "minimal"
    assert decide('"s"\t"h"\n"A"\t"B"\n') == "minimal"


def test_comma_separated_text_is_read():
    assert decide('s,h\n"A, a",B\n', ",") == "minimal"
    assert decide('s,h\n"A",B\nC,D\nE,F\n', ",") == "minimal"
    assert open_text('source,hypothesis\n5" wide,"B, b"\n').read().source == ['5" wide']
    assert open_text('source,hypothesis\n"Hi" he said,B\n').read().source == ['"Hi" he said']


def test_no_row_of_a_raw_tsv_disappears():
    rows = [f'{n}\t"half open {n}\tother{chr(34) * (n % 3)}' for n in range(100)]
    assert len(open_text("id\tsource\thypothesis\n" + "\n".join(rows)).read()) == 100


@given(st.lists(st.tuples(CELL, CELL), min_size=1, max_size=6), st.sampled_from("\t,;"))
def test_output_of_the_csv_module_is_read_back(rows, delimiter):
    if delimiter == "\t":  # lines of a TSV that look complete count as rows, see decide_quoting
        rows = [(left.replace("\n", " ") + "x", right.replace("\n", " ") + "x") for left, right in rows]
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, delimiter=delimiter)
    writer.writerow(["source", "hypothesis"])
    writer.writerows(rows)
    corpus = open_text(buffer.getvalue()).read()
    assert list(zip(corpus.source, corpus.hypothesis, strict=True)) == rows


@pytest.mark.parametrize("text", ["one sentence", "", "a\nb\nc"])
def test_text_without_a_separator_is_refused(text):
    assert sniff_delimiter(split_lines(text)) is None


def test_tabs_take_precedence_over_commas():
    assert sniff_delimiter(["Hello, my dear\tHi, dear", "Well, yes\tYes, well"]) == "\t"
    assert sniff_delimiter(["a;b;1,5", "c;d;2,5"]) == ";"
