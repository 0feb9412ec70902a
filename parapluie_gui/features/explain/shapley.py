"""Shapley values of k edits, computed from the values of subsets of the edits.

A subset is a number in which bit e is set if edit e is done. The Shapley value of an edit is the mean change of v when
the edit is done, over all orders in which the edits can be done one after another:
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

#: Maximum number of edits for which every subset is scored: 2^6 subsets.
EXACT = 6
#: Number of orders drawn if there are more edits; half of the orders are the other half reversed.
ORDERS = 16
#: Maximum number of edits for which every variant without two or three edits is scored, so that the smallest change of
#: verdict is not missed.
WITHOUT_THREE = 9
#: Half the width of a 95 % interval, in standard errors: Student's t with seven degrees of freedom, because there are
#: eight draws (an order and its reverse count as one).
MARGIN = 2.3646


@dataclass(frozen=True)
class ShapleyValues:
    """The Shapley values of a pair's edits.

    Attributes:
        values: The values, (k,), in the unit of the score; NaN where a subset has no score.
        errors: (k,) Their standard errors; 0 where every subset was scored.
    """

    values: Scores
    errors: Scores


@dataclass(frozen=True)
class EditInteraction:
    """The interaction of two edits: their joint effect differs from the sum of their single effects.

    Attributes:
        first, second: The indices of the edits.
        together: The change of the score when only these two are done.
        alone: The change of the score when only the first is done, and only the second.
        index: The Shapley interaction index of the two (Grabisch and Roubens 1999); 0 if they are independent.
    """

    first: int
    second: int
    together: float
    alone: tuple[float, float]
    index: float


def orders_for(count: int, seed: int = 0) -> tuple[tuple[int, ...], ...]:
    """Return the orders in which to do k edits; () if every subset is scored. The same seed gives the same orders."""
    if count <= EXACT:
        return ()
    rng = np.random.default_rng([seed, count])
    permutations = [tuple(int(edit) for edit in rng.permutation(count)) for _ in range(ORDERS // 2)]
    return tuple(order for permutation in permutations for order in (permutation, permutation[::-1]))


def subsets_for(count: int, orders: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """Return the distinct subsets that need a score: all of them, or those that occur in the orders.

    Single edits and all but one edit are always included; up to `WITHOUT_THREE` edits, all but two and three as well.
    """
    if not orders:
        return tuple(range(1 << count))
    all_done = (1 << count) - 1
    singles = [1 << edit for edit in range(count)]
    subsets = dict.fromkeys([0, all_done, *singles, *(all_done ^ single for single in singles)])
    for order in orders:
        done = 0
        for edit in order:
            done |= 1 << edit
            subsets[done] = None
    if count <= WITHOUT_THREE:
        omitted = (pair for size in (2, 3) for pair in combinations(singles, size))
        subsets.update(dict.fromkeys(all_done ^ sum(bits) for bits in omitted))
    return tuple(subsets)


def shapley_values(count: int, value: Mapping[int, float], orders: Sequence[tuple[int, ...]]) -> ShapleyValues:
    """Return the Shapley values of k edits, given the values of the subsets from `subsets_for`."""
    if not orders:
        return ShapleyValues(_exact_values(count, value), np.zeros(count))
    changes = np.array([_changes_along(order, value) for order in orders])
    antithetic = (changes[::2] + changes[1::2]) / 2
    return ShapleyValues(antithetic.mean(axis=0), antithetic.std(axis=0, ddof=1) / np.sqrt(len(antithetic)))


def strongest_interaction(count: int, value: Mapping[int, float]) -> EditInteraction | None:
    """Return the pair of edits with the strongest interaction.

    None if there are fewer than two edits, if a subset has no value, or if all edits are independent.
    """
    if count < 2 or len(value) < 1 << count:
        return None
    strongest = max((_interaction(count, value, pair) for pair in combinations(range(count), 2)), key=_strength)
    return strongest if _strength(strongest) > 0 else None


def smallest_flip(count: int, value: Mapping[int, float], is_paraphrase: Mapping[int, bool]) -> int | None:
    """Return the smallest set of edits that changes the verdict when undone; None if no known subset does.

    Ties go to the set whose score is farthest from the pair's. Only the subsets in `is_paraphrase` are compared:
    `is_fewest` checks that a smaller set cannot exist.
    """
    all_done = (1 << count) - 1
    flipped = [done for done, verdict in is_paraphrase.items() if verdict != is_paraphrase[all_done]]
    if not flipped:
        return None
    return min(
        (all_done ^ done for done in flipped),
        key=lambda undone: (undone.bit_count(), -abs(value[all_done ^ undone] - value[all_done]), undone),
    )


def is_fewest(count: int, undone: int, known: Collection[int]) -> bool:
    """Return whether every smaller set of undone edits has a known verdict, so that none can have been missed.

    Args:
        count: The number of edits.
        undone: The edits that `smallest_flip` returns, as bits.
        known: The subsets of done edits with a known verdict.
    """
    known_by_size = Counter(count - done.bit_count() for done in known)
    return all(known_by_size[size] == comb(count, size) for size in range(undone.bit_count()))


def _exact_values(count: int, value: Mapping[int, float]) -> Scores:
    result = np.zeros(count)
    for edit in range(count):
        bit = 1 << edit
        without = [done for done in range(1 << count) if not done & bit]
        weights = [1 / (count * comb(count - 1, done.bit_count())) for done in without]
        result[edit] = sum(
            weight * (value[done | bit] - value[done]) for weight, done in zip(weights, without, strict=True)
        )
    return result


def _changes_along(order: Sequence[int], value: Mapping[int, float]) -> NDArray[np.float64]:
    """Return the change of the value by each edit, (k,), when the edits are done in an order."""
    result = np.full(len(order), nan)
    done = 0
    for edit in order:
        result[edit] = value[done | 1 << edit] - value[done]
        done |= 1 << edit
    return result


def _interaction(count: int, value: Mapping[int, float], pair: tuple[int, int]) -> EditInteraction:
    first, second = (1 << edit for edit in pair)
    index = 0.0
    for done in range(1 << count):
        if not done & (first | second):
            weight = 1 / ((count - 1) * comb(count - 2, done.bit_count()))
            index += weight * (value[done | first | second] - value[done | first] - value[done | second] + value[done])
    alone = value[first] - value[0], value[second] - value[0]
    return EditInteraction(*pair, value[first | second] - value[0], alone, index)


def _strength(interaction: EditInteraction) -> float:
    return abs(interaction.index) if interaction.index == interaction.index else 0.0
