"""Session files: everything is read back as it was stored, from the same file and from a copy."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from waiting import in_time

from parapluie_gui.errors import DocumentError, SessionError, UnwritableError
from parapluie_gui.judgements.scheme import pair_verdict
from parapluie_gui.pairs.column import NumberColumn
from parapluie_gui.pairs.corpus import Corpus, SkippedRow
from parapluie_gui.scores.signature import Signature, pair_key
from parapluie_gui.storage.session import SCORE_NAMES, Session
from parapluie_gui.storage.store import ScoreStore
from parapluie_gui.storage.working_copies import WorkingCopies
from parapluie_gui.work.request import PairTexts

BLEU = Signature.from_fields("bleu", {"name": "bleu", "version": "1"})
DIRECT = Signature.from_fields("pluie.direct", {"name": "pluie", "model": "a"})


@pytest.fixture
def session(tmp_path):
    with Session.open(tmp_path / "mine.pluie", create=True) as session:
        yield session


def rich() -> Corpus:
    return Corpus(
        name="Träume",
        id=["a", "b", "c"],
        source=["Have you ever seen a tsunami ?", "line\nbreak\ttab", "nul\x00 and half \ud83d"],
        hypothesis=["Have you ever seen a tiramisu ?", "=1+1", "«Ça va»"],
        reference=["r", None, ""],
        label=np.array([1, -1, 0], dtype=np.int8),
        human=np.array([0.1, np.nan, 5.0]),
        group=["g", None, "h"],
        extra={
            "genre": ["news", None, ""],
            "#1 ID": [702876.0, float("nan"), 0.1 + 0.2],
            "flag": [True, False, None],
            "whole": [1, np.int64(2), 3.0],
        },
        skipped=(SkippedRow(7, "no hypothesis", "1\tfoo"),),
        path=Path("/data/mrpc.txt"),
        layout="MRPC",
    )


def assert_same(left: Corpus, right: Corpus) -> None:
    for name in ("name", "skipped", "path", "layout"):
        assert getattr(left, name) == getattr(right, name)
    for name in ("id", "source", "hypothesis", "reference", "group"):
        one, other = getattr(left, name), getattr(right, name)
        assert (None if one is None else list(one)) == (None if other is None else list(other)), name
    for name in ("label", "human"):
        one, other = getattr(left, name), getattr(right, name)
        assert (one is None) == (other is None), name
        if one is not None:
            assert one.dtype == other.dtype
            np.testing.assert_array_equal(one, other)
    assert list(left.extra) == list(right.extra)
    for name, values in left.extra.items():
        assert type(values) is type(right.extra[name]), name
        assert [repr(value) for value in values.cells()] == [repr(value) for value in right.extra[name].cells()], name
        if isinstance(values, NumberColumn):
            np.testing.assert_array_equal(values.values, right.extra[name].values)


def test_a_corpus_is_read_back_exactly(session):
    corpus = rich()
    number = session.add_corpus(corpus)
    back = session.corpus(number)
    assert_same(corpus, back)
    assert back.extra["flag"].cells() == [True, False, None]
    assert [repr(value) for value in back.extra["whole"].cells()] == ["1", "2", "3"]


def test_a_corpus_without_optional_columns_is_read_back(session):
    bare = Corpus("bare", ["1"], ["s"], ["h"])
    assert_same(bare, session.corpus(session.add_corpus(bare)))
    unlabelled = Corpus("u", ["1"], ["s"], ["h"], label=np.array([-1], dtype=np.int8), human=np.array([np.nan]))
    assert_same(unlabelled, session.corpus(session.add_corpus(unlabelled)))
    empty = Corpus("empty", [], [], [], label=np.array([], dtype=np.int8), extra={"x": []})
    assert_same(empty, session.corpus(session.add_corpus(empty)))


texts = st.text(st.characters(), max_size=8)  # lone surrogates included


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(st.tuples(texts, texts, st.none() | texts, st.none() | st.floats() | texts | st.booleans())))
def test_any_corpus_is_read_back(session, rows):
    corpus = Corpus(
        name="any",
        id=[str(row) for row in range(len(rows))],
        source=[row[0] for row in rows],
        hypothesis=[row[1] for row in rows],
        reference=[row[2] for row in rows],
        extra={"x": [row[3] for row in rows]},
    )
    assert_same(corpus, session.corpus(session.add_corpus(corpus)))


def test_corpora_are_listed_and_removed(session):
    assert session.is_empty
    first = session.add_corpus(rich())
    second = session.add_corpus(Corpus("second", ["1"], ["s"], ["h"]))
    assert [(entry.id, entry.name, entry.pairs) for entry in session.corpora()] == [
        (first, "Träume", 3),
        (second, "second", 1),
    ]
    assert session.corpora()[0].path == Path("/data/mrpc.txt")
    session.set_note(first, 0, "look")
    session.save_selection(first, "odd", [0])
    session.remove_corpus(first)
    assert [entry.id for entry in session.corpora()] == [second]
    assert session.notes(first) == {} and session.selections(first) == {}
    with pytest.raises(SessionError, match="has no corpus number"):
        session.corpus(first)
    assert session.add_corpus(rich()) not in (first, second), "numbers are never reused"


def test_scores_are_found_by_the_pairs_texts(session):
    corpus = rich()
    number = session.add_corpus(corpus)
    keys = [pair_key(s, h) for s, h in zip(corpus.source, corpus.hypothesis, strict=True)]
    session.store.put(BLEU, keys[:2], [0.5, np.nan])
    session.store.put(DIRECT, keys, [1, 2, 3], p_yes=[0.1, 0.2, 0.3], p_no=[0.4, 0.5, 0.6])
    with_reference = Signature.from_fields("parascore", {"name": "parascore"})
    session.store.put(with_reference, [pair_key(corpus.source[0], corpus.hypothesis[0], "r")], [0.8])
    table = session.score_table(number)
    assert list(table) == ["bleu", "pluie.direct", "pluie.direct.p_yes", "pluie.direct.p_no", "parascore"]
    np.testing.assert_array_equal(table["bleu"], [0.5, np.nan, np.nan])
    np.testing.assert_array_equal(table["pluie.direct"], [1, 2, 3])
    np.testing.assert_array_equal(table["pluie.direct.p_no"], [0.4, 0.5, 0.6])
    np.testing.assert_array_equal(table["parascore"], [0.8, np.nan, np.nan])
    assert table.signatures == {"bleu": BLEU, "pluie.direct": DIRECT, "parascore": with_reference}
    assert list(session.score_table(number, ["bleu"])) == ["bleu"]


def test_scores_that_depend_on_columns_are_found_by_their_texts_too(session):
    corpus = replace(rich(), extra={"instruction": ["a", "b", None], "age": [7, 8, 9]})
    number = session.add_corpus(corpus)
    fields = {"model": "m", "columns": json.dumps(["instruction", "age"])}
    asked = Signature.from_fields("pluie.mine", fields)
    sentences = list(zip(corpus.source, corpus.hypothesis, strict=True))
    session.store.put(asked, [pair_key(*sentences[0], "a", "7"), pair_key(*sentences[1], "b", "7")], [1, 2])
    np.testing.assert_array_equal(session.score_table(number)["pluie.mine"], [1, np.nan, np.nan])
    without = session.add_corpus(replace(corpus, extra={"instruction": ["a", "b", None]}))
    assert "pluie.mine" not in session.score_table(without)
    for text in ("[", "{}", "7", '"age"'):
        damaged = Signature.from_fields("pluie.mine", {**fields, "columns": text})
        assert damaged.columns == ()


def test_the_most_recently_used_signature_of_a_column_counts(session):
    number = session.add_corpus(Corpus("c", ["1"], ["s"], ["h"]))
    other = Signature.from_fields("pluie.direct", {"name": "pluie", "model": "b"})
    elsewhere = Signature.from_fields("pluie.direct", {"name": "pluie", "model": "c"})
    key = [pair_key("s", "h")]
    session.store.put(DIRECT, key, [1.0])
    session.store.put(other, key, [2.0])
    session.store.put(elsewhere, [pair_key("another", "pair")], [3.0])
    table = session.score_table(number)
    assert {name: table[name].tolist() for name in table} == {"pluie.direct": [2.0], "pluie.direct@a": [1.0]}
    session.store.touch(DIRECT)
    table = session.score_table(number)
    assert table["pluie.direct"].tolist() == [1.0]
    assert table.signatures == {"pluie.direct": DIRECT, "pluie.direct@b": other}
    session.set_setting(SCORE_NAMES.format(number), table.judge_words())
    session.store.touch(other)
    assert session.score_table(number).signatures == table.signatures, "names do not change"
    later = session.add_corpus(Corpus("later", ["1", "2"], ["s", "t"], ["h", "i"]))
    assert session.score_table(later).signatures == table.signatures, "the names are also the same for a later corpus"


def test_a_worker_writes_scores_into_an_open_session(session):
    number = session.add_corpus(Corpus("c", ["1"], ["s"], ["h"]))
    with ScoreStore(session.path) as store:
        store.put(BLEU, [pair_key("s", "h")], [0.25])
    assert session.score_table(number)["bleu"].tolist() == [0.25]


def test_notes_are_stored(session):
    number = session.add_corpus(rich())
    session.set_note(number, 2, "half \ud83d", "dont_know")
    session.set_note(number, 0, "", "same_meaning")
    session.set_note(number, 1, "soon gone")
    session.set_note(number, 1, "")
    notes = session.notes(number)
    assert {row: (note.text, note.verdict) for row, note in notes.items()} == {
        0: ("", "same_meaning"),
        2: ("half \ud83d", "dont_know"),
    }
    assert notes[0].changed.tzinfo is not None
    with pytest.raises(KeyError):
        session.set_note(number, 0, "", "perhaps")


def test_the_verdicts_are_the_papers():
    scheme, question = pair_verdict()
    assert scheme == "parapluie" and question.id == "verdict"
    assert [(answer.title, answer.label) for answer in question.answers] == [
        ("Very different", 0),
        ("Slightly similar", 0),
        ("Mostly similar", 1),
        ("Same meaning", 1),
        ("Don't know", None),
    ]


def test_selections_settings_and_the_bench_are_stored(session):
    number = session.add_corpus(rich())
    session.save_selection(number, "odd", np.array([2, 0]))
    session.save_selection(number, "none", [])
    assert {name: rows.tolist() for name, rows in session.selections(number).items()} == {"none": [], "odd": [2, 0]}

    assert session.settings() == {}
    session.set_setting("axes", {"x": "edit_distance", "log": [True, None]})
    session.set_setting("axes", {"x": "bleu"})
    assert session.settings() == {"axes": {"x": "bleu"}}

    session.set_bench([{"source": "a", "values": {"bleu": 0.5}}, {"source": "d \ud83d"}])
    session.set_bench([{"source": "c"}, {"source": "d \ud83d"}])
    assert session.bench() == [{"source": "c"}, {"source": "d \ud83d"}]
    assert not session.is_empty, "the Bench counts as content"


# Saving under another name


def folder_of(session: Session) -> list[str]:
    return sorted(path.name for path in session.document.parent.iterdir() if path.is_file())


def test_settings_that_are_content_make_a_session_non_empty(home):
    copies = WorkingCopies(home, content=["poem"])
    with Session.from_copy(copies, copies.new()) as session:
        session.set_setting("view", 1)
        assert session.is_empty
        session.set_setting("poem", ["a line"])
        assert not session.is_empty
    with Session.from_copy(copies, copies.last_unsaved()) as again:
        assert again.settings()["poem"] == ["a line"], "it was kept on closing"
        again.empty()
        assert again.is_empty and again.settings() == {"view": 1}


def test_save_as_moves_the_session_to_a_different_file(session, tmp_path):
    number = session.add_corpus(rich())
    session.set_note(number, 0, "look", "same_meaning")
    session.store.put(BLEU, [pair_key(rich().source[0], rich().hypothesis[0])], [0.5])
    session.save()
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    session.save_as(folder / "copy.pluie")
    assert session.document == folder / "copy.pluie" and not session.has_unsaved_changes
    session.set_note(number, 1, "only in the copy")
    session.save()
    with Session.open(folder / "copy.pluie", reading=True) as copy:
        assert_same(rich(), copy.corpus(number))
        assert copy.notes(number) == session.notes(number)
        assert copy.score_table(number)["bleu"][0] == 0.5
    with Session.open(tmp_path / "mine.pluie", reading=True) as first:
        assert 1 not in first.notes(number)
    assert folder_of(session) == ["copy.pluie"]


def test_save_as_refuses_a_session_that_is_open_elsewhere(session, tmp_path):
    session.add_corpus(rich())
    with Session.open(tmp_path / "other.pluie", create=True) as other:
        other.add_corpus(Corpus("other", ["1"], ["s"], ["h"]))
        other.save()
        with pytest.raises(DocumentError, match="is open in another window"):
            session.save_as(other.document)
        assert session.document == tmp_path / "mine.pluie"
        assert [entry.name for entry in other.corpora()] == ["other"]


def test_save_as_reports_missing_folders_and_replaces_any_file(session, tmp_path):
    session.add_corpus(rich())
    with pytest.raises(SessionError, match=r"There is no folder .*no. Create it first"):
        session.save_as(tmp_path / "no" / "copy.pluie")
    (tmp_path / "folder.pluie").mkdir()
    with pytest.raises(SessionError, match=r"folder.pluie cannot be written"):
        session.save_as(tmp_path / "folder.pluie")
    assert not list(tmp_path.glob(".*"))
    rubbish = tmp_path / "rubbish.pluie"
    rubbish.write_text("not a session")
    session.save_as(rubbish)
    assert (tmp_path / "rubbish.pluie~").read_text() == "not a session"
    with Session.open(rubbish, reading=True) as copy:
        assert len(copy.corpora()) == 1


def test_a_full_disk_leaves_the_file_and_the_session(session, tmp_path, monkeypatch):
    session.add_corpus(rich())
    session.save()
    before = session.document.read_bytes()
    session.set_note(1, 0, "more")

    def full(descriptor):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", full)
        with pytest.raises(UnwritableError, match=r"cannot be written .No space left on device"):
            session.save()
    assert session.document.read_bytes() == before and session.has_unsaved_changes
    assert not list(tmp_path.glob(".*"))
    session.save()
    with Session.open(session.document, reading=True) as again:
        assert again.notes(1)[0].text == "more"


def test_save_as_to_the_same_file_keeps_it(session):
    session.add_corpus(rich())
    session.save_as(session.document)
    with Session.open(session.document, reading=True) as again:
        assert len(again.corpora()) == 1


# Wrong files


def test_opening_does_not_create_a_missing_session(tmp_path):
    with pytest.raises(SessionError, match="There is no session file"):
        Session.open(tmp_path / "missing.pluie")
    assert not list(tmp_path.glob("*.pluie"))


def test_wrong_files_are_refused(tmp_path):
    store = tmp_path / "scores.sqlite"
    ScoreStore(store).close()
    with pytest.raises(SessionError, match=r"scores.sqlite is damaged or is not a ParaPLUIE session file"):
        Session.open(store)
    with pytest.raises(SessionError, match=r"scores.sqlite is not a ParaPLUIE session file"):
        Session.connect(store, create=True)
    empty = tmp_path / "empty.pluie"
    empty.touch()
    with pytest.raises(SessionError, match=r"empty.pluie is damaged or is not a ParaPLUIE session file"):
        Session.open(empty)
    text = tmp_path / "text.pluie"
    text.write_bytes(b"\x00\xff" * 5000)
    with pytest.raises(SessionError, match=r"text.pluie is damaged or is not a ParaPLUIE session file"):
        Session.open(text)


def test_a_hundred_thousand_pairs_are_stored_in_seconds(session):
    count = 100_000
    corpus = Corpus(
        name="large",
        id=[str(row) for row in range(count)],
        source=[f"This is the source sentence number {row} ." for row in range(count)],
        hypothesis=[f"Sentence number {row} is the source ." for row in range(count)],
        label=np.ones(count, dtype=np.int8),
        extra={"x": [float(row) for row in range(count)]},
    )
    start = time.process_time()
    number = session.add_corpus(corpus)
    added = time.process_time() - start
    session.store.put(
        BLEU,
        [pair_key(s, h) for s, h in zip(corpus.source, corpus.hypothesis, strict=True)],
        np.arange(count, dtype=float),
    )
    start = time.process_time()
    back = session.corpus(number)
    table = session.score_table(number)
    read = time.process_time() - start
    assert back.source == corpus.source
    np.testing.assert_array_equal(table["bleu"], np.arange(count))
    assert added < in_time(12) and read < in_time(10), (added, read)  # 1.5 s and 1 s on an idle core


def test_a_closed_corpus_is_kept_until_it_is_forgotten(session):
    first, second = session.add_corpus(rich()), session.add_corpus(rich())
    session.set_note(first, 0, "look")
    for number in (first, second, first):
        session.close_corpus(number)
    assert session.corpora() == []
    third = session.add_corpus(rich())
    for _ in range(2):
        session.close_corpus(first, closed=False)
    assert [entry.id for entry in session.corpora()] == [first, third] and session.notes(first)[0].text == "look"
    session.forget_closed([first])
    session.close_corpus(second, closed=False)
    assert [entry.id for entry in session.corpora()] == [first, third]


def test_scores_against_several_references_belong_to_all_of_them(tmp_path):
    corpus = Corpus("c", ["1", "2"], ["a", "b"], ["c", "d"], ["r", None], extra={"reference 2": ["s", "t"]})
    columns = corpus.reference_columns
    signature = Signature.from_fields("bleu.ref", {"name": "bleu"}).with_references(columns)
    with Session.open(tmp_path / "s.pluie", create=True) as session:
        number = session.add_corpus(corpus)
        session.store.put(signature, PairTexts.from_corpus(corpus).keys(columns), np.array([0.5, 0.25]))
        assert session.score_table(number)["bleu.ref"].tolist() == [0.5, 0.25]
        other = session.add_corpus(replace(corpus, extra={"reference 2": ["s", "u"]}))
        assert session.score_table(other)["bleu.ref"].tolist() == [0.5, pytest.approx(np.nan, nan_ok=True)]
