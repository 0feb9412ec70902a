"""Pairs made by rule: one meaning in two wordings, and sentences that only look alike.

The sentences come from `resources/training/`: the words and constructions of `alternations.toml`, which documents its
parts, more words in `words.toml`, and the meanings in `meanings/`, one file for each kind of distinction.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from parapluie_gui import places
from parapluie_gui.features.training import quantities
from parapluie_gui.own_files import read_toml

#: A source, a hypothesis and the target answer: 1.0 for a paraphrase, 0.0 for a pair that is not one.
Example = tuple[str, str, float]

#: Share of pairs that are embedded in a longer sentence.
_WITHIN = 0.3
#: Kinds of beings that take plural verbs.
_PLURAL = ("the neighbours", "the twins")


def examples(seed: int) -> Iterator[Example]:
    """Yield pairs endlessly, half of them paraphrases; the same seed gives the same pairs."""
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
            first, second = _embed_sentences(first, second, slots, rng)
        if rng.random() < 0.5:
            first, second = second, first
        if first != second:
            yield first, second, answer


def replace_words(sentence: str, rng: random.Random) -> str | None:
    """Replace some words of a sentence by words with the same meaning; return None if no word can be replaced.

    Only contractions, abbreviations and synonyms are used and the word order stays, so that any sentence can be used.
    """
    text, is_changed = sentence, False
    # Only in one direction, so that no change is undone.
    for before, after in _data()["contractions"]:
        if f" {before} " in text and rng.random() < 0.7:
            text, is_changed = text.replace(f" {before} ", f" {after} ", 1), True
    words = text.split(" ")
    synonyms = _synonyms()
    for place, word in enumerate(words):
        if word in synonyms and rng.random() < 0.7:
            words[place], is_changed = synonyms[word], True
    return " ".join(words) if is_changed else None


def reworded_examples(sentences: Iterable[str], seed: int) -> Iterator[Example]:
    """Yield each sentence with a copy that has some words replaced, as paraphrases."""
    rng = random.Random(seed)
    for sentence in sentences:
        if (other := replace_words(sentence, rng)) is not None:
            yield sentence, other, 1.0


@cache
def _data() -> dict[str, Any]:
    folder = places.resources() / "training"
    data = read_toml(folder.joinpath("alternations.toml"))
    words = read_toml(folder.joinpath("words.toml"))
    for name in ("beings", "acts", "scenes"):
        data[name] = words[name].replace("\n", "").split("|")
    for name in ("qualities", "compared", "ranks"):
        data[name] = [scale.split("|") for scale in words[name].replace("\n", "").split(";")]
    data["acts"] = [scale.split() for scale in data["acts"]]
    for file in sorted(folder.joinpath("meanings").iterdir(), key=lambda file: file.name):
        data["meaning"] += read_toml(file)["meaning"]
    return data


def _weight(meaning: Mapping[str, Any]) -> float:
    """Return the weight with which a meaning is drawn: the square root of its number of variants."""
    kinds = len(meaning.get("groups", [meaning])) * max(meaning.get("plenty", 0), len(meaning.get("rows", [{}])))
    return float(kinds**0.5)


@cache
def _synonyms() -> dict[str, str]:
    synonyms: dict[str, str] = {}
    for pair in _data()["synonyms"].split():
        left, right = pair.split("=")
        synonyms.setdefault(left, right)
        synonyms.setdefault(right, left)
    return synonyms


def _forms(meaning: Mapping[str, Any], rng: random.Random) -> tuple[list[str], list[str]]:
    """Return the sentences with one meaning, and those with a similar but different one."""
    if "groups" not in meaning:
        return meaning["same"], meaning["other"]
    chosen = rng.randrange(len(meaning["groups"]))
    others = [form for place, group in enumerate(meaning["groups"]) if place != chosen for form in group]
    return meaning["groups"][chosen], others


def _slots(data: Mapping[str, Any], meaning: Mapping[str, Any], rng: random.Random) -> dict[str, str]:
    """Draw the words for every name in braces."""
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
    """Draw the words for two beings, an action between them, and two things to compare."""
    slots: dict[str, str] = {}
    for name, being in zip("lr", rng.sample(data["beings"], 2), strict=True):
        plural = being in _PLURAL
        slots[name], slots[f"is_{name}"], slots[f"was_{name}"] = being, *(("are", "were") if plural else ("is", "was"))
    slots["act"], slots["acted"], slots["done"], slots["acting"] = rng.choice(data["acts"])
    slots["scene"] = rng.choice(data["scenes"]) if rng.random() < 0.5 else ""
    slots["more"], slots["less"], slots["plain"], _ = _either_way(rng.choice(data["qualities"]), rng)
    slots["rank"], slots["unrank"], slots["plainrank"], _ = _either_way(rng.choice(data["ranks"]), rng)
    slots["it"], slots["that"] = rng.sample(rng.choice(data["compared"]), 2)
    return slots


def _either_way(scale: list[str], rng: random.Random) -> list[str]:
    more, less, plain, unlike = scale
    return [more, less, plain, unlike] if rng.random() < 0.5 else [less, more, unlike, plain]


def _embed_sentences(first: str, second: str, slots: Mapping[str, str], rng: random.Random) -> tuple[str, str]:
    """Embed both sentences in the same longer sentence."""
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
    mark_report_half = [_capital(f"{slots['c']} {verb} that {text}") for text in inner]
    if kind == 1:
        return mark_report_half[0], mark_report_half[1]
    return f"{first[:-1]}, {slots['c']} {verb}.", mark_report_half[1]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
