"""Concordance lines, their order, counts and collocates, checked by hand and against scipy."""

from __future__ import annotations

import itertools
import re
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2_contingency
from waiting import in_time

from parapluie_gui.analysis.pattern import compile_pattern
from parapluie_gui.errors import ParapluieError
from parapluie_gui.features.concordance.search import (
    _first_words,
    _last_words,
    count_by_class,
    count_words,
    find_collocates,
    find_lines,
    sort_lines,
    words,
)
from parapluie_gui.pairs import Corpus

CORPUS = Corpus(
    name="x",
    id=["a", "b", "c", "d"],
    source=["No, the dog did not bark.", "A cat sat.", "He was not late, not at all.", "Birds sing."],
    hypothesis=["The dog barked.", "A cat did not sit.", "He was not late.", "Birds are singing."],
    label=np.array([0, 0, 1, -1], dtype=np.int8),
)
NOT = compile_pattern("not", whole_words=True)


def cuts(lines):
    return [
        tuple(None if hit < 0 else hits.cut(hit)[1] for hits, hit in ((lines.source, s), (lines.hypothesis, h)))
        for s, h in zip(lines.in_source, lines.in_hypothesis, strict=True)
    ]


def test_a_line_shows_the_hits_of_both_sentences_side_by_side():
    lines = find_lines(CORPUS, NOT)
    assert lines.rows.tolist() == [0, 1, 2, 2]
    assert cuts(lines) == [("not", None), (None, "not"), ("not", "not"), ("not", None)]
    assert lines.source.cut(int(lines.in_source[0])) == ("No, the dog did ", "not", " bark.")
    assert (lines.hits, lines.pairs.tolist()) == (5, [0, 1, 2])


@pytest.mark.parametrize(
    ("side", "rows"),
    [("either", [0, 1, 2, 2]), ("source", [0, 2, 2]), ("hypothesis", [1, 2]), ("both", [2, 2]), ("one", [0, 1])],
)
def test_hits_can_be_required_in_a_certain_sentence(side, rows):
    assert find_lines(CORPUS, NOT, side).rows.tolist() == rows


@given(st.lists(st.tuples(st.text("ab ", max_size=5), st.text("ab ", max_size=5)), max_size=9))
def test_lines_agree_with_a_search_pair_by_pair(pairs):
    expected = []
    for row, pair in enumerate(pairs):
        spans = [[m.span() for m in re.finditer("a+|b", sentence)] for sentence in pair]
        expected += [(row, *hits) for hits in itertools.zip_longest(*spans)]
    sources, hypotheses = ([pair[side] for pair in pairs] for side in (0, 1))
    lines = find_lines(Corpus("few", list(map(str, range(len(pairs)))), sources, hypotheses), compile_pattern("/a+|b/"))
    spans = [
        [None if hit < 0 else (hits.starts[hit], hits.ends[hit]) for hit in numbers]
        for hits, numbers in ((lines.source, lines.in_source), (lines.hypothesis, lines.in_hypothesis))
    ]
    assert list(zip(lines.rows.tolist(), *spans, strict=True)) == expected


def test_a_search_can_be_limited_to_some_pairs_and_can_be_empty():
    assert find_lines(CORPUS, NOT, where=np.array([False, True, True, False])).rows.tolist() == [1, 2, 2]
    assert len(find_lines(CORPUS, compile_pattern("tsunami"))) == 0
    assert len(find_lines(CORPUS, compile_pattern("tsunami"), "both")) == 0


def test_lines_are_sorted_by_neighbouring_words():
    lines = find_lines(CORPUS, compile_pattern("/not|no/i"))
    left = [words(hits.cut(hit)[0])[-1:] for hits, hit in map(sort_lines(lines, "left").first, range(len(lines)))]
    assert left == sorted(left)
    right = [words(hits.cut(hit)[2])[:1] for hits, hit in map(sort_lines(lines, "right").first, range(len(lines)))]
    assert right == sorted(right) and right != left
    assert sort_lines(lines, "corpus") is lines
    hits, first = sort_lines(lines, "hit").first(0)
    assert hits.cut(first)[1] == "No"


def test_lines_are_sorted_by_words_at_chosen_places():
    """Left neighbour first, then the word before it, then the right neighbour, as in AntConc."""
    texts = ["so a hit b", "to a hit a", "so a hit a", "so b hit a", "hit z"]
    lines = find_lines(Corpus("x", list("12345"), texts, [""] * 5), compile_pattern("hit"))
    assert sort_lines(lines, "1L 2L 1R").rows.tolist() == [4, 2, 0, 1, 3]
    assert sort_lines(lines, "1r,1l").rows.tolist() == [1, 2, 3, 0, 4]
    assert sort_lines(lines, "hit").rows.tolist() == sort_lines(lines, "hit 1R").rows.tolist()
    with pytest.raises(ParapluieError, match="cannot be sorted by"):
        sort_lines(lines, "1L 9X")


