"""A file is opened and decoded once, previewed, and then read."""

from __future__ import annotations

import contextlib
import gc
import threading

import pytest

from parapluie_gui.computer import gc_disabled
from parapluie_gui.errors import EncodingError
from parapluie_gui.pairs import ColumnMapping, open_corpus, open_text, read
from parapluie_gui.pairs.reading import dispatch
from parapluie_gui.ui.state.opening import OpeningQuestion, read_or_ask

ROWS = "source,hypothesis,label\nA a.,B b.,1\nC c.,D d.,0\n"


@pytest.fixture
def calls(monkeypatch) -> list[str]:
    """Record the parts of files that are loaded, decoded or unpacked."""
    made: list[str] = []
    for name in ("load_bytes", "decode", "open_sheet"):
        real = getattr(dispatch, name)
        monkeypatch.setattr(dispatch, name, lambda *args, _real=real, _name=name: (made.append(_name), _real(*args))[1])
    return made


def test_a_previewed_file_is_read_from_memory(write, calls):
    path = write("a.csv", ROWS)
    opened = open_corpus(path)
    assert opened.preview.mapping == ColumnMapping(source="source", hypothesis="hypothesis", label="label")
    path.unlink()
    corpus = opened.read(mapping=ColumnMapping(source="hypothesis", hypothesis="source"))
    assert (corpus.name, corpus.path, corpus.source) == ("a", path, ["B b.", "D d."])
    assert calls == ["load_bytes", "decode"]


def test_a_workbook_is_unpacked_once(write, tmp_path, calls):
    import xlsxwriter

    with xlsxwriter.Workbook(tmp_path / "a.xlsx") as book:
        for sheet, word in (("one", "A"), ("two", "B")):
            book.add_worksheet(sheet).write_row(0, 0, ["source", "hypothesis"])
            book.get_worksheet_by_name(sheet).write_row(1, 0, [word, "C"])
    opened = open_corpus(tmp_path / "a.xlsx")
    assert opened.preview.sheets == ("one", "two")
    assert opened.read().source == ["A"]
    other = opened.decide(sheet="two")
    assert other.preview.sheet == "two"
    assert other.read().source == ["B"]
    assert calls == ["load_bytes", "open_sheet", "open_sheet"]


def test_the_window_opens_a_file_once(write, calls):
    corpus = read_or_ask(lambda: open_corpus(write("a.csv", ROWS)), "a.csv", tick=lambda rows: None)
    assert len(corpus) == 2
    assert calls == ["load_bytes", "decode"]


def test_a_second_reading_after_a_question_uses_memory(write, calls):
    path = write("b.csv", "un;deux\nécrit;noté\n", encoding="mac_roman")
    question = read_or_ask(lambda: open_corpus(path), "b.csv", tick=lambda rows: None)
    assert isinstance(question, OpeningQuestion)
    with pytest.raises(EncodingError):
        _ = question.opened.preview
    path.unlink()
    looked = question.opened.decide(encoding="mac_roman", header=True)
    assert looked.preview.rows == (("écrit", "noté"),)
    corpus = question.read(ColumnMapping(source="un", hypothesis="deux"), encoding="mac_roman", header=True)
    assert corpus.source == ["écrit"]
    assert calls.count("load_bytes") == 1


@pytest.mark.parametrize(
    "text", [ROWS, ROWS.replace(",", "\t"), "A;b\tC\nD\tE\n", '[{"source": "A", "hypothesis": "B"}]', '"A\tB\nC\tD\n']
)
def test_a_preview_does_not_change_the_reading(write, text):
    path = write("x.txt", text)
    opened = open_corpus(path)
    _ = opened.preview
    before, after = read(path), opened.read()
    assert (before.source, before.hypothesis, before.extra) == (after.source, after.hypothesis, after.extra)
    assert open_text(text).read().source == after.source


def test_garbage_collection_resumes_after_the_last_of_two_readings(collecting, write):
    within, leave = threading.Event(), threading.Event()
    path = write("a.csv", "source,hypothesis\n" + "A,B\n" * 25_000)

    def wait(rows: int) -> None:
        within.set()
        assert leave.wait(30)

    def slow() -> None:
        # begins during the other reading and ends after it
        read(path, tick=wait)

    thread = threading.Thread(target=slow)
    states = []

    def first(rows: int) -> None:
        if not thread.is_alive():
            thread.start()
            assert within.wait(30)

    assert gc.isenabled()
    read(path, tick=first)
    states.append(gc.isenabled())
    leave.set()
    thread.join()
    states.append(gc.isenabled())
    assert states == [False, True]


def test_a_finished_reading_does_not_resume_garbage_collection_disabled_elsewhere(collecting, write):
    """As while the window is restyled, when collecting garbage would crash the process."""
    path = write("a.csv", "source,hypothesis\n" + "A,B\n" * 25_000)
    other = contextlib.ExitStack()

    def begin(rows: int) -> None:
        if not began:
            began.append(other.enter_context(gc_disabled()))

    began = []
    read(path, tick=begin)
    assert began and not gc.isenabled()
    other.close()
    assert gc.isenabled()
