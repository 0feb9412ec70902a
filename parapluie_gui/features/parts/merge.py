"""The parts of a folder as one table, once they are all there."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from parapluie_gui.errors import ParapluieError
from parapluie_gui.features.parts.folder import MANIFEST, Manifest, parts_in, read_manifest
from parapluie_gui.features.parts.part_file import damaged, part_schema, read_part
from parapluie_gui.files import atomic_write
from parapluie_gui.version import __version__

if TYPE_CHECKING:
    import pyarrow
    import pyarrow.parquet


@dataclass(frozen=True)
class MergedCorpus:
    """What was put together."""

    parts: int
    pairs: int


def merge(folder: Path, output: Path, tick: Callable[[int, int], None] = lambda done, all: None) -> MergedCorpus:
    """Write all parts of a folder as one Parquet file, in the order of the corpus; one part is in memory at a time.

    Raises:
        ParapluieError: A part is missing, there twice, damaged or scored with other settings, or the file cannot be
            written; then it is as it was.
    """
    import pyarrow.parquet

    manifest = read_manifest(folder)
    paths = check_parts(folder, manifest)
    schema = _schema(paths, folder.name, manifest)
    pairs = 0
    try:
        with (
            atomic_write(output) as whole,
            whole.open("wb") as file,
            pyarrow.parquet.ParquetWriter(file, schema, write_page_checksum=True) as to,
        ):
            for number, path in enumerate(paths):
                part = read_part(path, manifest)
                if part.num_rows:
                    with damaged(path):
                        fitted = _fitted(part, schema)
                    to.write_table(fitted)
                pairs += part.num_rows
                tick(number + 1, len(paths))
    except OSError as error:
        raise ParapluieError(
            f"{output} cannot be written ({error.strerror or error}). Choose another folder or name."
        ) from error
    return MergedCorpus(len(paths), pairs)


def check_parts(folder: Path, manifest: Manifest) -> list[Path]:
    """Return the files of all parts in their order.

    Raises:
        ParapluieError: One is missing, or there twice, or none of this corpus.
    """
    found = parts_in(folder)
    if missing := manifest.parts - sum(number < manifest.parts for number in found):
        number = next(number for number in range(manifest.parts) if number not in found)
        first = f"part {number}" if missing == 1 else f"the first is part {number}"
        raise ParapluieError(
            f"{folder}: {missing:,} of {manifest.parts:,} parts {'is' if missing == 1 else 'are'} missing "
            f"({first}). Run the shards again: what is there is not scored again."
        )
    for number, paths in found.items():
        if len(paths) > 1:
            raise ParapluieError(
                f"{folder}: part {number} is there twice ({' and '.join(path.name for path in paths[:2])}). "
                "Run its shard again, which keeps the one of this corpus."
            )
        if number >= manifest.parts:
            raise ParapluieError(
                f"{folder}: {paths[0].name} is one part too many, as {MANIFEST} says {manifest.parts:,}. Move it away."
            )
    return [found[number][0] for number in range(manifest.parts)]


def concatenated(tables: Sequence[pyarrow.Table]) -> pyarrow.Table:
    """Return parts one after the other, with the columns that any of them has."""
    import pyarrow

    types: dict[str, pyarrow.DataType] = {}
    for table in tables:
        _widen(types, table.schema)
    schema = pyarrow.schema(list(types.items()))
    return pyarrow.concat_tables([_fitted(table, schema) for table in tables])


def _schema(paths: Sequence[Path], name: str, manifest: Manifest) -> pyarrow.Schema:
    """Return the columns of all parts: texts where some parts have texts and others numbers."""
    import pyarrow

    types: dict[str, pyarrow.DataType] = {}
    for path in paths:
        _widen(types, part_schema(path, manifest))
    data = {"written by": f"ParaPLUIE Inspector {__version__}", "corpus": name, "signatures": manifest.signatures}
    return pyarrow.schema(list(_ordered(types, manifest).items()), {"parapluie.signatures": json.dumps(data)})


def _ordered(types: dict[str, pyarrow.DataType], manifest: Manifest) -> dict[str, pyarrow.DataType]:
    """Return columns with the scores last, in whatever order parts had them."""
    import pyarrow

    def rank(column: str) -> bool:
        return any(column == score or column.startswith(f"{score}.p_") for score in manifest.signatures)

    order = [*(name for name in types if not rank(name)), *(name for name in types if rank(name))]
    return {name: pyarrow.string() if pyarrow.types.is_null(types[name]) else types[name] for name in order}


def _widen(types: dict[str, pyarrow.DataType], schema: pyarrow.Schema) -> None:
    """Let the columns of several parts hold those of one more."""
    import pyarrow

    for field in schema:
        types[field.name] = _common(types.get(field.name, pyarrow.null()), field.type)


def _common(one: pyarrow.DataType, two: pyarrow.DataType) -> pyarrow.DataType:
    import pyarrow

    if one == two or pyarrow.types.is_null(two):
        return one
    if pyarrow.types.is_null(one):
        return two
    numbers = (pyarrow.types.is_integer, pyarrow.types.is_floating)
    if all(any(is_such(each) for is_such in numbers) for each in (one, two)):
        return pyarrow.float64()
    return pyarrow.large_string() if pyarrow.large_string() in (one, two) else pyarrow.string()


def _fitted(table: pyarrow.Table, schema: pyarrow.Schema) -> pyarrow.Table:
    """Return a part with the columns of all parts."""
    import pyarrow

    columns = [
        table.column(field.name).cast(field.type)
        if field.name in table.column_names
        else pyarrow.nulls(table.num_rows, field.type)
        for field in schema
    ]
    return pyarrow.Table.from_arrays(columns, schema=schema)
