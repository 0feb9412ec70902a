"""The edits of a pair, and the variants between the two sentences."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parapluie_gui.metrics.changes.edits import MOST_EDITS, Edits
from parapluie_gui.pairs.difference.words import tokenize

SENTENCES = st.lists(
    st.sampled_from(
        ["rose", "fell", "the", "The", "on", "Friday", "shares", "not", ",", ".", "3", "5", "né", "雨", "-"]
    ),
    max_size=30,
).flatmap(
    lambda words: st.lists(st.sampled_from([" ", "  ", "", "\n"]), min_size=len(words), max_size=len(words)).map(
        lambda gaps: "".join(a + b for a, b in zip(words, gaps, strict=True))
    )
)


def shown(source: str, hypothesis: str) -> list[tuple[str, str, str]]:
    return [(edit.kind, edit.source, edit.hypothesis) for edit in Edits(source, hypothesis).edits]


def test_replaced_words_are_separate_edits():
    source, hypothesis = "Shares rose on Friday, the agency reported.", "Shares fell on Monday, the agency announced."
    edits = Edits(source, hypothesis)
    assert shown(source, hypothesis) == [
        ("replace", "rose", "fell"),
        ("replace", "Friday", "Monday"),
        ("replace", "reported", "announced"),
    ]
    assert edits.variant(0b001) == "Shares fell on Friday, the agency reported."
    assert edits.variant(0b110) == "Shares rose on Monday, the agency announced."


def test_added_dropped_and_moved_words_are_edits():
    assert shown("He left early.", "He left.") == [("drop", "early", "")]
    assert shown("He left.", "He has not left.") == [("add", "", "has not")]
    moved = Edits("On Sundays the shop is closed.", "The shop is closed on Sundays.")
    assert moved.edits[0].kind == "move"
    assert moved.variant(moved.all) == "The shop is closed on Sundays."


def test_punctuation_and_letter_case_belong_to_the_neighbouring_edit():
    assert shown("He saw a fall in prices.", "He saw the drop in prices.") == [("replace", "a fall", "the drop")]
    assert shown("If it breaks, the town floods.", "The town floods.") == [("replace", "If it breaks, the", "The")]


def test_numbers_are_matched_with_numbers():
    assert ("replace", "4.64", "17.08") in shown("It rose 4.64 points.", "It quickly climbed 17.08 points.")


def test_white_space_alone_is_one_edit():
    edits = Edits("one  two three", "one two  three")
    assert [edit.kind for edit in edits.edits] == ["spacing"]
    assert Edits("one two", "one two").edits == ()


def test_very_different_texts_have_few_edits():
    source = " ".join(f"a{number} same{number}" for number in range(100))
    hypothesis = " ".join(f"b{number} c{number} same{number}" for number in range(100))
    edits = Edits(source, hypothesis)
    assert 1 < len(edits) <= MOST_EDITS
    assert edits.variant(edits.all) == hypothesis


def test_a_subset_of_unknown_edits_is_refused():
    with pytest.raises(ValueError, match="1 edits"):
        Edits("a b", "a c").variant(0b10)


@given(SENTENCES, SENTENCES)
def test_no_edits_give_the_source_and_all_edits_the_hypothesis(source, hypothesis):
    edits = Edits(source, hypothesis)
    assert edits.variant(0) == source
    assert edits.variant(edits.all) == hypothesis
    assert (len(edits) == 0) == (source == hypothesis)
    for number, edit in enumerate(edits.edits):
        assert source[slice(*edit.source_at)] == edit.source
        assert hypothesis[slice(*edit.hypothesis_at)] == edit.hypothesis
        without = edits.variant(edits.all ^ 1 << number)
        assert isinstance(without, str)


@given(SENTENCES, SENTENCES)
def test_the_words_of_a_variant_match_its_edits(source, hypothesis):
    """The words of each variant are the source's, with the replacements of the applied edits."""

    def words(text: str) -> Counter[str]:
        return Counter(token.text for token in tokenize(text) if token.kind != "space")

    edits = Edits(source, hypothesis)
    if len(edits) > 5 or any(edit.kind == "spacing" for edit in edits.edits) or "" in edits._left_gaps[1:-1]:
        return
    for done in range(edits.all):
        expected = words(source)
        for number, edit in enumerate(edits.edits):
            if done >> number & 1:
                expected.subtract(words(edit.source))
                expected.update(words(edit.hypothesis))
        if "" not in edits._right_gaps[1:-1]:
            assert words(edits.variant(done)) == +expected
