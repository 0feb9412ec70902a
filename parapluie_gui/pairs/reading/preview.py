"""The preview of a file for the column dialog: its first rows and how the program would read them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from parapluie_gui.errors import UndecidedLabelError
from parapluie_gui.pairs.annotators import annotators_of
from parapluie_gui.pairs.column import to_column
from parapluie_gui.pairs.reading.dispatch import RecognisedTable
from parapluie_gui.pairs.reading.mapping import ColumnMapping
from parapluie_gui.pairs.reading.raw_table import FileOrigin, RawTable, as_text, as_texts

PREVIEW_ROWS = 20
#: A column with more different values, or longer ones, does not hold labels.
MOST_VALUES, LONGEST_VALUE = 8, 30


@dataclass(frozen=True, kw_only=True)
class FilePreview(FileOrigin):
    """The first rows of a file and how it would be read.

    Attributes:
        columns: The columns' names.
        rows: Up to 20 rows from the beginning, as text, one cell for each column.
        lines: The line of each of these rows.
        layout: Name of the recognised layout, or None.
        mapping: The recognised or guessed roles of the columns.
        certain: Whether the mapping needs no confirmation.
        question: The question to the user, if two ways of reading are nearly as likely, or the kind of a
            file without pairs; or "".
        asks_about_labels: Whether the question is about the meaning of the label's values.
        values: The different values of each column with few of them in the rows read.
        annotators: The columns that are recognised as annotators'.
        repeats: Whether a pair is in several of the rows read, which may then be judgements.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    lines: tuple[int, ...]
    layout: str | None
    mapping: ColumnMapping
    certain: bool
    question: str
    values: Mapping[str, tuple[str, ...]]
    annotators: tuple[str, ...] = ()
    repeats: bool = False
    asks_about_labels: bool = False


def make_preview(reading: RecognisedTable) -> FilePreview:
    """Make the preview of a file from its first rows."""
    table, mapping = reading.table, reading.mapping
    sentences = [as_texts(table.column(name)) for name in (mapping.source, mapping.hypothesis) if name in table.names]
    values = dict(_few_values(table))
    shown = min(PREVIEW_ROWS, len(table))
    return FilePreview(
        **vars(table.origin),
        columns=tuple(table.names),
        rows=tuple(tuple(as_text(column[row]) for column in table.columns) for row in range(shown)),
        lines=tuple(table.lines[:shown]),
        layout=reading.layout.name if reading.layout is not None else None,
        mapping=mapping,
        certain=reading.certain and mapping.complete and reading.question is None,
        question=reading.question.what if reading.question is not None else "",
        values=values,
        annotators=tuple(table.annotators or annotators_of({name: to_column(table.column(name)) for name in values})),
        repeats=len(sentences) == 2 and len(set(zip(*sentences, strict=True))) < len(table),
        asks_about_labels=isinstance(reading.question, UndecidedLabelError),
    )


def _few_values(table: RawTable) -> Iterator[tuple[str, tuple[str, ...]]]:
    for name, column in zip(table.names, table.columns, strict=True):
        values = sorted({text for value in column if (text := as_text(value).strip())})
        if 1 < len(values) <= MOST_VALUES and max(map(len, values)) <= LONGEST_VALUE:
            yield name, tuple(values)
