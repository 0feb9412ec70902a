"""Checking the definition of a computed column, and adding its values to a table of scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from parapluie_gui.analysis.columns import (
    Column,
    ColumnMaterial,
    add_derived_columns,
    columns_of,
    compile_column_formula,
    filter_titles,
)
from parapluie_gui.analysis.filter.words import quote_column
from parapluie_gui.errors import FilterError, ParapluieError, with_advice
from parapluie_gui.features.computed_columns.columns import columns_in, with_columns
from parapluie_gui.features.computed_columns.computed import ComputedColumn, check_name
from parapluie_gui.scores.table import ScoreTable


def check_definition(typed: ComputedColumn, pairs: ColumnMaterial, replaced: str = "") -> ComputedColumn:
    """Return a definition that can be computed, with the plain names of columns in its expression.

    Args:
        typed: The definition as typed.
        pairs: The columns it may use, including other computed ones.
        replaced: The computed column that it replaces; "" for a new one.

    Raises:
        ParapluieError: Its name is taken or has a different meaning, or its expression is invalid, refers to itself, or
            is not a number.
    """
    name = typed.name.strip()
    check_name(name)
    others = tuple(column for column in columns_in(pairs) if column.name != replaced)
    columns = columns_of(with_columns(pairs, others))
    if name in columns or name in filter_titles(columns) or name in {column.name for column in others}:
        raise ParapluieError(f"There is a column “{name}” already. Choose another name.")
    _refuse_circles(typed.text, name, others, columns)
    formula = compile_column_formula(typed.text, columns)
    formula.values(lambda column: columns[column].values())
    return ComputedColumn(name, formula.text)


def _refuse_circles(text: str, name: str, others: Iterable[ComputedColumn], columns: dict[str, Column]) -> None:
    """Refuse an expression that uses its own column, directly or through another column."""
    unavailable = {column.name for column in others if column.name not in columns}
    template = next(iter(columns.values()))
    stand_ins = {key: replace(template, key=key, title=key, filters=True) for key in (name, *unavailable)}
    try:
        used = compile_column_formula(text, {**columns, **stand_ins}).columns
    except FilterError:
        return  # reported when the expression is compiled with the available columns
    if name in used:
        advice = "write the columns that it is computed from"
        raise ParapluieError(with_advice(f"“{name}” refers to itself", advice))
    if circle := sorted(used & unavailable):
        advice = f"change the expression of {quote_column(circle[0])} first, or leave it out"
        raise ParapluieError(with_advice(f"“{name}” and “{circle[0]}” refer to each other", advice))


def check_definitions(texts: Iterable[str]) -> None:
    """Check the form and the names of definitions, without a corpus.

    Raises:
        ParapluieError: A definition is not written NAME = EXPRESSION, or its name has a different meaning.
    """
    for text in texts:
        check_name(ComputedColumn.parse(text).name)


def add_computed(texts: Iterable[str], pairs: ColumnMaterial, table: ScoreTable) -> list[str]:
    """Add columns written NAME = EXPRESSION to a table of scores, and return their names.

    Raises:
        ParapluieError: As in `ComputedColumn.parse` and `check_definition`.
    """
    typed = tuple(map(ComputedColumn.parse, texts))
    duplicates = [name for name, count in Counter(column.name for column in typed).items() if count > 1]
    if duplicates:
        raise ParapluieError(f"There are two columns “{duplicates[0]}”. Choose another name.")
    computed = []
    for column in typed:
        try:
            computed.append(check_definition(column, with_columns(pairs, typed), column.name))
        except FilterError as error:
            raise ParapluieError(f"{column.name}: {error}") from error
    return add_derived_columns(with_columns(pairs, computed), table)
