"""Type aliases for numpy arrays, named by the meaning of the numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

#: One score for each pair, NaN for a missing one.
Scores = NDArray[np.float64]
#: Any other real numbers.
Floats = NDArray[np.float64]
#: For each pair, 1 for a paraphrase, 0 for none, -1 if unlabelled.
Labels = NDArray[np.int8]
#: For each score, 1 if it is a lower bound, -1 if it is an upper bound, 0 if it is exact.
Bounds = NDArray[np.int8]
#: One truth value for each pair.
Mask = NDArray[np.bool_]
#: Row numbers, counts, indices, of any width, because `flatnonzero` and `argsort` are not typed as int64.
Rows = NDArray[np.integer[Any]]
#: The halves of 16-byte keys, (n, 2).
Keys = NDArray[np.uint64]
#: Numbers of any type.
Numbers = NDArray[Any]
