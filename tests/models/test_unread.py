"""Pairs that differ only in characters that a model's vocabulary lacks."""

from __future__ import annotations

import pytest

import parapluie_gui as pp
from parapluie_gui import places
from parapluie_gui.models import catalogue
from parapluie_gui.models.catalogue import POCKET
from parapluie_gui.models.unread import describe_unread_pairs, find_unread_pairs, find_unread_signs

SOURCES = ["It is 20 ℃ today.", "Done ✓", "ฉันชอบกาแฟ", "It is warm.", "Ça va ?", "A café", "Same ℃", "Two ✓ here"]
HYPOTHESES = ["It is 20 ℉ today.", "Done ✗", "ฉันไม่ชอบกาแฟ", "It is hot.", "Ca va ?", "A bar", "Same ℃", "Two ✗ there"]


@pytest.fixture(autouse=True)
def weights():
    if not catalogue.is_ready(POCKET):
        pytest.skip("no weights in resources/pocket")


def test_pairs_that_differ_only_in_unknown_characters_are_found():
    assert find_unread_pairs(places.pocket(), SOURCES, HYPOTHESES) == [0, 1, 2]


def test_the_message_has_the_number_of_pairs_and_an_example():
    sentence = describe_unread_pairs("pocket", [0, 1, 2], SOURCES, HYPOTHESES)
    assert sentence.startswith(
        "pocket: 3 pairs differ only in characters that are not in its vocabulary, such as “It is 20 ℃ "
    )
    assert "pairs" not in describe_unread_pairs("pocket", [0], SOURCES[1:2], HYPOTHESES[1:2])
    assert describe_unread_pairs("pocket", [], SOURCES[3:], HYPOTHESES[3:]) == ""


def test_unknown_characters_are_named_once_and_accents_are_not():
    assert find_unread_signs(places.pocket(), "Ça va 👍, 20 ℃ 👍 naïve") == ["👍", "℃"]


def test_a_byte_level_model_reads_every_character(folders):
    assert find_unread_pairs(folders("llama"), SOURCES, HYPOTHESES) == []


def test_unreadable_pairs_are_reported_at_each_run_even_with_stored_scores(home, capsys):
    for _ in range(2):
        pp.score(SOURCES[:2], HYPOTHESES[:2], judge="pocket")
        assert "pocket: 2 pairs differ only in characters" in capsys.readouterr().err
