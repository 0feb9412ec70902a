"""How like the pairs of a corpus are to one of them, by the vectors of their sentences."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from parapluie_gui.arrays import Floats

Vectors = NDArray[np.float32]

#: Of a pair's vector, the weight of the difference of both sentences against that of what they are about.
_DIFFERENCE = np.float32(2.0)
#: Pairs whose vectors are in memory at a time.
_BLOCK = 4096


def likeness(codes: NDArray[np.int8], row: int) -> Floats:
    """Return how like each pair is to one of them, in [-1, 1], shape (n,).

    A pair's vector is what the pair is about (the direction of the sum of both sentences' directions, from the
    corpus's mean) beside twice the absolute difference of these directions. Alike is the cosine of two such vectors,
    again from the corpus's mean.

    Args:
        codes: (n, 2, width) The directions of source and hypothesis, of any length.
        row: The pair that the others are compared with.
    """
    about = np.sum([both.sum(0) for both, _ in _directions(codes)], 0) / np.float32(len(codes))

    def vectors(of: NDArray[np.int8]) -> Iterator[Vectors]:
        for both, apart in _directions(of):
            yield np.hstack([_unit(both - about), apart])

    mean = np.sum([block.sum(0) for block in vectors(codes)], 0) / np.float32(len(codes))
    (wanted,) = (_unit(block - mean)[0] for block in vectors(codes[row : row + 1]))
    found: Floats = np.concatenate([_unit(block - mean) @ wanted for block in vectors(codes)]).astype(np.float64)
    return found.clip(-1.0, 1.0)


def _directions(codes: NDArray[np.int8]) -> Iterator[tuple[Vectors, Vectors]]:
    """Yield the sums of both sentences' directions, and twice their absolute differences, block after block."""
    for start in range(0, len(codes), _BLOCK):
        first, second = (_unit(codes[start : start + _BLOCK, side].astype(np.float32)) for side in (0, 1))
        yield first + second, _DIFFERENCE * np.abs(first - second)


def _unit(vectors: Vectors) -> Vectors:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, np.float32(1e-9)), dtype=np.float32)
