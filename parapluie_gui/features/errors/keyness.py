"""What is special about a set of pairs, by keyness: traits that it has more often than other pairs, and groups by them.

The statistic is the log-likelihood ratio of corpus linguistics; no model and no random number takes part, so that the
same pairs always give the same answer. Pairs can be compared within bands only, of a score for example: what merely
goes with the bands is then not special.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from parapluie_gui.analysis.errors.traits import Family, Trait
from parapluie_gui.analysis.statistics.log_likelihood import log_likelihood, log_ratio
from parapluie_gui.arrays import Floats, Mask, Rows, Scores

#: Corrected p-value from which on a trait is not called special.
LEVEL = 0.05
#: Pairs of the set that have a special trait, and pairs in a group, at least.
FEWEST = 3
#: Log ratio of the trait that a group is named by, at least: 1.4 times as often as in the others.
LEAST_RATIO = 0.5
#: Groups, at most.
MOST_GROUPS = 12
#: Standard deviations above what is to be expected that are not worth an exact p-value.
_HARDLY = 0.5
#: Bands that a score is cut into, at most, and pairs in each, at least.
MOST_BANDS, LEAST_IN_BAND = 10, 20


@dataclass(frozen=True, eq=False)
class Special:
    """A trait that a set of pairs has more often than the others.

    Attributes:
        count, size: Pairs of the set that have it, and pairs in the set.
        other, others: The same of the pairs compared with.
        g2: Log-likelihood ratio G²; with bands, the sum over them.
        ratio: Binary logarithm of the ratio of both shares, 1 is twice as often; with bands, of their common ratio
            (Mantel and Haenszel 1959).
        p: One-sided p-value of Fisher's exact test, with bands of the exact test of all their tables together,
            corrected for the traits of its family (Benjamini and Hochberg 1995) and for the number of families: twenty
            kinds of change are not to be lost among thousands of words.
    """

    trait: Trait
    count: int
    size: int
    other: int
    others: int
    g2: float
    ratio: float
    p: float


@dataclass(frozen=True, eq=False)
class Group:
    """Pairs of a set that share a special trait and are in no group before.

    Attributes:
        special: The trait, among what earlier groups left over.
        rows: The pairs, ascending.
    """

    special: Special
    rows: Rows


def special(
    traits: Sequence[Trait], chosen: Mask, others: Mask, bands: NDArray[np.int64] | None = None
) -> list[Special]:
    """Return what is special about some pairs against others, the most certain first; nothing if nothing is.

    Args:
        traits: The traits to look at.
        chosen: (n,) The set.
        others: (n,) The pairs it is compared with; none is in both.
        bands: (n,) Numbers from 0: pairs are compared with those of their own band only. None for no bands.
    """
    size, rest = int(chosen.sum()), int(others.sum())
    if not size or not rest or not traits:
        return []
    bands = np.zeros(len(chosen), dtype=np.int64) if bands is None else bands
    tables = _Tables.of(traits, chosen, others, bands)
    p = _corrected(traits, tables.p())
    count, other, g2, ratio = tables.count.sum(axis=1), tables.other.sum(axis=1), tables.g2(), tables.ratio()
    good = (count >= FEWEST) & (p < LEVEL) & (ratio > 0)
    found = [
        Special(traits[at], int(count[at]), size, int(other[at]), rest, float(g2[at]), float(ratio[at]), float(p[at]))
        for at in np.flatnonzero(good).tolist()
    ]
    families = get_args(Family)
    return sorted(found, key=lambda each: (-each.g2, families.index(each.trait.family), each.trait.name))


def score_bands(values: Scores, chosen: Mask, others: Mask) -> NDArray[np.int64]:
    """Return the band of a score that each pair is in, (n,): bands with as many pairs of both sets each.

    Up to `MOST_BANDS`, with `LEAST_IN_BAND` pairs or more; equal scores are in one band.
    """
    known = values[(chosen | others) & np.isfinite(values)]
    number = min(max(len(known) // LEAST_IN_BAND, 1), MOST_BANDS)
    if number == 1:
        return np.zeros(len(values), dtype=np.int64)
    borders = np.unique(np.quantile(known, np.arange(1, number) / number))
    return np.searchsorted(borders, np.nan_to_num(values), side="right").astype(np.int64)


@dataclass(frozen=True, eq=False)
class _Tables:
    """The 2×2 tables of traits, one in each band: having the trait × being of the set.

    Attributes:
        count, other: (t, b) Pairs of the set, and of the others, that have the trait.
        size, rest: (b,) Pairs of the set, and of the others.
    """

    count: NDArray[np.int64]
    other: NDArray[np.int64]
    size: NDArray[np.int64]
    rest: NDArray[np.int64]

    @classmethod
    def of(cls, traits: Sequence[Trait], chosen: Mask, others: Mask, bands: NDArray[np.int64]) -> _Tables:
        """Count them; a band without pairs of both sets says nothing and is left out."""
        number = int(bands.max()) + 1
        sides = np.where(chosen, bands, np.where(others, number + bands, 2 * number))
        each = np.array([np.bincount(sides[trait.rows], minlength=2 * number + 1) for trait in traits])
        total = np.bincount(sides, minlength=2 * number + 1)
        size, rest = total[:number], total[number : 2 * number]
        kept = np.flatnonzero((size > 0) & (rest > 0))
        return cls(each[:, kept], each[:, number + kept], size[kept], rest[kept])

    def g2(self) -> Floats:
        """Return the log-likelihood ratios, summed over the bands, (t,)."""
        return np.asarray(log_likelihood(self.count, self.size, self.other, self.rest).sum(axis=1))

    def ratio(self) -> Floats:
        """Return the binary logarithms of the common ratios of shares, (t,); half a pair stands in for none."""
        if len(self.size) == 1:
            return log_ratio(self.count[:, 0], self.size[0], self.other[:, 0], self.rest[0])
        both = self.size + self.rest
        ours, theirs = (self.count * (self.rest / both)).sum(axis=1), (self.other * (self.size / both)).sum(axis=1)
        none = 0.5 * (self.size * self.rest / both).sum() / both.sum() if len(both) else 0.5
        return np.asarray(np.log2(np.where(ours > 0, ours, none)) - np.log2(np.where(theirs > 0, theirs, none)))

    def p(self) -> Floats:
        """Return how likely the set has each trait so often or more often, the trait's pairs in each band fixed, (t,).

        1 for traits that the set has hardly more often than is to be expected: their p is far above any level, so the
        correction of the others stays what it is.
        """
        found, both, have = np.ones(len(self.count)), self.size + self.rest, self.count + self.other
        expected = (have * (self.size / both)).sum(axis=1)
        variance = have * (both - have) * (self.size * self.rest / (both**2 * np.maximum(both - 1, 1)))
        least = expected + _HARDLY * np.sqrt(variance.sum(axis=1))
        for at in np.flatnonzero(self.count.sum(axis=1) > least).tolist():
            found[at] = self._p(at)
        return found

    def _p(self, at: int) -> float:
        """Return the upper tail of the sum of the bands' hypergeometric counts."""
        chances, least = np.ones(1), 0
        for count, other, size, rest in zip(self.count[at], self.other[at], self.size, self.rest, strict=True):
            have = int(count + other)
            low, high = max(0, have - int(rest)), min(have, int(size))
            chances = np.convolve(chances, _hypergeometric(low, high, have, int(size), int(rest)))
            least += low
        return float(min(chances[int(self.count[at].sum()) - least :].sum(), 1.0))


