"""Reads Parquet files, and estimates from their metadata how much memory reading will take."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from parapluie_gui.errors import CorpusError, first_line
from parapluie_gui.own_files import UNEXPECTED_VALUE, parse_json
from parapluie_gui.pairs.reading import isolated
from parapluie_gui.pairs.reading.cells import to_cell
from parapluie_gui.pairs.reading.limits import check_columns, check_memory, memory_limit
from parapluie_gui.pairs.reading.raw_table import FileOrigin, RawTable, Tick, unique_names

if TYPE_CHECKING:
    import pyarrow
    import pyarrow.parquet

#: Bytes of memory for each cell: a Python object and its place in a list.
_CELL = 80
#: Copies of the unpacked bytes in memory: pyarrow's pages, its columns, Python's texts.
_COPIES = 3


def read_parquet(data: bytes, path: Path, limit: int | None = None, tick: Tick | None = None) -> RawTable:
    """Read the columns of a Parquet file; the lines of the table are record numbers.

    Raises:
        CorpusError: The file is damaged or too large, has no row, or has dates that Python does not support.
    """
    if fits_in_memory(data, path):
        names, columns = _read(data, path, limit)
    else:
        todo = "export it again in parts, or without columns of lists"
        messages = isolated.read("parquet:stream_blocks", data, path, limit, todo)
        names = next(messages)
        columns = [[] for _ in names]
        for number, cells in messages:
            columns[number] += cells
    rows = len(columns[0]) if columns else 0
    if not rows:
        raise CorpusError("it has no rows", "choose a file with sentence pairs", path)
    unique, repeated = unique_names(names)
    if tick is not None:
        tick(rows)
    return RawTable(unique, columns, range(1, rows + 1), FileOrigin(kind="parquet", path=path), repeated=repeated)


def stream_blocks(data: bytes, path: Path, limit: int | None) -> Iterator[Any]:
    """Yield the names of the columns, then parts of columns, each with its column's index; runs in a child process.

    Raises:
        CorpusError: In the same cases as `read_parquet`.
    """
    names, columns = _read(data, path, limit)
    yield names
    for number, column in enumerate(columns):
        for start in range(0, len(column), isolated.BLOCK):
            yield number, column[start : start + isolated.BLOCK]


def _read(data: bytes, path: Path, limit: int | None) -> tuple[list[str], list[list[object]]]:
    """Return the columns' names and cells, of all rows or the first `limit`."""
    import pyarrow

    with parquet_errors(path):
        file = _open(data)
        if limit is None:
            table = file.read()
        else:
            table = pyarrow.Table.from_batches(islice(file.iter_batches(batch_size=limit), 1), schema=file.schema_arrow)
    names = table.column_names
    columns = [decode_cells(name, column, path) for name, column in zip(names, table.columns, strict=True)]
    classes = _classes(table.schema)
    for at, name in enumerate(names):
        if name in classes:
            columns[at] = [_class_name(cell, classes[name]) for cell in columns[at]]
    return names, columns


def _classes(schema: pyarrow.Schema) -> dict[str, list[str]]:
    """Return the class names of columns of class numbers, from the metadata of Hugging Face data sets."""
    try:
        features = parse_json((schema.metadata or {})[b"huggingface"])["info"]["features"]
        return {
            name: list(map(str, feature["names"]))
            for name, feature in features.items()
            if isinstance(feature, dict) and feature.get("_type") == "ClassLabel"
        }
    except UNEXPECTED_VALUE:
        return {}


def _class_name(cell: object, names: Sequence[str]) -> object:
    return names[cell] if isinstance(cell, int) and 0 <= cell < len(names) else None


def decode_cells(name: str, column: pyarrow.ChunkedArray, path: Path) -> list[object]:
    """Decode the cells of a column.

    Raises:
        CorpusError: The cells are dates that Python does not support, or cannot be decoded.
    """
    import pyarrow

    types = pyarrow.types
    try:
        values: list[object] = column.to_pylist()
    except OverflowError as error:
        what = f'column "{name}" contains dates or times outside the years 1 to 9999'
        raise CorpusError(what, "export it as text, or leave the column out", path) from error
    except (pyarrow.ArrowException, ValueError) as error:
        raise CorpusError(f'column "{name}" cannot be decoded', "export the file again", path) from error
    simple = (types.is_string, types.is_large_string, types.is_integer, types.is_floating, types.is_boolean)
    return values if any(is_such(column.type) for is_such in simple) else [to_cell(value) for value in values]


