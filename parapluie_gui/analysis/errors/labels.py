"""Labels that may be wrong: pairs on which several scores agree against the label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

import numpy as np

from parapluie_gui.analysis.score_column import ScoreColumn
from parapluie_gui.analysis.statistics.shared_errors import score_verdicts
from parapluie_gui.arrays import Floats, Labels, Mask, Rows, Scores

#: Scores that have to be against a label, at least.
JUDGES = 2


@dataclass(frozen=True, eq=False)
class Suspects:
    """Pairs whose label may be wrong, the most likely first.

    Attributes:
        rows: (k,) The pairs.
        gain: (k,) The probability that the label is wrong, as the scores see it: the errors that looking at the pair is
            expected to find.
        against: (k,) How many scores are against the label.
        scores: How many scores there are.
    """

    rows: Rows
    gain: Floats
    against: Rows
    scores: int


def suspects(
    scores: Sequence[ScoreColumn],
    labels: Labels,
    where: Mask | None = None,
    thresholds: Sequence[float] | None = None,
) -> Suspects:
    """Return the pairs that most scores, and two at least, put on the other side of their threshold than the label.

    Each score is made a probability by logistic regression on the labels (Platt 1999), and the mean of the log-odds is
    that of all.

    Args:
        scores: Two or more; fewer give no suspects.
        labels: (n,) 1, 0, or -1 where there is none.
        where: Only these pairs.
        thresholds: Where paraphrases begin, for each score; by default the natural one or, without one, the best.
    """
    from scipy.special import expit

    known = (labels == 0) | (labels == 1)
    verdicts = score_verdicts(scores, labels, thresholds)
    against = ((verdicts != labels[:, None]) & ~np.isnan(verdicts)).sum(axis=1)
    given = (~np.isnan(verdicts)).sum(axis=1)
    good = known & (against >= JUDGES) & (2 * against > given)
    if where is not None:
        good &= where
    odds = np.array([_log_odds(each, labels) for each in scores]).reshape(len(scores), len(labels))
    present = ~np.isnan(odds)
    mean = np.where(present, odds, 0.0).sum(axis=0) / np.maximum(present.sum(axis=0), 1)
    wrong = expit(np.where(labels == 1, -mean, mean))
    rows = np.flatnonzero(good)
    rows = rows[np.argsort(-wrong[rows], kind="stable")]
    return Suspects(rows, wrong[rows], against[rows], len(scores))


def _log_odds(score: ScoreColumn, labels: Labels) -> Scores:
    """Return a score as log-odds of being a paraphrase, (n,); NaN where there is none."""
    from scipy.optimize import minimize
    from scipy.special import expit

    usable = ((labels == 0) | (labels == 1)) & np.isfinite(score.values)
    values, truth = score.values[usable], labels[usable].astype(np.float64)
    if len(np.unique(truth)) < 2 or not np.ptp(values):
        return np.full(len(labels), np.nan)
    middle, spread = float(values.mean()), float(values.std())
    scaled = (values - middle) / spread

    def loss(weights: Floats) -> tuple[float, Floats]:
        found = weights[0] * scaled + weights[1]
        error = expit(found) - truth
        # The small weight on the slope keeps it finite where a score parts the labels without a mistake.
        cost = np.mean(np.logaddexp(0, found) - truth * found) + 1e-4 * weights[0] ** 2
        return float(cost), np.array([np.mean(error * scaled) + 2e-4 * weights[0], np.mean(error)])

    start = np.array([1.0 if score.higher_is_closer else -1.0, log(truth.mean() / (1 - truth.mean()))])
    slope, offset = minimize(loss, start, jac=True, method="BFGS").x
    return np.where(np.isfinite(score.values), slope * (score.values - middle) / spread + offset, np.nan)
