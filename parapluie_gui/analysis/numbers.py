"""Columns of a corpus as numbers, where they are numbers: a file's scores, lengths, years."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

_MISSING = frozenset(["", "nan", "none", "null", "na", "n/a", "<na>"])


def numbers(values: Sequence[object] | np.ndarray) -> np.ndarray | None:
    """Return a column as float64 (n,), NaN where a value is missing, or None when one is no number.

    Texts such as "0.5" and "1e-3" are numbers, truth values are 1 and 0; a column without any number is None too.
    """
    if isinstance(values, np.ndarray) and values.dtype.kind in "biuf":
        found = values.astype(np.float64)
        return None if np.isnan(found).all() else found
    result = np.full(len(values), math.nan)
    try:
        for row, value in enumerate(values):
            if isinstance(value, str):
                text = value.strip()
                if text.casefold() in _MISSING:
                    continue
                # float() would take "12_7", an identifier.
                if "_" in text:
                    return None
                result[row] = float(text)
            elif value is not None:
                result[row] = float(value)
    except (TypeError, ValueError):
        return None
    return None if np.isnan(result).all() else result
