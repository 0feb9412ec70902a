"""Suites of cases: the same for the same seed, each pair once, never too many, and of corpora only what is certain."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest

from parapluie_gui.features.certificate.behaviours import BEHAVIOURS, TRIANGLES
from parapluie_gui.features.certificate.cases import NONE, made_of, suite
from parapluie_gui.features.certificate.surface import changed, contracted
from parapluie_gui.pairs.corpus import Corpus


def pairs(made) -> list[tuple[str, str]]:
    return list(zip(made.corpus.source, made.corpus.hypothesis, strict=True))


def test_a_seed_gives_one_suite_and_another_seed_another():
    first, again, other = suite(600, 3), suite(600, 3), suite(600, 4)
    assert pairs(first) == pairs(again) and first.cases == again.cases
    assert pairs(first) != pairs(other)


def test_fewer_pairs_are_the_first_of_more():
    few, many = suite(400), suite(1500)
    assert pairs(few) == pairs(many)[: len(few.corpus)]
    assert few.cases == many.cases[: len(few.cases)]


@pytest.mark.parametrize("most", [100, 1000, 5000])
def test_each_pair_is_there_once_and_never_more_than_asked_for(most):
    made = suite(most)
    assert most - 60 < len(made.corpus) <= most
    assert len(set(pairs(made))) == len(made.corpus)
    rows = {row for case in made.cases for row in (*case.rows, case.against)} - {NONE}
    assert rows == set(range(len(made.corpus)))


def test_every_behaviour_has_cases():
    found = {case.behaviour for case in suite(3000).cases}
    assert found == {each.key for each in BEHAVIOURS}


def test_no_behaviour_takes_the_pairs_of_the_others():
    counts = Counter(case.behaviour for case in suite(5000).cases)
    assert min(counts.values()) > 50 and max(counts.values()) <= 10 + 2 * min(counts.values())


def test_triangles_are_of_three_sentences():
    made = suite(600)
    for case in made.cases:
        if case.behaviour == TRIANGLES:
            one, two, three = (pairs(made)[row] for row in case.rows)
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


def test_the_sentences_of_a_corpus_are_used_too():
    made = suite(600, corpora=[corpus()])
    assert "mine" in str(made)
    found = set(pairs(made))
    text = "The council was warned by 12 engineers on Monday."
    assert (text, "The council was not warned by 12 engineers on Monday.") in found
    assert (text, "On Monday 12 engineers warned the council.") in found
    assert {(text, text.replace("12", "twelve")), (text.replace("12", "twelve"), text)} & found
    assert not any("Nobody was not" in hypothesis for _, hypothesis in found)


def test_only_a_paraphrase_is_taken_for_other_words():
    found = set(pairs(suite(600, corpora=[corpus()])))
    assert ("Nobody was hurt, she said.", "She said that people were hurt.") not in found


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
def test_a_sentence_that_is_no_clear_case_yields_none(text):
    found = made_of(text, random.Random(0))
    assert found.others.get("negation") is None
    assert not found.digits or found.digits == "Shares of 3M fell four percent to $12."


def test_days_and_months_are_replaced_only_where_they_are_times():
    rng = random.Random(0)
    assert "time" in made_of("The strike began in October.", rng).others
    assert "time" not in made_of("The October strike began on Black Friday.", rng).others


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
def test_contractions(text, short):
    assert contracted(text) == short


def test_ways_of_writing_leave_the_words_alone():
    text = 'The grey theatre said "no" to the organisers of the festival.'
    for seed in range(20):
        found = changed(text, random.Random(seed))
        assert set(found) == {"case", "stop", "spacing", "quotes", "spelling", "typo"}
        assert found["case"] in (text.lower(), text.upper())
        assert found["stop"] == text[:-1]
        assert found["spacing"] != text and found["spacing"].split() == text.split()
        assert found["quotes"] == text.replace('"no"', "“no”")
        assert found["spelling"] == text.replace("grey theatre", "gray theater")
        assert len(found["typo"]) == len(text) and sorted(found["typo"]) == sorted(text)
        assert sum(a != b for a, b in zip(text, found["typo"], strict=True)) == 2
