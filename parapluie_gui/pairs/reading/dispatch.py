"""Reads the columns and their roles from a file or pasted text of any kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from parapluie_gui.errors import CorpusError, join_words
from parapluie_gui.pairs.corpus import ROLES
from parapluie_gui.pairs.formulas import unmark
from parapluie_gui.pairs.reading.collections import CollectionReader, find_collection
from parapluie_gui.pairs.reading.delimited import read_delimited
from parapluie_gui.pairs.reading.encoding import decode
from parapluie_gui.pairs.reading.filekind import FileKind, detect_kind, load_bytes
from parapluie_gui.pairs.reading.header_guess import to_table
from parapluie_gui.pairs.reading.jsonfile import looks_like_json, read_json
from parapluie_gui.pairs.reading.layouts import CorpusLayout, find_layout, layout_convention, layout_mapping, recognise
from parapluie_gui.pairs.reading.mapping import ColumnMapping, Columns, list_columns
from parapluie_gui.pairs.reading.parquet import read_parquet
from parapluie_gui.pairs.reading.people import describe_repeats
from parapluie_gui.pairs.reading.quoting import split_lines
from parapluie_gui.pairs.reading.raw_table import FileOrigin, Quoting, RawTable, Shape, Tick, excerpt
from parapluie_gui.pairs.reading.reshape import reshape
from parapluie_gui.pairs.reading.roles import ask_about_equal_sentences, guess_roles
from parapluie_gui.pairs.reading.sidecar import FORMULAS, MARKED, OWN_SHEETS, read_annotators, read_sidecar
from parapluie_gui.pairs.reading.unpaired import describe_unpaired
from parapluie_gui.pairs.reading.values import quote_value
from parapluie_gui.pairs.reading.workbook import WorkbookSheet, open_sheet
from parapluie_gui.pairs.reading.xmlfile import looks_like_xml, read_xml

#: Maximum number of characters of a column's name.
_LONGEST_NAME = 10_000
#: Maximum number of sheets searched for the sheet with the pairs.
_MOST_SHEETS = 10
#: The share of pairs of identical sentences labelled as different from which the labels are questioned.
_MANY_EQUAL = 0.05
#: The word with which users leave a role without a column.
_NO_COLUMN = "none"


@dataclass(frozen=True)
class ReadingChoices:
    """The user's decisions about a file, as in `reader.Decisions`; None lets the program decide.

    `mapping` has the columns of all roles, `roles` those of single ones; columns in `without` get no guessed role.
    """

    layout: str | None = None
    mapping: ColumnMapping | None = None
    roles: tuple[tuple[str, Columns], ...] = ()
    without: frozenset[str] = frozenset()
    encoding: str | None = None
    delimiter: str | None = None
    quoting: Quoting | None = None
    header: int | None = None
    sheet: str | None = None
    shape: Shape | None = None
    positive: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    annotator: tuple[str, ...] = ()
    plan: str | None = None

    @property
    def wanted_columns(self) -> Sequence[str]:
        """The columns that the user named."""
        named = ColumnMapping().with_roles(self.named_columns).columns
        return [name for name in named if name != _NO_COLUMN and not name.isdecimal()]

    @property
    def named_columns(self) -> dict[str, Columns]:
        """The columns that the user named, by role; None for a role that gets no column."""
        every = {} if self.mapping is None else {role: getattr(self.mapping, role) for role in ROLES}
        return {**every, **dict(self.roles)}


@dataclass(frozen=True)
class RecognisedTable:
    """A table, its recognised layout, and the roles of its columns: the user's, the layout's, or a guess.

    Attributes:
        certain: Whether the roles need no confirmation by the user.
        collection: The name of the layout of a corpus of several files, or "".
        question: The error that asks the user, if two ways of reading are nearly as likely, or that says what the
            table is instead of pairs.
        remarks: Sentences about the roles, for the user.
        by_content: Whether the sentences were recognised by the contents of the columns alone.
    """

    table: RawTable
    layout: CorpusLayout | None
    mapping: ColumnMapping
    certain: bool
    collection: str = ""
    question: CorpusError | None = None
    remarks: tuple[str, ...] = ()
    by_content: bool = False

    @property
    def convention(self) -> str:
        """The convention of the labels that the layout names, or ""."""
        return "" if self.layout is None else layout_convention(self.layout, self.table)


class FileContent:
    """The bytes of a file or a pasted text, with its decoded text or unpacked sheet cached.

    Attributes:
        collection: The reader of a corpus of several files, or None.
        path: The file, or the main file of a corpus of several files; None for pasted text.
    """

    def __init__(self, source: Path | str) -> None:
        """Load a file (a path), or store a pasted text.

        Raises:
            CorpusError: The file cannot be read or is of the wrong kind (a picture, an archive), or the text is blank.
        """
        self.collection: CollectionReader | None = None
        if isinstance(source, Path) and (collection := find_collection(source)) is not None:
            self.collection, source = collection
        self.path = source if isinstance(source, Path) else None
        self.kind: FileKind = "text"
        self._data = b""
        self._decoded: dict[str | None, tuple[str, FileOrigin]] = {}
        self._sheets: dict[str | None, WorkbookSheet] = {}
        if isinstance(source, Path):
            self._data = load_bytes(source)
            self.kind = detect_kind(self._data, source)
        else:
            self._decoded[None] = source.removeprefix("\ufeff"), FileOrigin("delimited")
            if not self._decoded[None][0].strip():
                raise CorpusError("it is empty", "copy some rows or lines first")

    def text(self, encoding: str | None = None) -> tuple[str, FileOrigin]:
        """Return the decoded text and its origin; an encoding of None is detected.

        Raises:
            EncodingError: The encoding cannot be detected, or the given encoding does not fit.
        """
        if encoding not in self._decoded:
            text, name, origin = decode(self._data, self.path, encoding)
            # caches only the last decoding, because a text may take a gigabyte
            self._decoded = {encoding: (text, FileOrigin("delimited", self.path, name, origin))}
        return self._decoded[encoding]

    @cached_property
    def _is_marked(self) -> bool:
        """Whether this program wrote the table with formulas marked."""
        return self.path is not None and read_sidecar(self.path).get(FORMULAS) == MARKED

    def read(self, choices: ReadingChoices, limit: int | None = None, tick: Tick | None = None) -> RecognisedTable:
        """Read the columns, limited to about `limit` rows.

        Raises:
            CorpusError: It cannot be read as pairs of sentences.
        """
        reading = self._read(choices, limit, tick)
        recorded = {} if self.path is None else read_annotators(self.path)
        annotators = {name: least for name, least in recorded.items() if name in reading.table.names}
        return replace(reading, table=replace(reading.table, annotators=annotators)) if annotators else reading

    def _read(self, choices: ReadingChoices, limit: int | None, tick: Tick | None) -> RecognisedTable:
        if self.collection is not None:
            assert self.path is not None
            table, mapping = self.collection.read(self.path)
            mapping = mapping.with_roles(find_named_columns(table, choices).named_columns)
            return RecognisedTable(table, None, mapping, certain=True, collection=self.collection.layout)
        layout = find_layout(choices.layout, self.path) if choices.layout is not None else None
        if self.kind != "text":
            assert self.path is not None
            if self.kind == "parquet":
                return to_pairs(read_parquet(self._data, self.path, limit, tick), layout, choices)
            return self._read_sheet(self.path, layout, choices, limit)
        text, origin = self.text(None if self.path is None else choices.encoding)
        if choices.delimiter is None and looks_like_json(text, self.path):
            return to_pairs(read_json(text, origin, limit=limit, tick=tick), layout, choices)
        if choices.delimiter is None and looks_like_xml(text):
            return to_pairs(read_xml(text, origin, limit=limit, tick=tick), layout, choices)
        grid = read_delimited(
            text, origin, delimiter=choices.delimiter, quoting=choices.quoting, limit=limit, tick=tick
        )
        if self._is_marked:
            grid = replace(grid, rows=[[unmark(str(cell)) for cell in row] for row in grid.rows])
        return to_pairs(to_table(grid, choices.header, layout, choices.wanted_columns), layout, choices)

    def _read_sheet(
        self, path: Path, layout: CorpusLayout | None, choices: ReadingChoices, limit: int | None
    ) -> RecognisedTable:
        """Read the user's sheet or the first sheet; if that has no pairs, the only other sheet with pairs."""
        if choices.sheet not in self._sheets:
            self._sheets[choices.sheet] = open_sheet(self._data, path, choices.sheet)
        sheet = self._sheets[choices.sheet]

        def recognise_sheet(sheet: WorkbookSheet) -> RecognisedTable:
            grid = sheet.grid(path, limit)
            return to_pairs(to_table(grid, choices.header, layout, choices.wanted_columns), layout, choices)

        others = sheet.names if choices.sheet is None and 1 < len(sheet.names) <= _MOST_SHEETS else ()
        try:
            first = recognise_sheet(sheet)
        except CorpusError:
            if not others:
                raise
            first = None
        if not others:
            assert first is not None
            return first
        if first is None or not first.certain:
            fitting = [reading for name in others[1:] if (reading := self._try_sheet(path, name, recognise_sheet))]
            if len(fitting) == 1:
                first = fitting[0]
        if first is None:
            return recognise_sheet(sheet)  # raises the error of the first sheet
        if (read := first.table.origin.sheet) == sheet.name:
            more = [f"--sheet {quote_value(name)}" for name in others[1:] if name not in OWN_SHEETS]
            remark = f'only the first of {len(others)} sheets, "{read}", was read ({join_words(more, "or")})'
            return replace(first, remarks=(*first.remarks, remark)) if more and first.certain else first
        remark = f'the sheet "{read}" was read, because the first sheet has no pairs'
        return replace(first, remarks=(*first.remarks, remark))

    def _try_sheet(
        self, path: Path, name: str, recognise_sheet: Callable[[WorkbookSheet], RecognisedTable]
    ) -> RecognisedTable | None:
        """Return the pairs of a sheet, or None if it has none for certain."""
        if name not in self._sheets:
            self._sheets[name] = open_sheet(self._data, path, name)
        try:
            reading = recognise_sheet(self._sheets[name])
        except CorpusError:
            return None
        return reading if reading.certain else None


