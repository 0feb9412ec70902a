"""Sentences from the templates in `resources/certificate`, with their slots filled, and variants of each."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from parapluie_gui.features.certificate.behaviours import ADDED, LOST
from parapluie_gui.features.certificate.words import NUMBERS, sentences, slots

#: The behaviour that is tested by changing a slot.
_BEHAVIOUR_OF = {
    "a": "name",
    "b": "name",
    "place": "place",
    "n": "number",
    **dict.fromkeys(("day", "month", "year"), "time"),
    **dict.fromkeys(("length", "measure", "weight", "duration", "span", "money", "volume"), "unit"),
}
#: The behaviours for which a template can have a rule, "before -> after".
_RULES = ("negation", "modality", "tense", "antonym", "quantifier", "time")
_SLOT = re.compile(r"\{(\w+)\}")
_DETAIL = re.compile(r"\[([^]]*)\]")
#: Maximum number of slots changed one after another on a ladder.
_RUNGS = 3


@dataclass(frozen=True)
class SentenceVariants:
    """A sentence and its variants, for the behaviours that apply to it.

    Attributes:
        text: The sentence.
        reworded: A rewording with the same meaning, or "".
        others: Sentences with a different meaning, by the key of the behaviour; "added" has one more detail,
            "lost" one fewer.
        digits: The sentence with its number in digits (in words if it has digits), or "".
        ladder: Sentences with one, two and three changes.
        family: Two rewordings of the sentence and the same two of a changed sentence, for triangles.
    """

    text: str
    reworded: str = ""
    others: Mapping[str, str] = field(default_factory=dict)
    digits: str = ""
    ladder: tuple[str, ...] = ()
    family: tuple[str, ...] = ()


def own_sentences(rng: random.Random) -> Iterator[SentenceVariants]:
    """Yield sentences endlessly. In each round every template is used once, in random order."""
    templates = list(sentences())
    while True:
        rng.shuffle(templates)
        for template in templates:
            yield fill_sentence(template, rng)


def fill_sentence(template: Mapping[str, Any], rng: random.Random) -> SentenceVariants:
    """Return a sentence from a template in the file, with its slots filled at random, and its variants."""
    detailed = rng.random() < 0.5
    form, other_form = (_form(template["text"], with_detail) for with_detail in (detailed, not detailed))
    same = _form(rng.choice(template["same"]), detailed)
    values = _values(template, rng)
    text = _fill(form, values)
    values_by_slot = {slot: {**values, slot: _different_word(slot, values, rng)} for slot in _slots(form)}
    others: dict[str, str] = {}
    for slot in rng.sample(list(values_by_slot), len(values_by_slot)):
        others.setdefault(_BEHAVIOUR_OF[slot], _fill(form, values_by_slot[slot]))
    for key in _RULES:
        if key in template and (changed := replace_once(form, template[key])) is not None:
            others[key] = _fill(changed, values)
    if (swapped := _swap(form, template.get("swap"))) is not None:
        others["swap"] = _fill(swapped, values)
    if form != other_form:
        others[LOST if detailed else ADDED] = _fill(other_form, values)
    number = values["n"]
    digits = str({word: digit for digit, word in NUMBERS.items()}[number])
    return SentenceVariants(
        text,
        _fill(same, values),
        others,
        _fill(form, {**values, "n": digits}) if "n" in values_by_slot else "",
        _ladder(form, values, values_by_slot, rng),
        _family(form, same, values, values_by_slot, rng),
    )


def replace_once(form: str, rule: str) -> str | None:
    """Return the form after a rule "before -> after", or None unless it contains `before` exactly once."""
    before, after = rule.split(" -> ")
    places = list(re.finditer(rf"(?<!\w){re.escape(before)}(?!\w)", form))
    return form[: places[0].start()] + after + form[places[0].end() :] if len(places) == 1 else None


def _form(text: str, detailed: bool) -> str:
    return _DETAIL.sub(r"\1" if detailed else "", text)


def _slots(form: str) -> list[str]:
    return list(dict.fromkeys(_SLOT.findall(form)))


def _values(template: Mapping[str, Any], rng: random.Random) -> dict[str, str]:
    """Return a random word for every slot."""
    lists = slots()
    first, second = rng.sample(lists["names"], 2)
    return {"a": first, "b": second, **{slot: rng.choice(words) for slot, words in lists.items() if slot != "names"}}


def _different_word(slot: str, values: Mapping[str, str], rng: random.Random) -> str:
    words = slots()["names" if slot in "ab" else slot]
    used = {values["a"], values["b"]} if slot in "ab" else {values[slot]}
    return rng.choice([word for word in words if word not in used])


def _fill(form: str, values: Mapping[str, str]) -> str:
    text = form.format_map(values)
    return text[:1].upper() + text[1:]


def _swap(form: str, pair: str | bool | None) -> str | None:
    """Return the form with two parts swapped, or None if the template has no such pair."""
    if not pair:
        return None
    first, second = ("{a}", "{b}") if pair is True else str(pair).split(" | ")
    return form.replace(first, "\0").replace(second, first).replace("\0", second)


def _ladder(
    form: str, values: Mapping[str, str], values_by_slot: Mapping[str, Mapping[str, str]], rng: random.Random
) -> tuple[str, ...]:
    """Return the sentence with one slot changed, with two, and with three; () if it has fewer than two slots."""
    if len(values_by_slot) < 2:
        return ()
    steps, current = [], dict(values)
    for slot in rng.sample(list(values_by_slot), min(_RUNGS, len(values_by_slot))):
        current[slot] = values_by_slot[slot][slot]
        steps.append(_fill(form, current))
    return tuple(steps)


def _family(
    form: str, same: str, values: Mapping[str, str], values_by_slot: Mapping[str, Mapping[str, str]], rng: random.Random
) -> tuple[str, ...]:
    """Return the sentence in two wordings, then a changed sentence in the same two wordings."""
    if not values_by_slot:
        return (_fill(form, values), _fill(same, values))
    other: Mapping[str, str] = values_by_slot[rng.choice(list(values_by_slot))]
    return tuple(_fill(wording, words) for words in (values, other) for wording in (form, same))


def shared_words(one: str, other: str, least: int = 5) -> Sequence[str]:
    """Return the words of at least `least` letters that two sentences share, in lower case and sorted."""
    first, second = (set(re.findall(rf"\w{{{least},}}", text.lower())) for text in (one, other))
    return sorted(first & second)
