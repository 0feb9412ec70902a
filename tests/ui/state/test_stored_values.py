"""Values of a file with arbitrary content: each has the requested type, or is left out and named."""

from __future__ import annotations

import json
import math

import pytest

from parapluie_gui.ui.state.stored_values import StoredValues

#: JSON values of every type.
ODD = [None, True, 0, -1, 2**40, 10**400, 0.5, math.nan, math.inf, "", "word", "\udcff", [], [1, "a"], {}, {"a": 1}]
ASKING = {
    "text": str,
    "flag": bool,
    "number": float | None,
    "place": int | None,
    "texts": list,
    "flags": dict,
    "part": StoredValues,
}


@pytest.mark.parametrize("value", ODD, ids=lambda value: repr(value)[:20])
@pytest.mark.parametrize("ask", ASKING)
def test_any_stored_value_is_returned_in_the_requested_type(ask, value):
    stored = StoredValues({"key": value})
    result = getattr(stored, ask)("key")
    assert isinstance(result, ASKING[ask])
    assert result is None or not isinstance(result, float) or math.isfinite(result)
    fits = value is None or isinstance(value, ASKING[ask]) or (ask, type(value)) in {("number", int), ("part", dict)}
    if not fits:
        assert stored.skipped == ["key"]


@pytest.mark.parametrize(
    ("ask", "value", "answer"),
    [
        ("text", "a", "a"),
        ("flag", True, True),
        ("number", 3, 3.0),
        ("number", -0.5, -0.5),
        ("place", 7, 7),
        ("texts", ["a", "b"], ["a", "b"]),
        ("flags", {"a": True, "b": False}, {"a": True, "b": False}),
    ],
)
def test_a_value_of_the_requested_type_is_returned_unchanged(ask, value, answer):
    stored = StoredValues(json.loads(json.dumps({"key": value})))
    assert getattr(stored, ask)("key") == answer
    assert stored.skipped == []


@pytest.mark.parametrize(
    ("ask", "value"),
    [("number", True), ("number", 10**400), ("number", math.nan), ("place", True), ("place", -1), ("place", 2**40)],
)
def test_invalid_numbers_are_left_out(ask, value):
    stored = StoredValues({"key": value})
    assert getattr(stored, ask)("key") is None
    assert stored.skipped == ["key"]


def test_a_list_keeps_its_valid_values():
    stored = StoredValues({"texts": ["a", 1, "b"], "flags": {"a": True, "b": "yes"}})
    assert stored.texts("texts") == ["a", "b"]
    assert stored.flags("flags") == {"a": True}
    assert stored.skipped == ["texts", "flags"]


def test_errors_name_the_full_path_and_every_value_once():
    stored = StoredValues({"setup": {"judge": {"exact": 1}}})
    for _ in range(2):
        stored.part("setup").part("judge").flag("exact")
    assert stored.skipped == ["setup.judge.exact"]


def test_a_missing_value_is_not_an_error():
    stored = StoredValues({})
    assert (stored.text("a"), stored.flag("a"), stored.number("a"), stored.texts("a"), dict(stored.part("a"))) == (
        "",
        False,
        None,
        [],
        {},
    )
    assert stored.skipped == []
