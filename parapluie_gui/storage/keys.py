"""Keys of many pairs as an array, and finding them among the keys of a store."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from parapluie_gui.arrays import Keys, Rows

#: Up to this many keys, going through all stored ones for each is faster than sorting.
_FEW = 16


def key_array(keys: Sequence[bytes] | bytes) -> Keys:
    """Return keys of 16 bytes each, uint64 (n, 2); given one by one or already joined."""
    joined = keys if isinstance(keys, bytes) else b"".join(keys)
    return np.frombuffer(joined, dtype="<u8").reshape(-1, 2)


class KeyFinder:
    """Finds the same n keys among those stored, for one signature after the other.

    Args:
        wanted: uint64 (n, 2).
    """

    def __init__(self, wanted: Keys) -> None:
        self._wanted = wanted
        self._order = np.argsort(wanted[:, 0]) if len(wanted) > _FEW else None
        self._last: tuple[Keys, Rows] | None = None

    def __len__(self) -> int:
        return len(self._wanted)

    def find(self, stored: Keys) -> Rows:
        """Return where each wanted key stands among the stored ones (the last place if several), -1 if nowhere.

        Args:
            stored: uint64 (m, 2), oldest first.

        Returns:
            int64 (n,).
        """
        # The scores of one job were stored in the same order for each metric.
        if self._last is None or not np.array_equal(self._last[0], stored):
            self._last = stored, self._find(stored)
        return self._last[1]

    def _find(self, stored: Keys) -> Rows:
        place = np.full(len(self), -1, dtype=np.int64)
        if not len(stored):
            return place
        if self._order is None:
            for at, key in enumerate(self._wanted):
                same = np.flatnonzero((stored[:, 0] == key[0]) & (stored[:, 1] == key[1]))
                if len(same):
                    place[at] = same[-1]
            return place
        order = np.argsort(stored[:, 0], kind="stable")
        halves, others = stored[order, 0], stored[order, 1]
        if ((halves[1:] == halves[:-1]) & (others[1:] != others[:-1])).any():
            # Two keys share a half, as those of texts never do.
            places = {key.tobytes(): at for at, key in enumerate(stored)}
            return np.array([places.get(key.tobytes(), -1) for key in self._wanted], dtype=np.int64)
        # Both sides sorted by half of their key, the places found one after the other are side by side in memory.
        wanted = self._wanted[self._order]
        last = np.searchsorted(halves, wanted[:, 0], side="right") - 1
        same = (last >= 0) & (halves[last] == wanted[:, 0]) & (others[last] == wanted[:, 1])
        place[self._order[same]] = order[last[same]]
        return place
