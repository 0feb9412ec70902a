"""Importing answers: every answer is assigned to its pair, or counted with the reason why not."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from parapluie_gui.features.people.imported import describe_import, match_answers, read_answers
from parapluie_gui.judgements.scheme import load_schemes
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pairs.reading.reader import read
from parapluie_gui.storage.merge import import_judgements
from parapluie_gui.storage.session import Session

WITH_A_GAP = "id,source,hypothesis\n1,It rains.,Rain falls.\n,No id here.,None here.\n2,He runs.,She sits.\n"
REPEATED = "id,source,hypothesis\n1,It rains.,Rain falls.\n1,He runs.,She sits.\n2,A dog.,A cat.\n"
FLOATS = "id,source,hypothesis\n1.0,He runs.,She sits.\n,No id here.,None here.\n3.0,It rains.,It is raining.\n"


class Import:
    """A session with a corpus, for importing tables."""

    def __init__(self, folder: Path, corpus: str) -> None:
        self._folder, self._tables = folder, itertools.count()
        (folder / "pairs.csv").write_text(corpus, encoding="utf-8")
        self.corpus: Corpus = read(folder / "pairs.csv")
        self._session = folder / "work.pluie"
        with Session.open(self._session, create=True) as session:
            session.add_corpus(self.corpus)
            session.save()

    def answers(self, table: str) -> list[str]:
        """Import a table, check that every row is accounted for, and return the messages."""
        path = self._folder / f"answers{next(self._tables)}.csv"
        path.write_text(table, encoding="utf-8")
        answers, blank = read_answers(path)
        matches = match_answers(answers, self.corpus, load_schemes(self._folder / "none")[0], blank=blank)
        left_out = matches.unknown + matches.changed + matches.ambiguous + matches.strange
        assert len(matches.records) + len(left_out) == len(answers), "every answer is added or left out"
        with Session.open(self._session) as session:
            result = import_judgements(session, 1, matches.records)
            session.save()
        return list(describe_import(self.corpus.name, matches, result))

    def judged(self, history: bool = False) -> list[tuple[str, str, str | None]]:
        """Return source, annotator and answer of the stored answers; with `history`, of earlier answers too."""
        with Session.open(self._session, reading=True) as session:
            records = session.judgements(1, history=history)
        return [(self.corpus.source[record.row], record.annotator, record.answer) for record in records]


def test_an_answer_stays_with_its_pair_if_a_second_row_has_no_id(tmp_path):
    imported = Import(tmp_path, WITH_A_GAP)
    assert list(imported.corpus.id) == ["1", "row 2", "2"]
    assert imported.corpus.guessed == "1 row without an id (called “row 2”)"
    imported.answers("id,annotator,answer\n2,Anna,no\n")
    assert [source for source, *_ in imported.judged()] == ["He runs."]


def test_the_later_of_two_answers_in_a_table_counts_and_both_are_stored(tmp_path):
    imported = Import(tmp_path, WITH_A_GAP)
    sentences = imported.answers("id,annotator,answer\n1,Anna,yes\n1,Anna,no\n2,Anna,no\n")
    assert sentences == [
        "3 answers of Anna were added to pairs.",
        "1 answer differs from another answer by the same person in the file; the later one counts (the first is about "
        "pair "
        "1, line 2).",
    ]
    yes, no, _ = (answer for _, _, answer in imported.judged(history=True))
    assert yes != no
    assert ("It rains.", "Anna", no) in imported.judged()


def test_a_time_takes_precedence_over_the_order_of_rows(tmp_path):
    imported = Import(tmp_path, WITH_A_GAP)
    rows = "1,Anna,yes,2026-02-02T10:00\n1,Anna,no,2026-02-01T10:00\n"
    sentences = imported.answers(f"id,annotator,answer,time\n{rows}")
    assert "(the first is about pair 1, line 3)" in sentences[1]
    ((_, _, counts),) = imported.judged()
    assert counts == imported.judged(history=True)[-1][2] != imported.judged(history=True)[0][2]


def test_importing_the_same_table_twice_adds_nothing(tmp_path):
    imported = Import(tmp_path, WITH_A_GAP)
    table = "id,annotator,answer\n1,Anna,yes\n1,Anna,no\n2,Anna,no\n"
    imported.answers(table)
    before = imported.judged(history=True)
    assert imported.answers(table)[:2] == ["0 answers of Anna were added to pairs.", "3 already existed."]
    assert imported.judged(history=True) == before


def test_an_id_of_several_pairs_is_refused_without_sentences(tmp_path):
    imported = Import(tmp_path, REPEATED)
    sentences = imported.answers("id,annotator,answer\n1,Anna,yes\n2,Anna,no\n")
    assert sentences[1] == (
        "1 was left out: 1 about an id that several pairs have (give their sentences, too) (the first is “1” in line "
        "2)."
    )
    assert [source for source, *_ in imported.judged()] == ["A dog."]


def test_sentences_distinguish_pairs_with_the_same_id(tmp_path):
    imported = Import(tmp_path, REPEATED)
    imported.answers(
        "id,source,hypothesis,annotator,answer\n1,He runs.,She sits.,Anna,no\n1,It rains.,Rain falls.,Anna,yes\n"
    )
    assert sorted(source for source, *_ in imported.judged()) == ["He runs.", "It rains."]


def test_sentences_are_sufficient_without_an_id(tmp_path):
    imported = Import(tmp_path, WITH_A_GAP)
    imported.answers("source,hypothesis,annotator,answer\nNo id here.,None  here.,Anna,no\n")
    assert [source for source, *_ in imported.judged()] == ["No id here."]


def test_an_answer_about_different_sentences_is_left_out(tmp_path):
    imported = Import(tmp_path, WITH_A_GAP)
    table = "id,source,hypothesis,annotator,answer\n1,It snows.,Rain falls.,Anna,no\n2,He runs.,She sits.,Anna,no\n"
    assert (
        "1 about a pair whose sentences differ in the corpus (the first is “1” in line 2)" in imported.answers(table)[1]
    )
    assert [source for source, *_ in imported.judged()] == ["He runs."]


@pytest.mark.parametrize("ids", [("1", "2", "3"), ("1.0", "2.0", "3.0")])
def test_integer_ids_written_as_floats_match(tmp_path, ids):
    imported = Import(tmp_path, FLOATS)
    assert list(imported.corpus.id) == ["1", "row 2", "3"]
    rows = "".join(f"{id},Anna,yes\n" for id in ids)
    assert (
        "1 about a pair that the corpus does not have (the first is “2” in line 3)"
        in imported.answers(f"id,annotator,answer\n{rows}")[1]
    )
    assert sorted(source for source, *_ in imported.judged()) == ["He runs.", "It rains."]


def test_columns_named_as_the_error_message_advises_are_read(tmp_path):
    imported = Import(tmp_path, WITH_A_GAP)
    assert imported.answers("id,verdict.Anna,verdict.Ben\n1,1,1\n2,0,1\n")[0] == (
        "4 answers of 2 people were added to pairs."
    )
    assert imported.answers("id,verdict.Cleo\n1,1\n2,0\n")[0] == "2 answers of Cleo were added to pairs."
