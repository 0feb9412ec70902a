"""Keyness: traits that are more frequent in a set of pairs than in other pairs, and groups of pairs by these traits.

The statistic is the log-likelihood ratio used in corpus linguistics. It uses no model and no random numbers, so the
same pairs always give the same result. Pairs can be compared within bands, of a score for example, so that a trait that
only correlates with the bands is not a key trait.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from parapluie_gui.analysis.errors.traits import ErrorTrait, Family
from parapluie_gui.analysis.statistics.log_likelihood import log_likelihood, log_ratio
from parapluie_gui.arrays import Floats, Mask, Rows, Scores

#: Corrected p-value below which a trait is a key trait.
LEVEL = 0.05
#: Minimum number of pairs in the set with a key trait, and of pairs in a group.
FEWEST = 3
#: Minimum log ratio of a group's trait: 1.4 times as frequent as in the other pairs.
LEAST_RATIO = 0.5
#: Maximum number of groups.
MOST_GROUPS = 12
#: Number of standard deviations above the expected count up to which no exact p-value is computed.
_SMALL_EXCESS = 0.5
#: Maximum number of bands of a score, and minimum number of pairs in a band.
MOST_BANDS, LEAST_IN_BAND = 10, 20


@dataclass(frozen=True, eq=False)
class KeyTrait:
    """A trait that is more frequent in a set of pairs than in the pairs it is compared with.

    Attributes:
        trait: The trait.
        count, size: The number of pairs in the set with the trait, and of all pairs in the set.
        other, others: The same numbers for the pairs compared with.
        g2: The log-likelihood ratio G², summed over the bands.
        ratio: The binary logarithm of the ratio of both shares (1 is twice as often); with bands, of their common
            ratio (Mantel and Haenszel 1959).
        p: The one-sided p-value of Fisher's exact test; with bands, of the exact test of all tables together. It is
            corrected for the traits of the same family (Benjamini and Hochberg 1995) and for the number of families,
            so that twenty kinds of change are not lost among thousands of words.
    """

    trait: ErrorTrait
    count: int
    size: int
    other: int
    others: int
    g2: float
    ratio: float
    p: float


@dataclass(frozen=True, eq=False)
class TraitGroup:
    """Pairs of a set that share a key trait and are not in an earlier group.

    Attributes:
        key: The trait, with its counts among the pairs outside earlier groups.
        rows: The rows of the pairs, ascending.
    """

    key: KeyTrait
    rows: Rows


def find_key_traits(
    traits: Sequence[ErrorTrait], chosen: Mask, others: Mask, bands: NDArray[np.int64] | None = None
) -> list[KeyTrait]:
    """Return the key traits of a set of pairs, largest G² first.

    Args:
        traits: The traits to test.
        chosen: (n,) The set.
        others: (n,) The pairs to compare with, disjoint from the set.
        bands: (n,) The band of each pair, from 0; pairs are compared within bands. None for a single band.
    """
    size, rest = int(chosen.sum()), int(others.sum())
    if not size or not rest or not traits:
        return []
    bands = np.zeros(len(chosen), dtype=np.int64) if bands is None else bands
    tables = _TraitTables.from_traits(traits, chosen, others, bands)
    p = _correct_p_values(traits, tables.p_values())
    count, other, g2, ratio = tables.count.sum(axis=1), tables.other.sum(axis=1), tables.g2(), tables.ratio()
    is_key = (count >= FEWEST) & (p < LEVEL) & (ratio > 0)
    key_traits = [
        KeyTrait(traits[at], int(count[at]), size, int(other[at]), rest, float(g2[at]), float(ratio[at]), float(p[at]))
        for at in np.flatnonzero(is_key).tolist()
    ]
    families = get_args(Family)
    return sorted(key_traits, key=lambda key: (-key.g2, families.index(key.trait.family), key.trait.name))


def score_bands(values: Scores, chosen: Mask, others: Mask) -> NDArray[np.int64]:
    """Return the band of each pair's score, (n,): quantiles of the scores of both sets.

    There are up to `MOST_BANDS` bands with about `LEAST_IN_BAND` pairs or more; equal scores are in the same band.
    """
    known = values[(chosen | others) & np.isfinite(values)]
    number = min(max(len(known) // LEAST_IN_BAND, 1), MOST_BANDS)
    if number == 1:
        return np.zeros(len(values), dtype=np.int64)
    borders = np.unique(np.quantile(known, np.arange(1, number) / number))
    return np.searchsorted(borders, np.nan_to_num(values), side="right").astype(np.int64)


@dataclass(frozen=True, eq=False)
class _TraitTables:
    """The 2×2 tables of t traits in b bands: with and without the trait × in and outside the set.

    Attributes:
        count, other: (t, b) The number of pairs with the trait in the set, and in the other pairs.
        size, rest: (b,) The number of pairs in the set, and of the other pairs.
    """

    count: NDArray[np.int64]
    other: NDArray[np.int64]
    size: NDArray[np.int64]
    rest: NDArray[np.int64]

    @classmethod
    def from_traits(
        cls, traits: Sequence[ErrorTrait], chosen: Mask, others: Mask, bands: NDArray[np.int64]
    ) -> _TraitTables:
        """Return the tables of traits. Bands without pairs of both sets are left out."""
        number = int(bands.max()) + 1
        sides = np.where(chosen, bands, np.where(others, number + bands, 2 * number))
        counts = np.array([np.bincount(sides[trait.rows], minlength=2 * number + 1) for trait in traits])
        total = np.bincount(sides, minlength=2 * number + 1)
        size, rest = total[:number], total[number : 2 * number]
        used = np.flatnonzero((size > 0) & (rest > 0))
        return cls(counts[:, used], counts[:, number + used], size[used], rest[used])

    def g2(self) -> Floats:
        """Return the log-likelihood ratios (t,), summed over the bands."""
        return np.asarray(log_likelihood(self.count, self.size, self.other, self.rest).sum(axis=1))

    def ratio(self) -> Floats:
        """Return the binary logarithms (t,) of the common ratios of shares; a count of 0 is replaced by one half."""
        if len(self.size) == 1:
            return log_ratio(self.count[:, 0], self.size[0], self.other[:, 0], self.rest[0])
        both = self.size + self.rest
        ours, theirs = (self.count * (self.rest / both)).sum(axis=1), (self.other * (self.size / both)).sum(axis=1)
        half = 0.5 * (self.size * self.rest / both).sum() / both.sum() if len(both) else 0.5
        return np.asarray(np.log2(np.where(ours > 0, ours, half)) - np.log2(np.where(theirs > 0, theirs, half)))

    def p_values(self) -> Floats:
        """Return the probability (t,) of each trait's count in the set or a larger one, given its pairs in each band.

        The value is 1 for traits with a count near or below the expected one. Their exact p-values would be far above
        any level, so they do not change the correction.
        """
        p, both, have = np.ones(len(self.count)), self.size + self.rest, self.count + self.other
        expected = (have * (self.size / both)).sum(axis=1)
        variance = have * (both - have) * (self.size * self.rest / (both**2 * np.maximum(both - 1, 1)))
        least = expected + _SMALL_EXCESS * np.sqrt(variance.sum(axis=1))
        for at in np.flatnonzero(self.count.sum(axis=1) > least).tolist():
            p[at] = self._p_value(at)
        return p

    def _p_value(self, at: int) -> float:
        """Return the upper tail of the sum of the hypergeometric counts in all bands."""
        chances, least = np.ones(1), 0
        for count, other, size, rest in zip(self.count[at], self.other[at], self.size, self.rest, strict=True):
            have = int(count + other)
            low, high = max(0, have - int(rest)), min(have, int(size))
            chances = np.convolve(chances, _hypergeometric(low, high, have, int(size), int(rest)))
            least += low
        return float(min(chances[int(self.count[at].sum()) - least :].sum(), 1.0))


@lru_cache(maxsize=4096)
def _hypergeometric(low: int, high: int, have: int, size: int, rest: int) -> Floats:
    """Return the probabilities that low to high of `have` pairs, drawn from size + rest, are among the `size` pairs."""
    from scipy.special import gammaln

    def log_binomial(n: Floats | int, k: Floats | int) -> Floats:
        n, k = np.asarray(n, np.float64), np.asarray(k, np.float64)
        return np.asarray(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))

    count = np.arange(low, high + 1, dtype=np.float64)
    log_ways = log_binomial(size, count) + log_binomial(rest, have - count)
    return np.asarray(np.exp(log_ways - log_binomial(size + rest, have)))


def _correct_p_values(traits: Sequence[ErrorTrait], p: Floats) -> Floats:
    """Correct p-values within each family of traits, and for the number of families."""
    from scipy.stats import false_discovery_control

    families = np.array([trait.family for trait in traits])
    corrected = np.ones(len(p))
    names = set(families.tolist())
    for family in names:
        rows = families == family
        corrected[rows] = false_discovery_control(np.clip(p[rows], 0.0, 1.0))
    return np.minimum(corrected * len(names), 1.0)


def group_by_traits(
    traits: Sequence[ErrorTrait], chosen: Mask, others: Mask, bands: NDArray[np.int64] | None = None
) -> list[TraitGroup]:
    """Divide a set of pairs into groups by their strongest key trait, then by that of the remaining pairs, and so on.

    Traits that are changes or words come before buckets, which group the remaining pairs. After each group, the pairs
    with its trait leave both sets; otherwise the opposite of the trait would seem frequent among the remaining pairs.
    Pairs without a key trait are in no group. The arguments are those of `find_key_traits`.
    """
    left, rest, groups = chosen.copy(), others.copy(), list[TraitGroup]()
    while len(groups) < MOST_GROUPS:
        strong = [key for key in find_key_traits(traits, left, rest, bands) if key.ratio >= LEAST_RATIO]
        best = min(strong, key=lambda key: key.trait.family == "bucket", default=None)
        if best is None:
            break
        rows = best.trait.rows[left[best.trait.rows]]
        groups.append(TraitGroup(best, rows))
        left[best.trait.rows] = rest[best.trait.rows] = False
    return groups
