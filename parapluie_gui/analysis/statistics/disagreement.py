"""Where templates, metrics or models disagree on a pair, as a column to sort by."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan, nan

import numpy as np

from parapluie_gui.analysis.score_column import ScoreColumn, selected
from parapluie_gui.analysis.statistics.correlation import ranks
from parapluie_gui.arrays import Floats, Mask, Rows


def rank_share(score_column: ScoreColumn, where: Mask | None = None) -> Floats:
    """Return each pair's rank by closeness as a share, (n,) in [0, 1]: 0 furthest apart, 1 closest.

    Equal scores share the mean of their ranks; NaN where there is no score; a single pair is at 0.5.
    """
    found = ranks(selected(score_column.values, where))
    if not score_column.higher_is_closer:
        found = np.count_nonzero(~np.isnan(found)) + 1 - found
    most = np.count_nonzero(~np.isnan(found))
    return (found - 1) / (most - 1) if most > 1 else found - 0.5


def disagreement(score_columns: Sequence[ScoreColumn], where: Mask | None = None) -> Floats:
    """Return the standard deviation of a pair's rank shares, (n,) in [0, 0.5]; NaN with fewer than two scores.

    Ranks make scores of different scales comparable: 0 where all rank the pair alike, 0.5 where it is the closest for
    half of them and the furthest for the other half.
    """
    shares = np.array([rank_share(each, where) for each in score_columns])
    mean, count = _mean(shares)
    spread = np.sqrt(_mean((shares - mean) ** 2)[0])
    return np.where(count >= 2, spread, nan)


def split_verdicts(score_columns: Sequence[ScoreColumn], thresholds: Sequence[float]) -> Floats:
    """Return the share of verdicts in the minority, (n,) in [0, 0.5]; NaN with fewer than two verdicts.

    A score whose threshold is NaN gives none.
    """
    verdicts = np.array(
        [
            np.where(np.isnan(each.values) | isnan(threshold), nan, each.predicted_positive(threshold))
            for each, threshold in zip(score_columns, thresholds, strict=True)
        ]
    )
    positive, count = _mean(verdicts)
    return np.where(count >= 2, np.minimum(positive, 1 - positive), nan)


def _mean(columns: Floats) -> tuple[Floats, Rows]:
    """Return the mean over the rows of (k, n), NaN left out, and the count that went into it; NaN where none did."""
    present = ~np.isnan(columns)
    count = present.sum(axis=0)
    total = np.where(present, columns, 0.0).sum(axis=0)
    return np.where(count > 0, total / np.maximum(count, 1), nan), count
