"""Phrase extraction against its definition, segmentation against all alternatives, and the merged alignment."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parapluie_gui.errors import MetricError
from parapluie_gui.features.pem.alignment import align, choose_aligner, grow_diagonal
from parapluie_gui.features.pem.phrases import BITS, LONGEST, UNKNOWN, PhraseCounts, phrase_pairs, segment


def consistent(source, pivot, links):
    """Koehn, Och and Marcu's definition: at least one link inside, none across the boundary."""
    result = Counter()
    spans = [list(itertools.combinations(range(len(side) + 1), 2)) for side in (source, pivot)]
    for (a, b), (c, d) in itertools.product(*spans):
        if b - a > LONGEST or d - c > LONGEST:
            continue
        inside = [(i, j) for i, j in links if a <= i < b and c <= j < d]
        touched = [(i, j) for i, j in links if a <= i < b or c <= j < d]
        if inside and len(inside) == len(touched):
            result[tuple(source[a:b]), tuple(pivot[c:d])] += 1
    return result


@given(st.integers(1, 7), st.integers(1, 7), st.sets(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=12))
def test_phrases_are_the_consistent_pairs(n, m, links):
    source, pivot = [f"s{i}" for i in range(n)], [f"p{j}" for j in range(m)]
    links = {(i, j) for i, j in links if i < n and j < m}
    result = Counter((phrase, text) for phrase, texts in phrase_pairs(source, pivot, links) for text in texts)
    assert result == consistent(source, pivot, links)


def test_counts_give_the_edges():
    counts = PhraseCounts()
    for pivot in ["chien"] * 17 + ["chienne"] * 2 + ["clébard"]:
        counts.add(["dog"], [pivot], {(0, 0)})
    assert counts.occurrences[("dog",)] == 20
    # 2 of 20 is 0.1, which an edge must exceed
    assert counts.edges(("dog",)) == [(("chien",), 0.85)]
    spread = PhraseCounts()
    for number in range(20):
        spread.add(["get"], [f"f{number:02}"], {(0, 0)})
    assert spread.edges(("get",)) == [
        (("f00",), 0.05)
    ]  # no edge exceeds it: the most likely edge is kept, so that the network has no gaps


def probability(cut, words, table, total):
    value = 0.0
    for start, end in itertools.pairwise(cut):
        phrase = tuple(words[start:end])
        if phrase not in table and end - start > 1:
            return -math.inf
        value += math.log(table.get(phrase, UNKNOWN) / total)
    return value


@settings(max_examples=40)
@given(
    st.lists(st.integers(0, 3), min_size=1, max_size=7),
    st.dictionaries(st.lists(st.integers(1, 3), min_size=1, max_size=4).map(tuple), st.integers(1, 50), max_size=12),
)
def test_the_segmentation_is_the_most_likely(words, table):
    total = sum(table.values()) or 1
    keys = {sum(word << BITS * at for at, word in enumerate(reversed(phrase))): phrase for phrase in table}
    phrases = {key: at for at, key in enumerate(keys)}
    logs = [math.log(table[phrase] / total) for phrase in keys.values()]
    ends = segment(words, phrases, logs, math.log(UNKNOWN / total))
    cuts = [
        (0, *inner, len(words))
        for size in range(len(words))
        for inner in itertools.combinations(range(1, len(words)), size)
    ]
    best = max(probability(cut, words, table, total) for cut in cuts)
    assert ends[-1] == len(words)
    assert probability((0, *ends), words, table, total) == pytest.approx(best, abs=1e-9)


def test_an_empty_sentence_has_no_segments():
    assert segment([], {}, [], -1.0) == []


def test_growing_adds_neighbours_of_unlinked_words():
    # both directions have 0-0; its neighbour 1-1 links unlinked words; 3-0 has no neighbour
    assert grow_diagonal({(0, 0), (1, 1)}, {(0, 0), (3, 0)}) == {(0, 0), (1, 1)}
    assert grow_diagonal({(0, 0)}, set()) == set()


def test_nltk_aligns_recurring_words():
    rng = np.random.default_rng(0)
    sources = [[f"w{i}" for i in rng.permutation(6)[:4]] for _ in range(80)]
    pivots = [[word.replace("w", "x") for word in reversed(source)] for source in sources]
    links = align(sources, pivots, "nltk")
    assert sum(sentence_links == {(i, 3 - i) for i in range(4)} for sentence_links in links) > 70


def test_aligners_are_chosen_by_name():
    assert choose_aligner() in ("eflomal", "systran-align", "nltk") and choose_aligner("nltk") == "nltk"
    with pytest.raises(MetricError, match="aligners are auto, eflomal, systran-align, nltk"):
        choose_aligner("giza")


@pytest.mark.parametrize("name", ["eflomal", "systran-align"])
def test_compiled_aligners_link_matching_words(name):
    pytest.importorskip(name.replace("-", "_"))
    sources = [["a", "|", "b"], ["b", "c"], ["a", "c"], ["c", "b", "a"]] * 30
    pivots = [[word.upper() for word in source] for source in sources]
    links = align(sources, pivots, name)
    assert len(links) == len(sources) and all(i < 3 and j < 3 for sentence_links in links for i, j in sentence_links)
    right = sum(
        sources[at][i].upper() == pivots[at][j] for at, sentence_links in enumerate(links) for i, j in sentence_links
    )
    assert right > 0.9 * sum(map(len, links)) > 200
