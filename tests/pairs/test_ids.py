"""Ids of pairs: a generated id never equals an id of the file, and a repeated id names all its pairs."""

from __future__ import annotations

import pytest

from parapluie_gui.pairs.ids import PairFinder, complete_ids, plain_ids


@pytest.mark.parametrize(
    ("ids", "completed"),
    [
        (["1", "", "2", "3"], ["1", "row 2", "2", "3"]),
        (["3", "4", ""], ["3", "4", "row 3"]),
        (["", "row 1", "row 1#2"], ["row 1#3", "row 1", "row 1#2"]),
        (["1", "1", "2"], ["1", "1#2", "2"]),
        (["7", "7", "7#2", ""], ["7", "7#3", "7#2", "row 4"]),
    ],
)
def test_missing_ids_are_generated_and_existing_ids_are_unchanged(ids, completed):
    result = complete_ids(ids, range(1, len(ids) + 1)).ids
    assert result == completed
    assert len(set(result)) == len(result)
    for text in set(ids) - {""}:
        assert text in result


def test_texts_that_a_spreadsheet_keeps_by_formulas_are_ids_without_them():
    assert plain_ids(['="007"', "", '="a"b"', '="8.0"']) == ["007", "", '="a"b"', "8.0"]


def test_missing_and_repeated_ids_are_described():
    assert list(complete_ids(["a", "b"], [1, 2]).describe()) == []
    assert list(complete_ids(["", "b"], [5, 6]).describe()) == ["1 row without an id (called “row 5”)"]
    assert list(complete_ids(["a", "a", "a"], [1, 2, 3]).describe()) == ["2 repeated ids (the first is called “a#2”)"]


def test_integers_written_by_pandas_as_floats_are_integers_again():
    assert plain_ids(["1.0", "", "3.0"]) == ["1", "", "3"]
    assert plain_ids(["1.0", "1.5"]) == ["1.0", "1.5"]
    assert plain_ids(["2.0", "section 3.0"]) == ["2.0", "section 3.0"]
    assert plain_ids(["", ""]) == ["", ""]


def test_a_repeated_id_names_all_its_pairs():
    finder = PairFinder(["1", "1#2", "1#3", "2", "2#4"])
    assert finder.rows("1") == [0, 1, 2]
    assert finder.rows("1#2") == [1]
    assert finder.rows("2") == [3]
    assert finder.rows("2.0") == [3]
    assert finder.rows("9") == []
