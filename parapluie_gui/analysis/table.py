"""Tables of results, and their output as text for a terminal and as CSV (`report.latex`: as LaTeX)."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from parapluie_gui.analysis.link import Link, PairsLink
from parapluie_gui.analysis.statistics.correlation import Estimate
from parapluie_gui.analysis.statistics.summary import ScoreSummary
from parapluie_gui.errors import one_line
from parapluie_gui.pairs.formulas import CellWriter, formula_sentence, is_formula, mark

#: A cell: a text, a count, a number, a number with its interval, a mean with its standard deviation, or nothing.
Cell = str | int | float | Estimate | ScoreSummary | None

#: The text of a cell that has no number.
NOTHING = "–"

DIGITS = 3

#: Number of pairs from which percentages have one decimal.
_MANY = 1000


@dataclass(frozen=True)
class Table:
    """Rows of cells under a heading.

    Attributes:
        name: The word for it in files and labels ("thresholds").
        title: A sentence without a full stop.
        header: The columns.
        rows: The rows, each with as many cells as there are columns.
        note: Explanation of the table, or "".
        digits: Decimals of its numbers in output for people.
        bars: Columns of shares under whose numbers the window draws bars, to compare the rows.
        scores: The scores in the table, whose signatures are added to every copy; None for all.
        link: The function that returns the link of a cell (row, column), or None.
        pairs: The pairs of the table, for a button that selects them all.
    """

    name: str
    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""
    digits: int = field(default=DIGITS, compare=False)
    bars: tuple[str, ...] = field(default=(), compare=False)
    scores: tuple[str, ...] | None = field(default=None, compare=False)
    link: Callable[[int, int], Link | None] | None = field(default=None, compare=False)
    pairs: PairsLink | None = field(default=None, compare=False)

    def __len__(self) -> int:
        return len(self.rows)

    def decimals(self, column: int, digits: int) -> int:
        """Return the decimals of a column: `digits`, or for percentages 0 or 1 depending on the number of pairs."""
        return int(self._largest >= _MANY) if self._is_per_cent(column) else digits

    @cached_property
    def _largest(self) -> int:
        """The largest count in the table, which decides the decimals of percentages."""
        return max((cell for row in self.rows for cell in row if isinstance(cell, int)), default=0)

    def bar(self, row: int, column: int) -> float | None:
        """Return the length of a cell's bar, from 0 to 1; None without a bar."""
        if len(self.rows) < 2 or self.header[column] not in self.bars:
            return None
        cell = self.rows[row][column]
        value = cell.value if isinstance(cell, Estimate) else cell
        if not isinstance(value, float) or math.isnan(value):
            return None
        return min(max(value / (100 if self._is_per_cent(column) else 1), 0.0), 1.0)

    def _is_per_cent(self, column: int) -> bool:
        return self.header[column].startswith("%")


def cell_text(cell: Cell, digits: int = DIGITS) -> str:
    """Format a cell for people: "0.691", "−0.41 [−0.44, −0.38]", "0.387±0.161", "5,801"."""
    if cell is None:
        return NOTHING
    if isinstance(cell, str):
        return cell
    if isinstance(cell, int):
        return f"{cell:,}".replace("-", "−")
    if isinstance(cell, ScoreSummary):
        return f"{number(cell.mean, digits)}±{number(cell.std, digits)}" if cell.scored else NOTHING
    if isinstance(cell, Estimate):
        text = number(cell.value, digits)
        if math.isnan(cell.low):
            return text
        return f"{text} [{number(cell.low, digits)}, {number(cell.high, digits)}]"
    return number(cell, digits)


def percent(share: float, count: int) -> str:
    """Format a share of `count` items in per cent, with one decimal from 1,000 items: "31 %", "69.1 %"."""
    return NOTHING if math.isnan(share) else f"{100 * share:.{int(count >= _MANY)}f} %"


def number(value: float, digits: int = DIGITS) -> str:
    """Format a number with `digits` decimals and a minus sign (−), or as a power of ten if it would be shown as 0."""
    if math.isnan(value):
        return NOTHING
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if 0 < abs(value) < 0.5 * 10**-digits:
        return re.sub(r"e-0*(\d+)", r"e−\1", f"{value:.1e}").replace("-", "−", 1)
    return f"{value:.{digits}f}".replace("-", "−")


