"""Words and stems, in English and beyond."""

from __future__ import annotations

import pytest

from parapluie_gui.features.pem.words import MOST_WORDS, Stemmer, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "I don't think he's 3.14, at 12:30!",
            ["i", "do", "n't", "think", "he", "'s", "3.14", ",", "at", "12:30", "!"],
        ),
        ("L’homme qu'il n'aime pas...", ["l'", "homme", "qu'", "il", "n'", "aime", "pas", "..."]),
        ("你好 hello👩‍👩‍👧 #tag", ["你", "好", "hello", "👩‍👩‍👧", "#", "tag"]),
        ("مرحبا بالعالم؟", ["مرحبا", "بالعالم", "؟"]),
        (" \t\n ", []),
        ("", []),
        ("cafe\u0301", ["café"]),
    ],
)
def test_several_scripts_are_tokenised(text, expected):
    assert words(text) == expected


def test_the_number_of_words_of_a_long_text_is_bounded():
    assert len(words("word " * 50_000)) == MOST_WORDS
    assert len(words("x" * 10_000_000)) == 1


def test_porter_agrees_with_nltk():
    from nltk.stem import PorterStemmer

    # the algorithm as in Porter's own program
    reference = PorterStemmer(mode=PorterStemmer.MARTIN_EXTENSIONS)
    text = "is as us he this was relational conditional happily skating plastered electrical hopefulness controlling"
    assert Stemmer("porter").stems(text.split()) == [reference.stem(word) for word in text.split()]


def test_punctuation_is_kept_and_stemmer_none_changes_nothing():
    assert Stemmer("porter").stems(["'s", "!", "is", "12:30"]) == ["'s", "!", "is", "12:30"]
    assert Stemmer("none").stems(["dogs"]) == ["dogs"]
    with pytest.raises(ValueError, match="klingon"):
        Stemmer("klingon")
