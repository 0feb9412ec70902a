"""Columns of numbers and columns of texts; the type of a column is decided once, when the corpus is read."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from types import NoneType

import numpy as np

from parapluie_gui.arrays import Numbers, Rows, Scores

#: Cells that count as missing, in lower case.
MISSING = frozenset(["", "nan", "-nan", "none", "null", "na", "n/a", "<na>", "-", "?", "unlabelled", "unlabeled"])

#: Stands for "no answer" in published predictions (PARAPHRASUS).
NO_ANSWER = -100.0

#: Words for truth values, in lower case.
TRUTH = {"false": 0.0, "no": 0.0, "true": 1.0, "yes": 1.0}
_NUMBER = re.compile(r"[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|inf(inity)?)", re.ASCII)
_LEADING_ZERO = re.compile(r"\n[+-]?0[0-9]")
#: From this value on, float64 cannot represent every integer.
_EXACT = 2.0**53
#: Number of cells that are tested before the whole column is.
_SAMPLE = 50
#: Only "a few" cells are not numbers if the numbers outnumber them by this factor.
_FEW = 5


@dataclass(frozen=True, eq=False)
class NumberColumn:
    """A column of n numbers.

    Attributes:
        values: float64 (n,), NaN where a value is missing, or where -100 stands for "no answer".
        written: The same, but with -100 as in the file.
        words: How the file writes 0 and 1 if they are truth values: (False, True), or words such as ("no", "yes").
    """

    values: Scores
    written: Scores
    words: tuple[bool, bool] | tuple[str, str] | None = None

    def __len__(self) -> int:
        return len(self.values)

    def take(self, rows: Rows) -> NumberColumn:
        """Return the column for the given rows."""
        values = self.values[rows]
        return NumberColumn(values, values if self.written is self.values else self.written[rows], self.words)

    @cached_property
    def is_integer(self) -> bool:
        """Whether the column has values and all of them are integers."""
        present = self.written[~np.isnan(self.written)]
        return bool(len(present)) and bool(((present == np.trunc(present)) & (np.abs(present) < _EXACT)).all())

    def cells(self, missing: bool = False) -> list[object]:
        """Return the cells as they are in the file: truth values or words, int for integers, float, None if empty.

        With `missing`, a -100 that stands for "no answer" is None too.
        """
        return self._cells(self.values if missing else self.written)

    def cell(self, row: int) -> object:
        """Return the cell of one row (0-based) as it is in the file."""
        return self._cells(self.written[row : row + 1])[0]

    def _cells(self, written: Scores) -> list[object]:
        words = self.words
        if words is not None:
            return [None if number != number else words[int(number)] for number in written.tolist()]
        convert: type = int if self.is_integer else float
        return [None if number != number else convert(number) for number in written.tolist()]


class TextColumn(list[str | None]):
    """A column of n texts, None for an empty cell."""

    def take(self, rows: Rows) -> TextColumn:
        """Return the column for the given rows."""
        return TextColumn([self[row] for row in rows.tolist()])

    def cells(self, missing: bool = False) -> list[object]:
        """Return the cells as they are in the file."""
        return list(self)

    def cell(self, row: int) -> object:
        """Return the cell of one row (0-based) as it is in the file."""
        return self[row]


Column = NumberColumn | TextColumn


def number(cell: object) -> float | None:
    """Convert a cell to a number: NaN if it is missing, 1 or 0 for a truth value, None for anything else.

    "1e-3" and "inf" are numbers. "12_7" is not; neither are "007" and integers from 2**53 on, which are identifiers
    that float64 would change.
    """
    if cell is None:
        return np.nan
    if isinstance(cell, str):
        text = cell.strip().casefold()
        if text in MISSING:
            return np.nan
        if text in TRUTH:
            return TRUTH[text]
        if not _NUMBER.fullmatch(text) or _LEADING_ZERO.match(f"\n{text}"):
            return None
        value = float(text)
        if np.isinf(value) and "inf" not in text:
            return None
        return None if abs(value) >= _EXACT and text.lstrip("+-").isdigit() else value
    if isinstance(cell, (bool, int, float, np.number, np.bool_)):
        return None if isinstance(cell, int) and abs(cell) >= _EXACT else float(cell)
    return None


def to_column(column: Sequence[object] | Numbers | Column) -> Column:
    """Return a column as numbers if every cell is a number, a truth value or missing, otherwise as texts.

    If all other numbers are between 0 and 1, the column holds predictions and -100 counts as missing.
    """
    if isinstance(column, (NumberColumn, TextColumn)):
        return column
    cells: Sequence[object] = column.tolist() if isinstance(column, np.ndarray) else column
    numbers = _numbers(cells)
    if numbers is None or (np.isnan(numbers).all() and any(isinstance(cell, str) and cell.strip() for cell in cells)):
        plain = set(map(type, cells)) <= {str, NoneType}
        return TextColumn(cells if plain else map(_text, cells))  # type: ignore[arg-type]
    written = values = numbers
    unanswered = values == NO_ANSWER
    others = values[~unanswered & ~np.isnan(values)]
    if unanswered.any() and ((others >= 0) & (others <= 1)).all():
        values = np.where(unanswered, np.nan, values)
    return NumberColumn(values, written, _words(cells) if bool(np.isin(others, (0.0, 1.0)).all()) else None)


def find_odd_cells(cells: Sequence[object]) -> list[int]:
    """Return the rows (0-based) of the few cells that keep a column from being numeric; [] if there are many.

    A column with identifiers such as "007" is text on purpose, so the result is [] for it.
    """
    sample = [number(cell) for cell in _sample(cells)]
    if sample.count(None) * 2 > len(sample):
        return []
    kinds = {cell: number(cell) for cell in set(cells)}
    odd = [row for row, cell in enumerate(cells) if kinds[cell] is None]
    numbers = sum(kinds[cell] is not None and kinds[cell] == kinds[cell] for cell in cells)
    if not odd or len(odd) * _FEW > numbers:
        return []
    identifiers = any(_NUMBER.fullmatch(str(cells[row]).strip().casefold()) for row in odd)
    return [] if identifiers else odd


def _sample(cells: Sequence[object]) -> Sequence[object]:
    return cells[:: max(1, len(cells) // _SAMPLE)]


def _numbers(cells: Sequence[object]) -> Scores | None:
    if None in map(number, _sample(cells)):
        return None
    with contextlib.suppress(ValueError, OverflowError):
        if (numbers := _plain_numbers(cells)) is not None:
            return numbers
    meanings = {cell: number(cell) for cell in set(cells)}
    if None in meanings.values():
        return None
    return np.fromiter(map(meanings.__getitem__, cells), np.float64, len(cells))


def _plain_numbers(cells: Sequence[object]) -> Scores | None:
    """Convert cells for which `number` and Python's float agree, ten times as fast; None if there are any others."""
    kinds = set(map(type, cells))
    if kinds <= {str, NoneType}:
        filled = [cell or "nan" for cell in cells]
        text = "\n".join(filled)  # type: ignore[arg-type]
        if not text.isascii() or "_" in text or " " in text or _LEADING_ZERO.search(f"\n{text}"):
            return None
    elif kinds <= {bool, int, float, NoneType}:
        filled = [np.nan if cell is None else cell for cell in cells]
    else:
        return None
    numbers = np.fromiter(map(float, filled), np.float64, len(cells))  # type: ignore[arg-type]
    return None if (np.abs(numbers) >= _EXACT).any() else numbers


def _words(cells: Sequence[object]) -> tuple[bool, bool] | tuple[str, str] | None:
    """Return how 0 and 1 are written if all cells are truth values, otherwise None."""
    kinds = set(map(type, cells)) - {NoneType}
    if kinds and kinds <= {bool, np.bool_}:
        return False, True
    if kinds != {str}:
        return None
    spelled: dict[str, str] = {}
    for text in (str(cell).strip() for cell in dict.fromkeys(cells) if cell is not None):
        if text.casefold() in TRUTH:
            spelled.setdefault(text.casefold(), text)
        elif text.casefold() not in MISSING:
            return None
    word = next(iter(spelled), "")
    pair = ("false", "true") if word in ("false", "true") else ("no", "yes")
    if not spelled or not spelled.keys() <= set(pair):
        return None
    return spelled.get(pair[0], pair[0]), spelled.get(pair[1], pair[1])


def _text(cell: object) -> str | None:
    """Return a cell as text, or None for a missing value (None, NaN)."""
    if cell is None or isinstance(cell, str):
        return cell
    return None if cell != cell else str(cell)
