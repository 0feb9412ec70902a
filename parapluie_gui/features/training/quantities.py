"""Random quantities in two wordings, with different quantities that look like them."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from parapluie_gui import places
from parapluie_gui.own_files import read_toml

#: A quantity in two wordings, and two different quantities.
QuantityForms = tuple[str, str, str, str]


@cache
def _data() -> dict[str, Any]:
    data = read_toml(places.resources() / "training/quantities.toml")
    for name in ("ones", "tens", "ordinals", "months"):
        data[name] = data[name].split()
    data["shares"] = [tuple(row) for row in data["shares"]]
    for kind, rows in data["units"].items():
        data["units"][kind] = [(*names, int(ratio)) for *names, ratio in map(str.split, rows)]
    return data


def draw(kind: str, rng: random.Random) -> dict[str, str]:
    """Draw a quantity in two wordings, `p` and `q`, and two different quantities, `u` and `v`.

    The kinds: `count`, `duration`, `length`, `weight`, `volume`, `money`, `clock`, `date` and `share`.
    """
    while True:
        four = _KINDS[kind](rng) if kind in _KINDS else _measure(_data()["units"][kind], rng)
        if len(set(four)) == 4:
            return dict(zip("pquv", four, strict=True))


def spell_number(number: int) -> str:
    """Spell out a number below a million."""
    if number < 20:
        return str(_data()["ones"][number])
    if number < 100:
        return str(_data()["tens"][number // 10]) + (f"-{_data()['ones'][number % 10]}" if number % 10 else "")
    for size, name in ((1000, "thousand"), (100, "hundred")):
        if number >= size:
            rest = number % size
            joined = f" {spell_number(rest)}" if rest >= 100 else f" and {spell_number(rest)}"
            return f"{spell_number(number // size)} {name}{joined if rest else ''}"
    raise AssertionError


def _number(rng: random.Random) -> int:
    """Draw a number that people would use: small or round in most cases."""
    kind = rng.random()
    if kind < 0.45:
        return rng.randint(2, 20)
    if kind < 0.75:
        return rng.randint(21, 99)
    if kind < 0.9:
        return rng.randint(2, 99) * 10 ** rng.choice((1, 2))
    return rng.randint(101, 9999)


def _choose_similar_number(number: int, rng: random.Random) -> int:
    """Return a different number that looks or sounds like this one."""
    digits = str(number)
    others = [number * 10, number + 1, number + 10, number * 2, int(digits[::-1])]
    others += [number // 10] if number % 10 == 0 else []
    others += [number % 10 * 10] if 13 <= number <= 19 else []
    others += [number // 10 + 10] if number in range(30, 100, 10) else []
    others += [int(digits[:-1] + str((number + 3) % 10))] if number > 20 else [max(2, number - 1)]
    return rng.choice([other for other in others if other not in (0, 1, number) and other < 1_000_000] or [number + 2])


def _digits(number: int) -> str:
    return f"{number:,}" if number >= 1000 else str(number)


def _count(rng: random.Random) -> QuantityForms:
    number = _number(rng)
    return (
        _digits(number),
        spell_number(number),
        _digits(_choose_similar_number(number, rng)),
        spell_number(_choose_similar_number(number, rng)),
    )


def _measure(units: Sequence[tuple[Any, ...]], rng: random.Random) -> QuantityForms:
    one, many, short, small_one, small, small_short, ratio = rng.choice(units)

    def large(number: int, quarters: int) -> str:
        part = ("", " and a quarter", " and a half", " and three quarters")[quarters]
        article = "an" if one == "hour" else "a"
        if number == 0:
            names = ("", f"a quarter of {article} {one}", f"half {article} {one}", f"three quarters of {article} {one}")
            return names[quarters]
        if number == 1:
            return f"{article} {one}{part}" if quarters else rng.choice((f"{article} {one}", f"one {one}"))
        if quarters:
            return f"{spell_number(number)}{part} {many}"
        return rng.choice((f"{spell_number(number)} {many}", f"{number} {many}", f"{number} {short}"))

    def fine(number: int, word: str = small, abbreviated: str = small_short, single: str = small_one) -> str:
        if number == 1:
            return f"one {single}"
        spelled = [f"{spell_number(number)} {word}"] if number < 100 else []
        return rng.choice([f"{_digits(number)} {word}", f"{_digits(number)} {abbreviated}", *spelled])

    number = rng.choice((0, 1, 1, 1, 2, 2, 3, 4, 5, 6, 8, 10, 12, 15))
    quarters = rng.choice((1, 2, 3) if number == 0 else (0, 0, 2, 2, 1) if number < 4 else (0,))
    if ratio % 4 and quarters:
        number, quarters = max(1, number), 0
    total = number * ratio + quarters * ratio // 4
    others = [large(number + 1, quarters), large(number + 10, 0), large(number * 10 or 5, 0)]
    others += [large(0, quarters)] if quarters and number else []
    if number > 1 and not quarters:
        # Alternatively, the same number in a different unit.
        others += [fine(number), f"{number} {small_short}", f"{spell_number(number)} {small}"]
    wrong = [_choose_similar_number(total, rng), total * 10, total // 10 or total + 2, total + ratio]
    same = rng.random()
    first, second = large(number, quarters), fine(total)
    if same < 0.25 and not quarters and number > 1:
        first, second = f"{spell_number(number)} {many}", f"{number} {short}"
    return first, second, rng.choice(others), fine(rng.choice(wrong))


def _clock(rng: random.Random) -> QuantityForms:
    def word_time(hour: int, minute: int, way: int) -> str:
        this, following = _data()["ones"][(hour - 1) % 12 + 1], _data()["ones"][hour % 12 + 1]
        if way == 0:
            return f"{(hour - 1) % 12 + 1}:{minute:02d}"
        if minute == 0:
            return f"{this} o'clock"
        if minute == 30:
            return f"half past {this}"
        part = {15: "a quarter", 5: "five", 10: "ten", 20: "twenty", 25: "twenty-five"}[min(minute, 60 - minute)]
        return f"{part} past {this}" if minute < 30 else f"{part} to {following}"

    hour, minute = rng.randint(1, 12), rng.choice((0, 5, 10, 15, 15, 20, 25, 30, 30, 35, 40, 45, 45, 50, 55))
    ways = rng.sample((0, 1), 2)
    others = [(hour, 60 - minute) if minute else (hour, 30), (hour + 1, minute), (hour - 1 or 12, minute)]
    others += [(hour, (minute + 30) % 60), (hour, (minute + 10) % 60)]
    one, other = rng.sample([time for time in others if time != (hour, minute)], 2)
    first, second = (word_time(hour, minute, way) for way in ways)
    return first, second, word_time(*one, way=rng.randrange(2)), word_time(*other, way=rng.randrange(2))


def _date(rng: random.Random) -> QuantityForms:
    def word_date(day: int, month: int, way: int) -> str:
        name = _data()["months"][month]
        ending = {1: "st", 2: "nd", 3: "rd"}.get(day % 10 if day // 10 != 1 else 0, "th")
        ways = (f"{day} {name}", f"{name} {day}", f"the {_data()['ordinals'][day]} of {name}", f"{name} {day}{ending}")
        return ways[way]

    day, month = rng.randint(1, 30), rng.randrange(12)
    day = min(day, 28) if month == 1 else day
    others = [(day, (month + 1) % 12), (day % 28 + 1, month), ((day + 9) % 28 + 1, month)]
    ways = rng.sample(range(4), 2)
    one, other = rng.sample(others, 2)
    first, second = (word_date(day, month, way) for way in ways)
    return first, second, word_date(*one, way=rng.randrange(4)), word_date(*other, way=rng.randrange(4))


def _share(rng: random.Random) -> QuantityForms:
    name, per_cent, above, below = rng.choice(_data()["shares"])
    times = rng.randint(2, 15)
    total, part = below * times, above * times
    others = [share for share in _data()["shares"] if share[2:] != (above, below)]
    wrong = rng.choice(others)
    shares = [
        f"{name} of the {_digits(total)}",
        f"{per_cent} of the {_digits(total)}",
        f"{name} of the {spell_number(total)}",
    ]
    numbers = [f"{_digits(part)} of the {_digits(total)}", f"{spell_number(part)} of the {spell_number(total)}"]
    return (
        rng.choice(shares),
        rng.choice(numbers),
        f"{wrong[rng.randrange(2)]} of the {_digits(total)}",
        f"{_digits(_choose_similar_number(part, rng) if 2 * part == total else total - part)} of the {_digits(total)}",
    )


_KINDS: dict[str, Callable[[random.Random], QuantityForms]] = {
    "count": _count,
    "clock": _clock,
    "date": _date,
    "share": _share,
}
