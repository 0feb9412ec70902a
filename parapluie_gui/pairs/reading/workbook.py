"""Reads sheets of Excel and OpenDocument workbooks."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from parapluie_gui.errors import CorpusError
from parapluie_gui.pairs.reading import apart
from parapluie_gui.pairs.reading.cells import sheet_cell
from parapluie_gui.pairs.reading.header_guess import Grid
from parapluie_gui.pairs.reading.raw_table import Origin
from parapluie_gui.pairs.reading.sheet_size import fits

if TYPE_CHECKING:
    from python_calamine import CalamineWorkbook

_SAVE_AGAIN = "open it in Excel or LibreOffice (without password) and save it again"

Rows = list[list[Any]]


@dataclass(frozen=True)
class Sheet:
    """A sheet of a workbook: its name, those of all sheets, and its cells."""

    name: str
    names: tuple[str, ...]
    rows: Rows

    def grid(self, path: Path, limit: int | None = None) -> Grid:
        """Return the first rows, or all."""
        rows = self.rows[:limit]
        origin = Origin(kind="excel", path=path, sheets=self.names, sheet=self.name)
        return Grid(rows, range(1, len(rows) + 1), origin)


def open_sheet(data: bytes, path: Path, sheet: str | None = None) -> Sheet:
    """Unpack the sheet of a name, or the first, from a file's bytes; the path is for error messages.

    Raises:
        CorpusError: The workbook is damaged, protected or too large, or has no such sheet.
    """
    if fits(data, path, sheet):
        chosen, names, rows = _read(data, path, sheet)
        return Sheet(chosen, names, _converted(rows))
    todo = "copy its table into a new workbook, since a single cell far away from the others makes a sheet so large"
    messages = apart.read("workbook:read_apart", data, path, sheet, todo)
    chosen, *others = next(messages)
    return Sheet(chosen, tuple(others), [row for block in messages for row in block])


def read_apart(data: bytes, path: Path, sheet: str | None) -> Iterator[list[Any]]:
    """Yield the names of the sheet and of all sheets, then its rows in blocks; for a process of its own.

    Raises:
        CorpusError: As `open_sheet`.
    """
    chosen, names, rows = _read(data, path, sheet)
    yield [chosen, *names]
    block = max(1, apart.BLOCK // max(1, len(rows[0]) if rows else 1))
    for start in range(0, len(rows), block):
        yield _converted(rows[start : start + block])


def _read(data: bytes, path: Path, sheet: str | None) -> tuple[str, tuple[str, ...], Sequence[Sequence[object]]]:
    """Return the chosen sheet's name, those of all sheets, and the rows as calamine has them."""
    import python_calamine

    try:
        book: CalamineWorkbook = python_calamine.load_workbook(io.BytesIO(data))
        names = tuple(book.sheet_names)
    except MemoryError:
        raise
    # calamine raises errors of several kinds for damaged files, some of them bare Exceptions
    except Exception as error:
        raise CorpusError("the workbook is damaged or protected by a password", _SAVE_AGAIN, path) from error
    if not names:
        raise CorpusError("the workbook has no sheet", "choose another file", path)
    if sheet is not None and sheet not in names:
        listed = ", ".join(f'"{name}"' for name in names)
        raise CorpusError(f'there is no sheet called "{sheet}"', f"choose one of {listed}", path)
    chosen = sheet if sheet is not None else names[0]
    try:
        return chosen, names, book.get_sheet_by_name(chosen).to_python(skip_empty_area=False)
    except MemoryError:
        raise
    except Exception as error:
        raise CorpusError(f'the sheet "{chosen}" cannot be read', _SAVE_AGAIN, path) from error


def _converted(rows: Sequence[Sequence[object]]) -> Rows:
    # most cells are texts, and a call for each takes seconds
    return [[value if type(value) is str else sheet_cell(value) for value in row] for row in rows]
