"""Division of an epoch into batches: pairs of similar length together, and all pairs of a family in one batch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from parapluie_gui.features.training.examples import TrainingPair

#: Number of batches over which pairs are sorted by length, so that batches have little padding.
_WINDOW = 50

#: Pairs that stay together: a family or a single pair.
Unit = list[TrainingPair]


def make_batches(pairs: Sequence[TrainingPair], size: int, seed: Sequence[int]) -> list[list[TrainingPair]]:
    """Divide the pairs of an epoch into batches of up to `size` pairs, more only for a larger family."""
    batches: list[list[TrainingPair]] = []
    for window in _fill_batches(_units(pairs), size * _WINDOW):
        units = sorted(_units(window), key=_length)
        batches += _fill_batches(units, size)
    order = np.random.default_rng(seed).permutation(len(batches))
    return [batches[place] for place in order]


def split_batch(batch: Sequence[TrainingPair], count: int) -> list[list[TrainingPair]]:
    """Split a batch into up to `count` parts of about equally many pairs, keeping families together."""
    least = -(-len(batch) // count)
    parts: list[list[TrainingPair]] = [[]]
    for unit in _units(batch):
        if len(parts[-1]) >= least:
            parts.append([])
        parts[-1] += unit
    return parts


def places_by_family(pairs: Sequence[TrainingPair]) -> dict[str, list[int]]:
    """Return the places of the pairs of each family."""
    places: dict[str, list[int]] = {}
    for place, pair in enumerate(pairs):
        if pair.family:
            places.setdefault(pair.family, []).append(place)
    return places


def _units(pairs: Iterable[TrainingPair]) -> list[Unit]:
    """Return families and single pairs, in the order of their first pairs."""
    units: dict[str | int, Unit] = {}
    for place, pair in enumerate(pairs):
        units.setdefault(pair.family or place, []).append(pair)
    return list(units.values())


def _fill_batches(units: Iterable[Unit], size: int) -> Iterator[list[TrainingPair]]:
    """Join units in order into batches of up to `size` pairs; a larger unit is a batch by itself."""
    batch: list[TrainingPair] = []
    for unit in units:
        if batch and len(batch) + len(unit) > size:
            yield batch
            batch = []
        batch = batch + unit
    if batch:
        yield batch


def _length(unit: Unit) -> float:
    return sum(len(pair.source) + len(pair.hypothesis) for pair in unit) / len(unit)
