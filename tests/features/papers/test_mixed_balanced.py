"""The mixed balanced dataset, checked against draws taken one by one and scipy's interval of a mean."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from parapluie_gui.analysis.score_column import ScoreColumn
from parapluie_gui.analysis.threshold import best_threshold, counts
from parapluie_gui.errors import ParapluieError
from parapluie_gui.features.papers.mixed_balanced import _draw, evaluate_balanced, mean_estimate


def corpora(seed: int = 0, pairs: int = 900):
    rng = np.random.default_rng(seed)
    labels = rng.choice([0, 1, -1], pairs, p=[0.5, 0.4, 0.1])
    where = rng.integers(0, 3, pairs)
    parts = {f"corpus {number}": where == number for number in range(3)}
    scores = np.round(rng.normal(labels, 1.0), 1)  # many ties
    scores[rng.random(pairs) < 0.05] = np.nan
    return scores, labels, parts


@pytest.mark.parametrize("higher", [True, False])
def test_every_draw_agrees_with_the_threshold_search_of_one_corpus(higher):
    scores, labels, parts = corpora()
    score_column = ScoreColumn("m", "M", scores if higher else -scores, higher, 0.5 if higher else -0.5)
    result = evaluate_balanced([score_column], labels, parts, per_label=20, draws=30, seed=7)
    rows = _draw(labels, ~np.isnan(scores), parts, 20, 30, 7, None)
    best = [best_threshold(score_column.values[row], labels[row], higher) for row in rows]
    natural = [counts(score_column.values[row], labels[row], score_column.threshold, higher) for row in rows]
    (score,) = result.scores
    assert score.natural is not None
    assert score.best.accuracies == pytest.approx([each.accuracy for _, each in best])
    for name in ("accuracy", "f1", "recall", "precision"):
        assert getattr(score.best, name).value == pytest.approx(np.mean([getattr(each, name) for _, each in best]))
        assert getattr(score.natural, name).value == pytest.approx(np.mean([getattr(each, name) for each in natural]))
    assert score.best.threshold.value == pytest.approx(np.mean([threshold for threshold, _ in best]))
    assert (score.natural.threshold.value, result.pairs) == (score_column.threshold, 120)


def test_a_draw_is_balanced_without_repetition_and_reproducible():
    scores, labels, parts = corpora()
    rows = _draw(labels, ~np.isnan(scores), parts, 15, 40, 3, None)
    assert rows.shape == (40, 90)
    for row in rows:
        assert len(set(row)) == 90
        for mask in parts.values():
            assert (labels[row[mask[row]]] == 1).sum() == (labels[row[mask[row]]] == 0).sum() == 15
    assert not np.isnan(scores[rows]).any()
    assert (rows == _draw(labels, ~np.isnan(scores), parts, 15, 40, 3, None)).all()
    assert (rows != _draw(labels, ~np.isnan(scores), parts, 15, 40, 4, None)).any()


def test_scores_are_compared_on_the_same_pairs():
    scores, labels, parts = corpora()
    other = scores.copy()
    other[::3] = np.nan
    both = evaluate_balanced(
        [ScoreColumn("a", "A", scores), ScoreColumn("b", "B", other)], labels, parts, per_label=10, draws=20
    )
    assert (both.scores[0].best.accuracies == both.scores[1].best.accuracies).all()


def test_the_pooled_part_is_left_out():
    scores, labels, parts = corpora()
    pooled = {**parts, "Global": np.ones(len(labels), dtype=bool)}
    score_column = ScoreColumn("m", "M", scores)
    assert evaluate_balanced([score_column], labels, pooled, per_label=5, draws=5).corpora == tuple(parts)


def test_the_interval_uses_students_t_distribution(monkeypatch):
    values = np.random.default_rng(0).normal(0.7, 0.02, 100)
    low, high = stats.t.interval(0.95, 99, loc=values.mean(), scale=stats.sem(values))
    result = mean_estimate(np.append(values, np.nan))
    assert (result.value, result.low, result.high) == pytest.approx((values.mean(), low, high))
    assert np.isnan(mean_estimate(np.array([0.5])).low) and mean_estimate(np.array([0.5])).value == 0.5


def test_corpora_that_cannot_be_drawn_from_are_named():
    scores, labels, parts = corpora()
    with pytest.raises(ParapluieError, match=r"corpus 0 has \d+ paraphrases with every score, but 1,000 are"):
        evaluate_balanced([ScoreColumn("m", "M", scores)], labels, parts, per_label=1000)
    with pytest.raises(ParapluieError, match="at least 1 pair"):
        evaluate_balanced([ScoreColumn("m", "M", scores)], labels, parts, per_label=0)


def test_drawing_reports_progress_and_can_be_stopped():
    class Stop(Exception):
        pass

    seen = []

    def stop(done: int, total: int) -> None:
        seen.append((done, total))
        if done >= 50:
            raise Stop

    scores, labels, parts = corpora()
    with pytest.raises(Stop):
        evaluate_balanced([ScoreColumn("m", "M", scores)], labels, parts, per_label=5, tick=stop)
    assert seen == [(0, 100), (25, 100), (50, 100)]
