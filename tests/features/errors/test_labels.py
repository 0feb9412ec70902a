"""Possibly wrong labels: flipped labels are detected, and agreement with the label raises no suspicion."""

from __future__ import annotations

import numpy as np
import pytest

from parapluie_gui.analysis.score_column import score_column
from parapluie_gui.features.errors.labels import PLANTED, find_suspects

RANDOM = np.random.default_rng(5)
TRUTH = (np.arange(400) % 2).astype(np.int8)
FLIPPED = np.array([10, 31, 52, 73, 94, 115, 136, 157, 178, 199])


def scores():
    """Return scores of a judge, a metric and a distance: the truth plus noise."""
    clean = [2.0 * TRUTH - 1 + RANDOM.normal(0, 0.6, 400) for _ in range(3)]
    return [
        score_column("pluie.a", 3 * clean[0]),
        score_column("bleu", 0.5 + 0.2 * clean[1]),
        score_column("far", 5 - clean[2], distance=True),
    ]


def flipped_labels() -> np.ndarray:
    labels = TRUTH.copy()
    labels[FLIPPED] = 1 - labels[FLIPPED]
    return labels


def test_flipped_labels_come_first():
    suspects = find_suspects(scores(), flipped_labels())
    assert suspects.scores == 3
    assert len(set(suspects.rows[:10].tolist()) & set(FLIPPED.tolist())) >= 8
    assert (np.diff(suspects.strength) <= 0).all() and suspects.strength.min() >= 0 and suspects.strength.max() <= 1
    assert (suspects.against >= 2).all()


def test_only_requested_and_labelled_pairs_are_examined():
    labels = flipped_labels()
    labels[10] = -1
    where = np.arange(400) < 100
    rows = set(find_suspects(scores(), labels, where).rows.tolist())
    assert rows <= set(range(100)) and 10 not in rows and rows & set(FLIPPED.tolist())


def test_a_single_score_raises_no_suspicion_and_a_missing_score_does_not_count():
    assert not len(find_suspects(scores()[:1], flipped_labels()).rows)
    columns = scores()
    columns[0].values[31] = np.nan
    suspects = find_suspects(columns, flipped_labels())
    at = suspects.rows.tolist().index(31) if 31 in suspects.rows else None
    assert at is None or suspects.against[at] == 2


def test_a_score_without_variance_is_left_out():
    flat = score_column("flat", np.zeros(400))
    assert np.isfinite(find_suspects([*scores(), flat], flipped_labels()).strength).all()


def noisy(pairs: int, seed: int):
    """Return the true labels of pairs, and two scores that are right for about 70 % of them."""
    random = np.random.default_rng(seed)
    truth = (random.random(pairs) < 0.6).astype(np.int8)
    return truth, [score_column(name, truth + random.normal(0, 0.9, pairs)) for name in ("one", "two")]


@pytest.mark.parametrize("share", [0.02, PLANTED, 0.1])
def test_the_probability_is_calibrated_for_the_planted_proportion(share):
    """Wrong labels in many corpora: the proportion of suspects that are wrong, against the estimated probability."""
    claimed, strong, true = [], [], []
    for seed in range(10):
        truth, columns = noisy(1500, seed)
        random = np.random.default_rng(100 + seed)
        wrong = random.choice(len(truth), round(share * len(truth)), replace=False)
        labels = truth.copy()
        labels[wrong] = 1 - labels[wrong]
        suspects = find_suspects(columns, labels)
        claimed.append(suspects.wrong.mean())
        strong.append(suspects.strength.mean())
        true.append(np.isin(suspects.rows, wrong).mean())
    assert np.mean(strong) > np.mean(true) + 0.2, "the strength is not a probability"
    if share == PLANTED:
        assert abs(np.mean(claimed) - np.mean(true)) < 0.04
    else:
        assert (np.mean(claimed) < np.mean(true)) == (share > PLANTED), "it is calibrated for a proportion of 5 %"


def test_the_probability_of_the_first_suspects_is_never_overestimated():
    """Genuine label errors of the corpus count as correct when errors are planted, mostly among the first suspects."""
    claimed, true = [], []
    for seed in range(10):
        truth, columns = noisy(1500, seed)
        wrong = np.random.default_rng(seed).choice(len(truth), round(PLANTED * len(truth)), replace=False)
        labels = truth.copy()
        labels[wrong] = 1 - labels[wrong]
        suspects = find_suspects(columns, labels)
        claimed.append([suspects.wrong[:30].mean(), suspects.wrong[-60:].mean()])
        true.append([np.isin(part, wrong).mean() for part in (suspects.rows[:30], suspects.rows[-60:])])
    over = np.mean(claimed, axis=0) - np.mean(true, axis=0)
    assert -0.2 < over[0] < 0.03 and abs(over[1]) < 0.05
    assert np.mean(claimed, axis=0)[0] > np.mean(claimed, axis=0)[1] + 0.2


def test_few_pairs_give_no_probability():
    truth, columns = noisy(8, 0)
    assert np.isnan(find_suspects(columns, truth).wrong).all()
