"""What is special about a set of pairs, by keyness: traits that it has more often than other pairs, and groups by them.

The statistic is the log-likelihood ratio of corpus linguistics; no model and no random number takes part, so that the
same pairs always give the same answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

import numpy as np

from parapluie_gui.analysis.errors.traits import Family, Trait
from parapluie_gui.analysis.statistics.log_likelihood import log_likelihood, log_ratio
from parapluie_gui.arrays import Floats, Mask, Rows

#: Corrected p-value from which on a trait is not called special.
LEVEL = 0.05
#: Pairs of the set that have a special trait, and pairs in a group, at least.
FEWEST = 3
#: Log ratio of the trait that a group is named by, at least: 1.4 times as often as in the others.
LEAST_RATIO = 0.5
#: Groups, at most.
MOST_GROUPS = 12


@dataclass(frozen=True, eq=False)
class Special:
    """A trait that a set of pairs has more often than the others.

    Attributes:
        count, size: Pairs of the set that have it, and pairs in the set.
        other, others: The same of the pairs compared with.
        g2: Log-likelihood ratio G².
        ratio: Binary logarithm of the ratio of both shares: 1 is twice as often.
        p: One-sided p-value of Fisher's exact test, corrected for the traits of its family (Benjamini and Hochberg
            1995) and for the number of families: twenty kinds of change are not to be lost among thousands of words.
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


def special(traits: Sequence[Trait], chosen: Mask, others: Mask) -> list[Special]:
    """Return what is special about some pairs against others, the most certain first; nothing if nothing is.

    Args:
        traits: The traits to look at.
        chosen: (n,) The set.
        others: (n,) The pairs it is compared with; none is in both.
    """
    from scipy.stats import hypergeom

    size, rest = int(chosen.sum()), int(others.sum())
    if not size or not rest or not traits:
        return []
    count, other = (np.array([int(mask[each.rows].sum()) for each in traits]) for mask in (chosen, others))
    p = _corrected(traits, hypergeom.sf(count - 1, size + rest, count + other, size))
    g2, ratio = (of(count, size, other, rest) for of in (log_likelihood, log_ratio))
    good = (count >= FEWEST) & (p < LEVEL) & (count * rest > other * size)
    found = [
        Special(traits[at], int(count[at]), size, int(other[at]), rest, float(g2[at]), float(ratio[at]), float(p[at]))
        for at in np.flatnonzero(good).tolist()
    ]
    families = get_args(Family)
    return sorted(found, key=lambda each: (-each.g2, families.index(each.trait.family), each.trait.name))


def _corrected(traits: Sequence[Trait], p: Floats) -> Floats:
    """Return p-values corrected within each family of traits, and for the number of families."""
    from scipy.stats import false_discovery_control

    families = [each.family for each in traits]
    found = np.ones(len(p))
    for family in set(families):
        rows = np.array([each == family for each in families])
        found[rows] = false_discovery_control(np.clip(p[rows], 0.0, 1.0))
    return np.minimum(found * len(set(families)), 1.0)


def groups(traits: Sequence[Trait], chosen: Mask, others: Mask) -> list[Group]:
    """Divide a set of pairs by what is special about them: the most certain trait first, then that of what is left.

    Changes and words come before buckets, which name what is left once no word does.

    The pairs with a group's trait leave both sets before the next one is looked for; or else, what is left of the set
    would seem special for all that is the trait's contrary. Pairs with nothing special are in no group. Arguments as
    for `special`.
    """
    left, rest, found = chosen.copy(), others.copy(), list[Group]()
    while len(found) < MOST_GROUPS:
        strong = [each for each in special(traits, left, rest) if each.ratio >= LEAST_RATIO]
        best = min(strong, key=lambda each: each.trait.family == "bucket", default=None)
        if best is None:
            break
        rows = best.trait.rows[left[best.trait.rows]]
        found.append(Group(best, rows))
        left[best.trait.rows] = rest[best.trait.rows] = False
    return found
