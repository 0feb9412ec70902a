"""Reads sheets of Excel and OpenDocument workbooks, and Parquet files."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from itertools import islice
from pathlib import Path

from parapluie_gui.errors import CorpusError
from parapluie_gui.pairs.reading.header_guess import Grid
from parapluie_gui.pairs.reading.raw_table import Origin, Table, Tick, unique_names


@dataclass(frozen=True)
class Sheet:
    """A sheet of a workbook: its name, those of all sheets, and its cells."""

    name: str
    names: tuple[str, ...]
    rows: Sequence[Sequence[object]]

    def grid(self, path: Path, limit: int | None = None) -> Grid:
        """Return the first rows, or all."""
        rows = [[_whole(_cell(value)) for value in row] for row in self.rows[:limit]]
        origin = Origin(kind="excel", path=path, sheets=self.names, sheet=self.name)
        return Grid(rows, range(1, len(rows) + 1), origin)


def open_sheet(data: bytes, path: Path, sheet: str | None = None) -> Sheet:
    """Unpack the sheet of a name, or the first, from a file's bytes; the path is for error messages.

    Raises:
        CorpusError: The workbook is damaged or protected, or has no such sheet.
    """
    import python_calamine

    damaged = "open it in Excel or LibreOffice (without password) and save it again"
    try:
        book = python_calamine.load_workbook(io.BytesIO(data))
        sheets = tuple(book.sheet_names)
    # calamine raises errors of several kinds for damaged files, some of them bare Exceptions
    except Exception as error:
        raise CorpusError("the workbook is damaged or protected by a password", damaged, path) from error
    if not sheets:
        raise CorpusError("the workbook has no sheet", "choose another file", path)
    if sheet is not None and sheet not in sheets:
        names = ", ".join(f'"{name}"' for name in sheets)
        raise CorpusError(f'there is no sheet called "{sheet}"', f"choose one of {names}", path)
    chosen = sheet if sheet is not None else sheets[0]
    try:
        return Sheet(chosen, sheets, book.get_sheet_by_name(chosen).to_python(skip_empty_area=False))
    except Exception as error:
        raise CorpusError(f'the sheet "{chosen}" cannot be read', damaged, path) from error


def read_parquet(data: bytes, path: Path, limit: int | None = None, tick: Tick | None = None) -> Table:
    """Read the columns of a Parquet file; its lines are numbers of records.

    Raises:
        CorpusError: The file is damaged or holds no row.
    """
    import pyarrow
    import pyarrow.parquet

    try:
        file = pyarrow.parquet.ParquetFile(io.BytesIO(data))
        if limit is None:
            table = file.read()
        else:
            table = pyarrow.Table.from_batches(islice(file.iter_batches(batch_size=limit), 1), schema=file.schema_arrow)
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise CorpusError("the Parquet file is damaged", "get or export it again", path) from error
    if not table.num_rows:
        raise CorpusError("there is no row in it", "choose a file with sentence pairs", path)
    names, repeated = unique_names(table.column_names)
    try:
        columns = [[_cell(value) for value in column.to_pylist()] for column in table.columns]
    except (pyarrow.ArrowException, ValueError) as error:
        raise CorpusError("a column of the Parquet file cannot be decoded", "export it again", path) from error
    if tick is not None:
        tick(table.num_rows)
    return Table(names, columns, range(1, table.num_rows + 1), Origin(kind="parquet", path=path), repeated=repeated)


def _cell(value: object) -> object:
    """Return a cell as text, number, truth value or None."""
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, (datetime, date, time)):
        return value.isoformat()
    if isinstance(value, timedelta):
        return str(value)
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, (list, dict, tuple)):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)


def _whole(value: object) -> object:
    """Return 3 for 3.0: workbooks know no whole numbers, and an id reads "3"."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    return value
