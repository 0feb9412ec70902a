"""Corrected kinds of change: written, read back, and counted in the column `type`."""

from __future__ import annotations

import pytest

from parapluie_gui.analysis.columns import change_kinds
from parapluie_gui.metrics.changes.corrections import (
    COLUMN,
    corrected_types,
    correction_of,
    correction_text,
    read_corrections,
)
from parapluie_gui.metrics.changes.edits import Edits
from parapluie_gui.metrics.changes.kinds import kind_texts
from parapluie_gui.pairs.column import NumberColumn, TextColumn
from parapluie_gui.pairs.corpus import Corpus

SOURCE, HYPOTHESIS = "Shares rose on Friday.", "Shares fell on Monday."
EDITS = Edits(SOURCE, HYPOTHESIS).edits


def test_corrections_survive_a_round_trip_as_text():
    text = correction_text(EDITS, {1: "name", 0: "synonym"})
    assert text == "1. rose → fell: synonym; 2. Friday → Monday: name"
    assert read_corrections(EDITS, text) == {0: "synonym", 1: "name"}
    long = Edits("It rains", "It rains " + "and pours, they say, " * 6).edits
    assert read_corrections(long, correction_text(long, {0: "rewording"})) == {0: "rewording"}


@pytest.mark.parametrize("text", ["", "1. rose → sank: synonym", "2. rose → fell: synonym", "1. rose → fell: nonsense"])
def test_corrections_without_a_matching_edit_or_kind_have_no_effect(text):
    assert read_corrections(EDITS, text) == {}
    assert corrected_types(SOURCE, HYPOTHESIS, EDITS, text) == ("antonym", "date")


def test_the_column_type_contains_the_corrections_of_the_corpus():
    text = correction_text(EDITS, {0: "synonym"})
    corpus = Corpus("c", ["a", "b"], [SOURCE] * 2, [HYPOTHESIS] * 2, extra={COLUMN: TextColumn([text, None])})
    assert kind_texts(change_kinds(corpus)).tolist() == ["time, synonym", "time, antonym"]
    assert correction_of(corpus, 0) == text and correction_of(corpus, 1) is None
    numbers = change_kinds(corpus)
    other = Corpus("c", ["a"], [SOURCE], [HYPOTHESIS], extra={COLUMN: NumberColumn(numbers[:1], numbers[:1])})
    assert kind_texts(change_kinds(other)).tolist() == ["time, antonym"], (
        "a numeric column is not a column of corrections"
    )
