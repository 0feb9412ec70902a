"""Disagreement between templates, metrics or models on a pair, as a sortable column."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan, nan

import numpy as np

from parapluie_gui.analysis.score_column import ScoreColumn, keep_selected
from parapluie_gui.analysis.statistics.correlation import ranks
from parapluie_gui.arrays import Floats, Mask, Rows


def rank_share(score_column: ScoreColumn, where: Mask | None = None) -> Floats:
    """Return each pair's rank by closeness as a share, (n,) in [0, 1]: 0 furthest apart, 1 closest.

    Equal scores share the mean of their ranks; NaN without a score; a single pair gets 0.5.
    """
    places = ranks(keep_selected(score_column.values, where))
    if not score_column.higher_is_closer:
        places = np.count_nonzero(~np.isnan(places)) + 1 - places
    most = np.count_nonzero(~np.isnan(places))
    return (places - 1) / (most - 1) if most > 1 else places - 0.5


def disagreement(score_columns: Sequence[ScoreColumn], where: Mask | None = None) -> Floats:
    """Return the standard deviation of a pair's rank shares, (n,) in [0, 0.5]; NaN with fewer than two scores.

    Ranks make scores of different scales comparable. The result is 0 if all scores rank the pair alike, and 0.5 if it
    is the closest pair for half of them and the furthest for the other half.
    """
    shares = np.array([rank_share(score_column, where) for score_column in score_columns])
    mean, count = _mean(shares)
    spread = np.sqrt(_mean((shares - mean) ** 2)[0])
    return np.where(count >= 2, spread, nan)


def split_verdicts(score_columns: Sequence[ScoreColumn], thresholds: Sequence[float]) -> Floats:
    """Return the share of verdicts in the minority, (n,) in [0, 0.5]; NaN with fewer than two verdicts.

    A score whose threshold is NaN gives no verdict.
    """
    verdicts = np.array(
        [
            np.where(np.isnan(score_column.values) | isnan(threshold), nan, score_column.predicted_positive(threshold))
            for score_column, threshold in zip(score_columns, thresholds, strict=True)
        ]
    )
    positive, count = _mean(verdicts)
    return np.where(count >= 2, np.minimum(positive, 1 - positive), nan)


def _mean(columns: Floats) -> tuple[Floats, Rows]:
    """Return the mean of each column of a (k, n) array, ignoring NaN, and the number of its values.

    The mean of a column without values is NaN.
    """
    present = ~np.isnan(columns)
    count = present.sum(axis=0)
    total = np.where(present, columns, 0.0).sum(axis=0)
    return np.where(count > 0, total / np.maximum(count, 1), nan), count
