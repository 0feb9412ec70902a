"""The language of pairs: named only if certain, and without the detector if the words are plainly English."""

from __future__ import annotations

import pytest

from parapluie_gui.pairs import language
from parapluie_gui.pairs.language import (
    LanguageCounts,
    corpus_languages,
    plain_languages,
    plainly_english,
    sure_languages,
)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("The cat sat on the mat.", True),
        ("123", True),
        ("Le chat est sur le tapis.", False),
        ("Er hat das nicht gesehen.", False),
        ("Tom se força à parler.", False),
        ("猫在垫子上", False),
        ("Prices rose.", False),
    ],
)
def test_english_is_recognised_by_its_words(text, plain):
    assert plainly_english(text) is plain


@pytest.mark.parametrize(
    ("source", "hypothesis", "languages"),
    [
        ("The cat sat on the mat.", "A cat was sitting there.", {"en"}),
        ("Le chat est assis sur le tapis.", "Un chat se trouve sur le tapis.", {"fr"}),
        ("The cat sat on the mat.", "Le chat est assis sur le tapis, et il dort.", {"en", "fr"}),
        ("猫在垫子上", "垫子上有猫", {"und"}),
        ("Tom", "Anna", set()),
    ],
)
def test_a_language_is_named_if_certain(source, hypothesis, languages):
    pytest.importorskip("py3langid")
    assert sure_languages(source, hypothesis) == languages


def test_without_the_detector_nothing_is_certain(monkeypatch):
    monkeypatch.setattr(language, "load_detector", lambda: None)
    assert sure_languages("Le chat est assis sur le tapis.", "Un chat.") == frozenset()


FRENCH = ["Le chat est assis sur le tapis.", "Il fait très beau aujourd'hui.", "Nous sommes partis hier soir."]


def test_a_corpus_is_in_a_language_if_nearly_all_sentences_are():
    pytest.importorskip("py3langid")
    english = ["The cat is on the mat."] * 20

    def outside(sources, hypotheses):
        return corpus_languages(sources, hypotheses).outside(["en"])

    assert corpus_languages(FRENCH, FRENCH) == LanguageCounts({"fr": 6}, 6)
    assert outside(FRENCH, FRENCH) and corpus_languages(FRENCH, FRENCH).language == "fr"
    assert not outside(FRENCH, [*FRENCH[:2], "The cat is on the mat."]), "with few sentences, all must agree"
    assert not outside(FRENCH[:2], FRENCH[:2]), "a short pair does not decide for a corpus"
    assert outside([*FRENCH * 6, *english[:2]], [*FRENCH * 6, "Tom"])
    assert not outside([*english, *FRENCH], [*english, *FRENCH])
    assert outside(["猫在垫子上", "我想开通贷款服务"], ["垫子上有猫", "怎么才能提高额度"] * 2)
    assert corpus_languages(english * 500, english * 500) == LanguageCounts({"en": 200}, 200)


def test_half_of_the_short_sentences_decide_if_most_are_uncertain():
    # Of 200 French sentences of six words, 170 are recognised with certainty and none as English.
    assert LanguageCounts({"fr": 170}, 200).outside(["en"])
    assert LanguageCounts({"fr": 104, "en": 4}, 200).outside(["en"])
    assert not LanguageCounts({"fr": 170, "en": 5}, 200).outside(["en"]), "some are English"
    assert not LanguageCounts({"fr": 90}, 200).outside(["en"]), "most are uncertain"


def test_plain_english_needs_no_detector(monkeypatch):
    monkeypatch.setattr(language, "load_detector", lambda: pytest.fail("loaded"))
    mixed = ["The cat is on the mat.", "Prices rose.", "Rates fell."]
    spoken = plain_languages(mixed, mixed)
    assert spoken == LanguageCounts({"en": 2, "und": 4}, 6)
    assert not spoken.outside(["en"]) and not spoken.outside(["fr", "en"]), "a sentence of six words is English"
    assert plain_languages(["Prices rose."] * 9, ["Rates fell."] * 9).outside(["en"]), "the detector is needed"


def test_uncertain_sentences_do_not_count_as_foreign(monkeypatch):
    monkeypatch.setattr(language, "load_detector", lambda: None)
    assert corpus_languages(["Prices rose."] * 9, ["Prices fell."] * 9) == LanguageCounts({}, 18)
