"""The column of how like the pairs are to the one that they were compared with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

import numpy as np

from parapluie_gui.analysis.columns import Column, ColumnMaterial

#: The column's plain name; a file may well have a column "likeness".
LIKENESS = "#likeness"

#: Under this name the column's numbers, float64 (n,), are in `ColumnMaterial.feature_material`.
BROUGHT = "alike"


def likeness(pairs: ColumnMaterial, found: Mapping[str, Column]) -> Iterator[Column]:
    """Similarity of the pairs to one of them."""
    if (known := pairs.feature_material.get(BROUGHT)) is not None:
        tip = "How like the pair is to the chosen one: 1 the same, 0 no more than any pairs of this corpus"
        made = partial(Column, LIKENESS, "Likeness", tip, "number", partial(np.asarray, known))
        yield made(place=1, decimals=2, filters=False, exported=False, changes="scores")
