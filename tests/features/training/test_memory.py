"""The output line about memorised pairs."""

from __future__ import annotations

import numpy as np

from parapluie_gui.features.training.examples import training_corpus
from parapluie_gui.features.training.memory import format_gaps, memory_gaps
from parapluie_gui.features.training.mixture_file import KeptCorpus
from parapluie_gui.pairs import Corpus


def corpus(name: str, start: int, count: int) -> Corpus:
    ids = [str(number) for number in range(start, start + count)]
    label = np.array([number % 2 for number in range(count)], dtype=np.int8)
    return Corpus(name, ids, [f"s{each}" for each in ids], [f"h{each}" for each in ids], label=label)


def test_a_judge_that_memorised_its_pairs_is_detected() -> None:
    parts = [training_corpus(corpus("cats", 0, 60)), training_corpus(corpus("dogs", 500, 60))]
    held_out = [KeptCorpus("a", corpus("cats", 100, 40)), KeptCorpus("b", corpus("birds", 200, 40))]
    known = {source: answer for part in parts for source, _, answer in part.examples}
    rng = np.random.default_rng(0)

    def by_heart(sources, hypotheses):
        return np.array([known.get(source, rng.random()) for source in sources])

    (result,) = memory_gaps(parts, held_out, by_heart)
    assert result.name == "cats"
    assert result.seen == 1.0
    assert 0.25 < result.kept < 0.75
    assert format_gaps([result]).startswith(
        f"AUC, seen / held out: mean gap {1 - result.kept:.3f}, widest cats; cats 1.000"
    )


def test_at_most_the_requested_number_of_pairs_is_scored_and_always_the_same_pairs() -> None:
    asked: list[list[str]] = []

    def score(sources, hypotheses):
        asked.append(list(sources))
        return np.arange(len(sources), dtype=float)

    for _ in range(2):
        memory_gaps(
            [training_corpus(corpus("cats", 0, 60))], [KeptCorpus("a", corpus("cats", 100, 40))], score, most=20
        )
    assert [len(each) for each in asked] == [20] * 4
    assert asked[:2] == asked[2:]
