"""An expression of the filter language that gives each pair a number: a value, or a verdict where it is a condition."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from parapluie_gui.analysis.filter.conditions import (
    Condition,
    Value,
    as_numbers,
    columns_tested_for_missing,
    is_missing,
)
from parapluie_gui.analysis.filter.expression import NO_SCORES, NO_TITLES, Reader
from parapluie_gui.analysis.filter.words import cut_words, filter_error, quote_column
from parapluie_gui.errors import FilterError
from parapluie_gui.scores.identity import ColumnIdentity

#: The longest expression: it is worked out wherever its column is shown.
LONGEST = 2_000


@dataclass(frozen=True)
class Formula:
    """An expression that gives each row a number: a value, or a verdict (1 or 0) where it is a condition.

    Attributes:
        text: As it was typed, the columns by their plain names.
        columns: The columns it looks at.
        tree: What it means.
    """

    text: str
    columns: frozenset[str]
    tree: Value | Condition

    @property
    def verdict(self) -> bool:
        """Is it a condition?"""
        return isinstance(self.tree, Condition)

    def values(self, get: Callable[[str], np.ndarray]) -> np.ndarray:
        """Return the numbers, float64 (n,); `get` as in `Filter.mask`.

        A verdict is missing where one of its columns is, unless `missing(column)` asks for that: a pair without a score
        is no negative.

        Raises:
            FilterError: Numbers and texts are mixed up.
        """
        count = len(get(min(self.columns)))
        with np.errstate(all="ignore"):
            if isinstance(self.tree, Value):
                found = as_numbers(self.tree, get)
            else:
                needed = self.columns - set(columns_tested_for_missing(self.tree))
                gaps = [is_missing(get(name)) for name in needed]
                found = np.where(np.any(gaps, axis=0) if gaps else False, np.nan, self.tree.mask(get))
            return np.array(np.broadcast_to(found, (count,)), dtype=np.float64)


def compile_formula(
    text: str,
    columns: Sequence[str],
    titles: Mapping[str, str] = NO_TITLES,
    scores: Mapping[str, ColumnIdentity] = NO_SCORES,
) -> Formula:
    """Understand an expression of the filter language that gives each row a number; arguments as `compile_filter`.

    Raises:
        FilterError: It cannot be understood, is too long, has a regular expression, or names no column.
    """
    if len(text) > LONGEST:
        raise FilterError(f"The expression has more than {LONGEST:,} characters. Write it more simply.")
    if not text.strip():
        raise FilterError("The expression is empty. Write one, such as min(pluie.p1, pluie.p2) > 0.")
    reader = Reader(text, columns, titles, scores, searching=False)
    if reader.searches:
        raise FilterError(
            'A regular expression is too slow for a column. Write contains and a text: source contains "x".'
        )
    tree = reader.read_any()
    used = frozenset(tree.columns())
    if not used:
        raise filter_error(
            "No column is named", 0, f"write one, such as {quote_column(columns[0])}" if columns else "open a corpus"
        )
    return Formula(_plainly(text, columns, titles), used, tree)


def _plainly(text: str, columns: Sequence[str], titles: Mapping[str, str]) -> str:
    """Return a text with each column by its plain name: shown names may mean another one when more scores are there."""
    found = text.strip()
    shift = text.index(found) if found else 0
    for word in reversed(cut_words(text, columns, titles)):
        name = titles.get(word.value, word.value) if word.kind in ("name", "column") else ""
        if name in columns:
            found = found[: word.start - shift] + quote_column(name) + found[word.end - shift :]
    return found
