"""Paired permutation tests of systems (for soft pairwise accuracy), and of two scores' agreement with people."""

from __future__ import annotations

from collections.abc import Callable
from math import isnan, nan

import numpy as np

from parapluie_gui.analysis.score_column import Tick
from parapluie_gui.arrays import Floats

#: Permutations of systems and the seed of their signs, as in WMT24 (mt-metrics-eval, pce.py).
PERMUTATIONS = 1000
SYSTEM_SEED = 4

#: Tolerance within which two differences count as equal despite rounding, relative to the sum of their terms.
_EQUAL = 1e-12
#: Number of permutations between two calls of `tick`.
_BLOCK = 20


def permutation_signs(items: int, permutations: int = PERMUTATIONS, seed: int = SYSTEM_SEED) -> Floats:
    """Return the signs of the permutations, −1 or 1, (permutations, items), drawn as mt-metrics-eval draws them."""
    random = np.random.default_rng(seed)
    return np.asarray(np.rint(random.random((permutations, items), dtype=np.float32)) * 2 - 1, dtype=np.float32)


def system_p_values(values: Floats, signs: Floats) -> Floats:
    """Return the one-sided p-value that system i is better than system j, (systems, systems), above the diagonal.

    The scores of two systems on an item are swapped at random, for the same items in every two systems; p is the share
    of permutations whose difference is as large (Thompson et al., WMT 2024). Items that one of the two systems lacks
    are left out of their comparison. Sums are float64, and differences within rounding error are equal; mt-metrics-eval
    sums in float32, so that its p-values for few items with ties depend on rounding.

    Args:
        values: Scores, higher better, NaN where missing; (systems, items).
        signs: Signs from `permutation_signs`.
    """
    systems = len(values)
    p_values = np.full((systems, systems), nan)
    one, two = np.triu_indices(systems, 1)
    scores = values.astype(np.float64)
    if not np.isnan(scores).any():
        # einsum rather than @: threads of BLAS cost more than they gain on a busy processor.
        drawn, totals = np.einsum("pi,si->ps", signs, scores), scores.sum(axis=1)
        null, size = drawn[:, one] - drawn[:, two], np.abs(scores).sum(axis=1)
        least = totals[one] - totals[two] - _EQUAL * (size[one] + size[two])
        p_values[one, two] = np.count_nonzero(null >= least, axis=0) / len(signs)
        return p_values
    for first, second in zip(one.tolist(), two.tolist(), strict=True):
        there = ~np.isnan(scores[first] + scores[second])
        if there.any():
            change = scores[first, there] - scores[second, there]
            least = change.sum() - _EQUAL * (np.abs(scores[first, there]) + np.abs(scores[second, there])).sum()
            null = np.einsum("pi,i->p", signs[:, there], change)
            p_values[first, second] = np.count_nonzero(null >= least) / len(signs)
    return p_values


def soft_pairwise_accuracy(human: Floats, metric: Floats) -> float:
    """Return 1 minus the mean difference of two tables of p-values over every two systems; NaN without any."""
    apart = np.abs(human - metric)[np.triu_indices(len(human), 1)]
    apart = apart[~np.isnan(apart)]
    return 1 - float(apart.mean()) if len(apart) else nan


def perm_both(
    statistic: Callable[[Floats], float],
    first: Floats,
    second: Floats,
    *,
    draws: int,
    seed: int = 0,
    tick: Tick | None = None,
) -> tuple[float, float]:
    """Return how much greater the first score's statistic is, and the one-sided p-value for the better score.

    PERM-BOTH (Deutsch et al., TACL 2021): both scores are standardised, and their values for an item are swapped at
    random; p is the share of `draws` whose difference is as large. Both are NaN if the statistic is undefined; p is NaN
    without draws.

    Args:
        statistic: Agreement of a score with people, given its values in the shape of `first`.
        first: A score, higher better, any shape.
        second: A second score of that shape; NaN in the same places.
        draws: Permutations.
        seed: Seed of the permutations.
        tick: Called as tick(done, draws) from time to time.
    """
    first, second = _standardise(first), _standardise(second)
    difference = statistic(first) - statistic(second)
    if not draws or isnan(difference):
        return difference, nan
    if difference < 0:
        first, second = second, first
    random = np.random.default_rng(seed)
    count = 0
    for number in range(draws):
        if tick is not None and number % _BLOCK == 0:
            tick(number, draws)
        swapped = random.integers(0, 2, first.shape).astype(bool)
        one, two = np.where(swapped, second, first), np.where(swapped, first, second)
        count += statistic(one) - statistic(two) >= abs(difference) - _EQUAL
    return difference, count / draws


def significance_ranks(p_values: Floats, level: float = 0.05) -> list[int]:
    """Return the ranks of scores sorted from best to worst, given p of each against the later ones.

    A new rank begins with the first score that a score of the current rank is significantly better than, as in WMT.
    """
    ranks: list[int] = []
    rank, start = 1, 0
    for at in range(len(p_values)):
        if bool((p_values[start:at, at] <= level).any()):
            rank, start = rank + 1, at
        ranks.append(rank)
    return ranks


def _standardise(values: Floats) -> Floats:
    spread = float(np.nanstd(values)) if (~np.isnan(values)).any() else 0.0
    return (values - np.nanmean(values)) / spread if spread else values * 0.0
