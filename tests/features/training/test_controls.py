"""Edits that change no meaning, for each kind of change one that looks like it."""

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
    found = [control(sentence, random.Random(seed)) for seed in range(100)]
    assert all(each is None or each[1] == 1.0 for each in found)
    return {each[0] for each in found if each is not None}


@pytest.mark.parametrize(
    ("control", "sentence", "found"),
    [
        (controls.same_number, "It cost 1,200 crowns .", {"It cost 1200 crowns ."}),
        (controls.same_number, "It cost 12000 crowns .", {"It cost 12,000 crowns ."}),
        (controls.same_number, "We saw 3 of them .", {"We saw three of them ."}),
        (controls.same_number, "It was 1998 and 4.5 percent .", set()),
        (controls.same_measure, "It took 3 weeks .", {"It took 21 days ."}),
        (controls.same_measure, "It took two hours .", {"It took 120 minutes ."}),
        (controls.same_measure, "It took 28 days .", {"It took 4 weeks ."}),
        (controls.same_measure, "It took 15 days .", set()),
        (controls.same_measure, "Perhaps it rained .", {"Maybe it rained ."}),
        (controls.unopposed, "The story is true .", {"The story is not false ."}),
        (controls.unopposed, "The story was not true .", {"The story was false ."}),
        (controls.same_time, "She wrote it .", {"She did write it ."}),
        (controls.same_time, "The story told here .", set()),
        (controls.same_time, "They are here .", {"They're here ."}),
        (controls.still_denied, "They weren't here .", {"They were not here ."}),
        (controls.turned_list, "We met Anna and Victor there .", {"We met Victor and Anna there ."}),
        (controls.turned_list, "The Stone Anna and Victor Stone .", set()),
    ],
)
def test_what_a_control_makes(control, sentence: str, found: set[str]) -> None:
    assert made(control, sentence) == found


def test_as_many_controls_as_changes() -> None:
    words = edits.words_of(SENTENCES)
    pairs = list(islice(edits.examples(words, 5, paired=True), 600))
    assert pairs == list(islice(edits.examples(words, 5, paired=True), 600))
    assert pairs != list(islice(edits.examples(words, 5), 600))
    turns = list(islice(edits._controlled(words, random.Random(0)), 600))
    changed = [answer for _, _, answer in turns].count(0.0)
    # A typo or a rewording follows one time in five at most.
    assert 250 < changed <= 300
    assert all(source != hypothesis for source, hypothesis, _ in turns)
