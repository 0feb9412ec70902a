"""Oddities inside sentences are counted, and removed without touching text that only looks odd."""

from __future__ import annotations

import pytest

from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pairs.oddities import ODDITIES, clean_corpus, clean_text, find_oddities

BY_KEY = {oddity.key: oddity for oddity in ODDITIES}


@pytest.mark.parametrize(
    ("key", "text", "clean"),
    [
        ("entities", "It&apos;s &quot;here&quot; &amp; there &#8217;", 'It\'s "here" & there ’'),
        ("markup", "Ein <v>großer</v> Hund<br/>", "Ein großer Hund"),
        ("markup", 'A <span class="x">word</span>.', "A word."),
        ("lines", "one\ttwo \r\n three\u2028four", "one two three four"),
        ("control", "a\x08b\x7fc", "abc"),
        ("windows", "It\x92s \x93here\x94", "It’s “here”"),
        ("invisible", "\ufeffzero\u200bwidth so\u00adft", "zerowidth soft"),
        ("spaces", "10\u00a0km, 5\u202f%", "10 km, 5 %"),
        ("mojibake", "caf\u00c3\u00a9 \u00e2\u20ac\u2122", "café ’"),
    ],
)
def test_oddities_are_found_and_removed(key, text, clean):
    assert BY_KEY[key].is_in(text)
    assert clean_text(text, [BY_KEY[key]]) == clean
    assert clean_text(text) == clean


@pytest.mark.parametrize(
    "text",
    [
        "Tom & Jerry; 3 < 4 > 2, a<b and b>c",
        "R&D; AT&T; &unknown; & ;",
        "Ça coûte 3 €, Ârea, élan, naïve",
        "用引號「」的句子",
        "नमस्ते\u200d क\u094d\u200dष",  # joiners in Devanagari are part of the word
        "I <3 you",
    ],
)
def test_ordinary_sentences_have_no_oddities(text):
    assert not any(oddity.is_in(text) for oddity in ODDITIES)
    assert clean_text(text) == text


def test_a_sentence_that_would_become_empty_is_kept():
    assert clean_text("<br/>") == "<br/>"


@pytest.fixture
def corpus():
    return Corpus(
        "mine",
        ["a", "b", "c", "d"],
        ["It&apos;s.", "Fine.", "Fine.", "Same."],
        ["It is.", "<b>Good</b>.", "<b>Good</b>.", "The same."],
        reference=["It is", None, None, "Same."],
    )


def test_every_kind_is_counted_with_its_first_pair(corpus):
    kinds = {kind.title: kind for kind in find_oddities(corpus)}
    assert {title: kind.rows for title, kind in kinds.items()} == {
        "HTML entities": (0,),
        "markup": (1, 2),
        "repeated pairs": (2,),
        "references equal to their source": (3,),
    }
    assert kinds["markup"].describe(corpus) == "markup in 2 pairs (the first is b)"


def test_counting_can_be_stopped(corpus):
    class Stopped(Exception):
        pass

    def stop() -> None:
        raise Stopped

    with pytest.raises(Stopped):
        list(find_oddities(corpus, stop))


def test_a_cleaned_corpus_keeps_the_original_sentences(corpus):
    cleaned = clean_corpus(corpus, ["markup"])
    assert list(cleaned.source) == list(corpus.source)
    assert list(cleaned.hypothesis) == ["It is.", "Good.", "Good.", "The same."]
    assert cleaned.extra["hypothesis.original"].cells() == list(corpus.hypothesis)
    assert list(cleaned.extra) == ["hypothesis.original"]
    assert cleaned.id == corpus.id and cleaned.reference == corpus.reference


def test_hits_in_neighbouring_sentences_are_separate():
    corpus = Corpus("mine", ["1", "2"], ["a &am", "p; b"], ["x <b", "c> y"])
    assert list(find_oddities(corpus)) == []
