"""Labels that may be wrong because several scores disagree with them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log

import numpy as np

from parapluie_gui.analysis.score_column import ScoreColumn
from parapluie_gui.analysis.statistics.shared_errors import score_verdicts
from parapluie_gui.arrays import Floats, Labels, Mask, Rows, Scores

#: Minimum number of scores that must disagree with a label.
JUDGES = 2
#: Assumed share of wrong labels; as many are planted to see how many of them are suspected.
PLANTED = 0.05
#: Maximum number of rounds of planting, and approximate maximum number of pairs in all rounds together.
_ROUNDS, _PAIRS = 20, 200_000
#: Distance from 0 and 1 to which a strength is clipped before its log-odds are computed.
_EDGE = 1e-9


@dataclass(frozen=True, eq=False)
class SuspectLabels:
    """Pairs whose label may be wrong, the strongest evidence first.

    Attributes:
        rows: (k,) The rows of the pairs.
        strength: (k,) The confidence of the scores in the opposite label, 0 to 1. It is not the probability that the
            label is wrong: a score that is right for 70 % of pairs disagrees with 30 % of correct labels.
        wrong: (k,) The probability that the label is wrong if `PLANTED` of all labels are, estimated by planting wrong
            labels; NaN if it cannot be estimated.
        against: (k,) The number of scores that disagree with the label.
        scores: The number of scores.
    """

    rows: Rows
    strength: Floats
    wrong: Floats
    against: Rows
    scores: int


def find_suspects(
    scores: Sequence[ScoreColumn],
    labels: Labels,
    where: Mask | None = None,
    thresholds: Sequence[float] | None = None,
) -> SuspectLabels:
    """Return the pairs for which most scores, and at least two, disagree with the label.

    Logistic regression on the labels turns each score into a probability (Platt 1999); the strength is from the mean
    log-odds of all scores. To calibrate strengths, `PLANTED` of the labels are flipped at random, several times.
    Logistic regression on the strength then gives the probability that a suspected label is a flipped one.

    Args:
        scores: Two or more scores; fewer give no suspects.
        labels: (n,) 1, 0, or -1 for no label.
        where: (n,) The pairs to include; None for all.
        thresholds: The threshold of each score; by default the natural one or, without one, the best.
    """
    rows, strength, against = _suspect_rows(scores, labels, where, thresholds)
    wrong = _wrong_probabilities(scores, labels, where, thresholds, strength)
    return SuspectLabels(rows, strength, wrong, against, len(scores))


def _suspect_rows(
    scores: Sequence[ScoreColumn], labels: Labels, where: Mask | None, thresholds: Sequence[float] | None
) -> tuple[Rows, Floats, Rows]:
    """Return the rows of the suspects, their strengths, and the number of scores against each label, (k,) each."""
    from scipy.special import expit

    known = (labels == 0) | (labels == 1)
    verdicts = score_verdicts(scores, labels, thresholds)
    against = ((verdicts != labels[:, None]) & ~np.isnan(verdicts)).sum(axis=1)
    judged = (~np.isnan(verdicts)).sum(axis=1)
    is_suspect = known & (against >= JUDGES) & (2 * against > judged)
    if where is not None:
        is_suspect &= where
    odds = np.array([_log_odds(score, labels) for score in scores]).reshape(len(scores), len(labels))
    present = ~np.isnan(odds)
    mean = np.where(present, odds, 0.0).sum(axis=0) / np.maximum(present.sum(axis=0), 1)
    strength = expit(np.where(labels == 1, -mean, mean))
    rows = np.flatnonzero(is_suspect)
    rows = rows[np.argsort(-strength[rows], kind="stable")]
    return rows, strength[rows], against[rows]


def _wrong_probabilities(
    scores: Sequence[ScoreColumn],
    labels: Labels,
    where: Mask | None,
    thresholds: Sequence[float] | None,
    strength: Floats,
) -> Floats:
    """Return the probabilities (k,) that suspects with these strengths are wrong if `PLANTED` of all labels are."""
    from scipy.special import expit, logit

    places = np.flatnonzero((labels == 0) | (labels == 1))
    random, count = np.random.default_rng(0), round(PLANTED * len(places))
    if not count or not len(strength):
        return np.full(len(strength), np.nan)
    strengths_by_round, flipped_by_round = list[Floats](), list[Mask]()
    for _ in range(min(_ROUNDS, max(_PAIRS // len(places), 1))):
        planted = random.choice(places, count, replace=False)
        changed = labels.copy()
        changed[planted] = 1 - changed[planted]
        rows, suspect_strengths, _ = _suspect_rows(scores, changed, where, thresholds)
        strengths_by_round.append(suspect_strengths)
        flipped_by_round.append(np.isin(rows, planted))
    strengths, wrong = np.concatenate(strengths_by_round), np.concatenate(flipped_by_round)
    if wrong.all() or not wrong.any():
        return np.full(len(strength), float(wrong.all()) if len(wrong) else np.nan)
    odds = _logistic(logit(np.clip(strengths, _EDGE, 1 - _EDGE)), wrong.astype(np.float64), 1.0)
    return np.asarray(expit(odds(logit(np.clip(strength, _EDGE, 1 - _EDGE)))))


def _log_odds(score: ScoreColumn, labels: Labels) -> Scores:
    """Return the log-odds (n,) of a paraphrase given a score; NaN without a score."""
    usable = ((labels == 0) | (labels == 1)) & np.isfinite(score.values)
    values, truth = score.values[usable], labels[usable].astype(np.float64)
    if len(np.unique(truth)) < 2 or len(np.unique(values)) < 2:
        return np.full(len(labels), np.nan)
    odds = _logistic(values, truth, 1.0 if score.higher_is_closer else -1.0)
    return np.where(np.isfinite(score.values), odds(score.values), np.nan)


def _logistic(values: Floats, truth: Floats, start: float) -> Callable[[Floats], Floats]:
    """Fit a logistic regression, and return the log-odds of truth = 1 as a function of a value.

    Args:
        values: (m,) The values.
        truth: (m,) 0 and 1, each at least once.
        start: The initial slope.
    """
    from scipy.optimize import minimize
    from scipy.special import expit

    middle, spread = float(values.mean()), float(values.std()) or 1.0
    scaled = (values - middle) / spread

    def loss(weights: Floats) -> tuple[float, Floats]:
        logits = weights[0] * scaled + weights[1]
        error = expit(logits) - truth
        # A small penalty keeps the slope finite if a score separates the labels perfectly.
        cost = np.mean(np.logaddexp(0, logits) - truth * logits) + 1e-4 * weights[0] ** 2
        return float(cost), np.array([np.mean(error * scaled) + 2e-4 * weights[0], np.mean(error)])

    first = np.array([start, log(truth.mean() / (1 - truth.mean()))])
    slope, offset = minimize(loss, first, jac=True, method="BFGS").x
    return lambda value: slope * (value - middle) / spread + offset
