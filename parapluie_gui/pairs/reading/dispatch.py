"""Opens a file or a pasted text and returns its columns, whatever sort of file it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from parapluie_gui.errors import CorpusError
from parapluie_gui.pairs.reading.delimited import read_delimited
from parapluie_gui.pairs.reading.encoding import decode
from parapluie_gui.pairs.reading.filekind import kind_of, load
from parapluie_gui.pairs.reading.header_guess import Grid, to_table
from parapluie_gui.pairs.reading.jsonfile import looks_like_json, read_json
from parapluie_gui.pairs.reading.layouts import Layout, find_layout, layout_mapping, recognise
from parapluie_gui.pairs.reading.mapping import ColumnMapping, guess_mapping
from parapluie_gui.pairs.reading.quoting import split_lines
from parapluie_gui.pairs.reading.raw_table import Origin, Quoting, Table, Tick
from parapluie_gui.pairs.reading.workbook import read_parquet, read_workbook


@dataclass(frozen=True)
class Choices:
    """What the user decided about a file; None where the program is to find out."""

    layout: str | None = None
    mapping: ColumnMapping | None = None
    encoding: str | None = None
    delimiter: str | None = None
    quoting: Quoting | None = None
    header: bool | None = None
    sheet: str | None = None

    @property
    def wanted(self) -> Sequence[str]:
        """Columns that the user's mapping speaks of."""
        return self.mapping.columns if self.mapping is not None else ()


@dataclass(frozen=True)
class Reading:
    """A table and what its columns mean.

    Attributes:
        table: The columns.
        layout: The layout it was recognised as, or None.
        mapping: The roles of the columns: the user's, the layout's, or a guess.
        certain: Whether the mapping may be used without asking.
    """

    table: Table
    layout: Layout | None
    mapping: ColumnMapping
    certain: bool


def open_path(path: Path, choices: Choices, limit: int | None = None, tick: Tick | None = None) -> Reading:
    """Open a file.

    Args:
        path: The file.
        choices: What the user decided.
        limit: Stop after about this many rows.
        tick: Called with the number of rows read.

    Raises:
        CorpusError: It cannot be read as pairs of sentences.
    """
    layout = find_layout(choices.layout, path) if choices.layout is not None else None
    data = load(path)
    kind = kind_of(data, path)
    if kind == "parquet":
        return _mapped(read_parquet(data, path, limit, tick), layout, choices)
    if kind == "excel":
        grid = read_workbook(data, path, choices.sheet, limit)
        return _mapped(to_table(grid, choices.header, layout, choices.wanted), layout, choices)
    text, encoding, known_from = decode(data, path, choices.encoding)
    origin = Origin(kind="delimited", path=path, encoding=encoding, encoding_from=known_from)
    return _open_text(text, origin, layout, choices, limit, tick)


def open_text(text: str, choices: Choices, limit: int | None = None, tick: Tick | None = None) -> Reading:
    """Open a text that was pasted; as open_path()."""
    layout = find_layout(choices.layout) if choices.layout is not None else None
    text = text.removeprefix("\ufeff")
    if not text.strip():
        raise CorpusError("there is nothing in it", "copy some rows or lines first", None)
    return _open_text(text, Origin(kind="delimited"), layout, choices, limit, tick)


def open_parallel(source: Path, hypothesis: Path, encoding: str | None = None) -> Table:
    """Open two text files whose lines belong together.

    Raises:
        CorpusError: One cannot be read, or they have different numbers of lines.
    """
    columns: list[list[object]] = []
    codec = known_from = ""
    for path in (source, hypothesis):
        data = load(path)
        if kind_of(data, path) != "text":
            raise CorpusError("this is no plain text", "choose two text files with a sentence a line", path)
        text, codec, known_from = decode(data, path, encoding)
        columns.append(list(split_lines(text)))
    counts = [len(column) for column in columns]
    if counts[0] != counts[1]:
        raise CorpusError(
            f"it has {counts[0]:,} lines but {hypothesis.name} has {counts[1]:,}",
            "choose two files that belong together line by line",
            source,
        )
    origin = Origin(kind="parallel", path=source, encoding=codec, encoding_from=known_from, has_header=False)
    return Table(["source", "hypothesis"], columns, range(1, counts[0] + 1), origin)


def _open_text(
    text: str, origin: Origin, layout: Layout | None, choices: Choices, limit: int | None, tick: Tick | None
) -> Reading:
    if choices.delimiter is None and looks_like_json(text, origin.path):
        return _mapped(read_json(text, origin, limit=limit, tick=tick), layout, choices)
    grid = read_delimited(text, origin, delimiter=choices.delimiter, quoting=choices.quoting, limit=limit, tick=tick)
    return _mapped(to_table(grid, choices.header, layout, choices.wanted), layout, choices, grid)


def _mapped(table: Table, layout: Layout | None, choices: Choices, grid: Grid | None = None) -> Reading:
    if layout is None:
        layout = find_layout(table.layout) if table.layout is not None else recognise(table)
    if layout is not None:
        mapping, certain = layout_mapping(layout, table), True
        if not mapping.complete and choices.mapping is None:
            has = ", ".join(f'"{name}"' for name in table.names[:30])
            todo = f"choose the columns yourself among {has}"
            raise CorpusError(f"the columns of {layout.name} are not there", todo, table.origin.path)
    elif table.origin.has_header:
        mapping, certain = guess_mapping(table.names)
        certain = certain and not table.repeated & set(mapping.columns)
    else:
        # two columns with a TAB between can be nothing but the two sentences
        certain = len(table.names) == 2 and table.origin.delimiter == "\t"
        mapping = ColumnMapping(source=table.names[0], hypothesis=table.names[1]) if certain else ColumnMapping()
    if choices.mapping is not None:
        mapping, certain = choices.mapping, True
    return Reading(table, layout, mapping, certain)
