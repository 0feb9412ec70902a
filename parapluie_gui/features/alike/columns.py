"""The column with the similarity of each pair to a chosen pair."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

import numpy as np

from parapluie_gui.analysis.columns import Column, ColumnMaterial

#: Key of the column; the # avoids a clash with a file's column "likeness".
LIKENESS = "#likeness"

#: Key of the column's values, float64 (n,), in `ColumnMaterial.feature_material`.
BROUGHT = "alike"


def likeness(pairs: ColumnMaterial, columns: Mapping[str, Column]) -> Iterator[Column]:
    """Similarity of the pairs to one of them."""
    if (values := pairs.feature_material.get(BROUGHT)) is not None:
        tip = "Similarity to the chosen pair: 1 identical, 0 as similar as any two pairs of this corpus"
        column = partial(Column, LIKENESS, "Likeness", tip, "number", partial(np.asarray, values))
        yield column(place=1, decimals=2, filters=False, exported=False, changes="scores")
