"""Labels that may be wrong: pairs on which several scores agree against the label."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log

import numpy as np

from parapluie_gui.analysis.score_column import ScoreColumn
from parapluie_gui.analysis.statistics.shared_errors import score_verdicts
from parapluie_gui.arrays import Floats, Labels, Mask, Rows, Scores

#: Scores that have to be against a label, at least.
JUDGES = 2
#: The share of wrong labels that is assumed, and planted to see how many of them are suspected.
PLANTED = 0.05
#: Times that labels are planted, at most, and pairs of all times together, about, beyond which there are fewer.
_TIMES, _PAIRS = 20, 200_000
#: How near to 0 and 1 a strength may come before its log-odds are taken.
_EDGE = 1e-9


@dataclass(frozen=True, eq=False)
class Suspects:
    """Pairs whose label may be wrong, those with the strongest evidence first.

    Attributes:
        rows: (k,) The pairs.
        strength: (k,) How surely the scores give the other label, 0 to 1. No probability that the label is wrong: a
            score that is right in seven pairs of ten speaks against three right labels of ten.
        wrong: (k,) The probability that the label is wrong if `PLANTED` of all labels are, by planting them; NaN where
            nothing can be learnt from that.
        against: (k,) How many scores are against the label.
        scores: How many scores there are.
    """

    rows: Rows
    strength: Floats
    wrong: Floats
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
    that of all. What a strength means is learnt by turning `PLANTED` of the labels at random, several times: the share
    of turned labels among the pairs that are suspected then, by logistic regression on their strength.

    Args:
        scores: Two or more; fewer give no suspects.
        labels: (n,) 1, 0, or -1 where there is none.
        where: Only these pairs.
        thresholds: Where paraphrases begin, for each score; by default the natural one or, without one, the best.
    """
    rows, strength, against = _suspected(scores, labels, where, thresholds)
    return Suspects(rows, strength, _calibrated(scores, labels, where, thresholds, strength), against, len(scores))


def _suspected(
    scores: Sequence[ScoreColumn], labels: Labels, where: Mask | None, thresholds: Sequence[float] | None
) -> tuple[Rows, Floats, Rows]:
    """Return the suspects, how surely the scores give the other label, and how many of them do, (k,) each."""
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
    strength = expit(np.where(labels == 1, -mean, mean))
    rows = np.flatnonzero(good)
    rows = rows[np.argsort(-strength[rows], kind="stable")]
    return rows, strength[rows], against[rows]


def _calibrated(
    scores: Sequence[ScoreColumn],
    labels: Labels,
    where: Mask | None,
    thresholds: Sequence[float] | None,
    strength: Floats,
) -> Floats:
    """Return the probabilities that labels of some strengths are wrong, if `PLANTED` of all are, (k,)."""
    from scipy.special import expit, logit

    places = np.flatnonzero((labels == 0) | (labels == 1))
    random, count = np.random.default_rng(0), round(PLANTED * len(places))
    if not count or not len(strength):
        return np.full(len(strength), np.nan)
    seen, turned = list[Floats](), list[Mask]()
    for _ in range(min(_TIMES, max(_PAIRS // len(places), 1))):
        planted = random.choice(places, count, replace=False)
        changed = labels.copy()
        changed[planted] = 1 - changed[planted]
        rows, found, _ = _suspected(scores, changed, where, thresholds)
        seen.append(found)
        turned.append(np.isin(rows, planted))
    strengths, wrong = np.concatenate(seen), np.concatenate(turned)
    if wrong.all() or not wrong.any():
        return np.full(len(strength), float(wrong.all()) if len(wrong) else np.nan)
    odds = _logistic(logit(np.clip(strengths, _EDGE, 1 - _EDGE)), wrong.astype(np.float64), 1.0)
    return np.asarray(expit(odds(logit(np.clip(strength, _EDGE, 1 - _EDGE)))))


def _log_odds(score: ScoreColumn, labels: Labels) -> Scores:
    """Return a score as log-odds of being a paraphrase, (n,); NaN where there is none."""
    usable = ((labels == 0) | (labels == 1)) & np.isfinite(score.values)
    values, truth = score.values[usable], labels[usable].astype(np.float64)
    if len(np.unique(truth)) < 2 or not np.ptp(values):
        return np.full(len(labels), np.nan)
    odds = _logistic(values, truth, 1.0 if score.higher_is_closer else -1.0)
    return np.where(np.isfinite(score.values), odds(score.values), np.nan)


def _logistic(values: Floats, truth: Floats, start: float) -> Callable[[Floats], Floats]:
    """Return the log-odds of the truth (0 and 1, both there) as a function of a value, by logistic regression.

    Args:
        values: (m,)
        truth: (m,)
        start: The sign of the slope to begin with.
    """
    from scipy.optimize import minimize
    from scipy.special import expit

    middle, spread = float(values.mean()), float(values.std()) or 1.0
    scaled = (values - middle) / spread

    def loss(weights: Floats) -> tuple[float, Floats]:
        found = weights[0] * scaled + weights[1]
        error = expit(found) - truth
        # The small weight on the slope keeps it finite where a score parts the labels without a mistake.
        cost = np.mean(np.logaddexp(0, found) - truth * found) + 1e-4 * weights[0] ** 2
        return float(cost), np.array([np.mean(error * scaled) + 2e-4 * weights[0], np.mean(error)])

    first = np.array([start, log(truth.mean() / (1 - truth.mean()))])
    slope, offset = minimize(loss, first, jac=True, method="BFGS").x
    return lambda each: slope * (each - middle) / spread + offset
