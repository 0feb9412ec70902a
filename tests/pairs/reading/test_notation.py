"""Numbers in other notations are read as numbers, with a notice; lists, ids and texts stay unchanged."""

from __future__ import annotations

import pytest

from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pairs.reading.reader import open_text

TAB = "\t"


def read_column(*cells: str, delimiter: str = TAB, name: str = "x", more: str = "") -> Corpus:
    """Return a corpus with a column of these cells, and a second column `more` in every row."""
    header = delimiter.join(["source", "hypothesis", name, "more"])
    rows = [delimiter.join([f"It rains {row}.", f"Rain falls {row}.", cell, more]) for row, cell in enumerate(cells)]
    return open_text("\n".join([header, *rows])).read()


@pytest.mark.parametrize(
    ("cells", "numbers", "notation"),
    [
        (["0,75", "1,25", ""], [0.75, 1.25, None], "decimal commas"),
        (["1.234,56", "0,50"], [1234.56, 0.5], "decimal commas"),
        (["1,25E-05", "3"], [1.25e-05, 3.0], "decimal commas"),
        (["\N{MINUS SIGN}6,98", "\N{MINUS SIGN}7", "+2,5"], [-6.98, -7.0, 2.5], "decimal commas"),
        (["75%", "12.5 %", "100 %"], [0.75, 0.125, 1.0], "percentages"),
        (["7,5%", "50%"], [0.075, 0.5], "percentages"),
        (["\N{MINUS SIGN}1.5", "2"], [-1.5, 2.0], "minus signs"),
        (["1,234.5", "999"], [1234.5, 999.0], "thousands separators"),
        (["1,234,567", "1,000"], [1234567.0, 1000.0], "thousands separators"),
    ],
)
def test_numbers_in_other_notations_are_read_and_reported(cells, numbers, notation):
    corpus = read_column(*cells)
    assert corpus.extra["x"].cells() == pytest.approx(numbers)
    assert f'{notation} in "x"' in corpus.guessed


@pytest.mark.parametrize(
    "cells",
    [
        ["3,5", "2,7"],  # pairs of integers, such as the bounds of a word
        ["1,234", "5,678"],  # with a decimal comma or a thousands separator
        ["1,2,3", "4,5"],
        ["007", "-012"],
        ["01. Mai", "0,5"],
        ["0.5±0.1", "0.7±0.2"],
        ["a,b", "0,5"],
    ],
)
def test_texts_stay_unchanged(cells):
    corpus = read_column(*cells)
    assert corpus.extra["x"].cells() == cells
    assert " in " not in corpus.guessed


def test_semicolons_between_columns_decide_for_decimal_commas():
    assert read_column("1,234", "3,5", delimiter=";").extra["x"].cells() == [1.234, 3.5]


def test_a_second_column_with_decimal_commas_decides():
    assert read_column("1,234", "5,678", more="0,75").extra["x"].cells() == [1.234, 5.678]


def test_human_scores_and_labels_may_have_decimal_commas():
    assert read_column("0,75", "4,25", name="score").human.tolist() == [0.75, 4.25]
    assert read_column("1,0", "0,0", delimiter=";", name="label").label.tolist() == [1, 0]


def test_sentences_and_ids_are_never_numbers():
    corpus = open_text("id;source;hypothesis\n0,10;1,25;3,75\n0,11;2,25;1,75\n").read()
    assert (corpus.id, corpus.source, corpus.hypothesis) == (["0,10", "0,11"], ["1,25", "2,25"], ["3,75", "1,75"])
