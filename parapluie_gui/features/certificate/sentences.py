"""Sentences of `resources/certificate` with their slots filled, and everything that is made of each."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from parapluie_gui.features.certificate.behaviours import ADDED, LOST
from parapluie_gui.features.certificate.words import NUMBERS, sentences, slots

#: The slots whose change is a behaviour of its own.
_BEHAVIOUR_OF = {
    "a": "name",
    "b": "name",
    "place": "place",
    "n": "number",
    **dict.fromkeys(("day", "month", "year"), "time"),
    **dict.fromkeys(("length", "measure", "weight", "duration", "span", "money", "volume"), "unit"),
}
#: The behaviours that a sentence of the file may say how to make.
_WRITTEN = ("negation", "modality", "tense", "antonym", "quantifier", "time")
_SLOT = re.compile(r"\{(\w+)\}")
_DETAIL = re.compile(r"\[([^]]*)\]")
#: Slots that are changed one after the other on a ladder, at most.
_RUNGS = 3


@dataclass(frozen=True)
class Made:
    """A sentence and what is made of it; a behaviour that does not apply to it is left out.

    Attributes:
        text: The sentence.
        reworded: It says the same.
        others: Sentences of another meaning by the behaviour's key; "added" and "lost" say more and less.
        digits: It with a number in digits, or "".
        ladder: Sentences of growing difference.
        family: Sentences of which some say the same as others.
    """

    text: str
    reworded: str = ""
    others: Mapping[str, str] = field(default_factory=dict)
    digits: str = ""
    ladder: tuple[str, ...] = ()
    family: tuple[str, ...] = ()


def own_sentences(rng: random.Random) -> Iterator[Made]:
    """Yield sentences endlessly, in rounds: each of the file once per round, filled in again, in another order."""
    every = list(sentences())
    while True:
        rng.shuffle(every)
        for each in every:
            yield made(each, rng)


def made(entry: Mapping[str, Any], rng: random.Random) -> Made:
    """Return an entry of the file with its slots filled and what can be made of it."""
    detailed = rng.random() < 0.5
    form, other_form = (_form(entry["text"], with_detail) for with_detail in (detailed, not detailed))
    same = _form(rng.choice(entry["same"]), detailed)
    values = _values(entry, rng)
    text = _fill(form, values)
    replaced = {slot: {**values, slot: _another(slot, values, rng)} for slot in _slots(form)}
    others: dict[str, str] = {}
    for slot in rng.sample(list(replaced), len(replaced)):
        others.setdefault(_BEHAVIOUR_OF[slot], _fill(form, replaced[slot]))
    for key in _WRITTEN:
        if key in entry and (changed := replaced_once(form, entry[key])) is not None:
            others[key] = _fill(changed, values)
    if (swapped := _swapped(form, entry.get("swap"))) is not None:
        others["swap"] = _fill(swapped, values)
    if form != other_form:
        others[LOST if detailed else ADDED] = _fill(other_form, values)
    number = values["n"]
    digits = str({word: digit for digit, word in NUMBERS.items()}[number])
    return Made(
        text,
        _fill(same, values),
        others,
        _fill(form, {**values, "n": digits}) if "n" in replaced else "",
        _ladder(form, values, replaced, rng),
        _family(form, same, values, replaced, rng),
    )


def replaced_once(form: str, rule: str) -> str | None:
    """Return a form with "before -> after" done, or None where `before` is not in it exactly once."""
    before, after = rule.split(" -> ")
    places = list(re.finditer(rf"(?<!\w){re.escape(before)}(?!\w)", form))
    return form[: places[0].start()] + after + form[places[0].end() :] if len(places) == 1 else None


def _form(text: str, detailed: bool) -> str:
    return _DETAIL.sub(r"\1" if detailed else "", text)


def _slots(form: str) -> list[str]:
    return list(dict.fromkeys(_SLOT.findall(form)))


def _values(entry: Mapping[str, Any], rng: random.Random) -> dict[str, str]:
    """Return a word for every slot."""
    lists = slots()
    one, other = rng.sample(lists["names"], 2)
    return {"a": one, "b": other, **{slot: rng.choice(words) for slot, words in lists.items() if slot != "names"}}


def _another(slot: str, values: Mapping[str, str], rng: random.Random) -> str:
    words = slots()["names" if slot in "ab" else slot]
    taken = {values["a"], values["b"]} if slot in "ab" else {values[slot]}
    return rng.choice([word for word in words if word not in taken])


def _fill(form: str, values: Mapping[str, str]) -> str:
    text = form.format_map(values)
    return text[:1].upper() + text[1:]


def _swapped(form: str, pair: str | bool | None) -> str | None:
    """Return a form in which two have changed their places, or None where that is not asked for."""
    if not pair:
        return None
    one, other = ("{a}", "{b}") if pair is True else str(pair).split(" | ")
    return form.replace(one, "\0").replace(other, one).replace("\0", other)


def _ladder(
    form: str, values: Mapping[str, str], replaced: Mapping[str, Mapping[str, str]], rng: random.Random
) -> tuple[str, ...]:
    """Return the form with one slot changed, with two, with three; nothing where there are not two."""
    if len(replaced) < 2:
        return ()
    steps, now = [], dict(values)
    for slot in rng.sample(list(replaced), min(_RUNGS, len(replaced))):
        now[slot] = replaced[slot][slot]
        steps.append(_fill(form, now))
    return tuple(steps)


def _family(
    form: str, same: str, values: Mapping[str, str], replaced: Mapping[str, Mapping[str, str]], rng: random.Random
) -> tuple[str, ...]:
    """Return one thing said in two ways, and another thing said in the same two ways."""
    if not replaced:
        return (_fill(form, values), _fill(same, values))
    other: Mapping[str, str] = replaced[rng.choice(list(replaced))]
    return tuple(_fill(each, words) for words in (values, other) for each in (form, same))


def shared_words(one: str, other: str, least: int = 5) -> Sequence[str]:
    """Return the longer words that two sentences have in common."""
    found = [set(re.findall(rf"\w{{{least},}}", text.lower())) for text in (one, other)]
    return sorted(found[0] & found[1])
