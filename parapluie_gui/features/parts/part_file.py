"""The file of a part: written with a seal over its contents, and used only if it matches its seal and the manifest.

The seal is in the file's metadata (`parapluie.part`): the part's number, a key of the corpus, and a digest of every
cell and of the other metadata.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from parapluie_gui.errors import ParapluieError, explain_write_errors
from parapluie_gui.features.parts.folder import MANIFEST, PartsManifest, part_key, part_number
from parapluie_gui.files import atomic_write, check_is_file
from parapluie_gui.own_files import UNEXPECTED_VALUE, parse_json
from parapluie_gui.pairs.corpus import list_references
from parapluie_gui.pairs.reading.sidecar import METADATA
from parapluie_gui.report.signatures import parse_signatures
from parapluie_gui.scores.signature import pair_key

if TYPE_CHECKING:
    import pyarrow

_SEAL = "parapluie.part"


@dataclass(frozen=True)
class PartSeal:
    """The identity of a part, stored in its file.

    Attributes:
        number: The place among the parts, from 0.
        corpus: The key of the corpus and its division (`PartsManifest.corpus_key`).
        digest: A hash of the contents.
    """

    number: int
    corpus: str
    digest: str = ""


def write_part(path: Path, table: pyarrow.Table, seal: PartSeal) -> None:
    """Write a part with its seal, entirely or not at all.

    Raises:
        ParapluieError: It cannot be written.
    """
    import pyarrow.parquet

    metadata = dict(table.schema.metadata or {})
    data = {**asdict(seal), "digest": _digest(table, metadata, seal)}
    sealed = table.replace_schema_metadata({**metadata, _SEAL: json.dumps(data)})
    with explain_write_errors(path), atomic_write(path) as part, part.open("wb") as file:
        pyarrow.parquet.write_table(sealed, file, write_page_checksum=True)


def read_part(path: Path, manifest: PartsManifest) -> pyarrow.Table:
    """Return a part after checking its scores, its pairs against its name, and its place and contents against its seal.

    Raises:
        ParapluieError: It is not this part, or is damaged.
    """
    import pyarrow.parquet

    with _open_part(path) as file:
        table = pyarrow.parquet.read_table(file, page_checksum_verification=True)
        check_signatures(path, table.schema, manifest)
        _check_columns(path, table, manifest)
        if _pairs_key(table) != part_key(path):
            raise _part_error(path, "its pairs do not match its name")
        metadata = dict(table.schema.metadata or {})
        seal = _parse_seal(path, metadata.pop(_SEAL.encode(), None))
        if _digest(table, metadata, seal) != seal.digest:
            raise _part_error(path, "it was changed after it was written, or is damaged")
        _check_place(path, table.num_rows, seal, manifest)
    return table


def check_footer(path: Path, manifest: PartsManifest) -> None:
    """Check the scores, the corpus and the place of a part by its Parquet footer, without reading pairs.

    Raises:
        ParapluieError: It is not this part, or is damaged.
    """
    import pyarrow.parquet

    with _open_part(path) as file:
        footer = pyarrow.parquet.read_metadata(file)
        schema = footer.schema.to_arrow_schema()
        check_signatures(path, schema, manifest)
        _check_place(path, footer.num_rows, _parse_seal(path, (schema.metadata or {}).get(_SEAL.encode())), manifest)


def part_schema(path: Path, manifest: PartsManifest) -> pyarrow.Schema:
    """Return the columns of a part after checking its scores; raises like `read_part`."""
    import pyarrow.parquet

    with _open_part(path) as file:
        schema: pyarrow.Schema = pyarrow.parquet.read_schema(file)
        check_signatures(path, schema, manifest)
    return schema


def check_signatures(path: Path, schema: pyarrow.Schema, manifest: PartsManifest) -> None:
    """Check that the scores of a part have the signatures in the manifest.

    Raises:
        ParapluieError: They differ.
    """
    fields = {column: dict(signature.fields) for column, signature in parse_signatures(schema.metadata).items()}
    for column in {**fields, **manifest.signatures}:
        if fields.get(column) != manifest.signatures.get(column):
            raise ParapluieError(
                f"{path}: {column} was computed with settings that differ from those in {MANIFEST}. "
                "Move this part elsewhere and run its shard again."
            )


@contextlib.contextmanager
def _open_part(path: Path) -> Iterator[BinaryIO]:
    """Open a part for reading, with the errors of `translate_errors`."""
    with translate_errors(path):
        check_is_file(path)
        with path.open("rb") as file:
            yield file


@contextlib.contextmanager
def translate_errors(path: Path) -> Iterator[None]:
    """Convert errors in reading a part to a ParapluieError."""
    import pyarrow

    try:
        yield
    except (pyarrow.ArrowException, OSError, ValueError, OverflowError, MemoryError, RecursionError) as error:
        reason = f" ({error.strerror})" if isinstance(error, OSError) and error.strerror else ""
        raise ParapluieError(f"{path} is damaged{reason}. Delete it and run its shard again.") from error


def _part_error(path: Path, problem: str) -> ParapluieError:
    return ParapluieError(f"{path}: {problem}. Delete it and run its shard again.")


def _check_columns(path: Path, table: pyarrow.Table, manifest: PartsManifest) -> None:
    from pyarrow import types

    if not table.num_rows and not table.num_columns:
        return
    names = table.column_names
    if duplicate := next((name for name in names if names.count(name) > 1), None):
        raise _part_error(path, f"the column {duplicate} is present twice")
    for name in ("source", "hypothesis"):
        kind = table.schema.field(name).type if name in names else None
        if kind is None or not (types.is_string(kind) or types.is_large_string(kind)):
            raise _part_error(path, f"there is no text column called {name}")
    for score in manifest.signatures:
        if score not in names:
            raise _part_error(path, f"the scores {score} are missing")
        kind = table.schema.field(score).type
        if not (types.is_floating(kind) or types.is_null(kind)):
            raise _part_error(path, f"the scores {score} are of type {kind}, not numbers")


def _parse_seal(path: Path, text: bytes | None) -> PartSeal:
    if text is None:
        raise _part_error(path, "it has no seal, so changes to it cannot be detected")
    try:
        data = parse_json(text)
        return PartSeal(int(data["number"]), str(data["corpus"]), str(data["digest"]))
    except UNEXPECTED_VALUE as error:
        raise ParapluieError(f"{path} is damaged. Delete it and run its shard again.") from error


def _check_place(path: Path, rows: int, seal: PartSeal, manifest: PartsManifest) -> None:
    if seal.corpus != manifest.corpus_key:
        raise _part_error(path, "it is a part of a different corpus")
    if seal.number != part_number(path):
        raise _part_error(path, f"it is part {seal.number} under another name")
    if rows > manifest.rows_of(part_number(path)):
        raise _part_error(path, f"it has {rows:,} pairs, more than a part of this corpus can have")


def _digest(table: pyarrow.Table, metadata: dict[bytes, bytes], seal: PartSeal) -> str:
    """Return a hash of every cell of a part, the names and types of its columns, its metadata and its place."""
    from pyarrow import compute, types

    digest = hashlib.blake2b(digest_size=16)

    def add(*pieces: bytes) -> None:
        for piece in pieces:
            digest.update(len(piece).to_bytes(8, "little"))
            digest.update(piece)

    add(str((seal.number, seal.corpus, table.num_rows)).encode(), metadata.get(METADATA.encode(), b""))
    for field, column in zip(table.schema, table.columns, strict=True):
        add(field.name.encode(), str(field.type).encode())
        if types.is_floating(field.type) or types.is_integer(field.type):
            is_valid = compute.is_valid(column).to_numpy()
            add(is_valid.tobytes(), compute.fill_null(column, 0).to_numpy().tobytes())
            continue
        for value in column.to_pylist():
            add(b"" if value is None else b"=" + str(value).encode())
    return digest.hexdigest()


def _pairs_key(table: pyarrow.Table) -> str:
    digest = hashlib.blake2b(digest_size=16)
    if table.num_rows:
        names = table.column_names
        columns = ("source", "hypothesis", *(list_references(names) if "reference" in names else ()))
        texts: list[list[Any]] = [table.column(name).to_pylist() for name in columns]
        for pair in zip(*texts, strict=True):
            if pair[0] is None or pair[1] is None:
                return ""
            digest.update(pair_key(*pair))
    return digest.hexdigest()
