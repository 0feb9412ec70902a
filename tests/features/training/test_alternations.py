"""Tests of the pairs made by rule."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from itertools import combinations, islice
from pathlib import Path

from parapluie_gui.features.training import alternations
from parapluie_gui.pairs import read

RESOURCES = Path(__file__).parents[3] / "resources"
MEANINGS = alternations._data()["meaning"]


def test_the_same_seed_gives_the_same_pairs_half_of_them_paraphrases() -> None:
    pairs = list(islice(alternations.examples(7), 2000))
    assert pairs == list(islice(alternations.examples(7), 2000))
    assert pairs != list(islice(alternations.examples(8), 2000))
    assert 0.46 < sum(answer for _, _, answer in pairs) / len(pairs) < 0.54
    assert len(set(pairs)) > 1900


def test_no_sentence_is_paired_with_itself() -> None:
    assert all(source != hypothesis for source, hypothesis, _ in islice(alternations.examples(3), 2000))


def test_every_form_of_a_meaning_can_be_filled_in() -> None:
    for meaning in MEANINGS:
        groups = meaning.get("groups") or [meaning["same"], meaning["other"]]
        assert all(len(group) >= 2 for group in groups) or len(meaning["same"]) >= 2, meaning["name"]
        for slots in _all_slots(meaning):
            said = [{form.format_map(slots) for form in group} for group in groups]
            assert not any("{" in text or "  " in text for group in said for text in group), meaning["name"]
            for one, other in combinations(said, 2):
                assert not one & other, f"{meaning['name']}: one sentence is a paraphrase and is not"


def test_frequent_words_rarely_repeat() -> None:
    meaning = next(each for each in MEANINGS if each["name"] == "any deed")
    rng = random.Random(0)
    said = {
        meaning["groups"][0][0].format_map(alternations._slots(alternations._data(), meaning, rng)) for _ in range(500)
    }
    assert len(said) > 495
    assert not any("  " in text or " ." in text for text in said)


def test_plural_subjects_get_plural_sentences() -> None:
    slots = [alternations._plenty(alternations._data(), random.Random(seed)) for seed in range(3000)]
    were = {slot["l"] for slot in slots if slot["was_l"] == "were"}
    assert were == {"the neighbours", "the twins"}


def test_words_are_replaced_by_synonyms() -> None:
    text = "She said that the United States will not buy a big house because it is difficult ."
    replace_words = {alternations.replace_words(text, random.Random(seed)) for seed in range(40)}
    assert any(each and "won't" in each and "purchase" in each for each in replace_words)
    assert all(each is None or each.endswith(".") for each in replace_words)
    assert alternations.replace_words("Colourless green ideas sleep furiously.", random.Random(0)) is None


def test_rewritings_are_paraphrases_of_their_sentences() -> None:
    sentences = ["We do not buy fish.", "Nothing here.", "They are not here."]
    assert {source for source, _, answer in alternations.reworded_examples(sentences * 9, 0) if answer == 1.0} == {
        "We do not buy fish.",
        "They are not here.",
    }


def test_the_demo_corpus_is_not_trained_on() -> None:
    halves = [read(RESOURCES / "demo" / name) for name in ("demo.tsv", "held_out.tsv")]
    shown = {text.lower().strip(" .") for half in halves for text in (*half.source, *half.hypothesis)}
    assert not shown & _sentences(20_000)


def test_the_benchmark_is_not_trained_on(shared_data: Path) -> None:
    tested: set[str] = set()
    for file in (shared_data / "paraphrasus").glob("*.json"):
        for row in json.loads(file.read_text(encoding="utf-8")).values():
            tested |= {row["sentence1"].lower().strip(" ."), row["sentence2"].lower().strip(" .")}
    assert len(tested) > 1000
    assert not tested & _sentences(20_000)


def _sentences(count: int) -> set[str]:
    """Return many drawn sentences, and every row of every meaning once."""
    made = [text for pair in islice(alternations.examples(1), count) for text in pair[:2]]
    for meaning in MEANINGS:
        groups = meaning.get("groups") or [meaning["same"], meaning["other"]]
        made += [form.format_map(slots) for slots in _all_slots(meaning) for group in groups for form in group]
    return {text.lower().strip(" .") for text in made}


def _all_slots(meaning: dict) -> Iterator[dict[str, str]]:
    """Yield the words of every row of a meaning; twenty draws for a meaning without rows."""
    for seed, row in enumerate(meaning.get("rows", [{}] * 20)):
        yield alternations._slots(alternations._data(), {**meaning, "rows": [row]}, random.Random(seed))
