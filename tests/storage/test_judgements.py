"""Answers in a session: the latest counts, none is lost, and corrections within a minute leave no trace."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from parapluie_gui.judgements.record import Judgement
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.storage import judgements
from parapluie_gui.storage.corpora import file_column
from parapluie_gui.storage.session import Session

ASKED = ("parapluie", "verdict")


@pytest.fixture
def session(tmp_path):
    with Session.open(tmp_path / "mine.pluie", create=True) as session:
        label, human = np.array([1, 0, -1], dtype=np.int8), np.array([0.5, np.nan, 2.0])
        session.add_corpus(Corpus("c", ["1", "2", "3"], list("abc"), list("def"), label=label, human=human))
        yield session


@pytest.fixture
def clock(monkeypatch):
    """Let time pass: each call advances the clock by that many seconds."""
    now = [datetime(2026, 5, 1, tzinfo=UTC)]

    class Clock(datetime):
        @classmethod
        def now(cls, tz=None):
            return now[0]

    def wait(seconds: float) -> None:
        now[0] += timedelta(seconds=seconds)

    monkeypatch.setattr(judgements, "datetime", Clock)
    return wait


def answers(session, **options) -> list[tuple[int, str, str | None]]:
    return [(record.row, record.annotator, record.answer) for record in session.judgements(1, **options)]


def test_annotators_answers_are_kept_apart(session):
    session.judge(1, 0, "Anna", *ASKED, "same_meaning")
    session.judge(1, 0, "Ben", *ASKED, "very_different")
    session.set_note(1, 0, "odd", annotator="Ben")
    result = {(record.annotator, record.question): record.answer for record in session.judgements(1)}
    assert result == {
        ("Anna", "verdict"): "same_meaning",
        ("Ben", "note"): "odd",
    }, "a note without a verdict removes the verdict"
    assert session.notes(1, "Anna")[0].verdict == "same_meaning"
    assert session.notes(1) == {}


def test_a_later_answer_counts_and_the_earlier_is_kept(session, clock):
    session.judge(1, 0, "Anna", *ASKED, "same_meaning")
    clock(3600)
    session.judge(1, 0, "Anna", *ASKED, "mostly_similar")
    clock(3600)
    session.judge(1, 0, "Anna", *ASKED, "mostly_similar")
    assert answers(session) == [(0, "Anna", "mostly_similar")]
    assert [answer for *_, answer in answers(session, history=True)] == ["same_meaning", "mostly_similar"]
    clock(3600)
    session.judge(1, 0, "Anna", *ASKED, None)
    assert answers(session) == []
    assert [answer for *_, answer in answers(session, history=True)] == ["same_meaning", "mostly_similar", None]


def test_corrections_within_a_minute_leave_no_trace(session, clock):
    session.judge(1, 0, "Anna", *ASKED, "same_meaning")
    clock(5)
    session.judge(1, 0, "Anna", *ASKED, "mostly_similar")
    assert answers(session, history=True) == [(0, "Anna", "mostly_similar")]
    clock(5)
    session.judge(1, 0, "Anna", *ASKED, None)
    assert answers(session, history=True) == []


def test_setting_the_clock_back_changes_nothing(session, clock):
    session.judge(1, 0, "Anna", *ASKED, "same_meaning")
    clock(-3600 * 24 * 365)
    session.judge(1, 0, "Anna", *ASKED, "mostly_similar")
    assert answers(session) == [(0, "Anna", "mostly_similar")]
    assert [answer for *_, answer in answers(session, history=True)] == ["same_meaning", "mostly_similar"]
    clock(-1)
    session.judge(1, 0, "Anna", *ASKED, None)
    assert answers(session) == []


def test_records_are_added_once(session):
    when = datetime(2026, 1, 1, tzinfo=UTC)
    records = [Judgement(row, "Änne \ud83d", *ASKED, "same_meaning", when) for row in range(3)]
    assert session.add_judgements(1, records) == 3
    assert session.add_judgements(1, records) == 0
    assert session.judgements(1, history=True) == records


@pytest.mark.parametrize("role", ["label", "human"])
def test_replacing_labels_keeps_the_files_own(session, role):
    before = session.corpus(1)
    for values in ([0, 1, 1], [1, 1, -1]):
        new = np.array(values, dtype=np.int8 if role == "label" else float)
        session.set_role(1, role, new)
        corpus = session.corpus(1)
        np.testing.assert_array_equal(getattr(corpus, role), new)
        old = corpus.extra[file_column(role)].values
        expected = before.human if role == "human" else np.array([1.0, 0.0, np.nan])
        np.testing.assert_array_equal(old, expected)
        assert list(corpus.extra) == [file_column(role)]
        assert corpus.source == before.source


def test_labels_can_be_added_to_a_corpus(tmp_path):
    with Session.open(tmp_path / "s.pluie", create=True) as session:
        number = session.add_corpus(Corpus("c", ["1", "2"], ["a", "b"], ["c", "d"]))
        session.set_role(number, "label", np.array([1, -1], dtype=np.int8))
        assert session.corpus(number).label.tolist() == [1, -1]
        assert session.corpus(number).extra == {}