APOSTROPHE = ["don't", "don\u2019t", "don\u02bct", "don\u00b4t", "don\u2032t"]
HYPHEN = ["well-known", "well\u2010known", "well\u2011known", "well\u2013known", "well\u2212known"]
ACCENT = ["ca\u0301fé", "cáfe\u0301", "cáfé"]
TWO_MARKS = ["\u1ebf", "\u00ea\u0301", "e\u0302\u0301"]


@pytest.mark.parametrize("spellings", [APOSTROPHE, HYPHEN, ACCENT, TWO_MARKS, ["한국", "한국"]])
def test_every_spelling_of_a_word_finds_all_of_them(spellings):
    corpus = Corpus("x", list(map(str, spellings)), [f"A {word}." for word in spellings], [""] * len(spellings))
    for word in spellings:
        for whole in (True, False):
            lines = find_lines(corpus, compile_pattern(word, whole_words=whole))
            assert [lines.source.cut(row)[1] for row in range(len(lines))] == spellings
    assert len({tuple(words(text)) for text in corpus.source}) == 1, "they count as one word"


def test_a_plain_letter_does_not_find_a_decomposed_one():
    corpus = Corpus("x", ["1", "2"], ["cafe\u0301", "café"], ["", ""])
    for whole in (True, False):
        assert not len(find_lines(corpus, compile_pattern("cafe", whole_words=whole)))


def test_hits_are_counted_by_class():
    classes = count_by_class(
        find_lines(CORPUS, NOT), CORPUS.label, {1: "paraphrase", 0: "not a paraphrase", -1: "unlabelled", 7: "?"}
    )
    assert [(count.name, count.pairs, count.source, count.hypothesis, count.both) for count in classes] == [
        ("paraphrase", 1, 0, 0, 1),
        ("not a paraphrase", 2, 1, 1, 0),
        ("unlabelled", 1, 0, 0, 0),
    ]
    expected = chi2_contingency([[2, 0], [1, 1]], correction=False, lambda_="log-likelihood").statistic
    assert classes[1].g2 == pytest.approx(expected)
    assert classes[1].log_ratio > 0 > classes[2].log_ratio
    only = count_by_class(find_lines(CORPUS, NOT), CORPUS.label, {0: "not"}, np.array([True, True, False, False]))
    assert only[0].pairs == 2 and only[0].g2 == 0
    absent = count_by_class(find_lines(CORPUS, compile_pattern("zebra")), CORPUS.label, {1: "yes", 0: "no"})
    assert np.isnan([count.log_ratio for count in absent]).all()


def test_collocates_are_more_frequent_near_a_hit_than_elsewhere():
    texts = [*CORPUS.source, *CORPUS.hypothesis]
    by_word = {
        collocate.word: collocate for collocate in find_collocates(find_lines(CORPUS, NOT), count_words(texts), span=2)
    }
    late = by_word["late"]
    assert (late.left, late.right, late.elsewhere) == (1, 2, 0)
    assert late.log_ratio > 0 and late.g2 > 0
    assert "birds" not in by_word and "the" not in by_word


def test_a_collocate_is_a_whole_word_even_if_the_hit_is_part_of_a_word():
    corpus = Corpus("parts", ["1", "2"], ["Another notice comes.", "Another notice goes."], ["x", "x"])
    texts = [*corpus.source, *corpus.hypothesis]
    for pattern in (compile_pattern("not"), compile_pattern("*not*", whole_words=True)):
        near = {collocate.word for collocate in find_collocates(find_lines(corpus, pattern), count_words(texts))}
        assert near <= {"another", "notice", "comes", "goes"}, "no fragment of a word"


def test_words_of_any_script_are_found():
    assert words("It's 3 o’clock!") == ["it's", "3", "o'clock"], "all apostrophes are the same"
    assert words("cafe\u0301") == words("café") == ["café"]
    assert words("我们 go") == ["我", "们", "go"]
    assert words("Été d'hiver") == ["été", "d'hiver"]


def test_neighbours_in_a_very_long_sentence_are_found_quickly():
    """Splitting the complete sentence for every hit would take minutes."""
    text = " ".join(f"wort{row}'s hit" for row in range(3000))
    lines = find_lines(Corpus("long", ["1"], [text], ["x"]), compile_pattern("hit"))
    for count in (1, 5):
        for row in (0, 1, 40, 2999):
            before, _, behind = lines.source.cut(row)
            assert _last_words(before, count) == words(before)[-count:]
            assert _first_words(behind, count) == words(behind)[:count]
    begun = time.thread_time()
    find_collocates(lines, count_words([text]))
    assert time.thread_time() - begun < in_time(3)
