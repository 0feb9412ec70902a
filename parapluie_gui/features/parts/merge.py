"""Merges the parts of a folder into one table, once all of them exist."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from parapluie_gui.errors import ParapluieError, explain_write_errors
from parapluie_gui.features.parts.folder import MANIFEST, PartsManifest, list_part_files, read_manifest
from parapluie_gui.features.parts.part_file import part_schema, read_part, translate_errors
from parapluie_gui.files import atomic_write
from parapluie_gui.version import __version__

if TYPE_CHECKING:
    import pyarrow
    import pyarrow.parquet


@dataclass(frozen=True)
class MergedCorpus:
    """The size of a merged table."""

    parts: int
    pairs: int


def merge(folder: Path, output: Path, tick: Callable[[int, int], None] = lambda done, all: None) -> MergedCorpus:
    """Write all parts of a folder to one Parquet file, in the order of the corpus; one part is in memory at a time.

    Raises:
        ParapluieError: A part is missing, present twice, damaged or scored with different settings, or the file cannot
            be written; an existing file is then unchanged.
    """
    import pyarrow.parquet

    manifest = read_manifest(folder)
    paths = find_all_parts(folder, manifest)
    schema = _merge_schemas(paths, folder.name, manifest)
    pairs = 0
    with (
        explain_write_errors(output),
        atomic_write(output) as temporary,
        temporary.open("wb") as file,
        pyarrow.parquet.ParquetWriter(file, schema, write_page_checksum=True) as writer,
    ):
        for number, path in enumerate(paths):
            part = read_part(path, manifest)
            if part.num_rows:
                with translate_errors(path):
                    fitted = _fit(part, schema)
                writer.write_table(fitted)
            pairs += part.num_rows
            tick(number + 1, len(paths))
    return MergedCorpus(len(paths), pairs)


def find_all_parts(folder: Path, manifest: PartsManifest) -> list[Path]:
    """Return the files of all parts in their order.

    Raises:
        ParapluieError: A part is missing, present twice, or does not belong to this corpus.
    """
    paths_by_number = list_part_files(folder)
    if missing := manifest.parts - sum(number < manifest.parts for number in paths_by_number):
        number = next(number for number in range(manifest.parts) if number not in paths_by_number)
        first = f"part {number}" if missing == 1 else f"the first is part {number}"
        raise ParapluieError(
            f"{folder}: {missing:,} of {manifest.parts:,} parts {'is' if missing == 1 else 'are'} missing "
            f"({first}). Run the shards again: existing parts are not scored again."
        )
    for number, paths in paths_by_number.items():
        if len(paths) > 1:
            raise ParapluieError(
                f"{folder}: part {number} is present twice ({' and '.join(path.name for path in paths[:2])}). "
                "Run its shard again, which keeps the file that belongs to this corpus."
            )
        if number >= manifest.parts:
            raise ParapluieError(
                f"{folder}: {paths[0].name} is an extra part: {MANIFEST} lists {manifest.parts:,}. Move it elsewhere."
            )
    return [paths_by_number[number][0] for number in range(manifest.parts)]


def concatenate(tables: Sequence[pyarrow.Table]) -> pyarrow.Table:
    """Return the rows of several parts as one table, with every column that occurs in any of them."""
    import pyarrow

    types: dict[str, pyarrow.DataType] = {}
    for table in tables:
        _widen(types, table.schema)
    schema = pyarrow.schema(list(types.items()))
    return pyarrow.concat_tables([_fit(table, schema) for table in tables])


def _merge_schemas(paths: Sequence[Path], name: str, manifest: PartsManifest) -> pyarrow.Schema:
    """Return the columns of all parts; a column with texts in some parts and numbers in others becomes texts."""
    import pyarrow

    types: dict[str, pyarrow.DataType] = {}
    for path in paths:
        _widen(types, part_schema(path, manifest))
    data = {"written by": f"ParaPLUIE Inspector {__version__}", "corpus": name, "signatures": manifest.signatures}
    return pyarrow.schema(list(_order_columns(types, manifest).items()), {"parapluie.signatures": json.dumps(data)})


def _order_columns(types: dict[str, pyarrow.DataType], manifest: PartsManifest) -> dict[str, pyarrow.DataType]:
    """Return the columns with the scores last, whatever their order in the parts."""
    import pyarrow

    def is_score(column: str) -> bool:
        return any(column == score or column.startswith(f"{score}.p_") for score in manifest.signatures)

    order = sorted(types, key=is_score)
    return {name: pyarrow.string() if pyarrow.types.is_null(types[name]) else types[name] for name in order}


def _widen(types: dict[str, pyarrow.DataType], schema: pyarrow.Schema) -> None:
    """Extend column types so that they can also hold the columns of `schema`."""
    import pyarrow

    for field in schema:
        types[field.name] = _common_type(types.get(field.name, pyarrow.null()), field.type)


def _common_type(one: pyarrow.DataType, two: pyarrow.DataType) -> pyarrow.DataType:
    import pyarrow

    if one == two or pyarrow.types.is_null(two):
        return one
    if pyarrow.types.is_null(one):
        return two
    numbers = (pyarrow.types.is_integer, pyarrow.types.is_floating)
    if all(any(is_number(kind) for is_number in numbers) for kind in (one, two)):
        return pyarrow.float64()
    return pyarrow.large_string() if pyarrow.large_string() in (one, two) else pyarrow.string()


def _fit(table: pyarrow.Table, schema: pyarrow.Schema) -> pyarrow.Table:
    """Return a part with all columns of `schema`; missing columns are null."""
    import pyarrow

    columns = [
        table.column(field.name).cast(field.type)
        if field.name in table.column_names
        else pyarrow.nulls(table.num_rows, field.type)
        for field in schema
    ]
    return pyarrow.Table.from_arrays(columns, schema=schema)
