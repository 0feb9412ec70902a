"""Reads text with columns separated by TAB, comma, semicolon or bar, recording each row's line in the file."""

from __future__ import annotations

import contextlib
import csv
import io
import re
import sys
from dataclasses import replace
from typing import Any

from parapluie_gui.errors import CorpusError
from parapluie_gui.pairs.reading.header_guess import CellGrid
from parapluie_gui.pairs.reading.limits import check_memory, memory_limit
from parapluie_gui.pairs.reading.quoting import (
    checked_delimiter,
    decide_quoting,
    is_steady,
    sniff_delimiter,
    split_lines,
    split_loose,
)
from parapluie_gui.pairs.reading.raw_table import TICK_ROWS, FileOrigin, Quoting, Tick

# The csv module refuses fields of more than 131,072 characters by default; this limit fits a C long on every system.
_LONGEST_FIELD = 2**31 - 1

#: The line below the header of a table in Markdown, the number of lines among which it is, and a bar in a row.
_RULE_LINES, _BAR = 10, re.compile(r"\s*\|\s*")
_RULE = re.compile(r"\|?(\s*:?-{2,}:?\s*\|)+(\s*:?-{2,}:?\s*)?")

#: Memory for a text: the number of copies of it (text, lines, cells), and bytes for each row and each cell.
_COPIES, _ROW, _CELL = 3, 200, 60
#: Upper bound of the bytes for each character: a line or cell takes 60 bytes for two characters and its end. If that
#: fits, rows and cells are not counted, which would take a thirtieth of the reading time.
_CHARACTER = 20


def read_delimited(
    text: str,
    origin: FileOrigin,
    *,
    delimiter: str | None = None,
    quoting: Quoting | None = None,
    limit: int | None = None,
    tick: Tick | None = None,
) -> CellGrid:
    """Split a text into at most `limit` rows of cells, detecting a delimiter or quoting of None.

    Raises:
        CorpusError: The delimiter or quoting is invalid, or a quotation mark is never closed.
    """
    csv.field_size_limit(_LONGEST_FIELD)
    path = origin.path
    size, most = sys.getsizeof(text), memory_limit()
    if _CHARACTER * size > most:
        check_memory(_COPIES * size + _ROW * max(text.count("\n"), text.count("\r")), path)
    lines = split_lines(text)
    needed = _COPIES * size + _ROW * len(lines)
    check_memory(needed, path)
    delimiter = sniff_delimiter(lines) if delimiter is None else checked_delimiter(delimiter, path)
    if delimiter is not None and needed + _CHARACTER * size > most:
        check_memory(needed + _CELL * text.count(delimiter), path)
    if quoting not in (None, "minimal", "none"):
        raise CorpusError(f'there is no quoting style called "{quoting}"', "choose minimal or none", path)
    if delimiter is not None and len(delimiter) > 1:
        quoting = "none"
    if delimiter == "|" and any(map(_RULE.fullmatch, lines[:_RULE_LINES])):
        lines = ["" if _RULE.fullmatch(line) else _BAR.sub("|", line.strip().strip("|")).strip() for line in lines]
    if quoting is None:
        quoting = decide_quoting(text, lines, delimiter or ",") if any(lines) else "none"
    origin = replace(origin, delimiter=delimiter, quoting=quoting)
    if quoting == "none":
        lines = lines[:limit]
        rows: list[list[str]] = []
        for start in range(0, len(lines), TICK_ROWS):
            part = lines[start : start + TICK_ROWS]
            rows += [[line] for line in part] if delimiter is None else [line.split(delimiter) for line in part]
            if tick is not None:
                tick(len(rows))
        return CellGrid(rows, range(1, len(rows) + 1), origin)
    # without a delimiter, a character that does not occur in texts keeps lines in one piece
    grid = _parse(text, delimiter or "\x1f", origin, limit, tick)
    return _name_tabs(grid) if delimiter == "\t" else grid


def _name_tabs(grid: CellGrid) -> CellGrid:
    """Name the rows of a TSV with a TAB inside quotation marks, where marks of two cells may belong together."""
    rows = [at for at, row in enumerate(grid.rows) if "\t" in "".join(map(str, row))]
    if not rows:
        return grid
    some = "1 row has" if len(rows) == 1 else f"{len(rows):,} rows have"
    first = f"line {grid.lines[rows[0]]:,}" if len(rows) == 1 else f"the first in line {grid.lines[rows[0]]:,}"
    remark = (
        f"{some} a TAB inside quotation marks ({first}), so a quotation mark opened in one cell may be closed in "
        "the next; if these are two cells, correct the row, or choose --quoting none"
    )
    return replace(grid, origin=replace(grid.origin, remarks=(*grid.origin.remarks, remark)))


def _parse(text: str, delimiter: str, origin: FileOrigin, limit: int | None, tick: Tick | None) -> CellGrid:
    """Parse cells in quotation marks; where the marks inside them are not doubled, by the rule that fits the text."""
    try:
        return _parse_with(text, delimiter, origin, limit, tick, strict=True)
    except (csv.Error, CorpusError) as error:
        unclosed = error if isinstance(error, CorpusError) else None
    if '\\"' in text:
        with contextlib.suppress(csv.Error, CorpusError):
            escaped = replace(origin, marks="quotation marks escaped by backslashes")
            grid = _parse_with(text, delimiter, escaped, limit, tick, strict=True, doublequote=False, escapechar="\\")
            if is_steady(grid.rows):
                return grid
    if unclosed is not None:
        raise unclosed
    if is_steady(rows := split_loose(split_lines(text), delimiter)):
        loose = replace(origin, marks="single quotation marks inside quoted cells")
        return CellGrid(rows[:limit], range(1, len(rows[:limit]) + 1), loose)
    try:
        return _parse_with(text, delimiter, origin, limit, tick, strict=False)
    except csv.Error as error:
        todo = "check the row, or choose --quoting none"
        raise CorpusError(f"the row cannot be read ({error})", todo, origin.path) from error


def _parse_with(
    text: str, delimiter: str, origin: FileOrigin, limit: int | None, tick: Tick | None, **rules: Any
) -> CellGrid:
    """Parse with the rules of the csv module.

    Raises:
        CorpusError: A quotation mark is never closed.
        csv.Error: The text does not follow the rules.
    """
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, **rules)
    rows: list[list[str]] = []
    lines: list[int] = []
    last = 0
    try:
        for row in reader:
            rows.append(row)
            lines.append(last + 1)
            last = reader.line_num
            if len(rows) == limit:
                break
            if tick is not None and len(rows) % TICK_ROWS == 0:
                tick(len(rows))
    except csv.Error as error:
        if "unexpected end" not in str(error):
            raise
        raise CorpusError(
            "a quotation mark is opened here and never closed, so the rest of the file is one cell",
            "close it, or choose --quoting none",
            origin.path,
            last + 1,
        ) from error
    return CellGrid(rows, lines, origin)