def open_parallel(source: Path, hypothesis: Path, encoding: str | None = None) -> RawTable:
    """Open two text files that correspond line by line.

    Raises:
        CorpusError: One cannot be read, or they have different numbers of lines.
    """
    columns: list[list[object]] = []
    for path in (source, hypothesis):
        content = FileContent(path)
        if content.kind != "text":
            raise CorpusError("this is not plain text", "choose two text files with one sentence per line", path)
        text, origin = content.text(encoding)
        columns.append(list(split_lines(text)))
    counts = [len(column) for column in columns]
    if counts[0] != counts[1]:
        raise CorpusError(
            f"it has {counts[0]:,} lines but {hypothesis.name} has {counts[1]:,}",
            "choose two files whose lines correspond",
            source,
        )
    origin = replace(origin, kind="parallel", path=source, has_header=False)
    return RawTable(["source", "hypothesis"], columns, range(1, counts[0] + 1), origin)


def assign_roles(table: RawTable, layout: CorpusLayout | None, choices: ReadingChoices) -> RecognisedTable:
    """Assign roles to the columns of a table.

    Raises:
        CorpusError: The columns of the requested layout are missing, or a column's name is too long.
    """
    if too_long := next((name for name in table.names if len(name) > _LONGEST_NAME), None):
        what = f'the name of the column "{excerpt([too_long], 40)}" has {len(too_long):,} characters'
        raise CorpusError(
            what, "check the column separator, and that the first row names the columns", table.origin.path
        )
    if layout is None:
        layout = find_layout(table.layout) if table.layout is not None else recognise(table)
    if layout is not None:
        mapping = layout_mapping(layout, table)
        if not mapping.with_roles(choices.named_columns).complete:
            names = ", ".join(f'"{name}"' for name in table.names[:30])
            todo = f"choose the columns yourself among {names}"
            raise CorpusError(f"the columns of {layout.name} are missing", todo, table.origin.path)
    else:
        without = {*choices.without, *table.annotators}
        guess = guess_roles(table, choices.named_columns, without, choices.positive, choices.missing)
        certain = guess.certain and not _repeated_names(table, guess.mapping) - set(choices.wanted_columns)
        both = choices.named_columns.get("source") and choices.named_columns.get("hypothesis")
        question = guess.question or (None if both else describe_unpaired(table, certain))
        return RecognisedTable(
            table,
            None,
            guess.mapping,
            certain,
            question=question,
            remarks=(*table.origin.remarks, *guess.remarks),
            by_content=guess.by_content,
        )
    mapping = mapping.with_roles({role: None for role in ROLES if getattr(mapping, role) in choices.without})
    mapping = mapping.with_roles(choices.named_columns)
    question = None if choices.positive else ask_about_equal_sentences(table, mapping, _MANY_EQUAL)
    return RecognisedTable(
        table, layout, mapping, certain=question is None, question=question, remarks=table.origin.remarks
    )


