"""Pairs with their scores as a pandas data frame: for notebooks, and for every table that is written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from parapluie_gui.analysis.columns import Pairs, columns_of
from parapluie_gui.arrays import Rows
from parapluie_gui.pairs.column import NumberColumn
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.scores.identity import Kind, identify
from parapluie_gui.scores.table import ScoreTable

if TYPE_CHECKING:
    import pandas


def to_frame(corpus: Corpus, table: ScoreTable, rows: Sequence[int] | Rows | None = None) -> pandas.DataFrame:
    """Return the columns that `write_table` writes, in its order, one row per pair.

    Texts are of pandas' type "string", scores "float64", labels and whole numbers "Int64", truth values "boolean";
    all but float64 have pandas.NA where a value is missing.

    Args:
        corpus: n pairs.
        table: Their scores.
        rows: Only these rows, in this order; None for all.

    Returns:
        The frame; `attrs["signatures"]` lists the signatures of its scores, `attrs["question_marks"]` counts texts in
        which question marks stand for half characters (lone surrogates).
    """
    import pandas

    index = np.arange(len(corpus)) if rows is None else np.asarray(rows, dtype=np.int64)
    columns: dict[str, pandas.Series] = {}
    halves = 0
    for name, each in columns_of(Pairs(corpus, table)).items():
        identity = identify(name)
        if not each.exported or (identity.kind is Kind.BOUND and not table.bounds(identity.score, index).any()):
            continue
        own = corpus.extra[each.own].take(index) if each.own else None
        if isinstance(own, NumberColumn):
            columns[name] = pandas.Series(own.cells(), dtype=_type(own))
            continue
        values = each.values()[index]
        if values.dtype == object:
            texts = [None if text is None else _printable(text) for text in values]
            halves += sum(text != old for text, old in zip(texts, values, strict=True))
            columns[name] = pandas.Series(texts, dtype="string")
        elif name == "label":
            columns[name] = pandas.Series(values).astype("Int64")
        else:
            columns[name] = pandas.Series(values, dtype="float64")
    frame = pandas.DataFrame(columns)
    signed = [score for score in table.scores if score in table.signatures]
    frame.attrs["signatures"] = [f"{score}: {table.signatures[score]}" for score in signed]
    frame.attrs["question_marks"] = halves
    return frame


def _printable(text: str) -> str:
    """Return a text without lone surrogates, which no file format can hold."""
    return text if text.isascii() or text.isprintable() else text.encode("utf-8", "replace").decode()


def _type(numbers: NumberColumn) -> str:
    """Return pandas' type for one of the corpus's own columns: identifiers stay 702876 rather than 702876.0."""
    if numbers.words is not None:
        return "boolean" if isinstance(numbers.words[0], bool) else "string"
    return "Int64" if numbers.whole else "float64"
