"""Paired permutation tests: of systems (for soft pairwise accuracy), and of two scores' agreement with people."""

from __future__ import annotations

from collections.abc import Callable
from math import isnan, nan

import numpy as np

from parapluie_gui.analysis.score_column import Tick
from parapluie_gui.arrays import Floats

#: As in WMT24 (mt-metrics-eval, pce.py): the permutations of systems, and the seed of their signs.
PERMUTATIONS = 1000
SYSTEM_SEED = 4

#: How far below a difference one counts as equal, of the sum of what both are made of: rounding must not part equals.
_EQUAL = 1e-12
#: Permutations between two calls of `tick`.
_BLOCK = 20


def permutation_signs(items: int, permutations: int = PERMUTATIONS, seed: int = SYSTEM_SEED) -> Floats:
    """Return the signs of the permutations, −1 or 1, (permutations, items), drawn as mt-metrics-eval draws them."""
    random = np.random.default_rng(seed)
    return np.asarray(np.rint(random.random((permutations, items), dtype=np.float32)) * 2 - 1, dtype=np.float32)


def system_p_values(values: Floats, signs: Floats) -> Floats:
    """Return the one-sided p-value that system i is better than system j, (systems, systems), above the diagonal.

    The scores of two systems on an item are swapped by chance, the same items for every two systems; p is the share of
    permutations whose difference is as large (Thompson et al., WMT 2024). Items that one of the two systems lacks are
    left out of their comparison. Sums are float64, and differences that only rounding parts are equal; mt-metrics-eval
    sums in float32, so that its p-values of few items with ties depend on rounding.

    Args:
        values: Scores, higher better, NaN where missing; (systems, items).
        signs: As `permutation_signs` returns them.
    """
    systems = len(values)
    found = np.full((systems, systems), nan)
    one, two = np.triu_indices(systems, 1)
    scores = values.astype(np.float64)
    if not np.isnan(scores).any():
        # einsum rather than @: threads of BLAS cost more than they gain on a busy processor.
        drawn, totals = np.einsum("pi,si->ps", signs, scores), scores.sum(axis=1)
        null, size = drawn[:, one] - drawn[:, two], np.abs(scores).sum(axis=1)
        least = totals[one] - totals[two] - _EQUAL * (size[one] + size[two])
        found[one, two] = np.count_nonzero(null >= least, axis=0) / len(signs)
        return found
    for first, second in zip(one.tolist(), two.tolist(), strict=True):
        there = ~np.isnan(scores[first] + scores[second])
        if there.any():
            change = scores[first, there] - scores[second, there]
            least = change.sum() - _EQUAL * (np.abs(scores[first, there]) + np.abs(scores[second, there])).sum()
            null = np.einsum("pi,i->p", signs[:, there], change)
            found[first, second] = np.count_nonzero(null >= least) / len(signs)
    return found


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
    """Return by how much the first score's statistic is greater, and the one-sided p that the better is better.

    PERM-BOTH (Deutsch et al., TACL 2021): both scores are standardised, and their values for an item swapped by chance;
    p is the share of `draws` whose difference is as large. NaN where the statistic is not defined, p without draws.

    Args:
        statistic: Agreement of a score with people, given its values in the shape of `first`.
        first: A score, higher better, any shape.
        second: Another of that shape; NaN in the same places.
        draws: Permutations.
        seed: Of the permutations.
        tick: Called as tick(done, draws) now and then.
    """
    first, second = _standardised(first), _standardised(second)
    found = statistic(first) - statistic(second)
    if not draws or isnan(found):
        return found, nan
    if found < 0:
        first, second = second, first
    random = np.random.default_rng(seed)
    count = 0
    for number in range(draws):
        if tick is not None and number % _BLOCK == 0:
            tick(number, draws)
        swapped = random.integers(0, 2, first.shape).astype(bool)
        one, two = np.where(swapped, second, first), np.where(swapped, first, second)
        count += statistic(one) - statistic(two) >= abs(found) - _EQUAL
    return found, count / draws


def significance_ranks(p_values: Floats, level: float = 0.05) -> list[int]:
    """Return the ranks of scores that are sorted from the best on, given p of each against the later ones.

    A new rank begins with the first score that one of the present rank is significantly better than, as in WMT.
    """
    ranks: list[int] = []
    rank, start = 1, 0
    for at in range(len(p_values)):
        if bool((p_values[start:at, at] <= level).any()):
            rank, start = rank + 1, at
        ranks.append(rank)
    return ranks


def _standardised(values: Floats) -> Floats:
    spread = float(np.nanstd(values)) if (~np.isnan(values)).any() else 0.0
    return (values - np.nanmean(values)) / spread if spread else values * 0.0
