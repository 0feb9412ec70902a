"""Forms, heat map and unstable pairs of a wording test, on numbers that can be checked by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from parapluie_gui.errors import ParapluieError
from parapluie_gui.features.wordings.analysis import forms_map, forms_table, hinges_table, variance_table
from parapluie_gui.features.wordings.outcomes import compare_wordings
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.report.svg import figure_svg

FACTORS = ("wording", "answers", "order", "examples")
LEVELS = (("A", "B"), ("Yes/No", "yes/no"), ("source first",), ("0",))


def corpus(labels=(1, 0, 1, 0)):
    label = None if labels is None else np.array(labels, dtype=np.int8)
    names = [f"s{n}" for n in range(4)]
    return Corpus("made", list("abcd"), names, [name.replace("s", "h") for name in names], label=label)


#: Rows are pairs; columns are forms: A Yes/No, A yes/no, B Yes/No, B yes/no.
SCORES = np.array([[1.0, 2.0, 3.0, 4.0], [-1.0, -1.0, 5.0, 5.0], [2.0, 2.0, 2.0, -1.0], [-3.0, -3.0, -3.0, math.nan]])


def compared_forms(labels=(1, 0, 1, 0)):
    return compare_wordings(corpus(labels), FACTORS, LEVELS, list(SCORES.T))


def test_a_form_has_its_accuracy_mean_and_flips():
    comparison = compared_forms()
    assert (comparison.pairs, comparison.labelled, comparison.hinging) == (3, 3, 2)
    assert comparison.forms[0].levels == ("A", "Yes/No", "source first", "0")
    assert [form.accuracy for form in comparison.forms] == pytest.approx([1, 1, 2 / 3, 1 / 3])
    assert [form.mean for form in comparison.forms] == pytest.approx([2 / 3, 1, 10 / 3, 8 / 3])
    # The second pair is a tie; its mean is above 0, so A deviates. The third: only B yes/no deviates.
    assert [form.flips for form in comparison.forms] == pytest.approx([1 / 3, 1 / 3, 0, 1 / 3])


def test_unstable_pairs_name_the_factor_that_moves_them():
    divided, almost = compared_forms().hinges
    assert (divided.row, divided.minority, divided.lowest, divided.highest) == (1, 0.5, -1, 5)
    assert (divided.factor, divided.low_level, divided.high_level) == ("wording", "A", "B")
    assert (almost.row, almost.minority, almost.label) == (2, 0.25, 1)


def test_the_tables_and_the_heat_map_show_the_same_numbers():
    comparison = compared_forms()
    assert [row[4] for row in forms_table(comparison).rows] == [form.accuracy for form in comparison.forms]
    assert {row[0] for row in variance_table(comparison).rows} >= {"pairs", "wording", "answers", "pairs × wording"}
    assert hinges_table(comparison).rows[0][3] == "wording: A < B"
    drawing = forms_map(comparison, "accuracy")
    assert [line.title for line in drawing.lines] == ["A", "B"]
    assert [column.title for column in drawing.columns] == ["Yes/No", "yes/no"]
    place = ("yes/no|source first", "B|0")
    assert drawing.texts[place] == "33.3 %" and drawing.values[place] == 1
    assert forms_map(comparison, "mean").texts[place] == "2.67"
    assert ">33.3 %<" in figure_svg(drawing)


def test_without_labels_there_is_no_accuracy():
    comparison = compared_forms(None)
    assert comparison.labelled == 0 and comparison.of_accuracy == ()
    assert all(math.isnan(form.accuracy) for form in comparison.forms)
    assert ">–<" in figure_svg(forms_map(comparison, "accuracy"))
    assert forms_table(comparison).rows[0][6] == comparison.forms[0].flips


def test_forms_without_a_commonly_scored_pair_are_refused():
    with pytest.raises(ParapluieError, match="No pair has a score in every form"):
        compare_wordings(corpus(), FACTORS, LEVELS, [np.full(4, math.nan), *SCORES.T[1:]])
