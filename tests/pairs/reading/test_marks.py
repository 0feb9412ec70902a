"""Quotation marks inside quoted cells: doubled, escaped by a backslash, or neither."""

from __future__ import annotations

import pandas
import pytest

from parapluie_gui.pairs.reading.reader import open_text

SENTENCES = ['He said "no" twice.', "It rains, often.", 'The "old", big dog.', "Back\\slash", 'Ends with "yes"']


def frame() -> pandas.DataFrame:
    return pandas.DataFrame(
        {"id": range(5), "source": SENTENCES, "hypothesis": SENTENCES[::-1], "label": [1, 0, 1, 0, 1]}
    )


def test_marks_escaped_by_backslashes_are_read_as_pandas_wrote_them():
    text = frame().to_csv(index=False, quoting=1, doublequote=False, escapechar="\\")
    corpus = open_text(text).read()
    assert list(corpus.source) == SENTENCES and list(corpus.hypothesis) == SENTENCES[::-1]
    assert corpus.guessed == "quotation marks escaped by backslashes"


def test_doubled_marks_need_no_notice():
    corpus = open_text(frame().to_csv(index=False, quoting=1)).read()
    assert list(corpus.source) == SENTENCES and corpus.guessed == ""


def test_unescaped_marks_are_read_if_only_one_division_fits():
    rows = ['1,"He said "no" twice.","A, b.",1', '2,"Plain.","So "what"?",0', '3,"""Both"" and "one"","x",1']
    corpus = open_text("\n".join(["id,source,hypothesis,label", *rows])).read()
    assert list(corpus.source) == ['He said "no" twice.', "Plain.", '"Both" and "one"']
    assert list(corpus.hypothesis) == ["A, b.", 'So "what"?', "x"]
    assert corpus.guessed == "single quotation marks inside quoted cells"


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_columns_of_a_large_loosely_quoted_table_keep_their_rows(end):
    rows = [f'{row},"The "{row}th" one, here.","Other "{row}".",{row % 2}' for row in range(2_000)]
    corpus = open_text(end.join(["id,source,hypothesis,label", *rows])).read()
    assert len(corpus) == 2_000
    assert corpus.source[7] == 'The "7th" one, here.' and corpus.hypothesis[-1] == 'Other "1999".'
