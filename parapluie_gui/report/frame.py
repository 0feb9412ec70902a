"""Pairs with their scores as a pandas data frame, for notebooks and scripts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.report.table import table_columns
from parapluie_gui.scores.signature import lines_of
from parapluie_gui.scores.table import ScoreTable

if TYPE_CHECKING:
    import pandas

#: What pandas calls the kinds of columns, each with room for missing values.
_TYPES = {"text": "string", "number": "float64", "whole": "Int64", "truth": "boolean"}


def to_frame(corpus: Corpus, table: ScoreTable, rows: Sequence[int] | np.ndarray | None = None) -> pandas.DataFrame:
    """Return the columns that `write_table` writes, in its order, one row per pair.

    Args:
        corpus: n pairs.
        table: Their scores.
        rows: Only these rows, in this order; None for all.

    Returns:
        The frame; `attrs["signatures"]` lists the signatures of its scores.
    """
    import pandas

    columns = table_columns(corpus, table, rows, [])
    frame = pandas.DataFrame({each.name: pandas.Series(each.values, dtype=_TYPES[each.kind]) for each in columns})
    frame.attrs["signatures"] = list(lines_of(table.signatures, table.scores))
    return frame
