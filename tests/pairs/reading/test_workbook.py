from __future__ import annotations

import crafted
import pandas
import pytest

from parapluie_gui.errors import CorpusError
from parapluie_gui.pairs import open_corpus, read

FRAME = pandas.DataFrame(
    {"id": [7, 8], "sentence1": ["A", "été"], "sentence2": ["B", None], "label": [1, 0], "score": [4.5, 3.0]}
)


def test_excel_sheets_are_read(tmp_path):
    path = tmp_path / "book.xlsx"
    with pandas.ExcelWriter(path, engine="xlsxwriter") as writer:
        FRAME.to_excel(writer, sheet_name="first", index=False)
        FRAME.rename(columns={"sentence1": "source", "sentence2": "hypothesis"}).to_excel(writer, sheet_name="Zwei")
    corpus = read(path)
    assert (corpus.id, corpus.source) == (["7"], ["A"])
    assert corpus.human.tolist() == [4.5]
    assert [(item.line, item.reason) for item in corpus.skipped] == [(3, "no hypothesis")]
    assert open_corpus(path).preview.sheets == ("first", "Zwei")
    second = read(path, sheet="Zwei")
    assert second.source == ["A"]
    assert second.extra["column 1"].cells() == [0]
    with pytest.raises(CorpusError, match='Choose one of "first", "Zwei"'):
        read(path, sheet="third")


def test_a_workbook_is_recognised_by_its_content(tmp_path):
    path = tmp_path / "book.csv"
    FRAME.to_excel(tmp_path / "book.xlsx", index=False, engine="xlsxwriter")
    (tmp_path / "book.xlsx").rename(path)
    assert open_corpus(path).preview.kind == "excel"


def test_parquet_files_are_read(tmp_path):
    path = tmp_path / "pairs.parquet"
    FRAME.assign(tags=[["x"], []]).to_parquet(path)
    corpus = read(path)
    assert corpus.source == ["A"]
    assert corpus.label.tolist() == [1]
    assert corpus.extra["tags"] == ['["x"]']
    assert [(item.line, item.reason) for item in corpus.skipped] == [(2, "no hypothesis")]
    assert open_corpus(path).preview.rows[1] == ("8", "été", "", "0", "3.0", "[]")
    FRAME.head(0).to_parquet(path)
    with pytest.raises(CorpusError, match="no row"):
        read(path)


def test_truncated_files_are_refused(tmp_path):
    for name in ("pairs.parquet", "book.xlsx"):
        path = tmp_path / name
        if name.endswith("parquet"):
            FRAME.to_parquet(path)
        else:
            FRAME.to_excel(path, index=False, engine="xlsxwriter")
        content = path.read_bytes()
        for size in (len(content) // 2, len(content) - 5):
            path.write_bytes(content[:size])
            with pytest.raises(CorpusError, match="damaged"):
                read(path)


def test_the_only_sheet_with_pairs_is_read_when_the_first_has_none(tmp_path):
    path = tmp_path / "book.xlsx"
    with pandas.ExcelWriter(path, engine="xlsxwriter") as writer:
        pandas.DataFrame({"code": ["a", "b"], "means": ["one", "two"]}).to_excel(
            writer, sheet_name="Codes", index=False
        )
        FRAME.to_excel(writer, sheet_name="Pairs", index=False)
    corpus = read(path)
    assert (corpus.source, corpus.plan.sheet) == (read(path, sheet="Pairs").source, "Pairs")
    assert corpus.plan.remarks == ('the sheet "Pairs" was read, because the first sheet has no pairs',)
    with pytest.raises(CorpusError, match="--sheet Pairs"):
        read(path, sheet="Codes")


def test_other_sheets_of_the_user_are_named(tmp_path):
    path = tmp_path / "book.xlsx"
    with pandas.ExcelWriter(path, engine="xlsxwriter") as writer:
        for name in ("One", "Other pairs", "signatures"):
            FRAME.to_excel(writer, sheet_name=name, index=False)
    assert read(path).plan.remarks == ('only the first of 3 sheets, "One", was read (--sheet "Other pairs")',)
    assert read(path, sheet="One").plan.remarks == ()


def test_tabs_and_line_breaks_of_opendocument_stay_in_the_sentence(tmp_path):
    rows = crafted.ods_row("source", "hypothesis") + crafted.ods_row(
        "one<text:tab/>two", "three<text:line-break />four"
    )
    corpus = open_corpus(crafted.ods(tmp_path / "breaks.ods", rows + crafted.ods_row("A tab.", "A dog."))).read()
    assert list(corpus.source) == ["one\ttwo", "A tab."] and list(corpus.hypothesis) == ["three\nfour", "A dog."]
