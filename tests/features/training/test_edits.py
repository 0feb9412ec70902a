"""Tests of the pairs made of the corpora's own sentences and words."""

from __future__ import annotations

import random
from itertools import islice
from pathlib import Path

import pytest

from parapluie_gui.features.training import edits
from parapluie_gui.features.training.examples import TrainingMixture, read_training_corpus

SENTENCES = [
    "The bridge was approved by the council.",
    "The letter was signed by the mayor of Boston.",
    "The house was painted by a man, and Peter left on Monday with Maria Smith.",
    "In the end, the dog was followed by Anna and Victor Stone.",
    "The police said that Paris is not big.",
    "The shop had three doors in 1998.",
    "A boy eats an apple.",
]


@pytest.fixture
def words() -> edits.CorpusWords:
    return edits.collect_words(SENTENCES)


def test_words_are_found_in_their_positions(words: edits.CorpusWords) -> None:
    assert words.verbs == ("approved", "followed", "painted", "signed")
    assert {"bridge", "letter", "mayor", "dog", "police", "shop"} <= set(words.nouns)
    assert {"Boston", "Paris", "Anna", "Victor Stone", "Maria Smith"} <= set(words.names)
    assert "Monday" not in words.names
    assert "A boy eats an apple." in words.short


def test_the_same_seed_gives_the_same_pairs_of_both_kinds(words: edits.CorpusWords) -> None:
    pairs = list(islice(edits.examples(words, 5), 400))
    assert pairs == list(islice(edits.examples(words, 5), 400))
    assert 0.25 < sum(answer for _, _, answer in pairs) / len(pairs) < 0.6
    assert all(source != hypothesis and "{" not in source + hypothesis for source, hypothesis, _ in pairs)


def test_a_corpus_with_too_few_words_gives_no_pairs() -> None:
    assert list(edits.examples(edits.collect_words(["Hello."]), 0)) == []


@pytest.mark.parametrize(
    ("change", "sentence", "result", "answer"),
    [
        (edits._change_number, "It had 7 doors .", {f"It had {n} doors ." for n in "12345689"}, 0.0),
        (edits._use_opposite, "Prices rose .", {"Prices fell ."}, 0.0),
        (edits._toggle_negation, "He is here .", {"He is not here ."}, 0.0),
        (edits._toggle_negation, "He is not here .", {"He is here ."}, 0.0),
        (edits._swap_names, "In the war, Anna met Victor .", {"In the war, Victor met Anna ."}, 0.0),
        (
            edits._change_word,
            "It took 3 ounces .",
            {f"It took 3 {unit} ." for unit in ("kilograms", "grams", "pounds", "tons")},
            0.0,
        ),
        (edits._change_time, "He is .", {f"He {way} ." for way in edits.word_lists()["helper"]["is"]}, 0.0),
        (edits._reword, "We do not know .", {"We don't know ."}, 1.0),
    ],
)
def test_a_single_change_is_made(change, sentence: str, result: set[str], answer: float) -> None:
    results = {change(sentence, random.Random(seed)) for seed in range(200)} - {None}
    assert results == {(text, answer) for text in result}


def test_numbers_are_spelled_out_or_changed() -> None:
    results = {edits._change_spelled_number("It had three doors .", random.Random(seed)) for seed in range(300)}
    assert ("It had 3 doors .", 1.0) in results
    assert ("It had nine doors .", 0.0) in results
    assert ("It had three doors .", 0.0) not in results


def test_a_day_is_moved_or_changed() -> None:
    results = {edits._move_day("The shop closed on Monday for good .", random.Random(seed)) for seed in range(100)}
    assert ("On Monday , the shop closed for good .", 1.0) in results
    assert ("The shop closed on Friday for good .", 0.0) in results


def test_a_verb_gets_a_different_tense_or_certainty() -> None:
    results = {edits._change_time("She wrote it .", random.Random(seed)) for seed in range(100)}
    assert ("She will write it .", 0.0) in results
    assert ("She may have written it .", 0.0) in results
    assert edits._change_time("The dropped ball .", random.Random(0)) is None


def test_a_name_is_replaced_and_a_typo_keeps_the_name(words: edits.CorpusWords) -> None:
    renamed = {edits._change_name(words, "We saw Paris again .", random.Random(seed)) for seed in range(50)}
    assert ("We saw Boston again .", 0.0) in renamed
    assert edits._mistype("The bridge .", random.Random(1)) not in (None, ("The bridge .", 1.0))


@pytest.mark.parametrize(
    "change",
    [edits._change_number, edits._use_opposite, edits._swap_names, edits._move_day, edits._change_spelled_number],
)
def test_an_inapplicable_change_is_skipped(change) -> None:
    assert change("Colourless ideas sleep .", random.Random(0)) is None


def test_an_epoch_includes_the_edited_pairs(tmp_path: Path) -> None:
    path = tmp_path / "corpus.tsv"
    rows = "\n".join(f"{text}\t{SENTENCES[0]}\t0" for text in SENTENCES)
    path.write_text(f"source\thypothesis\tlabel\n{rows}\n", encoding="utf-8")
    parts = (read_training_corpus(str(path)),)
    assert len(TrainingMixture(parts, 0, 0, 0, edits=2.0).epoch(0)) == 21
    assert TrainingMixture(parts, 0, 0, 0, edits=0.0).epoch(0) == TrainingMixture(parts, 0, 0, 0).epoch(0)
