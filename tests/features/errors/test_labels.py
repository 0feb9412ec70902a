"""Labels that may be wrong: turned labels are found, and agreement with the label is no suspicion."""

from __future__ import annotations

import numpy as np
import pytest

from parapluie_gui.analysis.score_column import score_column
from parapluie_gui.features.errors.labels import PLANTED, suspects

RANDOM = np.random.default_rng(5)
TRUTH = (np.arange(400) % 2).astype(np.int8)
TURNED = np.array([10, 31, 52, 73, 94, 115, 136, 157, 178, 199])


def scores():
    """Return a judge, a metric and a distance that know the truth but for some noise."""
    clean = [2.0 * TRUTH - 1 + RANDOM.normal(0, 0.6, 400) for _ in range(3)]
    return [
        score_column("pluie.a", 3 * clean[0]),
        score_column("bleu", 0.5 + 0.2 * clean[1]),
        score_column("far", 5 - clean[2], distance=True),
    ]


def turned() -> np.ndarray:
    labels = TRUTH.copy()
    labels[TURNED] = 1 - labels[TURNED]
    return labels


def test_labels_that_were_turned_come_first():
    found = suspects(scores(), turned())
    assert found.scores == 3
    assert len(set(found.rows[:10].tolist()) & set(TURNED.tolist())) >= 8
    assert (np.diff(found.strength) <= 0).all() and found.strength.min() >= 0 and found.strength.max() <= 1
    assert (found.against >= 2).all()


def test_only_the_pairs_that_are_asked_for_and_only_labelled_ones():
    labels = turned()
    labels[10] = -1
    where = np.arange(400) < 100
    rows = set(suspects(scores(), labels, where).rows.tolist())
    assert rows <= set(range(100)) and 10 not in rows and rows & set(TURNED.tolist())


def test_one_score_raises_no_suspicion_and_a_missing_one_does_not_count():
    assert not len(suspects(scores()[:1], turned()).rows)
    columns = scores()
    columns[0].values[31] = np.nan
    found = suspects(columns, turned())
    at = found.rows.tolist().index(31) if 31 in found.rows else None
    assert at is None or found.against[at] == 2


def test_a_score_without_any_spread_is_left_out():
    flat = score_column("flat", np.zeros(400))
    assert np.isfinite(suspects([*scores(), flat], turned()).strength).all()


def noisy(pairs: int, seed: int):
    """Return the true labels of many pairs, and two scores that are right in about seven of ten."""
    random = np.random.default_rng(seed)
    truth = (random.random(pairs) < 0.6).astype(np.int8)
    return truth, [score_column(name, truth + random.normal(0, 0.9, pairs)) for name in ("one", "two")]


@pytest.mark.parametrize("share", [0.02, PLANTED, 0.1])
def test_the_probability_is_that_of_planted_labels_where_so_many_are_planted(share):
    """Wrong labels put into many corpora: how many of the suspects are wrong, and what is said of them."""
    said, strong, true = [], [], []
    for seed in range(10):
        truth, columns = noisy(1500, seed)
        random = np.random.default_rng(100 + seed)
        wrong = random.choice(len(truth), round(share * len(truth)), replace=False)
        labels = truth.copy()
        labels[wrong] = 1 - labels[wrong]
        found = suspects(columns, labels)
        said.append(found.wrong.mean())
        strong.append(found.strength.mean())
        true.append(np.isin(found.rows, wrong).mean())
    assert np.mean(strong) > np.mean(true) + 0.2, "how surely the scores say otherwise is no probability of that"
    if share == PLANTED:
        assert abs(np.mean(said) - np.mean(true)) < 0.04
    else:
        assert (np.mean(said) < np.mean(true)) == (share > PLANTED), "it is said for a share of five in a hundred"


def test_what_is_said_of_the_first_suspects_is_rather_too_little_and_never_too_much():
    """The corpus's own wrong labels count as right ones where labels are planted, which matters most for the first."""
    said, true = [], []
    for seed in range(10):
        truth, columns = noisy(1500, seed)
        wrong = np.random.default_rng(seed).choice(len(truth), round(PLANTED * len(truth)), replace=False)
        labels = truth.copy()
        labels[wrong] = 1 - labels[wrong]
        found = suspects(columns, labels)
        said.append([found.wrong[:30].mean(), found.wrong[-60:].mean()])
        true.append([np.isin(part, wrong).mean() for part in (found.rows[:30], found.rows[-60:])])
    over = np.mean(said, axis=0) - np.mean(true, axis=0)
    assert -0.2 < over[0] < 0.03 and abs(over[1]) < 0.05
    assert np.mean(said, axis=0)[0] > np.mean(said, axis=0)[1] + 0.2


def test_few_pairs_plant_nothing():
    truth, columns = noisy(8, 0)
    assert np.isnan(suspects(columns, truth).wrong).all()
