"""Pairs kept back from training: groups of pairs that share sentences, chosen by a hash of the sentences.

The choice depends only on the corpora and the requested numbers, so that every training run on the same corpora leaves
out the same pairs, on any day and machine.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence

import numpy as np

from parapluie_gui.arrays import Mask

#: The two sentences of a pair.
Sentences = tuple[str, str]

_UNLIKE = re.compile(r"[\W_]+")


def choose_kept_back(corpora: Mapping[str, Sequence[Sentences]], pairs: Mapping[str, int]) -> dict[str, Mask]:
    """Choose the pairs of each corpus to keep back, masks (n,) by name: about `pairs[name]` of them, by default 0.

    Pairs that share a sentence (ignoring case and punctuation), in any of the corpora, are kept back together or not at
    all.
    """
    places = {name: np.array([_place(key) for key in keys]) for name, keys in _group_pairs(corpora).items()}
    chosen: set[float] = set()
    for name, count in pairs.items():
        if count > 0 and len(places.get(name, ())):
            chosen.update(np.sort(places[name])[:count].tolist())
    return {name: np.isin(groups, list(chosen)) for name, groups in places.items()}


def mark_report_half(corpora: Mapping[str, Sequence[Sentences]]) -> dict[str, Mask]:
    """Mark the pairs whose results are reported if they are kept back, masks (n,) by name.

    The other half serves to choose judges. Pairs that share a sentence are in the same half; each half has about half
    of the groups.
    """
    return {
        name: np.array([_place(f"report {key}") < 0.5 for key in keys], dtype=np.bool_)
        for name, keys in _group_pairs(corpora).items()
    }


def _group_pairs(corpora: Mapping[str, Sequence[Sentences]]) -> dict[str, list[str]]:
    """Return the name of each pair's group."""
    groups = _SentenceGroups()
    keys = {name: [(_key(first), _key(second)) for first, second in rows] for name, rows in corpora.items()}
    for rows in keys.values():
        for first, second in rows:
            groups.join(first, second)
    return {name: [groups.name_of(first) for first, _ in rows] for name, rows in keys.items()}


class _SentenceGroups:
    """Groups of sentences joined by pairs (disjoint sets), each named after its alphabetically first sentence."""

    def __init__(self) -> None:
        self._parents: dict[str, str] = {}

    def name_of(self, key: str) -> str:
        self._parents.setdefault(key, key)
        while (parent := self._parents[key]) != key:
            self._parents[key] = self._parents[parent]
            key = self._parents[key]
        return key

    def join(self, first: str, second: str) -> None:
        low, high = sorted((self.name_of(first), self.name_of(second)))
        self._parents[high] = low


def _key(sentence: str) -> str:
    return _UNLIKE.sub("", sentence.lower())


def _place(key: str) -> float:
    """Return the position of a group in an order that does not depend on its meaning, 0..1."""
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:6], "big") / 2**48
