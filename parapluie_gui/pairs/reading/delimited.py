"""Reads text whose columns are separated by TAB, comma, semicolon or bar, keeping each row's line in the file."""

from __future__ import annotations

import csv
import io
import sys
from dataclasses import replace

from parapluie_gui.errors import CorpusError
from parapluie_gui.pairs.reading.header_guess import Grid
from parapluie_gui.pairs.reading.limits import check_memory, memory_limit
from parapluie_gui.pairs.reading.quoting import checked_delimiter, decide_quoting, sniff_delimiter, split_lines
from parapluie_gui.pairs.reading.raw_table import TICK_ROWS, Origin, Quoting, Tick

# The csv module refuses longer fields by default at 131,072 characters; a C long holds this on every system.
_LONGEST_FIELD = 2**31 - 1

#: What a text takes in memory: copies of it (text, lines, cells), and bytes for each row and each cell.
_COPIES, _ROW, _CELL = 3, 200, 60
#: More than this many bytes are never taken for a character: a line or cell of two has 60 for the three with its end.
#: Where that is little enough, nothing is counted, since counting takes a thirtieth of the time that reading takes.
_CHARACTER = 20


def read_delimited(
    text: str,
    origin: Origin,
    *,
    delimiter: str | None = None,
    quoting: Quoting | None = None,
    limit: int | None = None,
    tick: Tick | None = None,
) -> Grid:
    """Cut a text into rows of cells, at most `limit`; a delimiter or quoting of None is found out.

    Raises:
        CorpusError: The separator or quoting makes no sense, or a quotation mark is never closed.
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
        raise CorpusError(f'there is no quoting called "{quoting}"', "choose minimal or none", path)
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
        return Grid(rows, range(1, len(rows) + 1), origin)
    # a character that no text holds leaves lines whole when nothing separates columns
    return _parse(text, delimiter or "\x1f", origin, limit, tick)


def _parse(text: str, delimiter: str, origin: Origin, limit: int | None, tick: Tick | None) -> Grid:
    for strict in (True, False):
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=strict)
        rows: list[list[str]] = []
        lines: list[int] = []
        before = 0
        try:
            for row in reader:
                rows.append(row)
                lines.append(before + 1)
                before = reader.line_num
                if len(rows) == limit:
                    break
                if tick is not None and len(rows) % TICK_ROWS == 0:
                    tick(len(rows))
        except csv.Error as error:
            if "unexpected end" in str(error):
                raise CorpusError(
                    "a quotation mark is opened here and never closed, so the rest of the file is one cell",
                    "close it, or read the file with quoting none",
                    origin.path,
                    before + 1,
                ) from error
            if not strict:
                todo = "check the row, or read the file with quoting none"
                raise CorpusError(f"the row cannot be read ({error})", todo, origin.path, before + 1) from error
            continue  # a mark in the midst of a protected cell: sloppy, but readable
        break
    return Grid(rows, lines, origin)
