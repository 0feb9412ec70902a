"""The log-likelihood ratio G²: evidence that an event is more (or less) frequent in one part than elsewhere."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from parapluie_gui.arrays import Floats


def log_likelihood(count: ArrayLike, size: ArrayLike, other: ArrayLike, other_size: ArrayLike) -> Floats:
    """Return G² of the 2×2 table of each event (Dunning, Computational Linguistics 1993), in [0, ∞).

    Under independence it follows χ² with one degree of freedom: above 3.84 with p < 0.05, above 10.83 with p < 0.001,
    before any correction for multiple events.

    Args:
        count: Frequency of the event in the part, (n,) or one number.
        size: Number of all events in the part, `count` or more.
        other: Frequency of the event elsewhere.
        other_size: Number of all events elsewhere, `other` or more.
    """
    from scipy.special import xlogy  # imported here: the window starts without scipy

    a, m, b, n = np.broadcast_arrays(*(np.asarray(values, np.float64) for values in (count, size, other, other_size)))
    cells = xlogy(a, a) + xlogy(b, b) + xlogy(m - a, m - a) + xlogy(n - b, n - b)
    margins = xlogy(m, m) + xlogy(n, n) + xlogy(a + b, a + b) + xlogy(m + n - a - b, m + n - a - b)
    # Rounding may give slightly less than 0 where both shares are equal.
    return np.asarray(np.maximum(2 * (cells - margins + xlogy(m + n, m + n)), 0.0))


def log_ratio(count: ArrayLike, size: ArrayLike, other: ArrayLike, other_size: ArrayLike) -> Floats:
    """Return the effect size that goes with `log_likelihood`: the binary logarithm of the ratio of the two shares.

    1 means twice as frequent in the part as elsewhere, −1 half as frequent. A count of 0 is replaced by 0.5 (Hardie,
    "Log Ratio", 2014), or by half the expected count where that is less: in a small part 0.5 would be a larger share
    than elsewhere. Arguments as for `log_likelihood`; both sizes must be above 0.
    """
    a, m, b, n = np.broadcast_arrays(*(np.asarray(values, np.float64) for values in (count, size, other, other_size)))
    share = (a + b) / (m + n) / 2
    a, b = (np.where(f > 0, f, np.minimum(0.5, np.where(share > 0, share * size, 0.5))) for f, size in ((a, m), (b, n)))
    return np.asarray(np.log2(a / m) - np.log2(b / n))
