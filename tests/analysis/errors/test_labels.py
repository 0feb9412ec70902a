"""Labels that may be wrong: turned labels are found, and agreement with the label is no suspicion."""

from __future__ import annotations

import numpy as np

from parapluie_gui.analysis.errors.labels import suspects
from parapluie_gui.analysis.score_column import score_column

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
    assert (np.diff(found.gain) <= 0).all() and found.gain.min() >= 0 and found.gain.max() <= 1
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
    assert np.isfinite(suspects([*scores(), flat], turned()).gain).all()
