"""The rules for kinds of change, on constructed pairs whose kind is unambiguous."""

from __future__ import annotations

import pytest

from parapluie_gui.metrics.changes import vocabulary
from parapluie_gui.metrics.changes.edits import Edits
from parapluie_gui.metrics.changes.types import _RULES, change_types, types_of
from parapluie_gui.metrics.lexical import wordnet

WORDNET = wordnet.find_wordnet()
CACHES = (vocabulary.installed_wordnet, vocabulary.relation, vocabulary.is_same_word, vocabulary.are_related)


@pytest.fixture
def use_wordnet(monkeypatch):
    """A function that installs or removes WordNet for a test."""

    def use(path):
        monkeypatch.setattr(wordnet, "find_wordnet", lambda: path)
        for cache in CACHES:
            cache.cache_clear()

    yield use
    for cache in CACHES:
        cache.cache_clear()


def kinds(source: str, hypothesis: str) -> list[str]:
    return list(types_of(source, hypothesis, Edits(source, hypothesis).edits))


@pytest.mark.parametrize(
    ("source", "hypothesis", "expected"),
    [
        ("The answer is right.", "The answer is not right.", "negation"),
        ("It was a lucky day.", "It was an unlucky day.", "negation"),
        ("We need four chairs.", "We need five chairs.", "number"),
        ("It cost 12 percent more.", "It cost twelve % more.", "format"),
        ("Prices rose 5 percent.", "Prices rose 5%.", "format"),
        ("It weighs 2 kg.", "It weighs 2 kilograms.", "format"),
        ("It cost $5.", "It cost €5.", "unit"),
        ("It weighs ten kilos.", "It weighs ten pounds.", "unit"),
        ("It took 1,000 men.", "It took 1000 men.", "format"),
        ("Twenty-one came.", "21 came.", "format"),
        ("It is an appropriate step.", "It is a step.", "rewording"),
        ("The CEO resigned.", "The chief executive officer resigned.", "format"),
        ("It weighs 3 kg.", "It weighs 3 g.", "unit"),
        ("He left on Friday.", "He left on Monday.", "date"),
        ("At 5 p.m. it opens.", "At 5 a.m. it opens.", "date"),
        ("I am happy.", "You are happy.", "pronoun"),
        ("I love it 😀", "I love it 😢", "rewording"),
        ("I love it 😀", "I love it", "deletion"),
        ("All birds can fly.", "Some birds can fly.", "quantifier"),
        ("He may come.", "He must come.", "modality"),
        ("She walks home.", "She walked home.", "inflection"),
        ("Prices rose.", "Prices fell.", "antonym"),
        ("What's new?", "What is new?", "contraction"),
        ("My favourite food.", "My favorite food.", "spelling"),
        ("He lives in the U.S. now.", "He lives in the United States now.", "format"),
        ("He lives in the U.S.", "He lives in the United States.", "format"),
        ("Sen. Rockefeller spoke.", "Senator Rockefeller spoke.", "format"),
        ("Dr. Who came.", "Doctor Who came.", "format"),
        ("John Rockefeller spoke.", "John D. Rockefeller spoke.", "addition"),
        ("He left at 5 a.m.", "He left at 5 p.m.", "date"),
        ("It fell 2%.", "It fell by two percent.", "format"),
        ("He bought 12 eggs.", "He bought a dozen eggs.", "format"),
        ("He bought 24 eggs.", "He bought two dozen eggs.", "format"),
        ("Fifty-seven came.", "57 came.", "format"),
        ("A quarter of them left.", "One quarter of them left.", "format"),
        ("10% were Asian.", "10 percent Asian.", "format"),
        ("He joined the University of Texas.", "He joined UT.", "format"),
        ("His reelection was sure.", "His re-election was sure.", "spelling"),
        ("Two non-binding lists.", "Two nonbinding lists.", "spelling"),
        ("It has a beachfront.", "It has a beach front.", "spelling"),
        ("Gemstar's shares fell.", "Gemstar shares fell.", "function_word"),
        ("They were there.", "They did there.", "function_word"),
        ("The purchase of bonds rose.", "Purchased bonds rose.", "derivation"),
        ("She was five and a half months old.", "She was 5 1/2 months old.", "format"),
        ("They sold SUVs.", "They sold sport utility vehicles.", "format"),
        ("He said this.", 'He said, "this.', "punctuation"),
        ("Winners will come.", "Tony winners will come.", "addition"),
        ("In a major setback, a judge came.", "A judge came.", "deletion"),
        ("He came to work.", "He came to work in the US.", "addition"),
        ("Doctors claim one boy may die.", "Doctors claimed that one boy may die.", "inflection"),
        ("It was 110 km (68 miles).", "It was 110 kilometres (68 miles).", "format"),
        ("He knows the fact.", "He knows facts.", "inflection"),
        ("Saudi Arabia's oil", "Saudi Arabian oil", "derivation"),
        ("It is late.", "Its late.", "contraction"),
        ("It works and we hope we can do so.", "It works.", "deletion"),
        ("He is a hero.", "He was seen by some as a hero.", "rewording"),
        ("He left a gap he couldn't fill because he was ill.", "He left a gap.", "deletion"),
        ("They have yet to come.", "They come.", "negation"),
        ("For years they left.", "It was years they left.", "function_word"),
        ("The Web is slow.", "The web is slow.", "spelling"),
        ("A box-office hit.", "A box office hit.", "spelling"),
        ("On Monday, it opens.", "On Monday it opens.", "punctuation"),
        ("We met Feldman there.", "We met Martinez there.", "name"),
        ("We met Feldman there.", "We met him there.", "pronoun"),
        ("They asked about the theft of art.", "They asked about the theft in art.", "function_word"),
        ("He left.", "He left the burning house.", "addition"),
        ("He left the burning house.", "He left.", "deletion"),
        ("one  two", "one two", "spacing"),
    ],
)
def test_a_change_is_classified_by_rule(source, hypothesis, expected):
    assert kinds(source, hypothesis) == [expected]


