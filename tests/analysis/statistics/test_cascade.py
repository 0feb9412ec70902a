"""Accuracy against the share sent on, compared with deciding each pair by hand."""

from __future__ import annotations

import numpy as np
import pytest

from parapluie_gui.analysis.evaluations.curves import cascade_blocks
from parapluie_gui.analysis.material import Facts, Material
from parapluie_gui.analysis.score_column import score_column
from parapluie_gui.analysis.statistics.cascade import cascade_curve, signed_cascade
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.scores.signature import Signature


def by_hand(first, then, labels, count, centre=0.0):
    """Decide the pairs as a cascade does that sends `count` of them on; returns how many are right."""
    rows = [row for row in range(len(first)) if labels[row] in (0, 1) and not np.isnan(first[row])]
    rows.sort(key=lambda row: abs(first[row] - centre))
    right = 0
    for place, row in enumerate(rows):
        score = then[row] if place < count and not np.isnan(then[row]) else first[row]
        right += (score > 0) == (labels[row] == 1)
    return right


@pytest.fixture
def scores():
    random = np.random.default_rng(7)
    labels = random.choice([-1, 0, 1], 300, p=[0.1, 0.45, 0.45]).astype(np.int8)
    first = random.normal(np.where(labels == 1, 0.6, -0.6), 1.5)
    then = random.normal(np.where(labels == 1, 2.0, -2.0), 1.5)
    first[:5] = np.nan
    then[10:15] = np.nan
    return first, then, labels


@pytest.mark.parametrize("centre", [None, 0.7])
def test_every_point_is_what_deciding_by_hand_gives(scores, centre):
    first, then, labels = scores
    columns = score_column("pluie.cloze", first), score_column("pluie.direct.then", then)
    curve = cascade_curve(*columns, labels, centre)
    assert curve.pairs == int(((labels >= 0) & ~np.isnan(first)).sum())
    for sent, right in zip(curve.sent.tolist(), curve.right.tolist(), strict=True):
        assert right == by_hand(first, then, labels, sent, centre or 0.0)
    assert curve.sent[0] == 0 and curve.sent[-1] <= curve.pairs
    low, high = curve.interval
    assert (low < curve.accuracy).all() and (curve.accuracy < high).all()
    assert curve.accuracy[-1] > curve.accuracy[0]  # the second judge is the better one


def test_the_curve_of_a_band_ends_where_the_band_ends(scores):
    first, then, labels = scores
    sent = (first >= -1) & (first <= 2)
    then = np.where(sent, then, np.nan)
    fields = {"name": "pluie.cascade", "first": "pluie.cloze", "then": "pluie.direct.then", "low": -1.0, "high": 2.0}
    signatures = {"pluie.cascade": Signature.of("pluie.cascade", fields)}
    columns = [score_column("pluie.cloze", first), score_column("pluie.direct.then", then)]
    curve = signed_cascade(columns, labels, signatures)
    assert curve is not None and curve.centre == 0.5
    usable = (labels >= 0) & sent & ~np.isnan(then)
    assert curve.sent[-1] >= usable.sum() and curve.distance[-1] <= 1.5
    decided = np.where(np.isnan(then), first, then)
    known = (labels >= 0) & ~np.isnan(first)
    assert curve.right[-1] == ((decided > 0) == (labels == 1))[known].sum()
    assert signed_cascade(columns, labels, {}) is None
    assert signed_cascade(columns, np.full(300, -1, dtype=np.int8), signatures) is None


def blocks_of(first, then, labels):
    corpus = Corpus("c", list(map(str, range(300))), ["a"] * 300, ["b"] * 300, label=labels)
    columns = score_column("pluie.cloze", first), score_column("pluie.direct", then)
    facts = Facts.of(corpus)
    curve = cascade_curve(*columns, labels)
    return curve, *cascade_blocks(Material(facts, columns, labels, facts.parts), curve)


def test_the_table_and_the_figure_hold_the_same_numbers(scores):
    first, then, labels = scores
    curve, chart, table = blocks_of(first, then, labels)
    assert [row[0] for row in table.rows][:2] == pytest.approx([0.0, 1.0], abs=0.3)
    assert table.rows[0][2] is None
    middle = table.rows[len(table) // 2]
    assert middle[3] == by_hand(first, then, labels, middle[1]) / curve.pairs
    assert "accuracy against the share sent on" in chart.title
    accuracy, low, high = chart.marks
    at = int(np.searchsorted(accuracy.x, middle[0]))
    assert (accuracy.x[at], accuracy.y[at]) == (middle[0], middle[3])
    assert (low.y <= accuracy.y).all() and (accuracy.y <= high.y).all()


def test_without_a_second_score_there_is_one_point(scores):
    first, _, labels = scores
    curve, _, table = blocks_of(first, np.full(300, np.nan), labels)
    assert len(curve.sent) == 1 and len(table) == 1
