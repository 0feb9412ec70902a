"""Sentences that differ only in case, spacing or encoding."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parapluie_gui.pairs.difference.unseen import CASE, FORM, SPACES, SPACING, differ_only_in, without_unseen


@pytest.mark.parametrize(
    ("source", "hypothesis", "ways"),
    [
        ("The cat.", "The cat.", ()),
        ("", "", ()),
        ("The cat.", "the CAT.", (CASE,)),
        ("The cat.", " The  cat.\n", (SPACING,)),
        ("caf\u00e9", "cafe\u0301", (FORM,)),
        ("\ufb01ne", "fine", (FORM,)),
        ("The caf\u00e9.", "the  cafe\u0301.", (FORM, CASE, SPACING)),
        ("Stra\u00dfe", "STRASSE", (CASE,)),
        ("The cat.", "The cats.", None),
        ("The cat.", "The cat!", None),
        ("The cat", "", None),
    ],
)
def test_the_kinds_of_trivial_difference_are_named(source, hypothesis, ways):
    assert differ_only_in(source, hypothesis) == ways
    assert differ_only_in(hypothesis, source) == ways


@given(st.text("aоа\u00a0\u200b\ufe0f ", max_size=12))
def test_unseen_characters_are_removed_as_letter_by_letter(text):
    expected = "".join(" " if sign in SPACES else sign for sign in text if sign not in "\u200b\ufe0f")
    assert without_unseen(text) == expected.replace("о", "o").replace("а", "a")
