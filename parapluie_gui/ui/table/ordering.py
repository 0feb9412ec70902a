"""The order of a million numbers or texts, for the table: faster than numpy's stable sort, with the same result."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from parapluie_gui.arrays import Numbers, Rows

#: Rounds of exchanging neighbours that the quick order left in the wrong order, before everything is sorted slowly.
_REPAIRS = 8


def number_order(values: Numbers, descending: bool = False) -> Rows:
    """Return the rows in the order of their numbers, int64 (n,): a stable sort, with NaN last either way.

    A number's upper bits and its row share one integer: sorting these takes half as long as sorting the rows by the
    numbers. The order that the lower bits decide is put right afterwards.
    """
    numbers = np.negative(values, dtype=np.float64) if descending else np.asarray(values, dtype=np.float64)
    count = len(numbers)
    bits = max(count - 1, 1).bit_length()
    # As integers, numbers are in order once the negative ones are reversed; adding zero makes -0 and 0 equal.
    key = (numbers + 0.0).view(np.int64)
    key ^= (key >> 63) & np.int64(2**63 - 1)
    key[np.isnan(numbers)] = 2**63 - 1
    packed = (key >> bits << bits) | np.arange(count)
    packed.sort()
    order = packed & ((1 << bits) - 1)
    packed >>= bits
    alike = np.flatnonzero(packed[1:] == packed[:-1])
    for _ in range(_REPAIRS):
        wrong = alike[key[order[alike]] > key[order[alike + 1]]]
        if not len(wrong):
            return order
        # Of overlapping neighbours only the first are exchanged at a time.
        wrong = wrong[np.concatenate([[True], np.diff(wrong) > 1])]
        order[wrong], order[wrong + 1] = order[wrong + 1], order[wrong]
    return np.argsort(key, kind="stable")


def text_order(texts: Sequence[object], descending: bool = False) -> Rows:
    """Return the rows in the order of their texts without regard to case, int64 (n,); empty ones come last."""
    keys = ["" if text is None else str(text).casefold() for text in texts]
    filled = [row for row, key in enumerate(keys) if key]
    filled.sort(key=keys.__getitem__, reverse=descending)
    empty = [row for row, key in enumerate(keys) if not key] if len(filled) < len(keys) else []
    return np.array(filled + empty, dtype=np.int64)
