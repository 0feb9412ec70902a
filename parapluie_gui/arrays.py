"""Names for numpy's arrays in signatures: they say what the numbers are, and a type checker holds them to it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

#: One score for each pair, NaN where there is none.
Scores = NDArray[np.float64]
#: Any other real numbers.
Floats = NDArray[np.float64]
#: 1 paraphrase, 0 not a paraphrase, -1 unlabelled, for each pair.
Labels = NDArray[np.int8]
#: 1 where a score is at least what it says, -1 where it is at most that, 0 where it is exact.
Bounds = NDArray[np.int8]
#: One truth value for each pair.
Mask = NDArray[np.bool_]
#: Pair numbers, counts, places. Any width: numpy types what `flatnonzero` and `argsort` return otherwise than int64.
Rows = NDArray[np.integer[Any]]
#: The halves of 16-byte keys, (n, 2).
Keys = NDArray[np.uint64]
#: Numbers of several kinds.
Numbers = NDArray[Any]
