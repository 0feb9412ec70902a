"""Samples and counts the pairs of Parquet files that are too large for the table, and reads single columns of them.

All functions process the rows in pieces, so memory does not grow with the files.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from parapluie_gui.arrays import Floats
from parapluie_gui.errors import CorpusError, one_line
from parapluie_gui.files import check_is_file
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pairs.reading.blocks import ENDING, BlockCorpus
from parapluie_gui.pairs.reading.dispatch import assign_roles
from parapluie_gui.pairs.reading.parquet import decode_cells, parquet_errors
from parapluie_gui.pairs.reading.raw_table import FileOrigin, RawTable, Tick
from parapluie_gui.pairs.reading.reader import to_corpus

if TYPE_CHECKING:
    import pyarrow

#: Maximum number of pairs that are loaded completely; a table of them takes three gigabytes.
MOST_PAIRS = 2_000_000

#: Number of pairs of a sample.
SAMPLE = 100_000

#: Number of rows decoded at a time, and of rows of numbers yielded at a time, which may span many small files.
_PIECE = 65_536
_NUMBERS = 1_000_000


@dataclass(frozen=True)
class SampleOrigin:
    """The origin of a sample.

    Attributes:
        path: The file or folder.
        pairs: The exact number of its pairs.
        seed: The seed of the sample.
        label: The column of labels, or "".
        human: The column of human scores, or "".
    """

    path: Path
    pairs: int
    seed: int = 0
    label: str = ""
    human: str = ""


@dataclass(frozen=True)
class SampledCorpus:
    """A uniform sample of the pairs of files that are too large for the table, and its origin."""

    corpus: Corpus
    origin: SampleOrigin


def is_folder_of_parquet(path: Path) -> bool:
    """Return whether a path is a folder with Parquet files directly in it."""
    return path.is_dir() and any(file.suffix.lower() == ENDING for file in path.iterdir())


def count_rows(path: Path) -> int:
    """Count the rows of Parquet files from their metadata.

    Raises:
        CorpusError: A file is damaged.
    """
    with contextlib.closing(BlockCorpus(path)) as blocks:
        return len(blocks)


def read_sample(
    path: Path,
    files: Sequence[Path] | None = None,
    *,
    size: int = SAMPLE,
    seed: int = 0,
    tick: Tick = lambda rows: None,
) -> SampledCorpus:
    """Draw a uniform sample of the pairs of a Parquet file or a folder of them; return all if they are few.

    `size` rows are drawn with equal probability; those without a pair are left out.

    Args:
        path: The file or folder.
        files: The files of the folder to read; None for all.
        size: The number of rows to draw.
        seed: The random seed.
        tick: Called with the number of rows processed; an exception that it raises stops the reading.

    Raises:
        CorpusError: A file is damaged or has no columns of sentences, or there is no pair.
    """
    with contextlib.closing(BlockCorpus(path, files=files)) as blocks:
        rows, choices = blocks.rows, blocks.choices
    mapping = choices.mapping
    assert mapping is not None and isinstance(mapping.source, str) and isinstance(mapping.hypothesis, str)
    total = sum(rows)
    random = np.random.default_rng(seed)
    drawn = np.arange(total) if total <= size else np.sort(random.choice(total, size, replace=False, shuffle=False))
    cells: dict[str, list[object]] = {}
    pairs = start = collected = 0
    for file, piece in _pieces(blocks.files):
        pairs += _pairs_in(piece, mapping.source, mapping.hypothesis)
        low, high = np.searchsorted(drawn, [start, start + piece.num_rows])
        if high > low:
            _collect(cells, piece.take(drawn[low:high] - start), file, collected)
            collected += int(high - low)
        start += piece.num_rows
        tick(start)
    table = RawTable(list(cells), list(cells.values()), (drawn + 1).tolist(), FileOrigin(kind="parquet", path=path))
    reading = assign_roles(table, None, choices)
    corpus = to_corpus(reading, one_line(path.name if path.is_dir() else path.stem), choices)
    if mapping.id is None:  # a pair's id is its row number in all files
        corpus = replace(corpus, id=[str(int(drawn[int(number) - 1]) + 1) for number in corpus.id])
    label, human = (column if isinstance(column, str) else "" for column in (mapping.label, mapping.human))
    return SampledCorpus(corpus, SampleOrigin(path, pairs, seed, label, human))


def read_numbers(files: Sequence[Path], columns: Sequence[str]) -> Iterator[list[Floats]]:
    """Yield all rows of numeric columns in pieces: float64 (k,) for each column, NaN for missing numbers.

    Raises:
        CorpusError: A file is damaged, or one of the columns is missing or holds texts.
    """
    names = list(dict.fromkeys(columns))
    waiting, rows = [], 0
    for file, piece in _pieces(files, names):
        if piece.num_rows:
            waiting.append({name: _numbers(piece, name, file) for name in names})
            rows += piece.num_rows
        if rows >= _NUMBERS:
            yield [np.concatenate([numbers[name] for numbers in waiting]) for name in columns]
            waiting, rows = [], 0
    if waiting:
        yield [np.concatenate([numbers[name] for numbers in waiting]) for name in columns]


def _numbers(piece: pyarrow.RecordBatch, name: str, file: Path) -> Floats:
    import pyarrow

    place = piece.schema.get_field_index(name)
    kind = piece.schema.field(place).type if place >= 0 else pyarrow.string()
    types = pyarrow.types
    if types.is_null(kind):
        return np.full(piece.num_rows, np.nan)
    if not any(is_such(kind) for is_such in (types.is_integer, types.is_floating, types.is_boolean)):
        raise CorpusError(f'column "{name}" contains no numbers', "choose a different column for the axis", file)
    column = piece.column(place)
    if types.is_boolean(kind):
        column = column.cast(pyarrow.int8())
    return np.asarray(column.cast(pyarrow.float64()).to_numpy(zero_copy_only=False), dtype=np.float64)


def _pieces(files: Sequence[Path], columns: Sequence[str] | None = None) -> Iterator[tuple[Path, pyarrow.RecordBatch]]:
    """Yield all rows of files in pieces, each with its file."""
    import pyarrow.parquet

    for path in files:
        with parquet_errors(path):
            check_is_file(path)
            # A buffer makes pyarrow read columns while decoding; a row group may be as large as the file.
            with (
                path.open("rb") as file,
                pyarrow.parquet.ParquetFile(file, buffer_size=1 << 20, page_checksum_verification=True) as parquet,
            ):
                # Groups are read one by one, because one reader for all groups keeps them in memory.
                for group in range(parquet.num_row_groups):
                    for piece in parquet.iter_batches(_PIECE, [group], columns):
                        yield path, piece


def _collect(names: dict[str, list[object]], rows: pyarrow.RecordBatch, file: Path, before: int) -> None:
    """Append rows to the columns of earlier pieces; cells of a column that a file lacks are missing."""
    for name, column in zip(rows.schema.names, rows.columns, strict=True):
        cells = names.setdefault(name, [None] * before)
        cells += decode_cells(name, column, file)
    for cells in names.values():
        cells += [None] * (before + rows.num_rows - len(cells))


def _pairs_in(piece: pyarrow.RecordBatch, *sentences: str) -> int:
    """Count the rows with a pair, that is, text that is not blank in both columns."""
    import pyarrow
    import pyarrow.compute as pc

    good = np.ones(piece.num_rows, dtype=bool)
    for name in sentences:
        if (place := piece.schema.get_field_index(name)) < 0:
            return 0
        text = piece.column(place)
        if not pyarrow.types.is_large_string(text.type):
            text = text.cast(pyarrow.string())
        filled = pc.and_not(pc.greater(pc.binary_length(text), 0), pc.utf8_is_space(text)).fill_null(False)
        good &= filled.to_numpy(zero_copy_only=False).astype(bool)
    return int(np.count_nonzero(good))
