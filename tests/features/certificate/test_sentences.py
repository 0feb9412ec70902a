"""The sentences of certificates: complete, changed as named, and absent from all training data."""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Iterator

import pytest

from parapluie_gui import places
from parapluie_gui.features.certificate.behaviours import BEHAVIOURS, BY_KEY
from parapluie_gui.features.certificate.sentences import fill_sentence, replace_once
from parapluie_gui.features.certificate.words import sentences, slots, words

RULES = ("negation", "modality", "tense", "antonym", "quantifier", "time")


def texts_in(value: object) -> Iterator[str]:
    """Yield every text in a TOML value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from texts_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from texts_in(inner)


def training() -> list[str]:
    files = [places.resources() / "edits.toml", *(places.resources() / "training").rglob("*.toml")]
    return [text for file in files for text in texts_in(tomllib.loads(file.read_text(encoding="utf-8")))]


def plain(text: str) -> str:
    """Return the words of a sentence, without slots, punctuation and case."""
    return " ".join(re.sub(r"\{[^}]*\}|[^\w\s]", " ", text).lower().split())


def test_no_sentence_occurs_in_the_training_data():
    ours = {plain(text) for entry in sentences() for text in (entry["text"], *entry["same"])}
    theirs = {plain(part) for text in training() for part in re.split(r"\n|\|", text)}
    assert len(ours) > 140 and len(theirs) > 3000
    assert ours & theirs == set()


def test_no_pair_of_opposites_occurs_in_the_training_data():
    theirs = set()
    for text in training():
        theirs |= {frozenset(result.split("=")) for result in re.findall(r"[\w-]+=[\w-]+", text)}
        for scale in text.replace("\n", "").split(";"):
            parts = scale.split("|")
            if len(parts) == 4:
                theirs |= {frozenset(parts[:2]), frozenset(parts[2:])}
    assert frozenset(("opened", "closed")) in theirs and frozenset(("tall", "short")) in theirs
    ours = {frozenset(entry["antonym"].split(" -> ")) for entry in sentences() if "antonym" in entry}
    assert len(ours) > 15
    assert ours & theirs == set()


def test_no_name_occurs_in_the_training_data():
    theirs = {word for text in training() for word in re.findall(r"\w+", text)}
    assert set(slots()["names"]) & theirs == set()


def test_every_rule_applies_to_its_sentence():
    for entry in sentences():
        form = re.sub(r"[][]", "", entry["text"])
        for key in RULES:
            if key in entry:
                assert replace_once(form, entry[key]) is not None, f"{key}: {entry['text']}"
        if entry.get("swap"):
            pair = ("{a}", "{b}") if entry["swap"] is True else entry["swap"].split(" | ")
            assert all(form.count(each) == 1 for each in pair), entry["text"]
        assert set(entry) <= {"text", "same", "swap", *RULES}, entry["text"]


def test_rewordings_use_the_same_slots():
    for entry in sentences():
        for same in entry["same"]:
            slot_names = [set(re.findall(r"\{(\w+)\}", text)) for text in (entry["text"], same)]
            assert slot_names[0] == slot_names[1], entry["text"]
            assert ("[" in entry["text"]) == ("[" in same)


@pytest.mark.parametrize("seed", range(5))
def test_variants_are_complete_and_different_sentences(seed):
    rng = random.Random(seed)
    for entry in sentences():
        sentence = fill_sentence(entry, rng)
        for text in (sentence.text, sentence.reworded, *sentence.others.values(), *sentence.ladder, *sentence.family):
            assert re.fullmatch(r'["A-Z\d][^{}[\]]*\."?', text), text
            assert "  " not in text and " ." not in text and " ," not in text, text
        assert sentence.text not in sentence.others.values()
        assert set(sentence.others) <= set(BY_KEY)
        assert len(set(sentence.ladder)) == len(sentence.ladder)


def test_a_single_change_alters_a_single_detail():
    entry = next(each for each in sentences() if each["text"].startswith("{a} sold"))
    sentence = fill_sentence(entry, random.Random(1))
    name = [word for word in sentence.others["name"].split() if word not in sentence.text.split()]
    assert len(name) == 1 and name[0].strip(",.") in slots()["names"]
    before, after = sentence.text.split(), sentence.others["swap"].split()
    assert before != after and sorted(before) == sorted(after)
    assert sentence.others["negation"] == sentence.text.replace(" sold ", " did not sell ")
    assert sentence.digits != sentence.text and re.search(r"\d+ landscapes", sentence.digits)


def test_every_behaviour_is_covered_by_some_sentence():
    keys = {
        key for seed in range(3) for entry in sentences() for key in fill_sentence(entry, random.Random(seed)).others
    }
    harmful = {each.key for each in BEHAVIOURS if each.group == "Different meaning"}
    assert keys == harmful - {"unrelated"}


def test_every_word_is_listed_once():
    british = [pair.split("=")[0] for pair in words()["spelling"]["words"].split()]
    assert len(british) == len(set(british))
    assert all(len(set(slot)) == len(slot) > 1 for slot in slots().values())
