"""Several references of a pair: recognised, named, and written and read as the same corpus."""

from __future__ import annotations

import json

import numpy as np
import pytest

import parapluie_gui as pp
from parapluie_gui.pairs import open_text, read
from parapluie_gui.pairs.reading.decisions import to_decisions
from parapluie_gui.pairs.reading.mapping import find_references
from parapluie_gui.report.table import write_table
from parapluie_gui.scores.table import ScoreTable

ROWS = [
    ("He sleeps all day.", "All day he sleeps.", "He is asleep.", "He slept all day.", "The whole day he sleeps."),
    ("She never drinks tea.", "She drinks no tea.", "Tea is not her drink.", "", "She does not drink tea."),
    ("Two boys throw a ball.", "A ball is thrown.", "", "", ""),
]


def text(*names, rows=ROWS):
    return "\n".join("\t".join(row) for row in (("source", "hypothesis", *names), *rows)) + "\n"


@pytest.mark.parametrize(
    "names",
    [
        ("reference", "reference 2", "reference 3"),
        ("reference_0", "reference_1", "reference_2"),
        ("ref1", "ref2", "ref3"),
        ("ref", "ref2", "ref3"),
    ],
)
def test_columns_that_differ_in_a_counter_are_references(names):
    corpus = open_text(text(*names)).read()
    assert corpus.plan.roles["reference"] == names
    assert corpus.reference_columns == ("reference", "reference 2", "reference 3")
    assert [corpus.references(row) for row in range(3)] == [ROWS[0][2:], (ROWS[1][2], ROWS[1][4]), ()]
    assert f"reference = {' and '.join(names)}" in str(corpus.plan)


def test_a_counter_inside_the_name_is_recognised():
    names = ["ref.1.text", "ref.2.text", "ref.2.id", "reference"]
    assert find_references(names, "ref.1.text") == ("ref.1.text", "ref.2.text")
    assert find_references(names, "reference") == "reference"


def test_all_references_of_a_list_are_used():
    records = [{"source": row[0], "hypothesis": row[1], "references": list(filter(None, row[2:]))} for row in ROWS]
    corpus = open_text(json.dumps(records)).read()
    assert corpus.references(0) == ROWS[0][2:]
    assert corpus.references(2) == ()
    named = open_text(json.dumps(records), **to_decisions({"reference": "references"})).read()
    assert named.references(0) == ROWS[0][2:]


def test_columns_can_be_named_by_name_or_number():
    table = text("first", "second", "third")
    for columns in (["first", "third"], ["3", "5"]):
        corpus = open_text(table, **to_decisions({"reference": columns})).read()
        assert corpus.references(0) == (ROWS[0][2], ROWS[0][4])
        assert list(corpus.extra) == ["reference 2", "second"]


def test_a_column_that_the_user_left_out_is_not_a_reference():
    corpus = open_text(
        text("reference", "reference 2", "reference 3"), **to_decisions({"reference": "reference"})
    ).read()
    assert corpus.references(0) == (ROWS[0][2],)
    assert list(corpus.extra) == ["reference 2 (file)", "reference 3 (file)"]


def test_a_reference_that_gets_another_role_is_freed():
    corpus = open_text(text("ref1", "ref2", "ref3"), **to_decisions({"hypothesis": "ref3"})).read()
    assert corpus.plan.roles["reference"] == ("ref1", "ref2")


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "xlsx", "parquet"])
def test_a_written_table_has_the_same_references(ending, tmp_path):
    corpus = open_text(text("ref1", "ref2", "ref3")).read()
    write_table(path := tmp_path / f"table.{ending}", corpus, ScoreTable(len(corpus)))
    again = read(path)
    assert [again.references(row) for row in range(3)] == [corpus.references(row) for row in range(3)]


def test_the_plan_reads_the_file_again_and_saves_the_columns(tmp_path):
    path = tmp_path / "refs.tsv"
    path.write_text(text("first", "second", "third"), encoding="utf-8")
    corpus = pp.read(path, reference=["first", "third"], save_plan="beside")
    assert pp.read(path).references(0) == corpus.references(0)
    again = pp.read(path, plan="none", **{k: v for k, v in corpus.plan.options().items() if k != "plan"})
    assert again.references(0) == corpus.references(0)


def test_pairs_keep_their_references_in_a_selection():
    corpus = open_text(text("ref1", "ref2", "ref3")).read().take(np.array([1]))
    assert corpus.references(0) == (ROWS[1][2], ROWS[1][4])
