"""What a comparison says of scores that are bounds: it holds only where it holds whatever the score is."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from parapluie_gui.scores.identity import BOUNDS


def bound_codes(column: str, get: Callable[[str], np.ndarray]) -> np.ndarray:
    """Return which values are bounds, by the column that says so: 1 at least, -1 at most, 0 exact; 0 without one."""
    if not column:
        return np.zeros((), dtype=np.int8)
    least, most = (np.asarray(get(column) == word) for word in BOUNDS)
    return least.astype(np.int8) - most.astype(np.int8)


def certain(sign: str, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return where a comparison of numbers holds for every value that the bounds leave open, given that it holds.

    A score of at least 2 is above 1 for certain; whether it is below 3, equal to 2 or different from 5 is not known.
    """
    if sign in (">", ">="):
        return np.asarray((left >= 0) & (right <= 0))
    if sign in ("<", "<="):
        return np.asarray((left <= 0) & (right >= 0))
    return np.asarray((left == 0) & (right == 0))
