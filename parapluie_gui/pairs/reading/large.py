"""Parquet files of more pairs than a table can show: a uniform sample of them, an exact count, and all of some columns.

Everything goes over the rows in pieces, so that memory does not grow with the files.
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
from parapluie_gui.pairs.reading.dispatch import mapped
from parapluie_gui.pairs.reading.parquet import cells_of, reading_of
from parapluie_gui.pairs.reading.raw_table import Origin, RawTable, Tick
from parapluie_gui.pairs.reading.reader import to_corpus

if TYPE_CHECKING:
    import pyarrow

#: Most pairs that are shown whole: a table of them takes three gigabytes.
MOST_PAIRS = 2_000_000

#: Pairs of a sample.
SAMPLE = 100_000

#: Rows decoded at a time, and rows of numbers that are passed on at a time: files may be small and many.
_PIECE = 65_536
_NUMBERS = 1_000_000


@dataclass(frozen=True)
class Whole:
    """What a sample was drawn from.

    Attributes:
        path: The file or folder.
        pairs: Its pairs, counted.
        seed: The seed of the sample.
        label: The column that plays the role of the label, or "".
        human: The column of human scores, or "".
    """

    path: Path
    pairs: int
    seed: int = 0
    label: str = ""
    human: str = ""


@dataclass(frozen=True)
class Sampled:
    """A uniform sample of the pairs of files that are too large."""

    corpus: Corpus
    whole: Whole


def is_folder_of_parquet(path: Path) -> bool:
    """Return whether a path is a folder with Parquet files directly in it."""
    return path.is_dir() and any(each.suffix.lower() == ENDING for each in path.iterdir())


def rows_of(path: Path) -> int:
    """Return how many rows Parquet files have, as their ends say.

    Raises:
        CorpusError: One is damaged.
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
) -> Sampled:
    """Return a uniform sample of the pairs of a Parquet file or of a folder of them, all where there are no more.

    Each row is as likely as any other to be among `size` that are looked at; those without a pair are left out.

    Args:
        path: The file or folder.
        files: Which files of the folder count; None for all.
        size: Rows to draw.
        seed: The same draws the same rows.
        tick: Called with the number of rows gone over; what it raises stops the reading.

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
    names: dict[str, list[object]] = {}
    pairs, start, found = 0, 0, 0
    for file, piece in _pieces(blocks.files):
        pairs += _pairs_in(piece, mapping.source, mapping.hypothesis)
        low, high = np.searchsorted(drawn, [start, start + piece.num_rows])
        if high > low:
            _collect(names, piece.take(drawn[low:high] - start), file, found)
            found += int(high - low)
        start += piece.num_rows
        tick(start)
    table = RawTable(list(names), list(names.values()), (drawn + 1).tolist(), Origin(kind="parquet", path=path))
    reading = mapped(table, None, choices)
    corpus = to_corpus(reading, one_line(path.name if path.is_dir() else path.stem), choices.positive)
    if mapping.id is None:  # a pair's id is the number of its row in the whole corpus
        corpus = replace(corpus, id=[str(int(drawn[int(number) - 1]) + 1) for number in corpus.id])
    label, human = (column if isinstance(column, str) else "" for column in (mapping.label, mapping.human))
    return Sampled(corpus, Whole(path, pairs, seed, label, human))


def numbers_of(files: Sequence[Path], columns: Sequence[str]) -> Iterator[list[Floats]]:
    """Yield all rows of some columns of numbers, piece by piece: float64 (k,) each, NaN where there is no number.

    Raises:
        CorpusError: A file is damaged, or one of the columns is not there or holds texts.
    """
    names, waiting, rows = list(dict.fromkeys(columns)), [], 0
    for file, piece in _pieces(files, names):
        if piece.num_rows:
            waiting.append({name: _numbers(piece, name, file) for name in names})
            rows += piece.num_rows
        if rows >= _NUMBERS:
            yield [np.concatenate([each[name] for each in waiting]) for name in columns]
            waiting, rows = [], 0
    if waiting:
        yield [np.concatenate([each[name] for each in waiting]) for name in columns]


def _numbers(piece: pyarrow.RecordBatch, name: str, file: Path) -> Floats:
    import pyarrow

    place = piece.schema.get_field_index(name)
    kind = piece.schema.field(place).type if place >= 0 else pyarrow.string()
    types = pyarrow.types
    if types.is_null(kind):
        return np.full(piece.num_rows, np.nan)
    if not any(is_such(kind) for is_such in (types.is_integer, types.is_floating, types.is_boolean)):
        raise CorpusError(f'column "{name}" holds no numbers', "choose another column for the axis", file)
    column = piece.column(place)
    if types.is_boolean(kind):
        column = column.cast(pyarrow.int8())
    return np.asarray(column.cast(pyarrow.float64()).to_numpy(zero_copy_only=False), dtype=np.float64)


def _pieces(files: Sequence[Path], columns: Sequence[str] | None = None) -> Iterator[tuple[Path, pyarrow.RecordBatch]]:
    """Yield all rows of files in pieces, with the file that each is from."""
    import pyarrow.parquet

    for path in files:
        with reading_of(path):
            check_is_file(path)
            # With a buffer, columns are read as they are decoded: a group of rows may be as large as the file.
            with (
                path.open("rb") as file,
                pyarrow.parquet.ParquetFile(file, buffer_size=1 << 20, page_checksum_verification=True) as whole,
            ):
                # One group after the other: a reader of all keeps what it has read.
                for group in range(whole.num_row_groups):
                    for piece in whole.iter_batches(_PIECE, [group], columns):
                        yield path, piece


def _collect(names: dict[str, list[object]], rows: pyarrow.RecordBatch, file: Path, before: int) -> None:
    """Put drawn rows behind those of earlier pieces; a column that only some files have is missing in the others."""
    for name, column in zip(rows.schema.names, rows.columns, strict=True):
        cells = names.setdefault(name, [None] * before)
        cells += cells_of(name, column, file)
    for cells in names.values():
        cells += [None] * (before + rows.num_rows - len(cells))


def _pairs_in(piece: pyarrow.RecordBatch, *sentences: str) -> int:
    """Return how many rows hold a pair: text that is not blank in both columns."""
    import pyarrow
    import pyarrow.compute as pc

    good = np.ones(piece.num_rows, dtype=bool)
    for name in sentences:
        if (place := piece.schema.get_field_index(name)) < 0:
            return 0
        text = piece.column(place)
        if not pyarrow.types.is_large_string(text.type):
            text = text.cast(pyarrow.string())
        there = pc.and_not(pc.greater(pc.binary_length(text), 0), pc.utf8_is_space(text)).fill_null(False)
        good &= there.to_numpy(zero_copy_only=False).astype(bool)
    return int(np.count_nonzero(good))
