"""Computed columns: their definitions, requirements, rejected expressions, and values among the scores."""

from __future__ import annotations

import numpy as np
import pytest

from parapluie_gui.analysis.columns import ColumnMaterial, arrange_columns, columns_of, compile_column_filter
from parapluie_gui.analysis.score_column import ColumnMeaning, table_score_column
from parapluie_gui.errors import ParapluieError
from parapluie_gui.features.computed_columns.columns import with_columns as with_computed
from parapluie_gui.features.computed_columns.computed import ComputedColumn
from parapluie_gui.features.computed_columns.new_column import add_computed, check_definition
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.scores.table import ScoreTable

SCORES = {
    "pluie.p1": [1.0, 2.0, -1.0],
    "pluie.p2": [3.0, -2.0, -1.0],
    "bleu": [0.1, 0.2, 0.3],
    "edit_distance": [0.5, 0.6, 0.7],
}


@pytest.fixture
def pairs() -> ColumnMaterial:
    table = ScoreTable(3)
    table.put(np.arange(3), {name: np.array(values) for name, values in SCORES.items()})
    texts = ["one", "two", "three"]
    return ColumnMaterial(Corpus("test", texts, texts, texts, extra={"kind": ["a", "b", "c"]}), table)


def with_columns(pairs: ColumnMaterial, **texts: str) -> ColumnMaterial:
    return with_computed(pairs, (ComputedColumn(name, text) for name, text in texts.items()))


def test_a_computed_column_works_like_any_other_column(pairs):
    columns = columns_of(with_columns(pairs, later="all + 1", all="min(pluie.p1, pluie.p2) > 0", lost="gone + 1"))
    assert "lost" not in columns, "its column is missing"
    assert columns["all"].values().tolist() == [1, 0, 0] and columns["later"].values().tolist() == [2, 1, 1]
    assert columns["later"].sources == columns["all"].sources == ("pluie.p1", "pluie.p2"), (
        "the message says when to compute them"
    )
    assert columns["all"].axis and columns["all"].exported and columns["all"] in arrange_columns(columns)
    assert compile_column_filter("all = 1", columns).mask(lambda name: columns[name].values()).tolist() == [
        True,
        False,
        False,
    ]


def test_values_are_formatted(pairs):
    texts = {
        "verdict": "bleu > 0.2",
        "least": "min(pluie.p1, pluie.p2)",
        "mixed": "mean(pluie.p1, bleu)",
        "far": "max(edit_distance, edit_distance)",
        "near": "-edit_distance",
        "gap": "pluie.p1 - pluie.p2",
    }
    columns = columns_of(with_columns(pairs, **texts))
    read = {name: (columns[name].meaning.threshold, columns[name].meaning.higher_is_closer) for name in texts}
    assert read == {
        "verdict": (0.5, True),
        "least": (0.0, True),
        "mixed": (None, True),
        "far": (None, False),
        "near": (None, True),
        "gap": (None, True),
    }
    assert columns["far"].meaning == columns["edit_distance"].meaning and columns["gap"].meaning == ColumnMeaning()


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("", "bleu", "has no name"),
        ("a" * 61, "bleu", "more than 60 characters"),
        ("a > b", "bleu", "has the character >"),
        ("Label", "bleu", "another kind of column"),
        ("pluie.x", "bleu", "another kind of column"),
        ("bleu", "pluie.p1", "There is a column “bleu” already."),
        ("BLEU", "pluie.p1", "There is a column “BLEU” already."),
        ("first", "bleu", "There is a column “first” already."),
        ("self", "self + 1", "“self” refers to itself."),
        ("third", "second + 1", None),
        ("new", "kind", "is text, not a number"),
        ("new", "gone", 'There is no column "gone"'),
    ],
)
def test_invalid_definitions_are_rejected_in_one_sentence(pairs, name, text, sentence):
    there = with_columns(pairs, first="bleu", second="first * 2")
    if sentence is None:
        assert check_definition(ComputedColumn(name, text), there) == ComputedColumn(name, text)
        return
    with pytest.raises(ParapluieError) as error:
        check_definition(ComputedColumn(name, text), there)
    assert sentence in str(error.value) and str(error.value).endswith((".", "?"))


def test_a_circular_definition_is_rejected_and_the_rest_is_kept(pairs):
    there = with_columns(pairs, first="bleu", second="first * 2", third="second")
    with pytest.raises(ParapluieError, match="“first” and “third” refer to each other"):
        check_definition(ComputedColumn("first", "third - 1"), there, replaced="first")
    assert check_definition(ComputedColumn("first", "bleu + 1"), there, replaced="first").text == "bleu + 1"
    with pytest.raises(ParapluieError, match="refer to each other"):
        add_computed(["a = b", "b = a"], pairs, pairs.table)
    assert "a" not in pairs.table


def test_values_are_added_to_the_scores_with_their_signature(pairs):
    assert add_computed(["twice = least * 2", "least = min(P1, P2)"], pairs_named(pairs), pairs.table) == [
        "twice",
        "least",
    ]
    table = pairs.table
    assert table["least"].tolist() == [1, -2, -1] and table["twice"].tolist() == [2, -4, -2]
    assert dict(table.signatures["least"].fields)["expression"] == "min(pluie.p1, pluie.p2)"
    assert table_score_column(table, "least").threshold == 0 and table_score_column(table, "twice").threshold is None


def pairs_named(pairs: ColumnMaterial) -> ColumnMaterial:
    """Return the pairs with a known judge, whose scores are named after their templates."""
    from parapluie_gui.scores.signature import Signature

    for template in ("p1", "p2"):
        pairs.table.signatures[f"pluie.{template}"] = Signature.from_fields(
            f"pluie.{template}", {"name": "pluie", "model": "smollm2-135m", "template": template.upper()}
        )
    return pairs
