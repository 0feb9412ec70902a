"""Tests of drawn quantities: those declared equal are equal, and the rest are not."""

from __future__ import annotations

import functools
import random
import re
from fractions import Fraction

import pytest

from parapluie_gui.features.training.quantities import draw, spell_number

#: For each unit, how many of the smallest unit of its kind.
SIZES = {
    "second seconds s": 1,
    "minute minutes min": 60,
    "hour hours h": 3600,
    "day days": 86_400,
    "week weeks": 7 * 86_400,
    "month months": 10**9,  # days per month vary: months and years are compared only with each other
    "year years": 12 * 10**9,
    "decade decades": 120 * 10**9,
    "century centuries": 1200 * 10**9,
    "millimetre millimetres mm": 10,
    "centimetre centimetres cm": 100,
    "metre metres m": 10_000,
    "kilometre kilometres km": 10_000_000,
    "inch inches in": 254,
    "foot feet ft": 254 * 12,
    "yard yards yd": 254 * 36,
    "milligram milligrams mg": 1,
    "gram grams g": 1000,
    "kilogram kilograms kilo kilos kg": 1_000_000,
    "tonne tonnes t": 1_000_000_000,
    "millilitre millilitres ml": 1,
    "centilitre centilitres cl": 10,
    "litre litres l": 1000,
    "cent cents penny pence": 1,
    "dollar dollars euro euros pound pounds": 100,
}
UNIT = {name: size for names, size in SIZES.items() for name in names.split()}
PARTS = {
    "a quarter": Fraction(1, 4),
    "half": Fraction(1, 2),
    "a half": Fraction(1, 2),
    "three quarters": Fraction(3, 4),
}
SHARES = {
    "half": Fraction(1, 2),
    "50%": Fraction(1, 2),
    "a third": Fraction(1, 3),
    "a good 33%": Fraction(1, 3),
    "a quarter": Fraction(1, 4),
    "25%": Fraction(1, 4),
    "a fifth": Fraction(1, 5),
    "20%": Fraction(1, 5),
    "a tenth": Fraction(1, 10),
    "10%": Fraction(1, 10),
    "two thirds": Fraction(2, 3),
    "a good 66%": Fraction(2, 3),
    "three quarters": Fraction(3, 4),
    "75%": Fraction(3, 4),
    "two fifths": Fraction(2, 5),
    "40%": Fraction(2, 5),
    "four fifths": Fraction(4, 5),
    "80%": Fraction(4, 5),
    "nine tenths": Fraction(9, 10),
    "90%": Fraction(9, 10),
}


@functools.cache
def spelled() -> dict[str, int]:
    """Return the numbers below 100,000 by their words."""
    return {spell_number(number): number for number in range(100_000)}


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (7, "seven"),
        (13, "thirteen"),
        (40, "forty"),
        (99, "ninety-nine"),
        (100, "one hundred"),
        (306, "three hundred and six"),
        (1_005, "one thousand and five"),
        (5_400, "five thousand four hundred"),
        (19_000, "nineteen thousand"),
        (120_014, "one hundred and twenty thousand and fourteen"),
    ],
)
def test_numbers_are_spelled_out(number: int, words: str) -> None:
    assert spell_number(number) == words


@pytest.mark.parametrize("kind", ["count", "duration", "length", "weight", "volume", "money", "clock", "date", "share"])
def test_p_and_q_are_equal_quantities_and_u_and_v_are_not(kind: str) -> None:
    rng = random.Random(kind)
    for _ in range(3000):
        drawn = draw(kind, rng)
        assert value(kind, drawn["p"]) == value(kind, drawn["q"]), drawn
        assert value(kind, drawn["u"]) != value(kind, drawn["p"]) != value(kind, drawn["v"]), drawn


def value(kind: str, text: str) -> object:
    """Return the value of a quantity, parsed independently of its generation."""
    return {"count": number, "clock": clock, "date": date, "share": share}.get(kind, measure)(text)


def number(text: str) -> int:
    return int(text.replace(",", "")) if text[0].isdigit() else spelled()[text]


def measure(text: str) -> Fraction:
    if result := re.fullmatch(r"(a quarter|half|three quarters)(?: of)? an? (\w+)", text):
        return PARTS[result[1]] * UNIT[result[2]]
    if result := re.fullmatch(r"an? (\w+) and (a quarter|a half|three quarters)", text):
        return (1 + PARTS[result[2]]) * UNIT[result[1]]
    amount, _, unit = text.rpartition(" ")
    amount, _, part = amount.partition(" and a ") if " and a " in amount else (amount, "", "")
    more = Fraction(3, 4) if amount.endswith(" and three quarters") else PARTS[f"a {part}"] if part else Fraction(0)
    amount = amount.removesuffix(" and three quarters")
    return (1 if amount in ("a", "an") else number(amount)) * Fraction(UNIT[unit]) + more * UNIT[unit]


def clock(text: str) -> tuple[int, int]:
    if ":" in text:
        hour, minute = text.split(":")
        return int(hour), int(minute)
    if text.endswith(" o'clock"):
        return spelled()[text.removesuffix(" o'clock")], 0
    part, way, hour = re.split(" (past|to) ", text)
    minutes = {"half": 30, "a quarter": 15}.get(part) or spelled()[part]
    at = spelled()[hour]
    return (at, minutes) if way == "past" else ((at - 2) % 12 + 1, 60 - minutes)


def date(text: str) -> tuple[str, str]:
    (month,) = re.findall("[A-Z][a-z]+", text)
    rest = text.replace(month, "")
    if digits := re.search(r"\d+", rest):
        return month, digits.group()
    irregular = {"first": "1", "second": "2", "third": "3", "fifth": "5", "eighth": "8", "ninth": "9", "twelfth": "12"}
    word = re.search("the ([a-z-]+) of", rest)
    assert word is not None
    tens, _, ones = word[1].rpartition("-")
    stem = irregular.get(ones) or str(spelled().get(ones.removesuffix("th").replace("tie", "ty")))
    return month, str(int(stem) + (spelled()[tens] if tens else 0))


def share(text: str) -> Fraction:
    part, _, whole = text.rpartition(" of the ")
    return SHARES[part] if part in SHARES else Fraction(number(part), number(whole))
