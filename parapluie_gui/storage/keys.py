"""Keys of many pairs as an array, and their lookup among the keys of a store."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from parapluie_gui.arrays import Keys, Rows

#: Number of keys up to which a linear search for each is faster than sorting.
_FEW = 16


def key_array(keys: Sequence[bytes] | bytes) -> Keys:
    """Return n keys of 16 bytes, single or concatenated, as uint64 (n, 2)."""
    joined = keys if isinstance(keys, bytes) else b"".join(keys)
    return np.frombuffer(joined, dtype="<u8").reshape(-1, 2)


class KeyFinder:
    """Looks up the same n keys among the stored keys of several signatures, one after another.

    Args:
        wanted: The keys, uint64 (n, 2).
    """

    def __init__(self, wanted: Keys) -> None:
        self._wanted = wanted
        self._order = np.argsort(wanted[:, 0]) if len(wanted) > _FEW else None
        self._last: tuple[Keys, Rows] | None = None

    def __len__(self) -> int:
        return len(self._wanted)

    def find(self, stored: Keys) -> Rows:
        """Return the index of each wanted key among the stored ones (the last one if several), -1 if it is missing.

        Args:
            stored: uint64 (m, 2), oldest first.

        Returns:
            int64 (n,).
        """
        # A job stores the scores of all its metrics in the same order.
        if self._last is None or not np.array_equal(self._last[0], stored):
            self._last = stored, self._find(stored)
        return self._last[1]

    def _find(self, stored: Keys) -> Rows:
        places = np.full(len(self), -1, dtype=np.int64)
        if not len(stored):
            return places
        if self._order is None:
            for index, key in enumerate(self._wanted):
                same = np.flatnonzero((stored[:, 0] == key[0]) & (stored[:, 1] == key[1]))
                if len(same):
                    places[index] = same[-1]
            return places
        order = np.argsort(stored[:, 0], kind="stable")
        first, second = stored[order, 0], stored[order, 1]
        if ((first[1:] == first[:-1]) & (second[1:] != second[:-1])).any():
            # Two keys share their first half, which does not happen with hashes of texts.
            index_of = {key.tobytes(): index for index, key in enumerate(stored)}
            return np.array([index_of.get(key.tobytes(), -1) for key in self._wanted], dtype=np.int64)
        # With both sides sorted by their first half, consecutive lookups are near each other in memory.
        wanted = self._wanted[self._order]
        last = np.searchsorted(first, wanted[:, 0], side="right") - 1
        same = (last >= 0) & (first[last] == wanted[:, 0]) & (second[last] == wanted[:, 1])
        places[self._order[same]] = order[last[same]]
        return places