def _repeated_names(table: RawTable, mapping: ColumnMapping) -> set[str]:
    """Return the columns of a mapping whose names belong to several columns; two sentences of one name are a pair."""
    repeated = set(table.repeated) & set(mapping.columns)
    return repeated - {mapping.source} if mapping.hypothesis == f"{mapping.source} (2)" else repeated


def to_pairs(table: RawTable, layout: CorpusLayout | None, choices: ReadingChoices) -> RecognisedTable:
    """Convert a table to one with one row per pair, and assign the roles.

    Raises:
        CorpusError: As `assign_roles`, or the table has not the shape that the user chose.
    """
    choices = find_named_columns(table, choices)
    if table.origin.has_header:
        table = replace(table, origin=replace(table.origin, file_columns=tuple(table.names)))
    pairs = reshape(table, choices.named_columns, choices.shape)
    if (
        choices.shape is None
        and pairs.origin.shape == "pairs"
        and (remark := describe_repeats(pairs, choices.named_columns))
    ):
        pairs = replace(pairs, origin=replace(pairs.origin, remarks=(*pairs.origin.remarks, remark)))
    if pairs.roles:
        choices = replace(choices, roles=tuple({**pairs.roles, **dict(choices.roles)}.items()))
    if gone := set(table.names) - set(pairs.names):
        # a column that the user named, such as that of the answers, became columns of persons, or of references
        named = {
            role: None if gone.intersection(list_columns([value])) else value
            for role, value in choices.named_columns.items()
        }
        if "reference" in pairs.names and gone.intersection(list_columns([choices.named_columns.get("reference")])):
            del named["reference"]
        choices = replace(choices, mapping=None, roles=tuple(named.items()))
    return assign_roles(pairs, layout, choices)


def find_named_columns(table: RawTable, choices: ReadingChoices) -> ReadingChoices:
    """Return the choices with the names of columns that the user named by number, from 1; "none" becomes None."""

    def find(name: str | None) -> str | None:
        if name == _NO_COLUMN and name not in table.names:
            return None
        if name is None or name in table.names or not name.isdecimal() or not 0 < int(name) <= len(table.names):
            return name
        return table.names[int(name) - 1]

    roles: tuple[tuple[str, Columns], ...] = tuple(
        (role, tuple(filter(None, map(find, value))) if isinstance(value, tuple) else find(value))
        for role, value in choices.roles
    )
    return choices if roles == choices.roles else replace(choices, roles=roles)
