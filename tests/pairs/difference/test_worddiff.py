from __future__ import annotations

import random
import time

import regex
from hypothesis import example, given
from hypothesis import strategies as st
from waiting import in_time

from parapluie_gui.pairs.difference.worddiff import diff_words
from parapluie_gui.pairs.difference.words import tokenize

WORDS = st.sampled_from(
    [
        "the",
        "The",
        "cat",
        "Cats",
        "sat",
        "brother",
        "tsunami",
        "tiramisu",
        ",",
        ".",
        "été",
        "e\u0301te\u0301",
        "借款",
        "后",
        "👩‍👩‍👧",
        "สวัสดี",
        "don't",
        "3.5",
    ]
)
TEXT = st.one_of(st.lists(WORDS, max_size=25).map(" ".join), st.text(max_size=40))


def shown(text: str, segments: tuple) -> list[tuple[str, str]]:
    return [(text[s.start : s.end], s.kind) for s in segments if text[s.start : s.end].strip()]


def edges(text: str) -> set[int]:
    return {0, *(result.end() for result in regex.finditer(r"\X", text))}


@given(TEXT, TEXT)
@example("a\r\nb", "a\nb")
@example("\ud800", "\u0301 x")
@example("ß ss", "SS ẞ")
def test_segments_cover_both_texts_consistently(left, right):
    diff = diff_words(left, right)
    for text, segments in ((left, diff.source), (right, diff.hypothesis)):
        assert "".join(text[s.start : s.end] for s in segments) == text
        assert all(s.start < s.end for s in segments)
        borders = edges(text)
        for s in segments:
            assert {s.start, s.end} <= borders
            for start, end in s.letters:
                assert s.start <= start < end <= s.end
                assert {start, end} <= borders
    same = [
        [
            token.text
            for s in segments
            if s.kind == "same"
            for token in tokenize(text[s.start : s.end])
            if token.kind != "space"
        ]
        for text, segments in ((left, diff.source), (right, diff.hypothesis))
    ]
    assert same[0] == same[1]
    blocks = [
        sorted((s.block, s.kind) for s in segments if s.block is not None)
        for segments in (diff.source, diff.hypothesis)
    ]
    assert blocks[0] == blocks[1]
    assert len({block for block, _ in blocks[0]}) == len(blocks[0])
    swapped = diff_words(right, left)
    assert (swapped.source, swapped.hypothesis) == (diff.hypothesis, diff.source) or left == right


@given(st.text(max_size=60))
def test_tokens_make_up_the_text(text):
    result = tokenize(text)
    assert "".join(token.text for token in result) == text
    assert all(text[token.start : token.end] == token.text for token in result)


def test_texts_are_split_into_tokens():
    def words(text: str) -> list[str]:
        return [token.text for token in tokenize(text) if token.kind != "space"]

    assert words("don't stop, it's $2.5!") == ["don't", "stop", ",", "it's", "$", "2.5", "!"]
    assert words("l’été dernier…") == ["l’été", "dernier", "…"]
    assert words("well-known 'quoted'") == ["well", "-", "known", "'", "quoted", "'"]
    assert words("借款后abc") == ["借", "款", "后", "abc"]
    assert words("👩‍👩‍👧👍🏽") == ["👩‍👩‍👧", "👍🏽"]
    assert words("Привет, мир") == ["Привет", ",", "мир"]


def test_ascii_and_unicode_tokens_agree():
    text = "Mr. O'Neil's 1,000 well-known 'facts' (3.5%), isn't it? a.b 'tis\tend "
    # one non-ASCII letter at the end selects the general tokenizer
    assert [t.text for t in tokenize(text)] == [t.text for t in tokenize(text + "é")][:-1]


def test_equal_sentences_have_no_difference():
    diff = diff_words("The same.", "The same.")
    assert [s.kind for s in diff.source] == ["same"]


def test_a_moved_phrase_is_recognised():
    left = 'Amrozi accused his brother, whom he called "the witness", of deliberately distorting his evidence.'
    right = (
        'Referring to him as only "the witness", Amrozi accused his brother of deliberately distorting his evidence.'
    )
    diff = diff_words(left, right)
    assert ("Amrozi accused his brother", "moved") in shown(left, diff.source)
    assert ("Amrozi accused his brother", "moved") in shown(right, diff.hypothesis)
    assert any('"the witness", of' in text for text, kind in shown(left, diff.source) if kind == "same")


def test_a_moved_phrase_shows_its_change_of_case():
    left, right = "Yesterday evening he came home to us", "He came home to us yesterday evening"
    diff = diff_words(left, right)
    moved = [s for s in diff.source if s.kind == "moved"]
    assert [left[s.start : s.end] for s in moved] == ["Yesterday evening"]
    assert moved[0].letters == ((0, 1),)


def test_changed_letters_are_marked():
    left, right = "The tsunami was big.", "The tiramisu was big."
    diff = diff_words(left, right)
    (changed,) = [s for s in diff.source if s.kind == "changed"]
    (became,) = [s for s in diff.hypothesis if s.kind == "changed"]
    assert (left[changed.start : changed.end], right[became.start : became.end]) == ("tsunami", "tiramisu")
    assert "".join(left[a:b] for a, b in changed.letters) == "sun"
    assert "".join(right[a:b] for a, b in became.letters) == "irsu"
    assert changed.block == became.block


def test_a_word_without_common_letters_changes_completely():
    left, right = "He bought a car", "He sold a car"
    (changed,) = [s for s in diff_words(left, right).source if s.kind == "changed"]
    assert changed.letters == ((changed.start, changed.end),)


def test_function_words_are_not_moved():
    left, right = "the dog of a friend barks", "friends heard barking near the house of"
    kinds = {s.kind for s in diff_words(left, right).source}
    assert "moved" not in kinds
    assert ("with", "moved") not in shown("with A B C D", diff_words("with A B C D", "A B C D with").source)


def test_composed_and_decomposed_letters_count_as_equal():
    left, right = "un été chaud", "un e\u0301te\u0301 chaud"
    diff = diff_words(left, right)
    assert [kind for _, kind in shown(left, diff.source)] == ["same", "changed", "same"]


def test_differences_in_spaces_are_ignored():
    assert {s.kind for s in diff_words("a  b", "a b ").source} == {"same"}


def test_ordinary_sentences_take_milliseconds_and_long_texts_two_seconds():
    left = "Yucaipa owned Dominick's before selling the chain to Safeway in 1998 for $2.5 billion ."
    right = "Yucaipa bought Dominick's in 1995 for $693 million and sold it to Safeway for $1.8 billion in 1998 ."
    diff_words(left, right)
    times = []
    for _ in range(20):
        start = time.process_time()
        diff_words(left, right)
        times.append(time.process_time() - start)
    assert min(times) < in_time(0.005)
    rng = random.Random(1)
    words = [f"w{int(rng.paretovariate(0.7)) % 5000}" for _ in range(10_000)]
    mixed = rng.sample(words, len(words))
    turned = words[5000:] + words[:5000]
    for other in (mixed, turned, [word + "x" if rng.random() < 0.3 else word for word in words]):
        start = time.process_time()
        diff_words(" ".join(words), " ".join(other))
        assert time.process_time() - start < in_time(2)
