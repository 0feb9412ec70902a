"""Reads sentence pairs from a file, from two parallel files or from pasted text."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, Unpack

from parapluie_gui.computer import gc_disabled
from parapluie_gui.errors import CorpusError, one_line
from parapluie_gui.pairs.annotators import mark_annotators
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pairs.plan import ReadingPlan, count_labels, find_range
from parapluie_gui.pairs.reading.assemble import assemble
from parapluie_gui.pairs.reading.decisions import ReadingDecisions, merge_decisions, to_decisions
from parapluie_gui.pairs.reading.dispatch import FileContent, ReadingChoices, RecognisedTable, open_parallel
from parapluie_gui.pairs.reading.layouts import language_of
from parapluie_gui.pairs.reading.mapping import ColumnMapping
from parapluie_gui.pairs.reading.preview import FilePreview, make_preview
from parapluie_gui.pairs.reading.raw_table import SAMPLE_ROWS, RawTable, Tick
from parapluie_gui.pairs.reading.values import quote_value
from parapluie_gui.pairs.saved_plan import NO_PLAN, SavedPlan, fitting_plans, plan_beside


@contextmanager
def _memory_errors(path: Path | None) -> Iterator[None]:
    """Convert a MemoryError, which the checks before reading did not prevent, to a CorpusError."""
    try:
        yield
    except MemoryError as error:
        what = "there is not enough memory to read it"
        raise CorpusError(what, "close other programs, or read fewer rows or columns", path) from error


class OpenedCorpus:
    """A file of pairs or a pasted text in memory, which can be previewed and read without being opened again.

    Attributes:
        name: The default name of the corpus: the file's name without its ending.
        path: The file, or None for pasted text.
    """

    def __init__(self, content: FileContent, name: str, choices: ReadingChoices) -> None:
        self.name = name
        self.path = content.path
        self._content = content
        self._choices = choices

    def decide(self, **decisions: Unpack[ReadingDecisions]) -> OpenedCorpus:
        """Return the same content with further decisions by the user, which may change the preview."""
        choices = replace(self._choices, **decisions)
        return self if choices == self._choices else OpenedCorpus(self._content, self.name, choices)

    @cached_property
    def preview(self) -> FilePreview:
        """The first rows and the recognised columns.

        Raises:
            EncodingError: The encoding is unknown; ask the user and call `decide`.
            CorpusError: The file cannot be read as pairs of sentences.
        """
        with _memory_errors(self.path), _name_plan(self._choices.plan):
            return make_preview(self._content.read(self._choices, limit=2 * SAMPLE_ROWS + (self._choices.header or 0)))

    def read(
        self, *, mapping: ColumnMapping | None = None, name: str | None = None, tick: Tick | None = None
    ) -> Corpus:
        """Read the whole corpus.

        Args:
            mapping: The columns' roles; takes precedence over the layout's.
            name: The name of the corpus, instead of `self.name`.
            tick: Called with the number of rows read, about every 20,000 rows; an exception stops the reading.

        Returns:
            The corpus; rows without a usable pair are in its `skipped`.

        Raises:
            EncodingError: The encoding is unknown.
            CorpusError: It cannot be read as pairs, or the user has to choose its columns.
        """
        choices = self._choices if mapping is None else replace(self._choices, mapping=mapping)
        preview: FilePreview | None = self.__dict__.get("preview")
        if preview is not None and preview.kind == "delimited":
            # the preview has already detected these from the whole text
            choices = replace(choices, delimiter=preview.delimiter, quoting=preview.quoting)
        with gc_disabled(), _memory_errors(self.path), _name_plan(choices.plan):
            return to_corpus(self._content.read(choices, tick=tick), name or self.name, choices)


@contextmanager
def _name_plan(name: str | None) -> Iterator[None]:
    """Name the saved plan in an error about a file that is read by it, since the plan may be the cause."""
    try:
        yield
    except CorpusError as error:
        if not name or name == NO_PLAN:
            raise
        todo = f"{error.todo}, or do not use the reading plan {name}"
        raise type(error)(error.what, todo, error.path, error.line) from error.__cause__


def open_corpus(path: str | PathLike[str], **decisions: Unpack[ReadingDecisions]) -> OpenedCorpus:
    """Open a file of CSV, TSV, JSON, JSON Lines, Parquet, Excel or OpenDocument, without decoding it yet.

    A corpus of several files that a feature can read is opened as one. A plan that was saved next to the file applies
    unless the decisions name a plan.

    Raises:
        CorpusError: It cannot be opened, or is not a file of pairs (a picture, an archive ...).
        ParapluieError: The plan next to it is damaged.
    """
    path = Path(path)
    with _memory_errors(path):
        content = FileContent(path)
    name = content.collection.name(content.path) if content.collection and content.path else path.stem
    if decisions.get("plan") is None and (saved := plan_beside(path)) is not None:
        return _open_with_plan(content, one_line(name), saved, decisions)
    return OpenedCorpus(content, one_line(name), ReadingChoices(**decisions))


def _open_with_plan(content: FileContent, name: str, saved: SavedPlan, decisions: ReadingDecisions) -> OpenedCorpus:
    """Return a file to which the plan that was saved next to it applies.

    Raises:
        CorpusError: The file has no longer the columns of the plan.
    """
    planned = to_decisions(saved.options)
    opened = OpenedCorpus(content, name, ReadingChoices(**merge_decisions(planned, {**decisions, "plan": saved.name})))
    columns = {*opened.preview.columns, *opened.preview.file_columns}
    if missing := [
        column for column in ReadingChoices(roles=planned.get("roles", ())).wanted_columns if column not in columns
    ]:
        what = f'the reading plan next to it, {saved.name}, names a column "{missing[0]}", which it does not have'
        raise CorpusError(what, "move that plan away", content.path)
    return opened


def open_text(text: str, **decisions: Unpack[ReadingDecisions]) -> OpenedCorpus:
    """Open pasted text: rows of a spreadsheet, CSV, JSON, or lines with a TAB.

    Raises:
        CorpusError: The text is blank.
    """
    return OpenedCorpus(FileContent(text), "Pasted pairs", ReadingChoices(**decisions))


def read(
    path: str | PathLike[str],
    *,
    mapping: ColumnMapping | None = None,
    name: str | None = None,
    tick: Tick | None = None,
    **decisions: Unpack[ReadingDecisions],
) -> Corpus:
    """Open a file and read it; see `OpenedCorpus.read`."""
    return open_corpus(path, **decisions).read(mapping=mapping, name=name, tick=tick)


@gc_disabled()
def read_parallel(
    source: str | PathLike[str],
    hypothesis: str | PathLike[str],
    *,
    encoding: str | None = None,
    name: str | None = None,
    tick: Tick | None = None,
) -> Corpus:
    """Read a corpus from two text files with the same number of lines.

    Args:
        source: The file of sources.
        hypothesis: The file of hypotheses, line by line.
        encoding: Encoding of both, if they are not UTF-8 and have no byte order mark.
        name: The name of the corpus; by default the source file's name without its ending.
        tick: Called with the number of pairs read.

    Raises:
        CorpusError: One cannot be read, or the numbers of lines differ; the message names both.
    """
    with _memory_errors(Path(source)):
        table = open_parallel(Path(source), Path(hypothesis), encoding)
    if tick is not None:
        tick(len(table))
    roles = ColumnMapping(source="source", hypothesis="hypothesis")
    return assemble(table, roles, name or one_line(Path(source).stem), "parallel text")


def to_corpus(reading: RecognisedTable, name: str, choices: ReadingChoices | None = None) -> Corpus:
    """Build the corpus of a table with roles.

    Raises:
        UndecidedError: It can be read in two ways, of which the user has to choose one.
        CorpusError: The roles of its columns are not certain, or it holds no pairs.
    """
    choices, table, layout = choices or ReadingChoices(), reading.table, reading.layout
    if reading.question is not None:
        raise _offer_plans(reading.question, table)
    if not reading.certain or not reading.mapping.complete:
        raise _offer_plans(_unknown_columns(reading), table)
    group = language_of(table.origin.path) if layout is not None and layout.languages else None
    shown = layout.name if layout is not None else reading.collection or "custom"
    corpus = assemble(
        table,
        reading.mapping,
        name,
        shown,
        group,
        choices.positive,
        missing=choices.missing,
        convention=reading.convention,
    )
    if choices.annotator:
        corpus = mark_annotators(corpus, choices.annotator)
    return replace(corpus, plan=_make_plan(reading, corpus, choices))


def _make_plan(reading: RecognisedTable, corpus: Corpus, choices: ReadingChoices) -> ReadingPlan:
    origin = reading.table.origin
    has_rows = origin.kind in ("delimited", "excel")
    return ReadingPlan(
        path=origin.path,
        layout=corpus.layout,
        layout_key="" if reading.layout is None else reading.layout.key,
        shape=origin.shape,
        roles={role: column for role, column in vars(reading.mapping).items() if column is not None},
        encoding=origin.encoding if origin.path is not None else None,
        delimiter=origin.delimiter,
        quoting=origin.quoting,
        sheet=origin.sheet if len(origin.sheets) > 1 else None,
        header=None if not has_rows else (origin.header_line or 1) if origin.has_header else 0,
        positive=choices.positive,
        missing=choices.missing,
        labels=count_labels(corpus.label) if reading.mapping.label is not None else None,
        scores=find_range(corpus.human),
        others=tuple(corpus.extra),
        skipped=len(corpus.skipped),
        remarks=reading.remarks,
        by_content=reading.by_content,
        columns=origin.file_columns,
        chosen=_chosen_options(choices),
        saved="" if choices.plan in (None, NO_PLAN) else choices.plan,
    )


def _chosen_options(choices: ReadingChoices) -> dict[str, Any]:
    """Return the user's decisions that the plan's other properties do not show, as options."""
    names = (
        "layout",
        "encoding",
        "delimiter",
        "quoting",
        "header",
        "sheet",
        "shape",
        "positive",
        "missing",
        "annotator",
    )
    chosen = {name: value for name in names if (value := getattr(choices, name)) not in (None, ())}
    roles = {
        role: column
        for role, column in choices.named_columns.items()
        if role == "reference" or not isinstance(column, tuple)
    }
    return {**chosen, "roles": roles} if roles else chosen


def _offer_plans(error: CorpusError, table: RawTable) -> CorpusError:
    """Return the error with the plans that were saved for a file with these columns in its advice."""
    plans = fitting_plans(table.origin.file_columns)
    if not plans:
        return error
    names = " or ".join(f"--plan {quote_value(plan.name)}" for plan in plans[:3])
    todo = f"{error.todo}, or the plan that was saved for these columns ({names})"
    return type(error)(error.what, todo, error.path, error.line)


def _unknown_columns(reading: RecognisedTable) -> CorpusError:
    """Return the error for a table whose sentences are not certain."""
    table, mapping, path = reading.table, reading.mapping, reading.table.origin.path
    names = ", ".join(f'"{column}"' for column in table.names[:30])
    others = [sheet for sheet in table.origin.sheets if sheet != table.origin.sheet]
    sheets = " or ".join(f"--sheet {quote_value(name)}" for name in others[:5])
    other_sheet = f", or another sheet ({sheets})" if others else ""
    if len(table.names) == 1:
        if table.origin.kind != "delimited":
            what = f"it has only one column, {names}"
            return CorpusError(what, f"choose a file with two sentences in each record{other_sheet}", path)
        todo = "choose the separator (--delimiter), or open it together with the file of the other sentences"
        return CorpusError("no tab, comma, semicolon or bar separates columns", todo, path)
    doubled = sorted(table.repeated & set(mapping.columns))
    if doubled:
        what = f'several columns are called "{doubled[0]}"'
        return CorpusError(what, f"choose which columns contain the sentences among {names}", path)
    what = f"the columns of the two sentences were not recognised among {names}"
    if mapping.source is not None and mapping.hypothesis is not None:
        such = f" (perhaps --source {quote_value(mapping.source)} --hypothesis {quote_value(mapping.hypothesis)})"
        return CorpusError(what, f"choose the columns for source and hypothesis{such}{other_sheet}", path)
    return CorpusError(
        what, f"choose the columns for source and hypothesis (--source, --hypothesis){other_sheet}", path
    )
