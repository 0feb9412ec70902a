"""The composition of batches."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
import torch
from masked_models import save_masked

from parapluie_gui.errors import ParapluieError
from parapluie_gui.features.training.batches import make_batches, places_by_family, split_batch
from parapluie_gui.features.training.examples import TrainingMixture, TrainingPair, training_corpus
from parapluie_gui.features.training.trainer import Trainer, TrainingSchedule
from parapluie_gui.pairs import Corpus
from parapluie_gui.pluie.templates import find_templates, load_templates

CLOZE = find_templates(["CLOZE"], load_templates(None)[0])[0]


def pairs(single: int, of_families: int) -> list[TrainingPair]:
    """Return single pairs and families of ten, of any length, in any order."""
    rng = random.Random(0)
    result = [TrainingPair(f"single {place}", "x" * rng.randrange(100), 1.0, 1.0) for place in range(single)]
    for name in range(of_families):
        length = rng.randrange(100)
        result += [TrainingPair(f"{name} {place}", "x" * length, 0.0, 1.0, f"family {name}") for place in range(10)]
    rng.shuffle(result)
    return result


def test_every_pair_is_in_one_batch_and_every_family_in_a_single_batch() -> None:
    given = pairs(300, 30)
    result = make_batches(given, 32, [0, 1])
    assert sorted(pair for batch in result for pair in batch) == sorted(given)
    assert all(22 < len(batch) <= 32 for batch in result if batch is not min(result, key=len))
    homes = [{pair.family for pair in batch if pair.family} for batch in result]
    assert sum(map(len, homes)) == 30, "a family is in two batches"
    assert result != make_batches(given, 32, [0, 2])
    assert result == make_batches(given, 32, [0, 1])


def test_pairs_of_a_batch_have_similar_lengths() -> None:
    given = pairs(1600, 0)
    spread = [np.ptp([len(pair.hypothesis) for pair in batch]) for batch in make_batches(given, 32, [0])]
    assert max(spread) < 10 < np.ptp([len(pair.hypothesis) for pair in given])
    assert {len(batch) for batch in make_batches(given, 32, [0])} == {32}


def test_portions_split_no_family() -> None:
    for count in (1, 2, 3):
        batch = pairs(5, 2)
        result = split_batch(batch, count)
        assert len(result) <= count
        assert sorted(pair for portion in result for pair in portion) == sorted(batch)
        assert sum(len(places_by_family(portion)) for portion in result) == 2
    assert [len(portion) for portion in split_batch(pairs(32, 0), 2)] == [16, 16]


def corpus(count: int, group: bool = True) -> Corpus:
    """Return families of two meanings: the first two sentences say A, the last says B."""
    rows = [(name, pair) for name in range(count) for pair in (("cat", "dog", 1), ("cat", "sun", 0), ("dog", "sun", 0))]
    return Corpus(
        "meant",
        [str(row) for row in range(len(rows))],
        [f"The {first} sat {name}." for name, (first, _, _) in rows],
        [f"A {second} sat {name}." for name, (_, second, _) in rows],
        label=np.array([label for _, (_, _, label) in rows], dtype=np.int8),
        group=[f"m{name}" for name, _ in rows] if group else None,
    )


def test_families_are_drawn_complete() -> None:
    part = training_corpus(corpus(20), 1.5, families=True)
    drawn = part.draw(random.Random(0), 1.0)
    homes = places_by_family(drawn)
    assert len(homes) == 30
    assert all(len(places) == 3 for places in homes.values())
    assert drawn != part.draw(random.Random(1), 1.0)
    with pytest.raises(ParapluieError, match=r"meant has no groups.*Add a column"):
        training_corpus(corpus(2, group=False), families=True)


def test_a_misordered_family_has_a_high_loss_and_an_ordered_family_a_low_loss(tmp_path: Path, monkeypatch) -> None:
    part = training_corpus(corpus(4), families=True)
    trainers = [
        Trainer(
            save_masked(tmp_path / f"base{order}"),
            CLOZE,
            TrainingMixture((part,), 0.0, 0.0, 0),
            TrainingSchedule(1, batch=6, order=order),
            tmp_path / f"work{order}",
        )
        for order in (0.0, 1.0)
    ]
    taught = [TrainingPair(*pair, 1.0, "m0") for pair in part.examples[:3]]

    def costs(scores: list[float]) -> float:
        """Return the loss added by the order of the scores of the three pairs."""
        losses = []
        for trainer in trainers:
            yes, no = trainer.encoder.yes, trainer.encoder.no
            nothing = 0.0 * trainer._pass_parameters[0].sum()
            words = len(trainer.tokenizer)

            def logits(rows, yes=yes, no=no, nothing=nothing, words=words):
                made = torch.full((3, words), -20.0) + nothing
                made[:, yes], made[:, no] = torch.tensor(scores) / 2, -torch.tensor(scores) / 2
                return made

            monkeypatch.setattr(trainer, "_logits", logits)
            losses.append(trainer._gradients(taught, 3, 0)[1])
        return losses[1] - losses[0]

    # By hand: the mean of softplus(score of a pair of two meanings - score of the pair of one meaning).
    assert costs([0.0, 0.0, 0.0]) == pytest.approx(np.log(2), abs=1e-5)
    assert costs([5.0, -5.0, -5.0]) == pytest.approx(np.log1p(np.exp(-10)), abs=1e-5)
    assert costs([-2.0, 3.0, 1.0]) == pytest.approx((np.log1p(np.exp(5)) + np.log1p(np.exp(3))) / 2, abs=1e-4)


def test_training_by_families_learns_and_resumes_after_a_stop(tmp_path: Path) -> None:
    mixture = TrainingMixture((training_corpus(corpus(17), 0.9, families=True),), 0.1, 0.0, 0)
    base = save_masked(tmp_path / "base")

    def trainer(name: str) -> Trainer:
        return Trainer(base, CLOZE, mixture, TrainingSchedule(6, rate=5e-3, batch=8, order=0.5), tmp_path / name)

    losses = list(trainer("whole").train(every=7))
    assert np.mean(losses[-5:]) < np.mean(losses[:5])
    steps = trainer("stopped").train(every=7)
    first = [next(steps) for _ in range(10)]
    steps.close()
    again = trainer("stopped")
    assert again.resume()
    assert first[:7] + list(again.train(every=7)) == losses
