"""People's answers as columns: names, kinds, ties, and name clashes."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from waiting import in_time

from parapluie_gui.analysis.columns import ColumnMaterial, columns_of, compile_column_filter
from parapluie_gui.errors import FilterError
from parapluie_gui.judgements.columns import CorpusJudgements, group_answers, judgement_columns, with_judgements
from parapluie_gui.judgements.record import CORRECTION, NOTE, Judgement, current_records
from parapluie_gui.judgements.scheme import load_schemes
from parapluie_gui.pairs.column import NumberColumn, TextColumn
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.report.table import to_frame, write_table
from parapluie_gui.scores.table import ScoreTable

SCHEMES = load_schemes()[0]
WHEN = datetime(2026, 5, 1, 9, 30, tzinfo=UTC)


def judgement(
    row: int, annotator: str, question: str, answer: str | None, scheme: str = "parapluie", at=WHEN
) -> Judgement:
    return Judgement(row, annotator, scheme, question, answer, at)


VERDICTS = [
    judgement(0, "Anna", "verdict", "same_meaning"),
    judgement(0, "Ben", "verdict", "same_meaning"),
    judgement(0, "Cleo", "verdict", "very_different"),
    judgement(1, "Anna", "verdict", "mostly_similar"),
    judgement(1, "Ben", "verdict", "slightly_similar"),
    judgement(2, "Ben", "verdict", "dont_know"),
]


def corpus(**extra) -> Corpus:
    return Corpus("c", ["p1", "p2", "p3", "p4"], list("abcd"), list("efgh"), extra=extra)


def selected(corpus: Corpus, text: str) -> list[int]:
    table = ScoreTable(len(corpus))
    columns = columns_of(ColumnMaterial(corpus, table))
    mask = compile_column_filter(text, columns).mask(lambda name: columns[name].values())
    return np.flatnonzero(mask).tolist()


def test_three_peoples_verdicts_become_columns():
    columns, _ = judgement_columns(4, VERDICTS, SCHEMES)
    assert columns["verdict"] == ["same meaning", None, "don't know", None]
    assert isinstance(columns["verdict"], TextColumn)
    np.testing.assert_allclose(columns["verdict.mean"].values, [3.0, 2.5, np.nan, np.nan])
    assert columns["verdict.Ben"] == ["same meaning", "slightly similar", "don't know", None]
    assert columns["verdict.Cleo.time"] == ["2026-05-01T09:30:00+00:00", None, None, None]


def test_answers_on_a_scale_become_numbers():
    marks = [("Anna", "5"), ("Ben", "2")]
    columns, _ = judgement_columns(2, [judgement(0, name, "overall", answer, "pem") for name, answer in marks], SCHEMES)
    assert all(isinstance(columns[name], NumberColumn) for name in ("overall", "overall.Anna", "overall.Ben"))
    np.testing.assert_array_equal(columns["overall"].values, [3.5, np.nan])
    assert "overall.mean" not in columns


def test_filters_axes_and_exports_use_the_columns(tmp_path):
    notes = [Judgement(1, "Anna", *NOTE, "=odd, 'this' one", WHEN), Judgement(1, "", *NOTE, "yes", WHEN)]
    whole = with_judgements(corpus(), VERDICTS + notes, SCHEMES)
    assert selected(whole, 'verdict == "same meaning"') == [0]
    assert selected(whole, 'note contains "ODD"') == [1]
    assert selected(whole, "missing(verdict)") == [1, 3]
    assert selected(whole, "verdict.mean >= 2.5 and verdict.Anna != verdict.Ben") == [1]
    with pytest.raises(FilterError, match=r"There is no column .verdicts"):
        selected(whole, 'verdicts == "x"')
    assert whole.numbers("verdict.mean") is not None
    frame = to_frame(whole, ScoreTable(4))
    assert frame["note"].tolist()[1] == "unnamed: yes\nAnna: =odd, 'this' one"
    assert frame["note.unnamed"].tolist()[1] == "yes"
    for ending in ("csv", "xlsx", "parquet", "jsonl"):
        written = write_table(tmp_path / f"t.{ending}", whole, ScoreTable(4))
        assert {"verdict", "verdict.Anna", "verdict.Anna.time", "note", "note.unnamed.time"} <= set(written.columns)


def test_taken_column_names_are_avoided():
    whole = with_judgements(corpus(verdict=["x", "y", "z", "w"], note=[1, 2, 3, 4]), VERDICTS, SCHEMES)
    assert whole.extra["verdict"] == ["x", "y", "z", "w"]
    assert whole.extra["verdict (people)"][0] == "same meaning"
    assert "note (people)" not in whole.extra
    both, _ = judgement_columns(
        2, [judgement(0, "a", "verdict", "own", "mine"), judgement(0, "a", "verdict", "dont_know")], SCHEMES
    )
    assert (both["verdict"][0], both["verdict (people)"][0]) == ("don't know", "own")


def test_answers_of_unknown_schemes_are_shown_unchanged():
    records = [
        judgement(0, "a", "mood", "blue", "mine"),
        judgement(9, "a", "verdict", "dont_know"),
        judgement(1, "a", "verdict", "x"),
    ]
    columns, _ = judgement_columns(3, records, SCHEMES)
    assert columns["mood"] == ["blue", None, None]
    assert columns["verdict"] == [None, "x", None]


def test_without_answers_there_are_no_columns():
    bare = corpus()
    assert with_judgements(bare, [], SCHEMES) is bare
    assert judgement_columns(0, [], SCHEMES) == ({}, {})
    assert group_answers([Judgement(0, "a", *NOTE, "x", WHEN)], SCHEMES) == []


def test_the_majority_gives_labels_and_scores():
    (verdict,) = group_answers(VERDICTS, SCHEMES)
    assert verdict.majority(4).tolist() == [1, -1, -1, -1]
    assert verdict.labels("Ben", 4).tolist() == [1, 0, -1, -1]
    assert verdict.codes("Ben", 4).tolist() == [3, 1, 4, -1]
    np.testing.assert_array_equal(verdict.values("Ben", 4), [4, 2, np.nan, np.nan])
    np.testing.assert_array_equal(verdict.mean(4), [3, 2.5, np.nan, np.nan])


def test_the_latest_answer_counts():
    later, taken_back = WHEN.replace(hour=10), WHEN.replace(hour=11)
    first = judgement(0, "Anna", "verdict", "same_meaning")
    second = judgement(0, "Anna", "verdict", "dont_know", at=later)
    assert current_records([second, first]) == [second]
    assert current_records([first, judgement(0, "Anna", "verdict", None, at=taken_back), second]) == []


ANSWERS = [
    (NOTE, ["x", "y"]),
    (CORRECTION, ["format", "negation"]),
    (("parapluie", "verdict"), ["same_meaning", "dont_know", "unheard_of"]),
    (("pem", "overall"), ["1", "5"]),
    (("mine", "mood"), ["blue", "red"]),
]


@given(
    st.lists(
        st.tuples(
            st.integers(0, 4),
            st.sampled_from(["", "Anna"]),
            st.sampled_from([(asked, answer) for asked, answers in ANSWERS for answer in [*answers, None]]),
        ),
        max_size=25,
    ),
    st.sampled_from([(), ("note",), ("verdict", "note")]),
)
def test_updating_one_pair_equals_rebuilding_all(steps, taken):
    """Answers given, changed and withdrawn in any order."""
    texts = corpus(**{name: TextColumn("abcd") for name in taken})
    records: dict[object, Judgement] = {}
    people = CorpusJudgements.from_records(texts, [], SCHEMES)
    for row, annotator, ((scheme, question), answer) in steps:
        record = judgement(row, annotator, question, answer, scheme)
        records.pop(record.key, None)
        if answer is not None:
            records[record.key] = record
        whole = CorpusJudgements.from_records(texts, records.values(), SCHEMES)
        here = [each for each in records.values() if each.row == row]
        people = people.with_pair(row, here, SCHEMES) or whole
        assert list(people.columns) == list(whole.columns) and people.holds == whole.holds
        for name, column in whole.columns.items():
            np.testing.assert_array_equal(people.columns[name].cells(), column.cells())
        assert [(each.scheme, each.question, each.records) for each in people.recorded] == [
            (each.scheme, each.question, each.records) for each in whole.recorded
        ]


def test_a_note_takes_the_same_time_in_small_and_large_corpora():
    few, many = 10, 30_000
    spent = {}
    for count in (few, many):
        texts = Corpus("c", [""] * many, [""] * many, [""] * many)
        records = [judgement(row, "", "note", f"note {row}", "") for row in range(count)]
        records += [judgement(row, "", "verdict", "dont_know") for row in range(count)]
        people = CorpusJudgements.from_records(texts, records, SCHEMES)
        begun = time.process_time()
        for row in range(5):
            people = people.with_pair(row, [judgement(row, "", "note", "new", ""), records[count + row]], SCHEMES)
            people = people.with_pair(
                row, [judgement(row, "", "note", "new", ""), judgement(row, "", "verdict", "same_meaning")], SCHEMES
            )
        spent[count] = (time.process_time() - begun) / 10
        assert people.columns["note"][4] == "new" and people.columns["verdict"][4] == "same meaning"
    assert spent[many] < in_time(0.02), spent  # 0.2 s if everything is rebuilt, 0.0002 s for one row
