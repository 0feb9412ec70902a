"""Edits that preserve the meaning, resembling each kind of change."""

from __future__ import annotations

import random
from itertools import islice

import pytest

from parapluie_gui.features.training import controls, edits

SENTENCES = [
    "The bridge was approved by the council.",
    "The letter was signed by the mayor of Boston.",
    "The house was painted by a man, and Peter left on Monday with Maria Smith.",
    "In the end, the dog was followed by Anna and Victor.",
    "The police said that Paris is not big.",
    "The shop had three doors for 3 weeks and 1200 customers.",
    "She wrote that the story is true.",
    "A boy eats an apple.",
]


def made(control, sentence: str) -> set[str]:
    result = [control(sentence, random.Random(seed)) for seed in range(100)]
    assert all(each is None or each[1] == 1.0 for each in result)
    return {each[0] for each in result if each is not None}


@pytest.mark.parametrize(
    ("control", "sentence", "result"),
    [
        (controls.reformat_number, "It cost 1,200 crowns .", {"It cost 1200 crowns ."}),
        (controls.reformat_number, "It cost 12000 crowns .", {"It cost 12,000 crowns ."}),
        (controls.reformat_number, "We saw 3 of them .", {"We saw three of them ."}),
        (controls.reformat_number, "It was 1998 and 4.5 percent .", set()),
        (controls.convert_measure, "It took 3 weeks .", {"It took 21 days ."}),
        (controls.convert_measure, "It took two hours .", {"It took 120 minutes ."}),
        (controls.convert_measure, "It took 28 days .", {"It took 4 weeks ."}),
        (controls.convert_measure, "It took 15 days .", set()),
        (controls.convert_measure, "Perhaps it rained .", {"Maybe it rained ."}),
        (controls.deny_opposite, "The story is true .", {"The story is not false ."}),
        (controls.deny_opposite, "The story was not true .", {"The story was false ."}),
        (controls.rewrite_helper, "She wrote it .", {"She did write it ."}),
        (controls.rewrite_helper, "The story told here .", set()),
        (controls.rewrite_helper, "They are here .", {"They're here ."}),
        (controls.rewrite_negation, "They weren't here .", {"They were not here ."}),
        (controls.swap_listed_names, "We met Anna and Victor there .", {"We met Victor and Anna there ."}),
        (controls.swap_listed_names, "The Stone Anna and Victor Stone .", set()),
    ],
)
def test_controls_have_known_forms(control, sentence: str, result: set[str]) -> None:
    assert made(control, sentence) == result


def test_there_are_as_many_controls_as_changes() -> None:
    words = edits.collect_words(SENTENCES)
    pairs = list(islice(edits.examples(words, 5, paired=True), 600))
    assert pairs == list(islice(edits.examples(words, 5, paired=True), 600))
    assert pairs != list(islice(edits.examples(words, 5), 600))
    turns = list(islice(edits._changes_with_controls(words, random.Random(0)), 600))
    changed = [answer for _, _, answer in turns].count(0.0)
    # A typo or a rewording follows at most one time in five.
    assert 250 < changed <= 300
    assert all(source != hypothesis for source, hypothesis, _ in turns)
