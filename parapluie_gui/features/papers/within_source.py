"""Within-source pairwise accuracy with tie calibration, acc_eq (Deutsch et al., EMNLP 2023), and its test.

People and a score order two hypotheses of one source, or tie them. acc_eq is the share of such pairs on which both
agree, averaged over the sources; hypotheses whose scores differ by at most ε are tied, and ε is chosen for the highest
accuracy. This is `KendallWithTiesOpt(variant="acc23", sample_rate=1.0)` of mt-metrics-eval, averaged by item, and the
test is its `PairwisePermutationSigDiff`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan

import numpy as np

from parapluie_gui.analysis.score_column import Tick
from parapluie_gui.arrays import Floats, Mask, Rows, Scores

#: Number of permutations between two calls of `tick`.
_BLOCK = 50


@dataclass(frozen=True, eq=False)
class SourcePairs:
    """All pairs of hypotheses of one source with human scores.

    Attributes:
        first, second: Rows of the corpus, (m,) each.
        source: Index of their source, (m,).
        tied: True if both have the same human score, (m,).
        sign: 1 if the first has the higher human score, −1 if the second, 0 if tied, (m,).
    """

    first: Rows
    second: Rows
    source: Rows
    tied: Mask
    sign: Floats

    def __len__(self) -> int:
        return len(self.first)

    def where(self, chosen: Mask) -> SourcePairs:
        """Return the chosen pairs."""
        parts = (self.first, self.second, self.source, self.tied, self.sign)
        return SourcePairs(*(part[chosen] for part in parts))  # type: ignore[arg-type]


@dataclass(frozen=True)
class WithinSource:
    """How often a score orders two hypotheses of one source as people do.

    Attributes:
        sources: Sources with two hypotheses that have both scores.
        pairs: Pairs of hypotheses.
        accuracy: acc_eq in [0, 1]; NaN without pairs.
        epsilon: The best ε, the smallest if several are equal.
        plain: acc_eq with ε = 0, so that only equal scores are tied.
        human_ties: Share of the pairs with equal human scores.
    """

    sources: int = 0
    pairs: int = 0
    accuracy: float = nan
    epsilon: float = nan
    plain: float = nan
    human_ties: float = nan


def pair_within_sources(sources: Sequence[str], human: Scores, where: Mask | None = None) -> SourcePairs:
    """Pair the hypotheses of each source that have human scores; see `SourcePairs`."""
    usable = ~np.isnan(human) if where is None else ~np.isnan(human) & where
    groups: dict[str, list[int]] = {}
    for row in np.flatnonzero(usable).tolist():
        groups.setdefault(sources[row], []).append(row)
    first, second, number = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
    for place, rows in enumerate(group for group in groups.values() if len(group) > 1):
        one, two = np.triu_indices(len(rows), 1)
        index = np.asarray(rows, dtype=np.int64)
        first.append(index[one])
        second.append(index[two])
        number.append(np.full(len(one), place, dtype=np.int64))
    a, b = np.concatenate(first), np.concatenate(second)
    sign = np.sign(human[a] - human[b])
    return SourcePairs(a, b, np.concatenate(number), sign == 0, sign)


def score_within_source(pairs: SourcePairs, values: Scores) -> WithinSource:
    """Return acc_eq of a score (higher is better); pairs without a score are left out."""
    pairs = pairs.where(~(np.isnan(values[pairs.first]) | np.isnan(values[pairs.second])))
    if not len(pairs):
        return WithinSource()
    weight = _weights(pairs)
    difference, agrees = _compare_orders(pairs, values)
    base = np.where(difference == 0, pairs.tied, agrees)
    # Starting at the smallest difference, each pair becomes a tie; the gains are accumulated.
    order = np.argsort(difference, kind="stable")
    gain = np.cumsum((weight * (pairs.tied.astype(float) - base))[order])
    steps = difference[order]
    last = np.append(steps[1:] != steps[:-1], True)  # all pairs with the same difference become ties at once
    candidates = np.concatenate([[0.0], gain[last]])
    # Rounding must not choose among equal accuracies.
    best = int(np.argmax(np.round(candidates, 12)))
    plain = float(np.sum(weight * base))
    return WithinSource(
        sources=len(np.unique(pairs.source)),
        pairs=len(pairs),
        accuracy=float(plain + candidates[best]),
        epsilon=0.0 if best == 0 else float(steps[last][best - 1]),
        plain=plain,
        human_ties=float(pairs.tied.mean()),
    )


def pairwise_permutation_test(
    pairs: SourcePairs,
    first: Scores,
    second: Scores,
    *,
    draws: int,
    seed: int = 0,
    tick: Tick | None = None,
) -> tuple[float, float]:
    """Return how much greater the first score's acc_eq is, and the one-sided p-value for the better score.

    The two scores' results for a pair of hypotheses, each at its own ε, are swapped at random; p is the share of
    `draws` in which the difference is as large. Only pairs with both scores count. Both are NaN without such pairs; p
    is NaN without draws.
    """
    both = ~np.isnan(first + second)
    pairs = pairs.where(both[pairs.first] & both[pairs.second])
    if not len(pairs):
        return nan, nan
    right = [_correct_pairs(pairs, values, score_within_source(pairs, values).epsilon) for values in (first, second)]
    change = _weights(pairs) * (right[0] - right[1])
    difference = float(change.sum())
    if not draws:
        return difference, nan
    change = change[change != 0]
    random = np.random.default_rng(seed)
    count = 0
    for number in range(draws):
        if tick is not None and number % _BLOCK == 0:
            tick(number, draws)
        signs = random.integers(0, 2, len(change)) * 2 - 1
        # Rounding must not separate equal sums.
        count += float(np.einsum("i,i", change, signs)) >= abs(difference) - 1e-12
    return difference, count / draws


def _weights(pairs: SourcePairs) -> Floats:
    """Return the weight of each pair; all sources weigh the same."""
    _, code, count = np.unique(pairs.source, return_inverse=True, return_counts=True)
    return np.asarray(1.0 / (len(count) * count[code]))


def _compare_orders(pairs: SourcePairs, values: Scores) -> tuple[Floats, Mask]:
    """Return the absolute difference of the two scores, and whether their order agrees with people's."""
    difference = values[pairs.first] - values[pairs.second]
    return np.abs(difference), (np.sign(difference) == pairs.sign) & ~pairs.tied


def _correct_pairs(pairs: SourcePairs, values: Scores, epsilon: float) -> Floats:
    difference, agrees = _compare_orders(pairs, values)
    return np.where(difference <= epsilon, pairs.tied, agrees).astype(np.float64)
