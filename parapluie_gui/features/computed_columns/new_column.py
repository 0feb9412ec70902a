"""Defining a column that is worked out from others: what is wrong with it, and its numbers among the scores."""

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


def define(wanted: ComputedColumn, pairs: ColumnMaterial, instead: str = "") -> ComputedColumn:
    """Return a column that can be computed, its expression with the plain names of columns.

    Args:
        wanted: As it was typed.
        pairs: What there is, with the computed columns that are there already.
        instead: The one of them whose place it takes; "" for a further one.

    Raises:
        ParapluieError: Its name is taken or means something else, or its expression cannot be understood, refers to
            itself, or is no number.
    """
    name = wanted.name.strip()
    check_name(name)
    others = tuple(each for each in columns_in(pairs) if each.name != instead)
    columns = columns_of(with_columns(pairs, others))
    if name in columns or name in filter_titles(columns) or name in {each.name for each in others}:
        raise ParapluieError(f"There is a column “{name}” already. Choose another name.")
    _refuse_circles(wanted.text, name, others, columns)
    formula = compile_column_formula(wanted.text, columns)
    formula.values(lambda column: columns[column].values())
    return ComputedColumn(name, formula.text)


def _refuse_circles(text: str, name: str, others: Iterable[ComputedColumn], columns: dict[str, Column]) -> None:
    """Refuse an expression that needs the column itself, or one that needs it."""
    lost = {each.name: each for each in others if each.name not in columns}
    stand_ins = {
        each: replace(next(iter(columns.values())), key=each, title=each, filters=True) for each in (name, *lost)
    }
    try:
        used = compile_column_formula(text, {**columns, **stand_ins}).columns
    except FilterError:
        return  # said where the columns that are there are asked for
    if name in used:
        todo = "write the columns that it is made of"
        raise ParapluieError(with_advice(f"“{name}” refers to itself", todo))
    if circle := sorted(used & lost.keys()):
        todo = f"change the expression of {quote_column(circle[0])} first, or leave it out"
        raise ParapluieError(with_advice(f"“{name}” and “{circle[0]}” need one another", todo))


def check_defined(texts: Iterable[str]) -> None:
    """Refuse texts that define no column, whatever the corpus.

    Raises:
        ParapluieError: One is not written NAME = EXPRESSION, or its name means something else.
    """
    for text in texts:
        check_name(ComputedColumn.parse(text).name)


def put_defined(texts: Iterable[str], pairs: ColumnMaterial, table: ScoreTable) -> list[str]:
    """Define columns written NAME = EXPRESSION, put them into a table of scores, and return their names.

    Raises:
        ParapluieError: As `ComputedColumn.parse` and `define`.
    """
    wanted = tuple(map(ComputedColumn.parse, texts))
    twice = [name for name, times in Counter(each.name for each in wanted).items() if times > 1]
    if twice:
        raise ParapluieError(f"There are two columns “{twice[0]}”. Choose another name.")
    computed = []
    for each in wanted:
        try:
            computed.append(define(each, with_columns(pairs, wanted), each.name))
        except FilterError as error:
            raise ParapluieError(f"{each.name}: {error}") from error
    return add_derived_columns(with_columns(pairs, computed), table)
