"""Merging copies of a session: nothing is lost, and conflicting answers are reported."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime

import pytest

from parapluie_gui.judgements.record import Judgement
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.storage.merge import merge_judgements
from parapluie_gui.storage.session import Session

ASKED = ("parapluie", "verdict")


def at(hour: int) -> datetime:
    return datetime(2026, 5, 1, hour, tzinfo=UTC)


def judgement(row: int, annotator: str, answer: str | None, hour: int = 9) -> Judgement:
    return Judgement(row, annotator, *ASKED, answer, at(hour))


def pairs(name: str = "c", rows: range = range(4)) -> Corpus:
    return Corpus(name, [f"p{row}" for row in rows], [f"s{row}" for row in rows], [f"h{row}" for row in rows])


@pytest.fixture
def copies(tmp_path):
    """Return two copies of a session in which Anna has answered once."""
    with Session.open(tmp_path / "a.pluie", create=True) as session:
        session.add_judgements(session.add_corpus(pairs()), [judgement(0, "Anna", "same_meaning")])
    shutil.copy(tmp_path / "a.pluie", tmp_path / "b.pluie")
    with Session.open(tmp_path / "a.pluie") as first, Session.open(tmp_path / "b.pluie") as second:
        yield first, second


def answers(session: Session) -> dict[tuple[int, str], str]:
    return {(record.row, record.annotator): record.answer for record in session.judgements(1)}


def test_answers_of_two_people_are_merged(copies):
    first, second = copies
    first.add_judgements(1, [judgement(1, "Anna", "dont_know")])
    second.add_judgements(1, [judgement(0, "Ben", "very_different"), judgement(2, "Ben", "same_meaning")])
    second.set_setting("annotator.Ben", {"parapluie": "native"})
    result = merge_judgements(first, second, "b")
    assert (result.added, result.conflicts, result.corpora, result.renamed) == (2, [], [], "")
    assert answers(first) == {
        (0, "Anna"): "same_meaning",
        (1, "Anna"): "dont_know",
        (0, "Ben"): "very_different",
        (2, "Ben"): "same_meaning",
    }
    assert first.settings()["annotator.Ben"] == {"parapluie": "native"}
    assert merge_judgements(first, second, "b").added == 0, "a second merge changes nothing"


def test_merging_in_either_direction_gives_the_same_result(copies):
    first, second = copies
    first.add_judgements(1, [judgement(0, "Anna", "dont_know", 12), judgement(3, "Cleo", None, 8)])
    second.add_judgements(1, [judgement(0, "Anna", "very_different", 11)])
    merge_judgements(first, second, "b")
    merge_judgements(second, first, "a")
    assert set(first.judgements(1, history=True)) == set(second.judgements(1, history=True))
    assert len(first.judgements(1, history=True)) == 4


def test_conflicts_are_reported_and_the_later_answer_counts(copies):
    first, second = copies
    first.add_judgements(1, [judgement(2, "Anna", "dont_know", 12)])
    second.add_judgements(1, [judgement(2, "Anna", "very_different", 11)])
    (conflict,) = merge_judgements(first, second, "b").conflicts
    assert str(conflict) == "c, pair p2, verdict by Anna: dont_know counts, very_different was answered earlier."
    assert answers(first)[2, "Anna"] == "dont_know"
    assert {record.answer for record in first.judgements(1, history=True) if record.row == 2} == {
        "dont_know",
        "very_different",
    }


def test_an_answer_changed_in_one_copy_is_not_a_conflict(copies):
    first, second = copies
    second.add_judgements(1, [judgement(0, "Anna", "mostly_similar", 15)])
    assert merge_judgements(first, second, "b").conflicts == []
    assert answers(first)[0, "Anna"] == "mostly_similar"


def test_two_unnamed_annotators_are_kept_apart(copies):
    first, second = copies
    first.add_judgements(1, [judgement(1, "", "dont_know")])
    second.add_judgements(1, [judgement(1, "", "same_meaning", 10)])
    result = merge_judgements(first, second, "b")
    assert (result.renamed, result.conflicts) == ("b", [])
    assert answers(first)[1, ""] == "dont_know" and answers(first)[1, "b"] == "same_meaning"


def test_reordered_rows_and_unknown_pairs_are_merged(tmp_path):
    with (
        Session.open(tmp_path / "a.pluie", create=True) as first,
        Session.open(tmp_path / "b.pluie", create=True) as second,
    ):
        first.add_corpus(pairs())
        second.add_judgements(
            second.add_corpus(pairs("turned", range(3, -1, -1))), [judgement(0, "Ben", "same_meaning")]
        )
        second.add_judgements(second.add_corpus(pairs("more", range(2, 9))), [judgement(6, "Ben", "dont_know")])
        second.add_corpus(pairs("unjudged", range(20, 22)))
        result = merge_judgements(first, second, "b")
        assert (result.added, result.corpora) == (2, ["more"])
        assert answers(first) == {(3, "Ben"): "same_meaning"}
        assert [entry.name for entry in first.corpora()] == ["c", "more"]
        assert first.judgements(2)[0].row == 6
