"""A look into a file before it is read: its first rows and what the program made of it, for the column dialog."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from parapluie_gui.pairs.reading.dispatch import Reading
from parapluie_gui.pairs.reading.mapping import ColumnMapping
from parapluie_gui.pairs.reading.raw_table import Origin, RawTable, as_text

PREVIEW_ROWS = 20
#: A column of more values, or of longer ones, is no label.
MOST_VALUES, LONGEST_VALUE = 8, 30


@dataclass(frozen=True, kw_only=True)
class Preview(Origin):
    """How a file would be read, and what it holds.

    Attributes:
        columns: The columns' names.
        rows: The first rows as text, up to 20, one cell for each column.
        lines: The line of each of these rows.
        layout: Name of the layout it was recognised as, or None.
        mapping: The roles of the columns as far as they are recognised or guessed.
        certain: Whether the file is read with this mapping without asking.
        values: The values of each column that has few of them in the rows looked at.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    lines: tuple[int, ...]
    layout: str | None
    mapping: ColumnMapping
    certain: bool
    values: Mapping[str, tuple[str, ...]]


def preview_of(reading: Reading) -> Preview:
    """Return what the first rows of a file show."""
    table = reading.table
    shown = min(PREVIEW_ROWS, len(table))
    return Preview(
        **vars(table.origin),
        columns=tuple(table.names),
        rows=tuple(tuple(as_text(column[row]) for column in table.columns) for row in range(shown)),
        lines=tuple(table.lines[:shown]),
        layout=reading.layout.name if reading.layout is not None else None,
        mapping=reading.mapping,
        certain=reading.certain and reading.mapping.complete,
        values=dict(_few_values(table)),
    )


def _few_values(table: RawTable) -> Iterator[tuple[str, tuple[str, ...]]]:
    for name, column in zip(table.names, table.columns, strict=True):
        values = sorted({text for value in column if (text := as_text(value).strip())})
        if 1 < len(values) <= MOST_VALUES and max(map(len, values)) <= LONGEST_VALUE:
            yield name, tuple(values)
