"""Reads sentence pairs from a file, from two parallel files or from pasted text."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TypedDict, Unpack

from parapluie_gui.computer import uncollected
from parapluie_gui.errors import CorpusError, one_line
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pairs.reading.assemble import assemble
from parapluie_gui.pairs.reading.dispatch import Choices, Content, Reading, open_parallel
from parapluie_gui.pairs.reading.layouts import language_of
from parapluie_gui.pairs.reading.mapping import ColumnMapping
from parapluie_gui.pairs.reading.preview import Preview, preview_of
from parapluie_gui.pairs.reading.raw_table import SAMPLE_ROWS, Quoting, Tick


@contextmanager
def _memory(path: Path | None) -> Iterator[None]:
    """Say that the memory ran out, where what was asked of the file before did not tell."""
    try:
        yield
    except MemoryError as error:
        what = "there is not enough memory to read it"
        raise CorpusError(what, "close other programs, or take fewer rows or columns", path) from error


class Decisions(TypedDict, total=False):
    """What a user may decide about a file; None, or nothing, where the program is to find out.

    Attributes:
        layout: One of layouts.LAYOUT_NAMES.
        encoding: The text's encoding, for files that are neither marked nor UTF-8.
        delimiter: What separates the columns.
        quoting: "minimal" when quotation marks protect cells, "none" when they are text.
        header: Whether the first row holds the columns' names.
        sheet: The workbook's sheet; by default the first.
        positive: The values of the label that mean a paraphrase; every other one then means none.
    """

    layout: str | None
    encoding: str | None
    delimiter: str | None
    quoting: Quoting | None
    header: bool | None
    sheet: str | None
    positive: tuple[str, ...]


class OpenedCorpus:
    """A file of pairs or a pasted text in memory, to be looked into and then read without being opened again.

    Attributes:
        name: What the corpus is called by default: the file's name without its ending.
        path: The file, or None for pasted text.
    """

    def __init__(self, content: Content, name: str, choices: Choices) -> None:
        self.name = name
        self.path = content.path
        self._content = content
        self._choices = choices

    def decide(self, **decisions: Unpack[Decisions]) -> OpenedCorpus:
        """Return the same content, read with more decisions of the user; their preview may differ."""
        choices = replace(self._choices, **decisions)
        return self if choices == self._choices else OpenedCorpus(self._content, self.name, choices)

    @cached_property
    def preview(self) -> Preview:
        """The first rows, and what the program makes of the columns.

        Raises:
            EncodingError: The encoding has to be named; ask, and `decide`.
            CorpusError: The file cannot be read as pairs of sentences.
        """
        with _memory(self.path):
            return preview_of(self._content.read(self._choices, limit=2 * SAMPLE_ROWS))

    def read(
        self, *, mapping: ColumnMapping | None = None, name: str | None = None, tick: Tick | None = None
    ) -> Corpus:
        """Read all of it.

        Args:
            mapping: Which column plays which role; goes before the layout's.
            name: What to call the corpus, where `name` is not to be.
            tick: Called with the number of rows read about every 20,000; what it raises stops the reading.

        Returns:
            The corpus; rows without a usable pair are in its `skipped`.

        Raises:
            EncodingError: The encoding has to be named.
            CorpusError: It cannot be read as pairs, or its columns have to be chosen.
        """
        choices = replace(self._choices, mapping=mapping)
        seen: Preview | None = self.__dict__.get("preview")
        if seen is not None and seen.kind == "delimited":
            # what the look found out of the whole text need not be found out again
            choices = replace(choices, delimiter=seen.delimiter, quoting=seen.quoting)
        with uncollected(), _memory(self.path):
            return to_corpus(self._content.read(choices, tick=tick), name or self.name, choices.positive)


def open_corpus(path: str | PathLike[str], **decisions: Unpack[Decisions]) -> OpenedCorpus:
    """Open a file of CSV, TSV, JSON, JSON Lines, Parquet, Excel or OpenDocument; it is decoded when it is looked into.

    A corpus that is spread over several files, as features read it, is opened as a whole.

    Raises:
        CorpusError: It cannot be opened, or is no file of pairs (a picture, an archive ...).
    """
    path = Path(path)
    with _memory(path):
        content = Content(path)
    name = content.collection.name(content.path) if content.collection and content.path else path.stem
    return OpenedCorpus(content, one_line(name), Choices(**decisions))


def open_text(text: str, **decisions: Unpack[Decisions]) -> OpenedCorpus:
    """Open pasted text: rows of a spreadsheet, CSV, JSON, or lines with a TAB.

    Raises:
        CorpusError: There is nothing in it.
    """
    return OpenedCorpus(Content(text), "Pasted pairs", Choices(**decisions))


def read(
    path: str | PathLike[str],
    *,
    mapping: ColumnMapping | None = None,
    name: str | None = None,
    tick: Tick | None = None,
    **decisions: Unpack[Decisions],
) -> Corpus:
    """Open a file and read it; see `OpenedCorpus.read`."""
    return open_corpus(path, **decisions).read(mapping=mapping, name=name, tick=tick)


@uncollected()
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
        source: The file of sources.
        hypothesis: The file of hypotheses, line by line.
        encoding: Encoding of both, when they are neither marked nor UTF-8.
        name: What to call the corpus; by default the source file's name without its ending.
        tick: Called with the number of pairs read.

    Raises:
        CorpusError: One cannot be read, or the numbers of lines differ (both are named).
    """
    with _memory(Path(source)):
        table = open_parallel(Path(source), Path(hypothesis), encoding)
    if tick is not None:
        tick(len(table))
    roles = ColumnMapping(source="source", hypothesis="hypothesis")
    return assemble(table, roles, name or one_line(Path(source).stem), "parallel text")


def to_corpus(reading: Reading, name: str, positive: tuple[str, ...] = ()) -> Corpus:
    """Return the corpus of a table.

    Raises:
        CorpusError: The roles of its columns are not certain, or it holds no pairs.
    """
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
        what = f"the columns of the two sentences were not recognised among {has}"
        raise CorpusError(what, "choose the columns for source and hypothesis", path)
    group = language_of(table.origin.path) if layout is not None and layout.languages else None
    shown = layout.name if layout is not None else reading.collection or "custom"
    return assemble(table, reading.mapping, name, shown, group, positive)
