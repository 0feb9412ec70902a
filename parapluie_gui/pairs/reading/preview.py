"""A look into a file before it is read: its first rows and what the program made of it, for the column dialog."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from parapluie_gui.pairs.reading.dispatch import Reading
from parapluie_gui.pairs.reading.mapping import ColumnMapping
from parapluie_gui.pairs.reading.raw_table import Kind, Quoting, as_text

PREVIEW_ROWS = 20


@dataclass(frozen=True)
class Preview:
    """What a file holds and how it would be read.

    Attributes:
        path: The file, or None for pasted text.
        kind: What sort of file it is.
        columns: The columns' names.
        rows: The first rows as text, up to 20, one cell for each column.
        lines: The line of each of these rows.
        encoding: A text file's encoding, or None.
        encoding_from: Where it is known from ("byte order mark", "valid UTF-8", "your choice", or "").
        delimiter: What separates the columns, or None.
        quoting: "minimal" when quotation marks protect cells, "none" when they are text, or None.
        has_header: Whether the first row holds the columns' names.
        layout: Name of the layout it was recognised as, or None.
        mapping: The roles of the columns as far as they are known or guessed.
        certain: Whether read() would use this mapping without asking.
        sheets: A workbook's sheets.
        sheet: The sheet shown, or None.
    """

    path: Path | None
    kind: Kind
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    lines: tuple[int, ...]
    encoding: str | None
    encoding_from: str
    delimiter: str | None
    quoting: Quoting | None
    has_header: bool
    layout: str | None
    mapping: ColumnMapping
    certain: bool
    sheets: tuple[str, ...]
    sheet: str | None


def preview_of(reading: Reading) -> Preview:
    """Return what the first rows of a file show."""
    table, origin = reading.table, reading.table.origin
    shown = min(PREVIEW_ROWS, len(table))
    return Preview(
        path=origin.path,
        kind=origin.kind,
        columns=tuple(table.names),
        rows=tuple(tuple(as_text(column[row]) for column in table.columns) for row in range(shown)),
        lines=tuple(table.lines[:shown]),
        encoding=origin.encoding,
        encoding_from=origin.encoding_from,
        delimiter=origin.delimiter,
        quoting=origin.quoting,
        has_header=origin.has_header,
        layout=reading.layout.name if reading.layout is not None else None,
        mapping=reading.mapping,
        certain=reading.certain and reading.mapping.complete,
        sheets=origin.sheets,
        sheet=origin.sheet,
    )
