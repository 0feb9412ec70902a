"""In which language a pair is: said where it is sure, and without the detector where the words are plainly English."""

from __future__ import annotations

import pytest

from parapluie_gui.pairs import language
from parapluie_gui.pairs.language import plainly_english, sure_languages


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
def test_english_is_known_by_its_words(text, plain):
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
def test_a_language_is_named_where_it_is_sure(source, hypothesis, languages):
    pytest.importorskip("py3langid")
    assert sure_languages(source, hypothesis) == languages


def test_without_the_detector_nothing_is_sure(monkeypatch):
    monkeypatch.setattr(language, "load", lambda: None)
    assert sure_languages("Le chat est assis sur le tapis.", "Un chat.") == frozenset()
