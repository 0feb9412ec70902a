"""Expressions that compute a number for each pair: values, verdicts, missing values, and rejected expressions."""

from __future__ import annotations

import numpy as np
import pytest

from parapluie_gui.analysis.filter.expression import compile_filter
from parapluie_gui.analysis.filter.formula import compile_formula
from parapluie_gui.errors import FilterError

NAN = float("nan")
COLUMNS = {
    "pluie.p1": np.array([1.0, 2.0, NAN, -1.0]),
    "pluie.p2": np.array([3.0, -2.0, 5.0, -1.0]),
    "source": np.array(["a cat", "b", "cat", None], dtype=object),
    "mean": np.array([1.0, 2.0, 3.0, 4.0]),
}
TITLES = {"P1": "pluie.p1", "P2 · Llama": "pluie.p2"}


def values(text: str) -> list[float]:
    return compile_formula(text, list(COLUMNS), TITLES).values(COLUMNS.__getitem__).tolist()


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("min(P1, pluie.p2)", [1, -2, NAN, -1]),
        ("max(P1, pluie.p2, 2)", [3, 2, NAN, 2]),
        ("mean(P1, `P2 · Llama`)", [2, 0, NAN, -1]),
        ("P1 - pluie.p2", [-2, 4, NAN, 0]),
        ("zscore(mean)", [-1.341640786, -0.447213595, 0.447213595, 1.341640786]),
        ("zscore(mean - mean)", [NAN] * 4),
        ("min(P1, pluie.p2) > 0", [1, 0, NAN, 0]),
        ("P1 > 0 or missing(P1)", [1, 1, 1, 0]),
        ("source contains 'cat' and mean < 3", [1, 0, 0, NAN]),
        ("length(source)", [5, 1, 3, NAN]),
    ],
)
def test_an_expression_computes_a_number_for_every_pair(text, wanted):
    np.testing.assert_allclose(values(text), wanted)


def test_a_displayed_name_of_several_words_needs_no_backticks():
    columns = {"edit_distance": np.array([0.1, 0.3]), "mean": np.array([0.2, 0.2])}
    columns["source"] = np.array(["a", "Edit"], dtype=object)
    titles = {"Edit distance": "edit_distance", "mean 2": "mean", "Edit": "source"}
    for text, wanted in (
        ("Edit distance < 0.2", [True, False]),
        ("0.2 < Edit distance and mean > 0", [False, True]),
        ("abs(Edit distance - mean 2) > 0 and Edit == 'a'", [True, False]),
        ("Edit or nothing", [False, True]),  # words alone are searched for
    ):
        assert compile_filter(text, list(columns), titles).mask(columns.__getitem__).tolist() == wanted, text
    with pytest.raises(FilterError, match='There is no column "Edi"'):
        compile_filter("Edi distance < 0.2", list(columns), titles)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('"Edit distance" < 0.2', [True, False]),
        ("'edit distance' < 0.2", [True, False]),
        ("`EDIT DISTANCE` < 0.2", [True, False]),
        ('"edit_distance" == 0.3', [False, True]),
        ('0.2 < "Edit distance" <= "BLEU · 4"', [False, True]),
        ("-\"Edit distance\" + 'BLEU · 4' * 2 > 0.4", [True, True]),
        ('max("Edit distance", "BLEU · 4") > 0.3', [False, True]),
        ('not missing("Edit distance")', [True, True]),
        ('"Source" contains "Edit"', [False, True]),
        ('"Source" == "Edit distance"', [False, True]),
        # a text where text has a meaning
        ('source == "Edit distance"', [False, True]),
        ('source contains "edit distance"', [False, True]),
        ('"Edit distance" in source', [False, True]),
        ('"Edit distance"', [False, True]),
    ],
)
def test_a_displayed_name_in_quotes_is_a_column_where_text_has_no_meaning(text, wanted):
    columns = {"edit_distance": np.array([0.1, 0.3]), "bleu": np.array([0.3, 0.4])}
    columns["source"] = np.array(["a", "Edit distance"], dtype=object)
    titles = {"Edit distance": "edit_distance", "BLEU · 4": "bleu", "Source": "source"}
    assert compile_filter(text, list(columns), titles).mask(columns.__getitem__).tolist() == wanted
    with pytest.raises(FilterError, match=r'There is no column "Edit distanse".*Did you mean `Edit distance`'):
        compile_filter('"Edit distanse" < 0.2', list(columns), titles)


def test_columns_are_stored_by_their_plain_names():
    result = compile_formula(" min(P1, `P2 · Llama`, mean) > 0 ", list(COLUMNS), TITLES)
    assert result.text == "min(pluie.p1, pluie.p2, mean) > 0" and result.verdict
    assert result.columns == {"pluie.p1", "pluie.p2", "mean"}
    assert not compile_formula("mean + 1", list(COLUMNS)).verdict
    assert compile_formula("abs('P2 · Llama') + \"p1\"", list(COLUMNS), TITLES).text == "abs(pluie.p2) + pluie.p1"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "The expression is empty."),
        ("P3 + 1", 'There is no column "P3" (at character 1). Did you mean P1?'),
        ("wrong", 'There is no column "wrong"'),
        ("source", 'The column "source" is text, not a number'),
        ("min(source, P1)", 'The column "source" is text, not a number (at character 5)'),
        ("3", "No column is named"),
        ("min(P1", "A closing parenthesis is missing"),
        ("P1 P1", "P1 is not expected here"),
    ],
)
def test_expressions_without_a_number_are_reported(text, sentence):
    with pytest.raises(FilterError) as error:
        values(text)
    assert sentence in str(error.value)


def test_filters_accept_the_functions_of_formulas():
    result = compile_filter("max(mean, 2) > zscore(mean) + 2 and min(mean, pluie.p2) > 0", list(COLUMNS))
    assert result.mask(COLUMNS.__getitem__).tolist() == [True, False, True, False]