@lru_cache(maxsize=4096)
def _hypergeometric(low: int, high: int, have: int, size: int, rest: int) -> Floats:
    """Return the chances that of `have` pairs drawn from both, low to high are among the `size` ones."""
    from scipy.special import gammaln

    def chosen(of: Floats | int, take: Floats | int) -> Floats:
        of, take = np.asarray(of, np.float64), np.asarray(take, np.float64)
        return np.asarray(gammaln(of + 1) - gammaln(take + 1) - gammaln(of - take + 1))

    count = np.arange(low, high + 1, dtype=np.float64)
    return np.asarray(np.exp(chosen(size, count) + chosen(rest, have - count) - chosen(size + rest, have)))


def _corrected(traits: Sequence[Trait], p: Floats) -> Floats:
    """Return p-values corrected within each family of traits, and for the number of families."""
    from scipy.stats import false_discovery_control

    families = [each.family for each in traits]
    found = np.ones(len(p))
    for family in set(families):
        rows = np.array([each == family for each in families])
        found[rows] = false_discovery_control(np.clip(p[rows], 0.0, 1.0))
    return np.minimum(found * len(set(families)), 1.0)


def groups(traits: Sequence[Trait], chosen: Mask, others: Mask, bands: NDArray[np.int64] | None = None) -> list[Group]:
    """Divide a set of pairs by what is special about them: the most certain trait first, then that of what is left.

    Changes and words come before buckets, which name what is left once no word does.

    The pairs with a group's trait leave both sets before the next one is looked for; or else, what is left of the set
    would seem special for all that is the trait's contrary. Pairs with nothing special are in no group. Arguments as
    for `special`.
    """
    left, rest, found = chosen.copy(), others.copy(), list[Group]()
    while len(found) < MOST_GROUPS:
        strong = [each for each in special(traits, left, rest, bands) if each.ratio >= LEAST_RATIO]
        best = min(strong, key=lambda each: each.trait.family == "bucket", default=None)
        if best is None:
            break
        rows = best.trait.rows[left[best.trait.rows]]
        found.append(Group(best, rows))
        left[best.trait.rows] = rest[best.trait.rows] = False
    return found
