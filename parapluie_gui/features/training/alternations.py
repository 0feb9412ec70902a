"""Pairs made by rule: the same in two wordings, and sentences that only look alike.

The sentences come from `resources/training/`: the words and the constructions of `alternations.toml`, which says what
its parts are, words in plenty (`words.toml`), and the meanings of the files in `meanings/`, a file for each kind of
thing that people tell apart.
"""

from __future__ import annotations

import random
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from parapluie_gui import places
from parapluie_gui.features.training import quantities

#: A source, a hypothesis, and the answer to be learnt: 1.0 for a paraphrase, 0.0 for none.
Example = tuple[str, str, float]

#: Share of pairs that are put into a larger sentence.
_WITHIN = 0.3
#: Beings that are several.
_SEVERAL = ("the neighbours", "the twins")


def examples(seed: int) -> Iterator[Example]:
    """Yield pairs for ever, half of them paraphrases; the same ones for the same seed."""
    rng = random.Random(seed)
    data = _data()
    weights = list(map(_weight, data["meaning"]))
    while True:
        meaning = rng.choices(data["meaning"], weights)[0]
        slots = _slots(data, meaning, rng)
        same, other = _forms(meaning, rng)
        if rng.random() < 0.5:
            (first, second), answer = rng.sample(same, 2), 1.0
        else:
            first, second, answer = rng.choice(same), rng.choice(other), 0.0
        first, second = (_capital(form.format_map(slots)) for form in (first, second))
        if rng.random() < _WITHIN:
            first, second = _within(first, second, slots, rng)
        if rng.random() < 0.5:
            first, second = second, first
        if first != second:
            yield first, second, answer


def rewritten(sentence: str, rng: random.Random) -> str | None:
    """Return the sentence with some words replaced by words that mean the same, or None where none can be.

    Contractions, abbreviations and synonyms only: no word order is touched, so any sentence will do.
    """
    text, changed = sentence, False
    # One way round only, so that no sentence is changed and changed back.
    for before, after in _data()["contractions"]:
        if f" {before} " in text and rng.random() < 0.7:
            text, changed = text.replace(f" {before} ", f" {after} ", 1), True
    words = text.split(" ")
    synonyms = _synonyms()
    for place, word in enumerate(words):
        if word in synonyms and rng.random() < 0.7:
            words[place], changed = synonyms[word], True
    return " ".join(words) if changed else None


def rewritings(sentences: Iterable[str], seed: int) -> Iterator[Example]:
    """Yield sentences beside themselves with words replaced, as paraphrases."""
    rng = random.Random(seed)
    for sentence in sentences:
        if (other := rewritten(sentence, rng)) is not None:
            yield sentence, other, 1.0


@cache
def _data() -> dict[str, Any]:
    folder = places.resources() / "training"
    data = tomllib.loads(folder.joinpath("alternations.toml").read_text("utf-8"))
    words = tomllib.loads(folder.joinpath("words.toml").read_text("utf-8"))
    for name in ("beings", "acts", "scenes"):
        data[name] = words[name].replace("\n", "").split("|")
    for name in ("qualities", "compared", "ranks"):
        data[name] = [each.split("|") for each in words[name].replace("\n", "").split(";")]
    data["acts"] = [each.split() for each in data["acts"]]
    for file in sorted(folder.joinpath("meanings").iterdir(), key=lambda file: file.name):
        data["meaning"] += tomllib.loads(file.read_text("utf-8"))["meaning"]
    return data


def _weight(meaning: Mapping[str, Any]) -> float:
    """Return how often a meaning is drawn: by the square root of what it has to teach."""
    kinds = len(meaning.get("groups", [meaning])) * max(meaning.get("plenty", 0), len(meaning.get("rows", [{}])))
    return float(kinds**0.5)


@cache
def _synonyms() -> dict[str, str]:
    found: dict[str, str] = {}
    for pair in _data()["synonyms"].split():
        left, right = pair.split("=")
        found.setdefault(left, right)
        found.setdefault(right, left)
    return found


