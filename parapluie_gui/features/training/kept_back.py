"""Pairs that no training sees: whole groups of pairs that share sentences, chosen by the sentences alone.

Which pairs are kept back depends on nothing but the corpora and the numbers asked for, so that every training of the
same corpora, on any day and machine, leaves the same ones out.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

#: The two sentences of a pair.
Sentences = tuple[str, str]
#: True for each pair that is kept back, (n,).
Kept = npt.NDArray[np.bool_]

_UNLIKE = re.compile(r"[\W_]+")


def kept_back(corpora: Mapping[str, Sequence[Sentences]], pairs: Mapping[str, int]) -> dict[str, Kept]:
    """Return which pairs of each corpus are kept back: about as many as `pairs` says for it, 0 where it is silent.

    Pairs that share a sentence (letter case and punctuation aside), in whatever corpora, are kept back together or not
    at all.
    """
    places = {name: np.array([_place(key) for key in keys]) for name, keys in _grouped(corpora).items()}
    chosen: set[float] = set()
    for name, wanted in pairs.items():
        if wanted > 0 and len(places.get(name, ())):
            chosen.update(np.sort(places[name])[:wanted].tolist())
    return {name: np.isin(each, list(chosen)) for name, each in places.items()}


def reported(corpora: Mapping[str, Sequence[Sentences]]) -> dict[str, Kept]:
    """Return which pairs, if they are kept back, belong to the half that figures are reported on.

    The other half is there to choose by. Pairs that share a sentence are in one half, and a half of the groups in each.
    """
    return {
        name: np.array([_place(f"report {key}") < 0.5 for key in keys], dtype=np.bool_)
        for name, keys in _grouped(corpora).items()
    }


def _grouped(corpora: Mapping[str, Sequence[Sentences]]) -> dict[str, list[str]]:
    """Return the name of the group that each pair belongs to."""
    groups = _Groups()
    keys = {name: [(_key(first), _key(second)) for first, second in rows] for name, rows in corpora.items()}
    for rows in keys.values():
        for first, second in rows:
            groups.join(first, second)
    return {name: [groups.of(first) for first, _ in rows] for name, rows in keys.items()}


class _Groups:
    """Sentences that are joined by pairs; a group is called by the first of its sentences in the alphabet."""

    def __init__(self) -> None:
        self._above: dict[str, str] = {}

    def of(self, key: str) -> str:
        self._above.setdefault(key, key)
        while (above := self._above[key]) != key:
            self._above[key] = self._above[above]
            key = self._above[key]
        return key

    def join(self, first: str, second: str) -> None:
        low, high = sorted((self.of(first), self.of(second)))
        self._above[high] = low


def _key(sentence: str) -> str:
    return _UNLIKE.sub("", sentence.lower())


def _place(key: str) -> float:
    """Return where a group stands in an order that has nothing to do with what it says, 0..1."""
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:6], "big") / 2**48
