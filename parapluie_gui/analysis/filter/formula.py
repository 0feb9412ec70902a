"""Formulas: expressions of the filter language that give each pair a number, or a verdict if they are conditions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from parapluie_gui.analysis.filter.conditions import (
    ConditionNode,
    ValueNode,
    as_numbers,
    columns_tested_for_missing,
    is_missing,
)
from parapluie_gui.analysis.filter.expression import NO_SCORES, NO_TITLES, FilterParser
from parapluie_gui.analysis.filter.words import filter_error, quote_column
from parapluie_gui.errors import FilterError
from parapluie_gui.scores.identity import ColumnIdentity

#: Maximum number of characters of a formula, which is computed wherever its column is shown.
LONGEST = 2_000


@dataclass(frozen=True)
class RowFormula:
    """An expression that gives each row a number, or a verdict (1 or 0) if it is a condition.

    Attributes:
        text: The text as typed, with the plain names of columns.
        columns: The columns that it uses.
        tree: The parsed expression.
    """

    text: str
    columns: frozenset[str]
    tree: ValueNode | ConditionNode

    @property
    def verdict(self) -> bool:
        """Is it a condition?"""
        return isinstance(self.tree, ConditionNode)

    def values(self, get: Callable[[str], np.ndarray]) -> np.ndarray:
        """Return the numbers, float64 (n,); `get` is as in `Filter.mask`.

        A verdict is NaN if one of its columns is missing, unless it is tested by `missing(column)`: a pair without a
        score is not a negative.

        Raises:
            FilterError: A text is used as a number, or a number as a text.
        """
        count = len(get(min(self.columns)))
        with np.errstate(all="ignore"):
            if isinstance(self.tree, ValueNode):
                numbers = as_numbers(self.tree, get)
            else:
                required = self.columns - set(columns_tested_for_missing(self.tree))
                missing = [is_missing(get(name)) for name in required]
                numbers = np.where(np.any(missing, axis=0) if missing else False, np.nan, self.tree.mask(get))
            return np.array(np.broadcast_to(numbers, (count,)), dtype=np.float64)


def compile_formula(
    text: str,
    columns: Sequence[str],
    titles: Mapping[str, str] = NO_TITLES,
    scores: Mapping[str, ColumnIdentity] = NO_SCORES,
) -> RowFormula:
    """Compile an expression that gives each row a number; arguments as in `compile_filter`.

    Raises:
        FilterError: The expression is faulty or too long, has a regular expression, or names no column.
    """
    if len(text) > LONGEST:
        raise FilterError(f"The expression has more than {LONGEST:,} characters. Write it more simply.")
    if not text.strip():
        raise FilterError("The expression is empty. Write one, such as min(pluie.p1, pluie.p2) > 0.")
    reader = FilterParser(text, columns, titles, scores, searching=False)
    if reader.searches:
        raise FilterError('A regular expression is too slow for a column. Use contains with text: source contains "x".')
    tree = reader.read_any()
    used = frozenset(tree.columns())
    if not used:
        raise filter_error(
            "No column is named", 0, f"write one, such as {quote_column(columns[0])}" if columns else "open a corpus"
        )
    return RowFormula(_with_plain_names(text, reader.named), used, tree)


def _with_plain_names(text: str, named: Sequence[tuple[int, int, str]]) -> str:
    """Replace shown names of columns by plain names, because new scores may change the meaning of shown names."""
    result = text.strip()
    offset = text.index(result) if result else 0
    for start, end, name in sorted(named, reverse=True):
        result = result[: start - offset] + quote_column(name) + result[end - offset :]
    return result