def test_moved_words_are_a_change_of_order_or_of_voice():
    assert "order" in kinds("On Sundays the shop is closed.", "The shop is closed on Sundays.")
    assert "diathesis" in kinds("The nurse moved the patient.", "The patient was moved by the nurse.")
    assert "diathesis" in kinds("The town built the bridge.", "The bridge was built by the town.")
    assert "rewording" not in kinds("The dog bit the man.", "The man bit the dog.")


@pytest.mark.skipif(WORDNET is None, reason="WordNet is not on this computer")
@pytest.mark.parametrize(
    ("source", "hypothesis", "expected"),
    [
        ("The lawyer called.", "The attorney called.", "synonym"),
        ("The poodle barked.", "The dog barked.", "hypernym"),
        ("They were asleep.", "They were awake.", "antonym"),
        ("They examined the decision.", "They examined the deciding.", "derivation"),
    ],
)
def test_a_change_is_classified_by_wordnet(use_wordnet, source, hypothesis, expected):
    use_wordnet(WORDNET)
    assert kinds(source, hypothesis) == [expected]


def test_without_wordnet_the_other_rules_apply(use_wordnet):
    use_wordnet(None)
    assert kinds("Prices rose.", "Prices fell.") == ["antonym"]
    assert kinds("The lawyer called.", "The attorney called.") == ["rewording"]
    assert kinds("She walks home.", "She walked home.") == ["inflection"]


def test_texts_in_other_languages_are_not_classified_and_do_not_fail():
    for source, hypothesis in [("雨が降る。", "雪が降る。"), ("Il pleut.", "Il neige fort."), ("", "x"), ("x", "")]:
        assert len(kinds(source, hypothesis)) == len(Edits(source, hypothesis))


def test_every_kind_has_a_displayed_name_and_every_rule_a_kind():
    known = change_types()
    for kind in known.values():
        assert kind.name and kind.definition.endswith((".", "...")) and all(kind.example)
    assert {name for name, _ in _RULES} <= set(known)


@pytest.mark.parametrize(
    ("source", "hypothesis", "expected"),
    [
        ("It cost $1.5 million.", "It cost $1,500,000.", ["format", "format"]),
        ("They paid 2 million dollars.", "They paid $2 million.", ["format", "format"]),
        ("It cost $5.", "It cost 5 dollars.", ["format", "format"]),
        ("It rose 5 percent.", "It rose 6%.", ["number", "format"]),
        ("It cost $1.5 million.", "It cost $1.5 billion.", ["number"]),
        ("It cost 5 dollars in May.", "It cost 7 dollars in May, not 5.", ["number", "negation"]),
    ],
)
def test_an_equal_value_in_a_different_format_is_a_change_of_format(source, hypothesis, expected):
    assert kinds(source, hypothesis) == expected


def test_a_failure_to_act_is_a_negation():
    assert kinds("He failed to open the door.", "He opened the door.")[0] == "negation"
    assert kinds("She was unable to come.", "She came.")[0] == "negation"
    assert "negation" not in kinds("He wanted to open the door.", "He opened the door.")


@pytest.mark.skipif(WORDNET is None, reason="WordNet is not here")
def test_a_name_at_the_beginning_of_a_sentence_is_a_name(use_wordnet):
    use_wordnet(WORDNET)
    assert kinds("Paris is lovely.", "London is lovely.") == ["name"]
    assert kinds("Cats are lovely.", "Dogs are lovely.") == ["rewording"]
    assert kinds("May is lovely.", "June is lovely.") == ["date"]