@contextmanager
def parquet_errors(path: Path) -> Iterator[None]:
    """Convert pyarrow's errors while reading a file to CorpusErrors."""
    import pyarrow

    try:
        yield
    except MemoryError:  # pyarrow's MemoryError is also an ArrowException
        raise
    except pyarrow.ArrowNotImplementedError as error:
        what = f"part of the Parquet file cannot be read ({first_line(error)})"
        raise CorpusError(what, "export it again with text and number columns only", path) from error
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise CorpusError("the Parquet file is damaged", "download or export it again", path) from error


def _open(data: bytes, dictionaries: Sequence[str] = ()) -> pyarrow.parquet.ParquetFile:
    """Open a Parquet file; columns named in `dictionaries` are read as distinct values and indices into them."""
    import pyarrow.parquet

    return pyarrow.parquet.ParquetFile(
        io.BytesIO(data), read_dictionary=list(dictionaries), page_checksum_verification=True
    )


# Estimating the memory


def fits_in_memory(data: bytes, path: Path) -> bool:
    """Return whether a Parquet file certainly fits in the memory limit when unpacked; False if that is unknown.

    A text that is repeated in many rows is stored once, so a few kilobytes may unpack to terabytes.

    Raises:
        CorpusError: The file is damaged, or certainly takes too much memory.
    """
    with parquet_errors(path):
        file = _open(data)
        meta = file.metadata
        groups = [meta.row_group(number) for number in range(meta.num_row_groups)]
        numbers = range(meta.num_columns)
        chunks = [group.column(number) for group in groups for number in numbers]
        cells = max(meta.num_rows * meta.num_columns, sum(chunk.num_values for chunk in chunks))
        needed = _CELL * cells + _COPIES * sum(chunk.total_uncompressed_size for chunk in chunks)
        lengths = [file.schema.column(number).length or 0 for number in numbers]  # of fixed-length texts
        needed += _COPIES * meta.num_rows * sum(lengths)
        check_columns(meta.num_columns, path)
        check_memory(needed, path)
        left = memory_limit() - needed
        texts = [chunk for chunk in chunks if chunk.physical_type == "BYTE_ARRAY"]
        if _COPIES * sum(chunk.num_values * chunk.total_uncompressed_size for chunk in texts) <= left:
            return True
        if not all(_has_plain_texts(chunk) for chunk in texts):
            return False
        return bool(_COPIES * _largest_text_size(data, sorted({chunk.path_in_schema for chunk in texts})) <= left)


def _has_plain_texts(chunk: pyarrow.parquet.ColumnChunkMetaData) -> bool:
    """Return whether a column's texts are stored plainly or as a dictionary of distinct texts."""
    nested = "." in chunk.path_in_schema
    return not nested and set(chunk.encodings) <= {"PLAIN", "RLE", "BIT_PACKED", "PLAIN_DICTIONARY", "RLE_DICTIONARY"}


def _largest_text_size(data: bytes, names: Sequence[str]) -> int:
    """Return an upper bound of the size of columns' texts in bytes, assuming the longest text in every row."""
    import pyarrow
    import pyarrow.compute

    file = _open(data, names)
    total = 0
    for number in range(file.num_row_groups):
        # Reading the first row also reads the whole dictionary of distinct texts.
        batch = next(file.iter_batches(batch_size=1, row_groups=[number], columns=list(names)), None)
        for column in batch.columns if batch is not None else ():
            texts = column.dictionary if isinstance(column, pyarrow.DictionaryArray) else column
            longest = pyarrow.compute.max(pyarrow.compute.binary_length(texts)).as_py() or 0
            total += longest * file.metadata.row_group(number).num_rows
    return total