def plain_text(cell: Cell, digits: int = DIGITS) -> str:
    """Format a cell for programs: as `cell_text`, with an ASCII minus and without thousands separators."""
    text = cell_text(cell, digits)
    if isinstance(cell, str):
        return text
    return re.sub(r"(?<=\d),(?=\d)", "", text).replace("−", "-").replace(NOTHING, "-").replace("∞", "inf")


def table_text(table: Table, digits: int = DIGITS, *, plain: bool = False) -> str:
    """Format a table for a terminal: title, aligned columns, note. Control characters are replaced.

    With `plain`, numbers are written for programs.
    """
    header = list(map(one_line, table.header))
    write = plain_text if plain else cell_text
    texts = [[one_line(write(cell, digits)) for cell in row] for row in table.rows]
    numeric = numeric_columns(table)
    widths = [max(map(len, column)) for column in zip(header, *texts, strict=True)]

    def line(cells: Sequence[str]) -> str:
        return "  ".join(
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(cells, widths, numeric, strict=True)
        ).rstrip()

    lines = [one_line(table.title), line(header), *map(line, texts)]
    return "\n".join([*lines, one_line(table.note)] if table.note else lines) + "\n"


def table_csv(table: Table, *, mark_formulas: bool = False, for_excel: bool = False) -> str:
    """Format a table as CSV (RFC 4180) in full precision, with empty cells for missing numbers.

    A number with its interval takes three columns ("x", "x low", "x high"), a mean with its standard deviation two
    ("x mean", "x sd"). With `mark_formulas`, texts that a spreadsheet would execute get an apostrophe
    (`pairs.formulas`); `for_excel`, the text also begins with the mark by which Excel recognises UTF-8.
    """
    if mark_formulas or for_excel:
        marked = tuple(tuple(mark(cell) if isinstance(cell, str) else cell for cell in row) for row in table.rows)
        table = replace(table, header=tuple(map(mark, table.header)), rows=marked)
    file = io.StringIO(newline="")
    file.write("\ufeff" if for_excel else "")
    kinds = [_kind([row[place] for row in table.rows]) for place in range(len(table.header))]
    rows = [[part for cell, kind in zip(row, kinds, strict=True) for part in _parts(cell, kind)] for row in table.rows]
    header = [name + end for name, kind in zip(table.header, kinds, strict=True) for end in _ENDS[kind]]
    CellWriter(file).write([header, *rows])
    return file.getvalue()


def slim(table: Table) -> Table:
    """Remove the column "corpus" of a table with only one corpus, and add its name to the title."""
    names = {row[0] for row in table.rows}
    if table.header[:1] != ("corpus",) or len(names) != 1:
        return table
    rows, link = tuple(row[1:] for row in table.rows), table.link
    shifted = None if link is None else (lambda row, column: link(row, column + 1))
    return replace(table, title=f"{table.title}: {names.pop()}", header=table.header[1:], rows=rows, link=shifted)


def count_formulas(table: Table) -> int:
    """Count the names and texts of a table that a spreadsheet takes for formulas."""
    texts = [*table.header, *(cell for row in table.rows for cell in row if isinstance(cell, str))]
    return sum(map(is_formula, texts))


def formula_warning(table: Table, *, marked: bool) -> str:
    """Return a warning about the formulas in a table that was written as CSV, "" if it has none."""
    count = count_formulas(table)
    return formula_sentence(count, marked) if count else ""


def numeric_columns(table: Table) -> list[bool]:
    """Return which columns hold numbers and are aligned right."""
    return [
        not any(isinstance(row[place], str) for row in table.rows) and bool(table.rows)
        for place in range(len(table.header))
    ]


_ENDS = {"one": ("",), "estimate": ("", " low", " high"), "summary": (" mean", " sd")}


def _kind(cells: Sequence[Cell]) -> str:
    if any(isinstance(cell, ScoreSummary) for cell in cells):
        return "summary"
    return "estimate" if any(isinstance(cell, Estimate) and not math.isnan(cell.low) for cell in cells) else "one"


def _parts(cell: Cell, kind: str) -> list[str | int]:
    width = len(_ENDS[kind])
    values: Sequence[str | int | float | None]
    if isinstance(cell, ScoreSummary):
        values = [cell.mean, cell.std]
    elif isinstance(cell, Estimate):
        values = [cell.value, cell.low, cell.high][:width]
    else:
        values = [cell] + [None] * (width - 1)
    return [_csv_cell(value) for value in values]


def _csv_cell(value: str | int | float | None) -> str | int:
    if value is None or value != value:  # only NaN differs from itself
        return ""
    return repr(float(value)) if isinstance(value, float) else value
