"""Options of every kind: reading, writing, valid values and descriptions."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pytest

from parapluie_gui.errors import ParapluieError
from parapluie_gui.options import check_options, choice, decimal, integer, keys_as_titles, list_options, switch, text


@dataclass(frozen=True)
class Sample:
    layer: int = integer("&Layer", 0, 40, 0, "layer of the encoder", special="automatic")
    weight: float = decimal("&Weight", 0, 1, 0.25, "weight of the rest")
    part: str = choice("&Part", {"f": "F1", "p": "precision"}, "part of the score", default="f")
    case: bool = switch("&Case", "upper case counts")
    label: str = text("&Label", "name of the label")
    pairs: int = integer("", 1, math.inf, 10, "pairs")


SAMPLE = {each.name: each for each in list_options(Sample)}


@pytest.mark.parametrize(
    ("name", "written", "value"),
    [
        ("layer", "9", 9),
        ("weight", "0.5", 0.5),
        ("part", "p", "p"),
        ("case", "on", True),
        ("case", "off", False),
        ("label", "a b", "a b"),
        ("pairs", "100000", 100_000),
    ],
)
def test_written_values_are_read_back(name, written, value):
    option = SAMPLE[name]
    assert option.read(written) == value and type(option.read(written)) is type(value)
    assert option.write(value) == written


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("layer", "41", "41 is not a whole number from 0 to 40"),
        ("layer", "1.5", "1.5 is not a whole number from 0 to 40"),
        ("weight", "nan", "nan is not a number from 0 to 1"),
        ("part", "q", "q is not f or p"),
        ("case", "maybe", "maybe is not on or off"),
        ("pairs", "0", "0 is not a whole number of at least 1"),
    ],
)
def test_invalid_values_are_rejected(name, text, sentence):
    with pytest.raises(ValueError) as caught:
        SAMPLE[name].read(text)
    assert str(caught.value) == sentence


def test_options_describe_their_values():
    assert [each.description for each in SAMPLE.values()] == [
        "layer of the encoder; automatic by default",
        "weight of the rest, 0 to 1; 0.25 by default",
        "part of the score: f (F1) or p (precision); f by default",
        "upper case counts: on or off; off by default",
        "name of the label",
        "pairs; 10 by default",
    ]


def test_flags_follow_the_field_names():
    assert [each.flag for each in SAMPLE.values()][:2] == ["--layer", "--weight"]


def test_check_options_names_the_flag_of_a_wrong_value():
    with pytest.raises(ParapluieError, match=r"^50 is not a whole number from 0 to 40 for --layer\.$"):
        check_options(Sample(layer=50), None)
    with pytest.raises(ParapluieError, match=r'^There is no "x" for --part'):
        check_options(Sample(part="x"), None)


def test_keys_can_be_their_own_titles():
    assert keys_as_titles(["a", "b"]) == {"a": "a", "b": "b"}
