"""Replacements of a word by rule, with only the word lists and with a WordNet of four words."""

from __future__ import annotations

import pytest

from parapluie_gui.features.explain import replacements as module
from parapluie_gui.features.explain.replacements import base_of, inflect, replaceable, replacements
from parapluie_gui.metrics.changes import vocabulary

SENTENCE = "The nurse reported 3 cases to Anna on Friday."


class FewWords:
    """A fake WordNet."""

    def neighbours(self, word, relation, senses):
        known = {("cases", "synonym"): [("case", "noun", "event"), ("case", "noun", "Case")]}
        known |= {("reported", "synonym"): [("report", "verb", "say"), ("report", "verb", "notify")]}
        yield from known.get((word, relation), ())

    def irregular_forms(self, base, part):
        return {
            ("say", "verb"): ["said"],
            ("child", "noun"): ["children"],
            ("stop", "verb"): ["stopped", "stopping"],
        }.get((base, part), [])

    def bases(self, word, part):
        return frozenset({"walk", word} if word == "walked" else {word})

    def relation(self, left, right):
        return "synonym" if {left, right} == {"cases", "events"} else None

    def base_forms(self, word):
        return frozenset({word})

    def is_name(self, word):
        return False

    def has(self, word):
        return word in ("the", "nurse")


@pytest.fixture(autouse=True)
def words(monkeypatch):
    caches = (vocabulary.relation, vocabulary.is_same_word, vocabulary.are_related)
    for cache in caches:
        cache.cache_clear()
    monkeypatch.setattr(module, "installed_wordnet", FewWords)
    monkeypatch.setattr(vocabulary, "installed_wordnet", FewWords)
    yield
    for cache in caches:
        cache.cache_clear()


def replacement_kinds(word: str, sentence: str = SENTENCE) -> dict[str, str]:
    return {replacement.after: replacement.type for replacement in replacements(sentence, sentence.index(word))}


def test_every_rule_gives_its_replacements():
    assert replacement_kinds("3") == {"4": "number", "2": "number", "30": "number", "6": "number"}
    assert replacement_kinds("cases") == {"events": "synonym"}
    assert replacement_kinds("Friday")["Monday"] == "date" and "Friday" not in replacement_kinds("Friday")
    assert "name" in replacement_kinds("Anna").values()
    assert (
        next(iter(replacement_kinds("rose", "Prices rose."))) == "fell"
        and replacement_kinds("rose", "Prices rose.")["fell"] == "antonym"
    )
    reported = replacement_kinds("reported")
    assert {"said", "notified", "did not report", "never reported", "will report", "may have reported"} <= set(reported)
    assert reported["did not report"] == "negation" and reported["will report"] == "inflection"


@pytest.mark.parametrize(
    ("sentence", "word", "variant"),
    [
        ("He is not late.", "not", "He is late."),
        ("He can go.", "can", "He cannot go."),
        ("It is an old house.", "old", "It is a young house."),
        ("All left.", "All", "Not all left."),
    ],
)
def test_replacements_stay_grammatical(sentence, word, variant):
    assert variant in [replacement.text for replacement in replacements(sentence, sentence.index(word))]


def test_only_words_known_to_a_rule_are_offered():
    assert [SENTENCE[start:end] for start, end in replaceable(SENTENCE)] == ["reported", "3", "cases", "Anna", "Friday"]
    assert replacements(SENTENCE, SENTENCE.index(" nurse")) == () == replacements("", 0)


@pytest.mark.parametrize(
    ("word", "base", "part", "other", "expected"),
    [
        ("walked", "walk", "verb", "fall", "fell"),
        ("walked", "walk", "verb", "stop", "stopped"),
        ("walking", "walk", "verb", "stop", "stopping"),
        ("walking", "walk", "verb", "see", "seeing"),
        ("walking", "walk", "verb", "make", "making"),
        ("walks", "walk", "verb", "try", "tries"),
        ("boys", "boy", "noun", "child", "children"),
        ("boys", "boy", "noun", "box", "boxes"),
        ("older", "old", "adj", "young", None),
        ("walk", "walk", "verb", "go", "go"),
    ],
)
def test_a_replacement_takes_the_inflection_of_the_original(word, base, part, other, expected):
    assert inflect(word, base, part, other, FewWords()) == expected


def test_the_base_of_a_past_form_is_found():
    assert (base_of("rose", None), base_of("walked", FewWords()), base_of("nurse", FewWords())) == (
        "rise",
        "walk",
        None,
    )


def test_a_noun_is_not_replaced_by_a_verb_nor_an_abbreviation_by_a_name(monkeypatch):
    class Reason(FewWords):
        def neighbours(self, word, relation, senses):
            if (word, relation) == ("reason", "synonym"):
                yield from (("reason", "noun", "ground"), ("reason", "verb", "argue"))

    monkeypatch.setattr(module, "installed_wordnet", Reason)
    assert replacement_kinds("reason", "The reason is unknown.") == {"ground": "synonym"}
    assert replacement_kinds("reason", "They reason well.") == {"argue": "synonym"}
    assert set(replacement_kinds("reason", "Good reason is rare.")) == {"ground", "argue"}, (
        "the part of speech is unknown"
    )
    assert replacement_kinds("No", "Sales at GM and No. 2 Ford fell.") == {}
    assert replacement_kinds("U", "Sales in the U.S. fell.") == {}
