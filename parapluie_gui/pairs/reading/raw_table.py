"""The table that every reader returns: the file's columns, their lines, and how they were read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, get_args

from parapluie_gui.pairs.corpus import SkippedRow
from parapluie_gui.pairs.reading.encoding import GUESSED, encoding_name

Quoting = Literal["minimal", "none"]
Kind = Literal[
    "delimited", "json lines", "json list", "json object", "parquet", "excel", "parallel", "several files", "xml"
]

#: Kinds of rows of a file: a pair, a person's judgement of a pair, a marked error, a source with several outputs, a
#: source with candidates of which one is right, a sentence of a set with one meaning, a family of five sentences.
Shape = Literal["pairs", "judgements", "errors", "outputs", "candidates", "sets", "families"]
SHAPES: tuple[Shape, ...] = get_args(Shape)

#: Called with the number of rows read so far; an exception that it raises stops the reading.
Tick = Callable[[int], None]

TICK_ROWS = 20_000

#: Number of rows used to recognise a layout, a header or the columns' roles.
SAMPLE_ROWS = 100


@dataclass(frozen=True)
class FileOrigin:
    """How a file was read; None for properties that its kind does not have.

    Attributes:
        path: The file, or None for pasted text.
        encoding_from: How the encoding was determined ("byte order mark", "valid UTF-8", "its letters", "your choice",
            "").
        quoting: "minimal" if quotation marks protect cells, "none" if they are text.
        marks: How quotation marks inside cells are written if they are not doubled, for the user; or "".
        has_header: Whether the first row holds the columns' names.
        reshaped: The meaning of the rows if the file's own rows are not pairs ("a pair for each candidate"), or "".
        header_guessed: Whether the header was only guessed from the contrast between its cells and those below.
        header_line: The 1-based line of the header, if the file has one.
        shape: The kind of the file's rows.
        remarks: Sentences about the file for the user, such as the first line with a TAB inside quotation marks.
        sheets: Names of a workbook's sheets, of which `sheet` was read.
        file_columns: The column names of the file itself, before its rows became pairs; () without a header.
    """

    kind: Kind
    path: Path | None = None
    encoding: str | None = None
    encoding_from: str = ""
    delimiter: str | None = None
    quoting: Quoting | None = None
    marks: str = ""
    has_header: bool = True
    header_guessed: bool = False
    header_line: int | None = None
    reshaped: str = ""
    shape: Shape = "pairs"
    remarks: tuple[str, ...] = ()
    sheets: tuple[str, ...] = ()
    sheet: str | None = None
    file_columns: tuple[str, ...] = ()

    @property
    def guesses(self) -> tuple[str, ...]:
        """Guesses about the file that may be wrong: "Windows-1252", "a header row"."""
        from_letters = self.encoding is not None and self.encoding_from == GUESSED
        encoding = (encoding_name(self.encoding),) if from_letters and self.encoding is not None else ()
        header = ("a header row",) if self.header_guessed else ()
        return (*encoding, *header, *filter(None, (self.marks, self.reshaped)))


@dataclass
class RawTable:
    """Columns of equal length with unique names.

    Attributes:
        names, columns: The columns in the file's order.
        lines: 1-based line (row of a sheet, record) of each row.
        skipped: Rows that did not fit into the columns.
        repeated: Names that several columns of the file share; the later ones were renamed "name (2)".
        layout: Key of the layout that was recognised with the header, or None.
        annotators: The columns that each hold one person's answers, as in `Corpus.annotators`, if the file's structure
            or its sidecar file names them.
        roles: The columns of roles that follow from the shape of the file; None for a role that gets no column.
    """

    names: list[str]
    columns: list[list[object]]
    lines: Sequence[int]
    origin: FileOrigin
    skipped: list[SkippedRow] = field(default_factory=list)
    repeated: frozenset[str] = frozenset()
    layout: str | None = None
    annotators: Mapping[str, float] = field(default_factory=dict)
    roles: Mapping[str, str | None] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.lines)

    def column(self, name: str) -> list[object]:
        """Return the values of a column."""
        return self.columns[self.names.index(name)]

    def sample(self) -> dict[str, list[str]]:
        """Return the first rows of each column as text."""
        return {
            name: [as_text(value) for value in column[:SAMPLE_ROWS]]
            for name, column in zip(self.names, self.columns, strict=True)
        }


def as_text(value: object) -> str:
    """Return a cell as text, "" for a missing value (None, NaN)."""
    if isinstance(value, str):
        return value
    if value is None or value != value:  # only NaN differs from itself
        return ""
    return str(value)


def as_texts(values: Sequence[object]) -> list[str]:
    """Return a column's cells as texts."""
    return list(values) if set(map(type, values)) == {str} else list(map(as_text, values))  # type: ignore[arg-type]


def unique_names(cells: Iterable[object]) -> tuple[list[str], frozenset[str]]:
    """Make column names unique and number unnamed columns; return the names, and those that were repeated."""
    names: list[str] = []
    repeated: set[str] = set()
    taken: set[str] = set()
    for number, cell in enumerate(cells, start=1):
        wanted = name = as_text(cell).strip() or f"column {number}"
        copy = 1
        while name in taken:
            repeated.add(wanted)
            copy += 1
            name = f"{wanted} ({copy})"
        taken.add(name)
        names.append(name)
    return names, frozenset(repeated)


def excerpt(cells: Iterable[object], length: int = 80) -> str:
    """Return the beginning of a row as text, for lists and messages."""
    text = " | ".join(as_text(cell) for cell in cells)
    return text if len(text) <= length else text[: length - 1] + "…"
