"""Tests of the sources of a training epoch."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from parapluie_gui.errors import ParapluieError
from parapluie_gui.features.training.examples import (
    TrainingCorpus,
    TrainingMixture,
    read_training_corpus,
    target_answers,
)
from parapluie_gui.pairs import Corpus


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    rows = [f"Source number {row} is here.\tHypothesis number {row} is there.\t{row % 2}" for row in range(40)]
    path = tmp_path / "labelled@home.tsv"
    path.write_text("source\thypothesis\tlabel\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path


def test_a_corpus_has_its_share_of_an_epoch(labelled: Path) -> None:
    for share, count in ((0.5, 20), (1, 40), (2.25, 90)):
        mixture = TrainingMixture((read_training_corpus(f"{labelled}@{share}"),), easy=0, rules=0, seed=0)
        assert len(mixture.epoch(0)) == count


def test_easy_negatives_and_rules_are_added(labelled: Path) -> None:
    mixture = TrainingMixture((read_training_corpus(str(labelled)),), easy=0.25, rules=0.5, seed=0)
    pairs = mixture.epoch(0)
    # A tenth of the pairs made by rule are rewritings, and these sentences cannot be rewritten.
    assert len(pairs) == 40 + 10 + 18
    ours = [pair for pair in pairs if "number" in pair[0] and "number" in pair[1]]
    assert len(ours) == 50
    assert sum(pair.answer == 0 for pair in ours) == 30


def test_epochs_differ_and_are_the_same_for_the_same_seed(labelled: Path) -> None:
    parts = (read_training_corpus(str(labelled)),)
    first, again, other = (TrainingMixture(parts, 0.1, 0.4, seed) for seed in (1, 1, 2))
    assert first.epoch(0) == again.epoch(0)
    assert first.epoch(0) != first.epoch(1)
    assert first.epoch(0) != other.epoch(0)
    assert any(pair.source.startswith("Hyp") for pair in first.epoch(0)), "no pair is reversed"


def test_grades_become_answers_between_no_and_yes() -> None:
    graded = Corpus("g", ["1", "2", "3", "4"], list("abcd"), list("efgh"), human=np.array([0.0, 3.9, 5.0, np.nan]))
    np.testing.assert_allclose(target_answers(graded), [0.0, 0.5, 1.0, np.nan], atol=1e-9)
    shares = Corpus("s", ["1", "2", "3"], list("abc"), list("def"), human=np.array([0.0, 0.78, 1.0]))
    np.testing.assert_allclose(target_answers(shares), [0.0, 0.5, 1.0], atol=1e-9)


def test_unlabelled_pairs_are_left_out() -> None:
    corpus = Corpus("l", ["1", "2", "3"], list("abc"), list("def"), label=np.array([1, -1, 0], dtype=np.int8))
    np.testing.assert_array_equal(target_answers(corpus), [1.0, np.nan, 0.0])


@pytest.mark.parametrize("share", ["0", "-1", "1000"])
def test_an_invalid_share_is_refused(labelled: Path, share: str) -> None:
    with pytest.raises(ParapluieError, match="share after @"):
        read_training_corpus(f"{labelled}@{share}")


def test_a_corpus_without_answers_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bare.tsv"
    path.write_text("source\thypothesis\nOne.\tTwo.\nThree.\tFour.\n", encoding="utf-8")
    with pytest.raises(ParapluieError, match="neither labels nor human scores"):
        read_training_corpus(str(path))


def _corpus(kind: str, count: int, share: float = 1.0, noise: float = 0.0) -> TrainingCorpus:
    texts = [f"{kind} {number}" for number in range(count)]
    corpus = Corpus(kind, texts, texts, [f"other {text}" for text in texts])
    pairs = ((text, f"other {text}", float(place % 2)) for place, text in enumerate(texts))
    return TrainingCorpus(corpus, share, tuple(pairs), kind, noise)


def test_scarce_kinds_weigh_more_up_to_the_requested_limit() -> None:
    parts = _corpus("news", 20), _corpus("tweets", 160, share=0.5)
    assert TrainingMixture(parts, 0, 0, 0).weights == {"news": 1.0, "tweets": 1.0}
    whole = TrainingMixture(parts, 0.1, 0, 0, balance=1.0)
    assert whole.weights["news"] == pytest.approx(4 * whole.weights["tweets"])
    learnt = [pair for pair in whole.epoch(0) if pair.weight != 1.0]
    sums = {kind: sum(pair.weight for pair in learnt if kind in pair.source) for kind in whole.weights}
    assert sums["news"] == pytest.approx(sums["tweets"]) == pytest.approx(50.0)
    half = TrainingMixture(parts, 0, 0, 0, balance=0.5).weights
    assert half["news"] == pytest.approx(2 * half["tweets"])


def test_no_answer_is_more_certain_than_the_labels() -> None:
    answers = {pair.answer for pair in TrainingMixture((_corpus("news", 20, noise=0.2),), 0, 0, 0).epoch(0)}
    assert sorted(answers) == pytest.approx([0.2, 0.8])
