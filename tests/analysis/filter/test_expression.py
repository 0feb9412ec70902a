"""The filter language: its meaning, its error messages, and robustness against any text."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parapluie_gui.analysis.filter.expression import compile_filter
from parapluie_gui.errors import FilterError

NAN = np.nan
TABLE = {
    "id": ["1", "2", "3", "4"],
    "source": ["Have you ever seen a tsunami ?", "It's fine", "The Straße is long", "one two"],
    "hypothesis": ["Have you ever seen a tiramisu ?", "don't ask", "a and b", 'she said "no"'],
    "reference": ["a tsunami", None, "x", "y"],
    "label": [0.0, 1.0, NAN, 1.0],
    "edit_distance": [0.1, 0.2, 0.6, 0.9],
    "bleu": [0.5, NAN, 0.25, 0.0],
    "pluie.direct": [-17.0, 3.0, 0.0, NAN],
    "pluie.direct.p_yes": [0.01, 0.9, 0.5, NAN],
    "pluie.fs-direct": [-1.0, 2.0, 0.5, 1.0],
    "#1 ID": [10.0, 20.0, 30.0, NAN],
    "and": [1.0, 2.0, 3.0, 4.0],
    "genre": ["news", "", None, "news"],
    "type": ["number, negation", "general word", None, "Negation"],
}


def get(name: str) -> np.ndarray:
    values = TABLE[name]
    return np.array(values, dtype=float if isinstance(values[0], float) else object)


def rows(text: str) -> list[int]:
    mask = compile_filter(text, list(TABLE)).mask(get)
    assert mask.dtype == bool and mask.shape == (4,)
    return np.flatnonzero(mask).tolist()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", [0, 1, 2, 3]),
        ("   ", [0, 1, 2, 3]),
        # comparisons; a missing value satisfies none, not even !=
        ("bleu >= 0.25", [0, 2]),
        ("bleu != 0.5", [2, 3]),
        ("bleu == 0", [3]),
        # a complete member of a list; "has" alone is an ordinary word
        ('type has "negation"', [0, 3]),
        ('not type has "negation" and label == 1', [1]),
        ('type has "word"', []),
        ('type has "number" and type has "negation"', [0]),
        ("it has", []),
        ("bleu = 0", [3]),
        ("0.1 < edit_distance <= 0.6", [1, 2]),
        ("edit_distance > .5 and pluie.direct >= 0", [2]),
        ("not bleu > 0.3", [1, 2, 3]),
        ("label == 1 or edit_distance < 0.15", [0, 1, 3]),
        ("label == 1 and edit_distance < 0.5 or bleu == 0.25", [1, 2]),
        ("label == 1 and (edit_distance < 0.5 or bleu == 0)", [1, 3]),
        ("not (label == 1)", [0, 2]),
        ("((bleu)) >= 2.5e-1", [0, 2]),
        ("1 < 2", [0, 1, 2, 3]),
        ("2 < 1", []),
        # names with dots, hyphens, odd signs; a hyphen outside a name is a minus
        ("pluie.fs-direct > 0", [1, 2, 3]),
        ("pluie.direct.p_yes > 0.4", [1, 2]),
        ("pluie.fs-direct-pluie.direct > 0", [0, 2]),
        ("pluie.fs-direct - pluie.direct > 0", [0, 2]),
        ("edit_distance-0.5 > 0", [2, 3]),
        ("`#1 ID` > 15", [1, 2]),
        ("`and` > 2 and `bleu` >= 0", [2, 3]),
        # arithmetic
        ("edit_distance + bleu * 2 > 1", [0, 2]),
        ("(edit_distance + bleu) * 2 > 1.5", [2, 3]),
        ("-pluie.direct > 1", [0]),
        ("abs(pluie.direct) > 2", [0, 1]),
        ("abs(pluie.direct - -17) < 1", [0]),
        ("1 / bleu > 3", [2, 3]),
        ("bleu / bleu == 1", [0, 2]),
        ("8 / 2 / 2 == 2", [0, 1, 2, 3]),
        ("10 - 2 - 3 == 5", [0, 1, 2, 3]),
        # errors of the templates; a pair without a label or without one of the scores does not count
        ("wrong_by_all()", []),
        ("wrong_by_any(pluie.direct, `edit_distance`)", [0]),  # the best threshold of the distance is 0.9
        ("wrong_by_all(pluie.direct, edit_distance)", []),
        ("wrong_by_all(edit_distance) and not wrong_by_any()", [0]),
        ("not wrong_by_any() and label >= 0", [0, 1, 3]),
        # missing
        ("missing(bleu)", [1]),
        ("missing(reference) or missing(genre)", [1, 2]),
        ("not missing(bleu)", [0, 2, 3]),
        # texts
        ('source contains "TSUNAMI"', [0]),
        ('contains(source, "tsunami")', [0]),
        ("'tsunami' in source", [0]),
        ('"tsunami" not in source', [1, 2, 3]),
        ('source not contains "tsunami"', [1, 2, 3]),
        ('source contains "STRASSE"', [2]),
        ('reference contains "t"', [0]),
        ("reference in source", [0]),
        ('id == "3"', [2]),
        ('genre == "news"', [0, 3]),
        ('genre != "news"', [1]),
        ('genre == ""', [1]),
        (r'hypothesis contains "\"no\""', [3]),
        ("length(source) < 8", [3]),
        ("words(hypothesis) == 3", [2, 3]),
        ("length(source) > length(hypothesis)", [2]),
        ('length("abc") == 3 and words("a b") == 2', [0, 1, 2, 3]),
        ("length(reference) > 0", [0, 2, 3]),
        # words alone are searched for in both sentences
        ("tsunami", [0]),
        ("TIRAMISU", [0]),
        ("have you ever", [0]),
        ('"have you ever"', [0]),
        ("'have you ever'", [0]),
        ("don't", [1]),
        ("it's", [1]),
        ("tiramisu ?", [0]),
        ("strasse", [2]),
        ("“strasse”", [2]),
        ("xyz", []),
        ('"bleu"', []),
        ('"a and b"', [2]),
        ('"ever" and label == 0', [0]),
        ("tsunami or ask", [0, 1]),
        ("not tsunami", [1, 2, 3]),
        ("(one two) or fine", [1, 3]),
        ("seen a tsunami and edit_distance < 0.5", [0]),
    ],
)
def test_filters_select_the_rows_they_describe(text, expected):
    assert rows(text) == expected


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("bluu > 0.5", 'There is no column "bluu" (at character 1). Did you mean bleu?'),
        (
            "label == 1 and pluie.direkt > 0",
            'There is no column "pluie.direkt" (at character 16). Did you mean pluie.direct',
        ),
        ("source = yes", 'There is no column "yes" (at character 10). Write "yes" in quotes if it is a text.'),
        ("source contains sky", 'There is no column "sky" (at character 17). Write "sky" in quotes if it is a text.'),
        ("label = maybe", 'There is no column "maybe" (at character 9). Write "maybe" in quotes if it is a text.'),
        ("bleu != bluu", 'There is no column "bluu" (at character 9). Did you mean bleu?'),
        ("`#2 ID` > 1", 'There is no column "#2 ID" (at character 1). Did you mean `#1 ID`'),
        ("bleu >", "The filter is incomplete (at character 7). Write a column, a number or a text in quotes."),
        ("bleu > > 1", "Expected a column, a number or a text before “>” (at character 8)"),
        ("bleu > 0.5 0.6", "0.6 is not expected here (at character 12)"),
        ("(bleu > 0.5", "A closing parenthesis is missing (at character 1)"),
        ("bleu > 0.5)", ") is not expected here (at character 11)"),
        ('source contains "x', "A closing quotation mark is missing (at character 17)"),
        ("bleu", "bleu is a column, not a condition (at character 1). Compare it, as in bleu > 0, or write"),
        ("`#1 ID` and bleu > 0", "`#1 ID` is a column, not a condition (at character 1)"),
        ("bleu + 1", "A number is not a condition (at character 1)"),
        ("(bleu > 1) + 1 > 2", "There is a condition where a value is expected (at character "),
        ("abs(bleu, bleu) > 1", "abs() has 2 values (at character 1). It takes 1."),
        ("abs() > 1", ") is not expected here (at character 5)"),
        ("bleu > $5", '"$" has no meaning in a filter (at character 8)'),
        ('bleu > "high"', '"high" is text, not a number (at character 8)'),
        ("source == 3", 'The column "source" is text, not a number (at character 1)'),
        ("source > 3", 'The column "source" is text, not a number (at character 1)'),
        ('source < "b"', 'Texts cannot be compared with "<" (at character 8)'),
        ('bleu contains "x"', 'The column "bleu" is a number, not text (at character 1)'),
        ("length(bleu) > 1", 'The column "bleu" is a number, not text (at character 8)'),
        ("abs(source) > 1", 'The column "source" is text, not a number (at character 5)'),
        ("(" * 1000 + "bleu" + ")" * 1000 + " > 1", "The filter is nested too deeply"),
        ("not " * 1000 + "bleu > 1", "The filter is nested too deeply"),
        ("-" * 1000 + "bleu > 1", "The filter is nested too deeply"),
    ],
)
def test_mistakes_are_reported_in_a_sentence(text, sentence):
    with pytest.raises(FilterError) as caught:
        compile_filter(text, list(TABLE)).mask(get)
    message = str(caught.value)
    assert message.startswith(sentence)
    assert message.endswith((".", "?")) and "\n" not in message


@pytest.mark.parametrize("word", ["yes", "TRUE", "paraphrase", '"paraphrase"', "1", '"1"', "oui"])
def test_a_label_is_compared_with_any_word_for_it(word):
    assert rows(f"label = {word}") == rows("label == 1") and rows(f"label != {word}") == rows("label != 1")
    assert rows('label = "not a paraphrase"') == rows("label = no") == rows("label == 0")


def test_without_columns_there_is_nothing_to_search():
    with pytest.raises(FilterError, match="no sentences to search"):
        compile_filter("tsunami", ["bleu"])
    with pytest.raises(FilterError, match=r"There are no columns yet"):
        compile_filter("bleu > 1", [])
    assert compile_filter("", []).mask(get).shape == (0,)


def test_a_filter_names_the_columns_it_reads():
    columns = list(TABLE)
    assert compile_filter("bleu > 0 and abs(label) < length(source)", columns).columns == {"bleu", "label", "source"}
    assert compile_filter("tsunami", columns).columns == {"source", "hypothesis"}
    assert compile_filter("", columns).columns == frozenset()


def test_long_filters_do_not_exhaust_the_stack():
    assert rows(" + ".join(["bleu"] * 5000) + " >= 0") == [0, 2, 3]
    assert rows(" or ".join(["bleu > 0.3"] * 5000)) == [0]
    assert rows("bleu" + " >= 0" * 3000) == [0, 2, 3]


def test_the_mask_belongs_to_the_caller():
    everything = compile_filter("1 < 2", list(TABLE)).mask(get)
    everything[0] = False
    assert everything.tolist() == [False, True, True, True]


def check_only_filter_errors(text: str) -> None:
    try:
        mask = compile_filter(text, list(TABLE)).mask(get)
    except FilterError as error:
        assert str(error).endswith((".", "?"))
    else:
        assert mask.shape == (4,) and mask.dtype == bool


@given(st.text(st.characters()))
def test_no_text_crashes_the_parser(text):
    check_only_filter_errors(text)


WORDS = [
    *TABLE,
    *["`#1 ID`", "<", ">", "<=", ">=", "==", "!=", "=", "+", "-", "*", "/", "(", ")", ","],
    *["and", "or", "not", "in", "contains", "abs(", "missing(", "length(", "words(", "contains("],
    *["0", "1.5", "1e999", "9" * 400, '"a"', "'b", '"', "`", "tsunami", ".", "\\", "²", "१", "\x00"],
]


@given(st.lists(st.sampled_from(WORDS), max_size=12), st.sampled_from(["", " "]))
def test_no_sequence_of_tokens_crashes_the_parser(parts, space):
    check_only_filter_errors(space.join(parts))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/T\\w+ami/", []),
        ("/t\\w+ami/", [0]),
        ("/T\\w+AMI/i", [0]),
        ("  /seen a (tsu|tira)/ ", [0]),
        ("source contains /^The/", [2]),
        ("source contains /It/ and label == 1", [1]),
        ("not source contains /\\bis\\b/", [0, 1, 3]),
        ('/fine/ or /no"$/', [1, 3]),
        ("/ti/ in hypothesis", [0]),
        ("contains(reference, /x|y/)", [2, 3]),
        ("label == 1 and /on/", [1, 3]),
        ("bleu / 2 / 2 > 0.1", [0]),
        ("(bleu)/2/1 > 0.2", [0]),
    ],
)
def test_regular_expressions_are_searched_for(text, expected):
    assert rows(text) == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [("/a(/", "invalid"), ("source == /a/", "cannot be compared"), ("/a/x", "no meaning after")],
)
def test_invalid_regular_expressions_are_reported(text, words):
    with pytest.raises(FilterError, match=words):
        rows(text)


def test_a_filter_of_a_megabyte_is_refused():
    with pytest.raises(FilterError, match="more than 100,000 characters"):
        compile_filter(" or ".join(["length(source) > 1"] * 50_000), ["source"])
