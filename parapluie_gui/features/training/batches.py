"""How the pairs of an epoch come together in steps: pairs of like length, and the pairs of a family in one step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from parapluie_gui.features.training.examples import Taught

#: Batches are made of pairs of like length out of this number of batches, so that little is padding.
_WINDOW = 50

#: Pairs that stay together: a family, or one pair.
Unit = list[Taught]


def batches(pairs: Sequence[Taught], size: int, seed: Sequence[int]) -> list[list[Taught]]:
    """Return the batches of an epoch in their order, each of at most `size` pairs unless a family is larger."""
    found: list[list[Taught]] = []
    for window in _filled(_units(pairs), size * _WINDOW):
        units = sorted(_units(window), key=_length)
        found += _filled(units, size)
    order = np.random.default_rng(seed).permutation(len(found))
    return [found[place] for place in order]


def portions(batch: Sequence[Taught], count: int) -> list[list[Taught]]:
    """Return a batch in at most `count` portions of about as many pairs, without taking a family apart."""
    least = -(-len(batch) // count)
    found: list[list[Taught]] = [[]]
    for unit in _units(batch):
        if len(found[-1]) >= least:
            found.append([])
        found[-1] += unit
    return found


def families(pairs: Sequence[Taught]) -> dict[str, list[int]]:
    """Return the places of the pairs of each family."""
    found: dict[str, list[int]] = {}
    for place, pair in enumerate(pairs):
        if pair.family:
            found.setdefault(pair.family, []).append(place)
    return found


def _units(pairs: Iterable[Taught]) -> list[Unit]:
    """Return families and single pairs, in the order in which the first of each stands."""
    found: dict[str | int, Unit] = {}
    for place, pair in enumerate(pairs):
        found.setdefault(pair.family or place, []).append(pair)
    return list(found.values())


def _filled(units: Iterable[Unit], size: int) -> Iterator[list[Taught]]:
    """Yield units one behind the other, as many as make up at most `size` pairs."""
    now: list[Taught] = []
    for unit in units:
        if now and len(now) + len(unit) > size:
            yield now
            now = []
        now = now + unit
    if now:
        yield now


def _length(unit: Unit) -> float:
    return sum(len(pair.source) + len(pair.hypothesis) for pair in unit) / len(unit)