def _forms(meaning: Mapping[str, Any], rng: random.Random) -> tuple[list[str], list[str]]:
    """Return the ways of saying one thing, and those of saying something near it."""
    if "groups" not in meaning:
        return meaning["same"], meaning["other"]
    chosen = rng.randrange(len(meaning["groups"]))
    others = [form for place, group in enumerate(meaning["groups"]) if place != chosen for form in group]
    return meaning["groups"][chosen], others


def _slots(data: Mapping[str, Any], meaning: Mapping[str, Any], rng: random.Random) -> dict[str, str]:
    """Return the words for every name in braces."""
    slots: dict[str, str] = {}
    for name, person in zip("abc", rng.sample(data["people"], 3), strict=True):
        slots[name] = person
        slots[f"{name}'s"] = f"{person}'" if person.endswith("s") else f"{person}'s"
    while True:
        base, past, participle, gerund, noun, objects = rng.choice(data["verbs"])
        if noun or not meaning.get("needs_noun"):
            break
    slots |= {"base": base, "past": past, "participle": participle, "gerund": gerund, "noun": noun}
    slots["x"], slots["y"] = rng.sample(objects, 2)
    slots["be"] = "were" if slots["x"].endswith("s") else "was"
    first, second = rng.sample(data["phrases"], 2)
    slots["do"], slots["does"], slots["did"], slots["doing"] = first
    slots["do2"], slots["does2"], slots["did2"], slots["doing2"] = second
    (slots["cause"], slots["event"]), (_, slots["event2"]) = rng.sample(data["occasions"], 2)
    for name in ("time", "place", "topic", "thing"):
        slots[name], slots[f"{name}2"] = rng.sample(data[f"{name}s"], 2)
    slots["plural"] = rng.choice(data["plurals"])
    for suffix, (number, word) in zip(("", "2"), rng.sample(data["numbers"], 2), strict=True):
        slots[f"n{suffix}"], slots[f"word{suffix}"] = str(number), word
    slots |= _plenty(data, rng)
    if "made" in meaning:
        slots |= quantities.draw(meaning["made"], rng)
    for name, form in rng.choice(meaning.get("rows", [{}])).items():
        slots[name] = form.format_map(slots)
    return slots


def _plenty(data: Mapping[str, Any], rng: random.Random) -> dict[str, str]:
    """Return any two beings, what one did to the other, and what can be compared."""
    slots: dict[str, str] = {}
    for name, being in zip("lr", rng.sample(data["beings"], 2), strict=True):
        several = being in _SEVERAL
        slots[name], slots[f"is_{name}"], slots[f"was_{name}"] = being, *(("are", "were") if several else ("is", "was"))
    slots["act"], slots["acted"], slots["done"], slots["acting"] = rng.choice(data["acts"])
    slots["scene"] = rng.choice(data["scenes"]) if rng.random() < 0.5 else ""
    slots["more"], slots["less"], slots["plain"], _ = _either_way(rng.choice(data["qualities"]), rng)
    slots["rank"], slots["unrank"], slots["plainrank"], _ = _either_way(rng.choice(data["ranks"]), rng)
    slots["it"], slots["that"] = rng.sample(rng.choice(data["compared"]), 2)
    return slots


def _either_way(scale: list[str], rng: random.Random) -> list[str]:
    more, less, plain, unlike = scale
    return [more, less, plain, unlike] if rng.random() < 0.5 else [less, more, unlike, plain]


def _within(first: str, second: str, slots: Mapping[str, str], rng: random.Random) -> tuple[str, str]:
    """Put both sentences into the same larger one."""
    if not (first.endswith(".") and second.endswith(".")):
        return first, second
    names = _data()["people"]
    inner = [
        text if any(text.startswith(name) for name in names) else text[:1].lower() + text[1:]
        for text in (first, second)
    ]
    verb = rng.choice(["said", "believes", "reported"])
    kind = rng.randrange(3)
    if kind == 0:
        return f"{first[:-1]} {slots['time2']}.", f"{second[:-1]} {slots['time2']}."
    reported = [_capital(f"{slots['c']} {verb} that {text}") for text in inner]
    if kind == 1:
        return reported[0], reported[1]
    return f"{first[:-1]}, {slots['c']} {verb}.", reported[1]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
