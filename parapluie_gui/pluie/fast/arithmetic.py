"""The arithmetic of an encoder between its matrix products, in NumPy: GELU, norms, and attention within one row."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]

#: log Φ(x) − log Φ(−x) = x · (a₀ + a₁x² + …), Φ the normal distribution; so GELU, x · Φ(x), is x / (1 + exp(−s)) with s
#: this sum. Fitted by weighted least squares on (0, 6.5]: GELU is off by less than 7e-7 everywhere, in float32.
_GELU = np.array(
    [1.59576843, 7.26685656e-2, -6.62589005e-5, -1.1048064e-4, 7.93826265e-6, -2.66895499e-7, 3.61129246e-9], np.float32
)
#: Count of numbers that GELU computes at a time: with two scratch rows they fit into a core's own cache.
_CHUNK = 16384
#: Largest product whose exponential is taken directly; above it, the row's largest product is subtracted first.
_LARGEST = 60.0


def gelu(x: Array) -> Array:
    """Replace contiguous numbers by x · Φ(x), their GELU, and return them."""
    flat = x.reshape(-1)
    squares, powers = np.empty(_CHUNK, np.float32), np.empty(_CHUNK, np.float32)
    with np.errstate(over="ignore"):  # exp(−x·…) overflows for a very negative x, but the quotient is 0 as it should be
        for start in range(0, flat.size, _CHUNK):
            part = flat[start : start + _CHUNK]
            square, power = squares[: part.size], powers[: part.size]
            np.multiply(part, part, out=square)
            np.multiply(square, _GELU[-1], out=power)
            for factor in _GELU[-2:0:-1]:
                power += factor
                power *= square
            power += _GELU[0]
            power *= part
            np.negative(power, out=power)
            np.exp(power, out=power)
            power += np.float32(1)
            part /= power
    return x


def norm(x: Array, scale: Array, shift: Array, epsilon: float) -> Array:
    """Replace each row of x (n, width) by its layer norm, and return x."""
    width = x.shape[1]
    x -= (x @ np.full(width, 1 / width, np.float32))[:, None]
    spread = np.einsum("ij,ij->i", x, x)
    spread /= np.float32(width)
    spread += np.float32(epsilon)
    x *= (1 / np.sqrt(spread))[:, None]
    x *= scale
    x += shift
    return x


def attend(queries: Array, keys: Array, values: Array, out: Array, bias: Array | None = None, first: int = 0) -> None:
    """Write the attention of each head (heads, tokens, head size) into `out`; products are not scaled.

    `bias` (heads,) is added to the products between the first `first` tokens and the others, in both directions.
    """
    weights = np.matmul(queries, keys.transpose(0, 2, 1))
    if bias is not None:
        weights[:, :first, first:] += bias[:, None, None]
        weights[:, first:, :first] += bias[:, None, None]
    # If nothing overflows, the largest product of a row need not be subtracted: it cancels.
    if weights.max() > _LARGEST or weights.min() < -_LARGEST:
        weights -= weights.max(-1, keepdims=True)
    np.exp(weights, out=weights)
    heads, tokens, seen = weights.shape
    sums = weights.reshape(-1, seen) @ np.ones(seen, np.float32)
    np.matmul(weights, values, out=out)
    out /= sums.reshape(heads, tokens, 1)
