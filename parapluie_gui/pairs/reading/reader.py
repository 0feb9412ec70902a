"""Reads sentence pairs from a file, from two parallel files or from pasted text."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path

from parapluie_gui.errors import CorpusError
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pairs.reading.assemble import assemble
from parapluie_gui.pairs.reading.dispatch import Choices, Reading, open_parallel, open_path, open_text
from parapluie_gui.pairs.reading.layouts import language_of
from parapluie_gui.pairs.reading.mapping import ColumnMapping
from parapluie_gui.pairs.reading.raw_table import Quoting, Tick


@contextmanager
def _uncollected() -> Iterator[None]:
    """Let Python's collector rest: while rows are made by the hundred thousand it looks for cycles that cannot be.

    It takes a quarter of the time otherwise. The collector is the process's, so a reading that ends first may wake it
    for another one in another thread, which then only takes longer.
    """
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


@_uncollected()
def read(
    path: str | PathLike[str],
    *,
    layout: str | None = None,
    mapping: ColumnMapping | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    quoting: Quoting | None = None,
    header: bool | None = None,
    sheet: str | None = None,
    name: str | None = None,
    tick: Tick | None = None,
) -> Corpus:
    """Read a corpus from CSV, TSV, JSON, JSON Lines, Parquet, Excel or OpenDocument.

    Args:
        path: The file.
        layout: Force a known layout by its name (layouts.LAYOUT_NAMES).
        mapping: Which column plays which role; goes before the layout's.
        encoding: The text's encoding, for files that are neither marked nor UTF-8.
        delimiter: What separates the columns.
        quoting: "minimal" when quotation marks protect cells, "none" when they are text.
        header: Whether the first row holds the columns' names.
        sheet: The workbook's sheet; by default the first.
        name: What to call the corpus; by default the file's name without its ending.
        tick: Called with the number of rows read about every 20,000; what it raises stops the reading.

    Returns:
        The corpus; rows without a usable pair are in its `aside`.

    Raises:
        EncodingError: The encoding has to be named.
        CorpusError: The file cannot be read as pairs, or its columns have to be chosen.
    """
    path = Path(path)
    choices = Choices(layout, mapping, encoding, delimiter, quoting, header, sheet)
    return _corpus(open_path(path, choices, tick=tick), name or path.stem)


@_uncollected()
def read_text(
    text: str,
    *,
    layout: str | None = None,
    mapping: ColumnMapping | None = None,
    delimiter: str | None = None,
    quoting: Quoting | None = None,
    header: bool | None = None,
    name: str | None = None,
    tick: Tick | None = None,
) -> Corpus:
    """Read a corpus from pasted text: rows of a spreadsheet, CSV, JSON, or lines with a TAB; arguments as read()."""
    choices = Choices(layout, mapping, None, delimiter, quoting, header)
    return _corpus(open_text(text, choices, tick=tick), name or "Pasted pairs")


@_uncollected()
def read_parallel(
    source: str | PathLike[str],
    hypothesis: str | PathLike[str],
    *,
    encoding: str | None = None,
    name: str | None = None,
    tick: Tick | None = None,
) -> Corpus:
    """Read a corpus from two text files of equally many lines.

    Args:
        source: The file of source sentences.
        hypothesis: The file of hypotheses, line by line.
        encoding: Encoding of both, when they are neither marked nor UTF-8.
        name: What to call the corpus; by default the source file's name without its ending.
        tick: Called with the number of pairs read.

    Raises:
        CorpusError: One cannot be read, or the numbers of lines differ (both are named).
    """
    table = open_parallel(Path(source), Path(hypothesis), encoding)
    if tick is not None:
        tick(len(table))
    roles = ColumnMapping(source="source", hypothesis="hypothesis")
    return assemble(table, roles, name or Path(source).stem, "parallel text")


def _corpus(reading: Reading, name: str) -> Corpus:
    table, layout = reading.table, reading.layout
    if not reading.certain or not reading.mapping.complete:
        path = table.origin.path
        has = ", ".join(f'"{column}"' for column in table.names[:30])
        if len(table.names) == 1:
            what = "no TAB, comma, semicolon or bar separates columns"
            raise CorpusError(what, "name the separator, or give two parallel files", path)
        doubled = sorted(table.repeated & set(reading.mapping.columns))
        if doubled:
            what = f'several columns are called "{doubled[0]}"'
            raise CorpusError(what, f"choose which ones hold the sentences among {has}", path)
        what = f"the two sentences are not certain among the columns {has}"
        raise CorpusError(what, "choose the columns for source and hypothesis", path)
    group = language_of(table.origin.path) if layout is not None and layout.languages else None
    return assemble(table, reading.mapping, name, layout.name if layout is not None else "custom", group)
