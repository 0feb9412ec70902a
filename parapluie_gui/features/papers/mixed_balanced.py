"""The mixed balanced dataset (ParaPLUIE's MBD): equally many pairs of each label from each corpus, drawn repeatedly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from parapluie_gui.analysis.score_column import ScoreColumn, Tick
from parapluie_gui.analysis.statistics.correlation import Estimate
from parapluie_gui.arrays import Floats, Labels, Mask, Rows
from parapluie_gui.errors import ParapluieError

#: Lemesle et al. (COLING 2025), section 5.2: 45 pairs per label from each corpus, 100 times.
PER_LABEL = 45
DRAWS = 100

#: Number of draws between two calls of `tick`, and of numbers in memory at once while thresholds are searched.
_BLOCK = 25
_NUMBERS = 4_000_000


@dataclass(frozen=True, eq=False)
class BalancedDecision:
    """Quality of a score's verdicts: means over the draws, each with the 95 % interval of that mean (Student's t).

    The interval is for these draws from these pairs and narrows with their number; it does not extend to other pairs.

    A mean leaves out draws in which the quantity is undefined (precision, if no pair is called a paraphrase).
    `accuracies` holds the accuracy in each draw, (draws,).
    """

    threshold: Estimate
    accuracy: Estimate
    f1: Estimate
    recall: Estimate
    precision: Estimate
    accuracies: Floats


@dataclass(frozen=True)
class BalancedScore:
    """One score on the draws.

    Attributes:
        name, title: The name and title of the score.
        best: The quality at the best threshold of each draw, learnt and tried on the same pairs, as in the paper.
        natural: The quality at its natural threshold; None if it has none.
        tried: The accuracy with the best threshold of a different draw, on pairs that are not in that draw.
        chance: The accuracy at the best threshold of each draw with its labels shuffled.
    """

    name: str
    title: str
    best: BalancedDecision
    natural: BalancedDecision | None
    tried: Estimate
    chance: Estimate


@dataclass(frozen=True)
class MixedBalanced:
    """Scores compared on the same draws of 2 · per_label · corpora pairs each."""

    corpora: tuple[str, ...]
    per_label: int
    draws: int
    pairs: int
    seed: int
    scores: tuple[BalancedScore, ...]


def evaluate_balanced(
    score_columns: Sequence[ScoreColumn],
    labels: Labels,
    parts: Mapping[str, Mask],
    *,
    per_label: int = PER_LABEL,
    draws: int = DRAWS,
    seed: int = 0,
    tick: Tick | None = None,
) -> MixedBalanced:
    """Draw balanced sets of pairs from several corpora and evaluate each score on them.

    Pairs are drawn without replacement from those with a label and every score, so that all scores see the same ones.
    `parts` holds the pairs of each corpus; a part that holds all pairs of several corpora ("Global") is left out.

    Raises:
        ParapluieError: A corpus has too few pairs of a label, or a number is not positive.
    """
    if per_label < 1 or draws < 1:
        raise ParapluieError(
            "The mixed balanced dataset needs at least 1 pair per label and 1 draw. Increase these numbers."
        )
    usable = np.ones(len(labels), dtype=bool)
    for score_column in score_columns:
        usable &= ~np.isnan(score_column.values)
    corpora = {name: mask for name, mask in parts.items() if len(parts) == 1 or not mask.all()}
    rows = _draw(labels, usable, corpora, per_label, draws, seed, tick)
    positive = labels[rows] == 1
    # A second generator with this seed, so that the draws stay the same.
    shuffled = np.random.default_rng(seed).permuted(positive, axis=1)
    return MixedBalanced(
        corpora=tuple(corpora),
        per_label=per_label,
        draws=draws,
        pairs=rows.shape[1],
        seed=seed,
        scores=tuple(_evaluate_score(score_column, rows, positive, shuffled) for score_column in score_columns),
    )


def _draw(
    labels: Labels,
    usable: Mask,
    parts: Mapping[str, Mask],
    per_label: int,
    draws: int,
    seed: int,
    tick: Tick | None,
) -> Rows:
    """Return the rows of each draw, (draws, pairs)."""
    pools = []
    for name, mask in parts.items():
        for label, word in ((1, "paraphrases"), (0, "pairs that are not paraphrases")):
            pool = np.flatnonzero(mask & usable & (labels == label))
            if len(pool) < per_label:
                raise ParapluieError(
                    f"{name} has {len(pool):,} {word} with every score, but {per_label:,} are needed. Draw fewer per "
                    f"label, leave {name} out, or score all its pairs."
                )
            pools.append(pool)
    if not pools:
        raise ParapluieError("There is no corpus to draw from. Open one with labels.")
    random = np.random.default_rng(seed)
    rows = np.empty((draws, per_label * len(pools)), dtype=np.int64)
    for number in range(draws):
        if tick is not None and number % _BLOCK == 0:
            tick(number, draws)
        rows[number] = np.concatenate([random.choice(pool, per_label, replace=False) for pool in pools])
    if tick is not None:
        tick(draws, draws)
    return rows


def _evaluate_score(score_column: ScoreColumn, rows: Rows, positive: Mask, shuffled: Mask) -> BalancedScore:
    # A distance is negated; no score of the draws is NaN.
    closeness = score_column.values if score_column.higher_is_closer else -score_column.values
    sign = 1.0 if score_column.higher_is_closer else -1.0
    threshold, tp, fp = _find_best(closeness, rows, positive)
    natural = None
    if score_column.threshold is not None:
        judged = score_column.predicted_positive(score_column.threshold)[rows]
        fixed = np.full(len(rows), score_column.threshold)
        natural = _summarise_decisions(
            fixed, (judged & positive).sum(axis=1), (judged & ~positive).sum(axis=1), positive
        )
    if natural is not None and score_column.holds_verdicts:  # no threshold but the natural one is a decision
        accuracy = mean_estimate(natural.accuracies)
        return BalancedScore(score_column.name, score_column.title, natural, natural, accuracy, Estimate())
    _, chance_tp, chance_fp = _find_best(closeness, rows, shuffled)
    return BalancedScore(
        score_column.name,
        score_column.title,
        _summarise_decisions(sign * threshold, tp, fp, positive),
        natural,
        mean_estimate(_try_elsewhere(closeness, rows, positive, threshold)),
        mean_estimate(_accuracy(chance_tp, chance_fp, positive)),
    )


def _try_elsewhere(closeness: Floats, rows: Rows, positive: Mask, threshold: Floats) -> Floats:
    """Return the accuracy of each draw's best threshold on the next draw, (draws,), without the pairs of both.

    NaN for a single draw, and where all pairs of the next draw are in this one.
    """
    accuracies = np.full(len(rows), np.nan)
    for at in range(len(rows) if len(rows) > 1 else 0):
        after = (at + 1) % len(rows)
        fresh = ~np.isin(rows[after], rows[at])
        if fresh.any():
            judged = closeness[rows[after][fresh]] >= threshold[at]
            accuracies[at] = np.mean(judged == positive[after][fresh])
    return accuracies


def _find_best(closeness: Floats, rows: Rows, positive: Mask) -> tuple[Floats, Rows, Rows]:
    """Return the same as `_best_thresholds`, computed in blocks."""
    draws, pairs = rows.shape
    step = max(1, _NUMBERS // pairs)
    blocks = [
        _best_thresholds(closeness[rows[at : at + step]], positive[at : at + step]) for at in range(0, draws, step)
    ]
    threshold, tp, fp = (np.concatenate(columns) for columns in zip(*blocks, strict=True))
    return threshold, tp, fp


def _best_thresholds(closeness: Floats, positive: Mask) -> tuple[Floats, Rows, Rows]:
    """Return threshold, true and false positives at each draw's best accuracy, (draws,) each; ties go to the strictest.

    The rule is that of `threshold.best_threshold`, for all rows of (draws, pairs) at once.
    """
    order = np.argsort(-closeness, axis=1, kind="stable")
    ordered = np.take_along_axis(closeness, order, axis=1)
    hits = np.cumsum(np.take_along_axis(positive, order, axis=1), axis=1)
    misses = np.arange(1, closeness.shape[1] + 1) - hits
    # Equal scores share a verdict: only the last of them can be a threshold.
    last = np.ones(closeness.shape, dtype=bool)
    last[:, :-1] = ordered[:, :-1] != ordered[:, 1:]
    place = np.argmax(np.where(last, hits - misses, -closeness.shape[1] - 1), axis=1)
    draws = np.arange(len(closeness))
    return ordered[draws, place], hits[draws, place], misses[draws, place]


def _accuracy(tp: Rows, fp: Rows, positive: Mask) -> Floats:
    """Return the share of right verdicts in each draw, (draws,)."""
    return np.asarray((tp + positive.shape[1] - positive.sum(axis=1) - fp) / positive.shape[1])


def _summarise_decisions(threshold: Floats, tp: Rows, fp: Rows, positive: Mask) -> BalancedDecision:
    positives = positive.sum(axis=1)
    accuracy = _accuracy(tp, fp, positive)
    predicted_positive = tp + fp
    precision = np.divide(tp, predicted_positive, out=np.full(len(tp), np.nan), where=predicted_positive > 0)
    return BalancedDecision(
        threshold=mean_estimate(threshold),
        accuracy=mean_estimate(accuracy),
        f1=mean_estimate(2 * tp / (predicted_positive + positives)),
        recall=mean_estimate(tp / positives),
        precision=mean_estimate(precision),
        accuracies=accuracy,
    )


def mean_estimate(values: Floats) -> Estimate:
    """Return the mean of the values that are not NaN, with its 95 % interval by Student's t (not for one value)."""
    from scipy.stats import t

    values = values[~np.isnan(values)]
    if not len(values):
        return Estimate()
    value = float(values.mean())
    if len(values) < 2 or not np.isfinite(value):
        return Estimate(value)
    reach = float(t.ppf(0.975, len(values) - 1) * values.std(ddof=1) / np.sqrt(len(values)))
    return Estimate(value, value - reach, value + reach)
