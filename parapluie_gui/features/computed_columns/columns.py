"""Computed columns among the columns of the material: values, meaning and signature of an expression."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import cast

import numpy as np

from parapluie_gui.analysis.columns import Column, ColumnMaterial, compile_column_formula, free_name
from parapluie_gui.analysis.filter.formula import RowFormula
from parapluie_gui.arrays import Floats
from parapluie_gui.errors import FilterError
from parapluie_gui.features.computed_columns.computed import ComputedColumn, definition_signature, infer_meaning

#: The key of the computed columns in `ColumnMaterial.feature_material`.
NAME = "computed_columns"


def columns_in(pairs: ColumnMaterial) -> tuple[ComputedColumn, ...]:
    """Return the definitions of the computed columns in the material."""
    return cast(tuple[ComputedColumn, ...], pairs.feature_material.get(NAME, ()))


def with_columns(pairs: ColumnMaterial, columns: Iterable[ComputedColumn]) -> ColumnMaterial:
    """Return the material with its computed columns replaced by these."""
    return replace(pairs, feature_material={**pairs.feature_material, NAME: tuple(columns)})


def compute_columns(pairs: ColumnMaterial, columns: Mapping[str, Column]) -> Iterator[Column]:
    """Computed columns: the user's expressions in their order, without those that use missing columns."""
    available, waiting = dict(columns), list(columns_in(pairs))
    results: dict[ComputedColumn, Column] = {}
    while compiled := [
        (definition, formula) for definition in waiting if (formula := _compile(definition.text, available)) is not None
    ]:
        for definition, formula in compiled:
            waiting.remove(definition)
            column = results[definition] = _make_column(definition, formula, dict(available))
            available[column.key] = column
    yield from (results[definition] for definition in columns_in(pairs) if definition in results)


def _compile(text: str, columns: Mapping[str, Column]) -> RowFormula | None:
    with contextlib.suppress(FilterError):
        return compile_column_formula(text, columns)
    return None


def _make_column(definition: ComputedColumn, formula: RowFormula, columns: Mapping[str, Column]) -> Column:
    meaning = infer_meaning(formula.tree, lambda name: columns[name].meaning)
    key = free_name(definition.name, " (computed)", columns)
    used = [columns[name] for name in formula.columns]
    sources = {name for column in used for name in (column.sources if column.changes == "derived" else (column.key,))}

    def values() -> Floats:
        try:
            return formula.values(lambda name: columns[name].values())
        except FilterError:  # a column of numbers in one corpus may hold texts in another
            return np.full(len(columns[min(formula.columns)].values()), np.nan)

    return Column(
        *(key, key, f"Computed: {definition.text}", "score"),
        values=values,
        place=6,
        decimals=0 if formula.verdict else 2 if meaning.threshold == 0 else 3,
        signed=meaning.threshold == 0,
        axis=True,
        changes="derived",
        sources=tuple(sorted(sources)),
        meaning=meaning,
        expression=definition.text if key == definition.name else "",
        signature=definition_signature(definition, meaning) if key == definition.name else None,
    )
