"""The kind of column that is worked out from others by an expression."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import cast

import numpy as np

from parapluie_gui.analysis.columns import Column, ColumnMaterial, compile_column_formula, free_name
from parapluie_gui.analysis.filter.formula import Formula
from parapluie_gui.arrays import Floats
from parapluie_gui.errors import FilterError
from parapluie_gui.features.computed_columns.computed import ComputedColumn, reading, signature_of

#: The feature's name, under which its columns are in `ColumnMaterial.feature_material`.
NAME = "computed_columns"


def columns_in(pairs: ColumnMaterial) -> tuple[ComputedColumn, ...]:
    """Return the columns of the material that are worked out from others."""
    return cast(tuple[ComputedColumn, ...], pairs.feature_material.get(NAME, ()))


def with_columns(pairs: ColumnMaterial, columns: Iterable[ComputedColumn]) -> ColumnMaterial:
    """Return the material with these columns instead of those that it has."""
    return replace(pairs, feature_material={**pairs.feature_material, NAME: tuple(columns)})


def computed(pairs: ColumnMaterial, found: Mapping[str, Column]) -> Iterator[Column]:
    """Computed columns. In the order of their definition; one that lacks a column is left out."""
    made, waiting = dict(found), list(columns_in(pairs))
    done: dict[ComputedColumn, Column] = {}
    while known := [(each, formula) for each in waiting if (formula := _understood(each.text, made)) is not None]:
        for each, formula in known:
            waiting.remove(each)
            column = done[each] = _worked_out(each, formula, dict(made))
            made[column.key] = column
    yield from (done[each] for each in columns_in(pairs) if each in done)


def _understood(text: str, columns: Mapping[str, Column]) -> Formula | None:
    with contextlib.suppress(FilterError):
        return compile_column_formula(text, columns)
    return None


def _worked_out(computed: ComputedColumn, formula: Formula, columns: Mapping[str, Column]) -> Column:
    read = reading(formula.tree, lambda name: columns[name].meaning)
    key = free_name(computed.name, " (computed)", columns)
    used = [columns[name] for name in formula.columns]
    sources = {name for each in used for name in (each.sources if each.changes == "derived" else (each.key,))}

    def values() -> Floats:
        try:
            return formula.values(lambda name: columns[name].values())
        except FilterError:  # what is a number in one corpus may be a text in another
            return np.full(len(columns[min(formula.columns)].values()), np.nan)

    return Column(
        *(key, key, f"Computed: {computed.text}", "score"),
        values=values,
        place=6,
        decimals=0 if formula.verdict else 2 if read.threshold == 0 else 3,
        signed=read.threshold == 0,
        axis=True,
        changes="derived",
        sources=tuple(sorted(sources)),
        meaning=read,
        expression=computed.text if key == computed.name else "",
        signature=signature_of(computed, read) if key == computed.name else None,
    )
