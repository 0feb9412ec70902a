"""Reads large Parquet files in blocks of rows, always with the same columns."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

from parapluie_gui.errors import CorpusError, NoPairsError, one_line
from parapluie_gui.files import check_is_file
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pairs.reading.dispatch import ReadingChoices, RecognisedTable, assign_roles, find_named_columns
from parapluie_gui.pairs.reading.layouts import find_layout
from parapluie_gui.pairs.reading.limits import check_columns
from parapluie_gui.pairs.reading.parquet import decode_cells, parquet_errors
from parapluie_gui.pairs.reading.raw_table import SAMPLE_ROWS, FileOrigin, RawTable, unique_names
from parapluie_gui.pairs.reading.reader import to_corpus

if TYPE_CHECKING:
    import pyarrow
    import pyarrow.parquet

ENDING = ".parquet"


@dataclass(frozen=True)
class RowBlock:
    """A range of rows of one file, from the 0-based `start`; `number` counts the blocks of a corpus from 0."""

    number: int
    file: int
    start: int
    rows: int


class BlockCorpus:
    """A Parquet file, or a folder of them, as blocks of pairs.

    The last decoded row group is cached, so reading blocks in order decodes each group once.

    Args:
        path: The file or folder; the files of a folder are ordered by name.
        choices: The user's decisions about columns; a role without one is recognised from the first file.
        files: The files of a folder to read; None for all.

    Raises:
        CorpusError: The file is missing or is not a Parquet file.
    """

    def __init__(self, path: Path, choices: ReadingChoices | None = None, files: Sequence[Path] | None = None) -> None:
        self.path = path
        self.files = parquet_files(path) if files is None else list(files)
        self._choices = choices or ReadingChoices()
        self._open: tuple[int, pyarrow.parquet.ParquetFile] | None = None
        self._group: tuple[int, int, pyarrow.Table] | None = None

    @cached_property
    def rows(self) -> tuple[int, ...]:
        """The number of rows of each file, from the metadata."""
        return tuple(self._file(number).metadata.num_rows for number in range(len(self.files)))

    def __len__(self) -> int:
        return sum(self.rows)

    def blocks(self, size: int) -> list[RowBlock]:
        """Return blocks of at most `size` rows, each within one file."""
        places = [(file, start) for file, rows in enumerate(self.rows) for start in range(0, rows, size)]
        return [
            RowBlock(number, file, start, min(size, self.rows[file] - start))
            for number, (file, start) in enumerate(places)
        ]

    @cached_property
    def choices(self) -> ReadingChoices:
        """The user's choices completed with the columns of all roles, recognised from the first rows if necessary."""
        first = next((number for number, rows in enumerate(self.rows) if rows), None)
        if first is None:
            raise CorpusError("it has no rows", "choose a file with sentence pairs", self.path)
        choices = self._choices
        if choices.mapping is not None:
            named = tuple((role, column) for role, column in vars(choices.mapping).items() if column is not None)
            choices = replace(choices, mapping=None, roles=(*named, *choices.roles))
        reading = self._assign_roles(first, 0, min(SAMPLE_ROWS, self.rows[first]), choices)
        to_corpus(reading, self.path.name, choices)  # raises if the columns are unsuitable
        return replace(choices, mapping=reading.mapping, roles=())

    def read(self, block: RowBlock) -> Corpus | None:
        """Read the pairs of a block; None if no row holds a pair.

        Without a column of ids, a pair's id is its row number in the corpus, from 1.

        Raises:
            CorpusError: The file is damaged, or its columns differ from those of the first file.
        """
        choices = self.choices
        reading = self._assign_roles(block.file, block.start, block.rows, choices)
        try:
            corpus = to_corpus(reading, one_line(self.path.stem), choices)
        except NoPairsError:
            return None
        if choices.mapping is not None and choices.mapping.id is None:
            before = [0, *accumulate(self.rows)][block.file] + block.start
            corpus = replace(corpus, id=[str(int(number) + before) for number in corpus.id])
        return corpus

    def _assign_roles(self, file: int, start: int, rows: int, choices: ReadingChoices) -> RecognisedTable:
        layout = None if choices.layout is None else find_layout(choices.layout, self.path)
        table = self._table(file, start, rows)
        return assign_roles(table, layout, find_named_columns(table, choices))

    def _table(self, file: int, start: int, rows: int) -> RawTable:
        names: Sequence[str] = ()
        columns: list[list[object]] = []
        for part in self._parts(file, start, rows):
            names = part.column_names
            columns = columns or [[] for _ in names]
            for cells, name, column in zip(columns, names, part.columns, strict=True):
                cells += decode_cells(name, column, self.files[file])
        check_columns(len(names), self.files[file])
        unique, repeated = unique_names(names)
        lines = range(start + 1, start + rows + 1)
        return RawTable(unique, columns, lines, FileOrigin(kind="parquet", path=self.files[file]), repeated=repeated)

    def _parts(self, file: int, start: int, rows: int) -> list[pyarrow.Table]:
        """Return a range of rows in parts, one for each row group."""
        parts = []
        begin = 0
        meta = self._file(file).metadata
        for group in range(meta.num_row_groups):
            end = begin + meta.row_group(group).num_rows
            low, high = max(start, begin), min(start + rows, end)
            if low < high:
                parts.append(self._decode_group(file, group).slice(low - begin, high - low))
            begin = end
        return parts

    def _decode_group(self, file: int, group: int) -> pyarrow.Table:
        if self._group is None or self._group[:2] != (file, group):
            self._group = None  # frees its memory before the next one is decoded
            with parquet_errors(self.files[file]):
                self._group = file, group, self._file(file).read_row_group(group)
        return self._group[2]

    def _file(self, number: int) -> pyarrow.parquet.ParquetFile:
        import pyarrow.parquet

        if self._open is None or self._open[0] != number:
            self.close()
            with parquet_errors(self.files[number]):
                check_is_file(self.files[number])
                with contextlib.ExitStack() as failing:
                    file = failing.enter_context(self.files[number].open("rb"))
                    self._open = number, pyarrow.parquet.ParquetFile(file, page_checksum_verification=True)
                    failing.pop_all()
        return self._open[1]

    def close(self) -> None:
        """Close the open file, if any."""
        if self._open is not None:
            self._open[1].close(force=True)
            self._open = self._group = None


def parquet_files(path: Path) -> list[Path]:
    """Return the Parquet files of a folder, ordered by name, or the single file of a path.

    Raises:
        CorpusError: There is no Parquet file.
    """
    if path.is_dir():
        if files := sorted(file for file in path.iterdir() if file.suffix.lower() == ENDING and file.is_file()):
            return files
        raise CorpusError("there is no Parquet file in this folder", "choose a folder of .parquet files", path)
    if not path.exists():
        raise CorpusError("there is no such file", "check the path", path)
    if path.suffix.lower() != ENDING:
        todo = (
            f"write it as Parquet first, for instance with pandas: read_csv({path.name!r}).to_parquet('pairs.parquet')"
        )
        raise CorpusError("only Parquet files can be split into parts", todo, path)
    return [path]
