"""Shapley values: what each of k edits did, out of the values that subsets of the edits have.

A subset is a number whose bit e says that edit e is done. The value of an edit is the mean, over all orders in which
the edits can be done one after another, of what the value changes when it is done:
φ(e) = Σ |S|! (k − |S| − 1)! / k! · (v(S ∪ e) − v(S)) over the subsets S without e (Shapley 1953). They sum to
v(all) − v(none).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, nan

import numpy as np
from numpy.typing import NDArray

from parapluie_gui.arrays import Scores

#: Edits up to which every subset is asked for: 2^6 of them.
EXACT = 6
#: Orders that are drawn for more edits, half of them the others backwards.
ORDERS = 16
#: Edits up to which all variants without two or three of them are asked for, so that the fewest for the other verdict
#: are not missed.
WITHOUT_THREE = 9
#: Half the width of a 95 % interval in standard errors: Student's t with seven degrees of freedom, for there are eight
#: draws (an order and the same backwards are one).
MARGIN = 2.3646


@dataclass(frozen=True)
class Effects:
    """What the edits did.

    Attributes:
        values: (k,) The edits' Shapley values, in the unit of the score; NaN where a subset has no score.
        errors: (k,) Their standard errors; 0 where every subset was asked for.
    """

    values: Scores
    errors: Scores


@dataclass(frozen=True)
class Interaction:
    """Two edits that do together what neither does alone.

    Attributes:
        first, second: Which edits.
        together: What both change, done on the source alone.
        alone: What each of them changes by itself.
        index: Shapley's interaction index of the two (Grabisch and Roubens 1999); 0 if they are independent.
    """

    first: int
    second: int
    together: float
    alone: tuple[float, float]
    index: float


def orders_for(count: int, seed: int = 0) -> tuple[tuple[int, ...], ...]:
    """Return the orders in which k edits are to be done; none if every subset is asked for. Deterministic."""
    if count <= EXACT:
        return ()
    rng = np.random.default_rng([seed, count])
    drawn = [tuple(int(edit) for edit in rng.permutation(count)) for _ in range(ORDERS // 2)]
    return tuple(order for one in drawn for order in (one, one[::-1]))


def subsets_for(count: int, orders: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """Return the subsets whose values are needed, each once: all, or those on the way along the orders.

    The edits done alone and all but one are always among them; up to `WITHOUT_THREE` edits, all but two and three too.
    """
    if not orders:
        return tuple(range(1 << count))
    whole = (1 << count) - 1
    singles = [1 << edit for edit in range(count)]
    found = dict.fromkeys([0, whole, *singles, *(whole ^ single for single in singles)])
    for order in orders:
        done = 0
        for edit in order:
            done |= 1 << edit
            found[done] = None
    if count <= WITHOUT_THREE:
        undone = (pair for size in (2, 3) for pair in combinations(singles, size))
        found.update(dict.fromkeys(whole ^ sum(bits) for bits in undone))
    return tuple(found)


def effects(count: int, value: Mapping[int, float], orders: Sequence[tuple[int, ...]]) -> Effects:
    """Return what k edits did, from the values of `subsets_for`."""
    if not orders:
        return Effects(_exact(count, value), np.zeros(count))
    steps = np.array([_along(order, value) for order in orders])
    pairs = (steps[::2] + steps[1::2]) / 2
    return Effects(pairs.mean(axis=0), pairs.std(axis=0, ddof=1) / np.sqrt(len(pairs)))


def strongest_interaction(count: int, value: Mapping[int, float]) -> Interaction | None:
    """Return the two edits that depend on one another most; None without two, or where not every subset has a value."""
    if count < 2 or len(value) < 1 << count:
        return None
    found = max((_interaction(count, value, pair) for pair in combinations(range(count), 2)), key=_strength)
    return found if _strength(found) > 0 else None


def smallest_flip(count: int, value: Mapping[int, float], is_paraphrase: Mapping[int, bool]) -> int | None:
    """Return the fewest edits that, left undone, turn the verdict of the pair; None if none of the subsets does.

    Of equally few those whose score lies farthest from the pair's. Only the given subsets are compared: `is_fewest`
    says whether that is enough.
    """
    whole = (1 << count) - 1
    turned = [done for done, verdict in is_paraphrase.items() if verdict != is_paraphrase[whole]]
    if not turned:
        return None
    return min(
        (whole ^ done for done in turned),
        key=lambda undone: (undone.bit_count(), -abs(value[whole ^ undone] - value[whole]), undone),
    )


def is_fewest(count: int, undone: int, known: Collection[int]) -> bool:
    """Return whether no fewer edits than the `undone` ones can have been overlooked.

    Args:
        count: The number of edits.
        undone: Those that `smallest_flip` returns, as bits.
        known: The subsets of edits done whose verdict is known.
    """
    tried = Counter(count - done.bit_count() for done in known)
    return all(tried[size] == comb(count, size) for size in range(undone.bit_count()))


def _exact(count: int, value: Mapping[int, float]) -> Scores:
    result = np.zeros(count)
    for edit in range(count):
        bit = 1 << edit
        without = [done for done in range(1 << count) if not done & bit]
        weights = [1 / (count * comb(count - 1, done.bit_count())) for done in without]
        result[edit] = sum(
            weight * (value[done | bit] - value[done]) for weight, done in zip(weights, without, strict=True)
        )
    return result


def _along(order: Sequence[int], value: Mapping[int, float]) -> NDArray[np.float64]:
    """Return what each edit changes when they are done in an order."""
    result = np.full(len(order), nan)
    done = 0
    for edit in order:
        result[edit] = value[done | 1 << edit] - value[done]
        done |= 1 << edit
    return result


def _interaction(count: int, value: Mapping[int, float], pair: tuple[int, int]) -> Interaction:
    one, other = (1 << edit for edit in pair)
    index = 0.0
    for done in range(1 << count):
        if not done & (one | other):
            weight = 1 / ((count - 1) * comb(count - 2, done.bit_count()))
            index += weight * (value[done | one | other] - value[done | one] - value[done | other] + value[done])
    alone = value[one] - value[0], value[other] - value[0]
    return Interaction(*pair, value[one | other] - value[0], alone, index)


def _strength(interaction: Interaction) -> float:
    return abs(interaction.index) if interaction.index == interaction.index else 0.0
