"""Differences that a reader cannot see."""

from __future__ import annotations

import pytest

from parapluie_gui.pairs.difference.unseen import FORM, UNSEEN, differ_only_in
from parapluie_gui.ui.pair.sentences import unseen_sentences


@pytest.mark.parametrize(
    ("source", "hypothesis", "sentences"),
    [
        ("The cat.", "A dog.", []),
        ("caf\u00e9", "cafe\u0301", ["“\u00e9” is written as 2 characters in the hypothesis, as 1 in the source."]),
        ("Nhu\u031b", "Nh\u01b0", ["“\u01b0” is written as 2 characters in the source, as 1 in the hypothesis."]),
        ("caf\u00e9", "th\u00e9", []),
        (
            "ten pairs",
            "ten\u00a0pairs",
            ["Not visible: no-break space (U+00A0), 1 in the hypothesis, 0 in the source."],
        ),
        ("co\u00adop\u00ad", "coop", ["Not visible: soft hyphen (U+00AD), 2 in the source, 0 in the hypothesis."]),
        ("\u200bA", "\u200bB", []),
        (
            "a \u202eb",
            "a b",
            ["Not visible: right-to-left override (U+202E), 1 in the source, 0 in the hypothesis."],
        ),
        (
            "ten pairs",
            "ten p\u0430irs",
            ["“p\u0430irs” in the hypothesis is written with a different letter: Cyrillic small letter a (U+0430)."],
        ),
        (
            "\u039fhm's law holds",
            "Ohm's law holds",
            ["“\u039fhm” in the source is written with a different letter: Greek capital letter omicron (U+039F)."],
        ),
        # A word in a different language that looks like an English word is not a mistake.
        ("He is a cat in a house", "\u041e\u043d \u0430 \u043a\u043e\u0442 \u0432 \u0434\u043e\u043c\u0435", []),
        ("\u4ed6\u5728\u5bb6", "He is at home", []),
    ],
)
def test_invisible_differences_are_named(source, hypothesis, sentences):
    assert unseen_sentences(source, hypothesis) == sentences


@pytest.mark.parametrize(
    ("source", "hypothesis", "ways"),
    [
        ("ten pairs", "ten p\u0430irs", (UNSEEN,)),
        ("ten pairs", "ten\u200b pairs\u00ad", (UNSEEN,)),
        ("ten\u00a0pairs", "ten pairs", (FORM,)),
        ("ten pairs", "ten p\u0430rts", None),
    ],
)
def test_sentences_with_only_invisible_differences_are_recognised(source, hypothesis, ways):
    assert differ_only_in(source, hypothesis) == ways == differ_only_in(hypothesis, source)
