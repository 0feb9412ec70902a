"""Suites: deterministic, of distinct pairs, never too large, with only safe changes of sentences from corpora."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest

from parapluie_gui.features.certificate.behaviours import BEHAVIOURS, TRIANGLES
from parapluie_gui.features.certificate.cases import NO_ROW, make_suite, vary_sentence
from parapluie_gui.features.certificate.surface import contract, surface_variants
from parapluie_gui.pairs.corpus import Corpus


def pairs(suite) -> list[tuple[str, str]]:
    return list(zip(suite.corpus.source, suite.corpus.hypothesis, strict=True))


def test_a_seed_gives_the_same_suite_and_a_different_seed_a_different_suite():
    first, again, other = make_suite(600, 3), make_suite(600, 3), make_suite(600, 4)
    assert pairs(first) == pairs(again) and first.cases == again.cases
    assert pairs(first) != pairs(other)


def test_a_smaller_suite_is_the_beginning_of_a_larger_suite():
    few, many = make_suite(400), make_suite(1500)
    assert pairs(few) == pairs(many)[: len(few.corpus)]
    assert few.cases == many.cases[: len(few.cases)]


@pytest.mark.parametrize("most", [100, 1000, 5000])
def test_pairs_are_distinct_and_at_most_the_requested_number(most):
    suite = make_suite(most)
    assert most - 60 < len(suite.corpus) <= most
    assert len(set(pairs(suite))) == len(suite.corpus)
    rows = {row for case in suite.cases for row in (*case.rows, case.against)} - {NO_ROW}
    assert rows == set(range(len(suite.corpus)))


def test_every_behaviour_has_cases():
    result = {case.behaviour for case in make_suite(3000).cases}
    assert result == {each.key for each in BEHAVIOURS}


def test_behaviours_share_no_pairs():
    counts = Counter(case.behaviour for case in make_suite(5000).cases)
    assert min(counts.values()) > 50 and max(counts.values()) <= 10 + 2 * min(counts.values())


def test_triangles_consist_of_three_sentences():
    suite = make_suite(600)
    for case in suite.cases:
        if case.behaviour == TRIANGLES:
            one, two, three = (pairs(suite)[row] for row in case.rows)
            assert one[1] == two[0] and (one[0], two[1]) == three and len({*one, *two}) == 3


def corpus() -> Corpus:
    return Corpus(
        "mine",
        ["1", "2", "3"],
        [
            "The council was warned by 12 engineers on Monday.",
            "Nobody was hurt, she said.",
            "Nobody was hurt, she said.",
        ],
        ["On Monday 12 engineers warned the council.", "She said that people were hurt.", "Ouch, she said loudly."],
        label=np.array([1, 0, 0], dtype=np.int8),
    )


def test_sentences_of_a_corpus_are_also_used():
    suite = make_suite(600, corpora=[corpus()])
    assert "mine" in str(suite)
    result = set(pairs(suite))
    text = "The council was warned by 12 engineers on Monday."
    assert (text, "The council was not warned by 12 engineers on Monday.") in result
    assert (text, "On Monday 12 engineers warned the council.") in result
    assert {(text, text.replace("12", "twelve")), (text.replace("12", "twelve"), text)} & result
    assert not any("Nobody was not" in hypothesis for _, hypothesis in result)


def test_only_a_labelled_paraphrase_counts_as_a_rewording():
    result = set(pairs(make_suite(600, corpora=[corpus()])))
    assert ("Nobody was hurt, she said.", "She said that people were hurt.") not in result


@pytest.mark.parametrize(
    "text",
    [
        "The house was not sold.",
        "He has a car.",
        "Was it sold?",
        "It was sold as soon as it was built.",
        "She was asked whether it was true.",
        'He said "it was sold".',
        "Shares of 3M fell 4 percent to $12.",
        "It cost 5.3 million in 2003.",
        "It may have been found on June 5 by the police.",
        "They filed for Chapter 11 protection too.",
    ],
)
def test_an_ambiguous_sentence_gives_no_negation(text):
    variants = vary_sentence(text, random.Random(0))
    assert variants.others.get("negation") is None
    assert not variants.digits or variants.digits == "Shares of 3M fell four percent to $12."


def test_days_and_months_are_replaced_only_where_they_are_times():
    rng = random.Random(0)
    assert "time" in vary_sentence("The strike began in October.", rng).others
    assert "time" not in vary_sentence("The October strike began on Black Friday.", rng).others


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("It did not rain.", "It didn't rain."),
        ("It is late.", "It's late."),
        ("We know what it is like.", None),
        ("Is it not late?", None),
        ("The cat cannot swim.", "The cat can't swim."),
        ("It rains.", None),
    ],
)
def test_full_forms_are_contracted_where_it_is_safe(text, short):
    assert contract(text) == short


def test_spelling_variants_leave_the_words_unchanged():
    text = 'The grey theatre said "no" to the organisers of the festival.'
    for seed in range(20):
        variants = surface_variants(text, random.Random(seed))
        assert set(variants) == {"case", "stop", "spacing", "quotes", "spelling", "typo"}
        assert variants["case"] in (text.lower(), text.upper())
        assert variants["stop"] == text[:-1]
        assert variants["spacing"] != text and variants["spacing"].split() == text.split()
        assert variants["quotes"] == text.replace('"no"', "“no”")
        assert variants["spelling"] == text.replace("grey theatre", "gray theater")
        assert len(variants["typo"]) == len(text) and sorted(variants["typo"]) == sorted(text)
        assert sum(a != b for a, b in zip(text, variants["typo"], strict=True)) == 2
