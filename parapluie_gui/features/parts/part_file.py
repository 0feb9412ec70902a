"""A part as a file: written with a seal over all that is in it, and read only if it is what the seal and the list say.

The seal is in the file's metadata (`parapluie.part`): the part's number, the corpus, and a
digest of every cell and of the other metadata.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from parapluie_gui.errors import ParapluieError
from parapluie_gui.features.parts.folder import MANIFEST, Manifest, part_key, part_number
from parapluie_gui.files import atomic_write, check_is_file
from parapluie_gui.own_files import UNEXPECTED_VALUE, parse_json
from parapluie_gui.pairs.reading.sidecar import METADATA
from parapluie_gui.report.signatures import parse_signatures
from parapluie_gui.scores.signature import pair_key

if TYPE_CHECKING:
    import pyarrow

_SEAL = "parapluie.part"


@dataclass(frozen=True)
class Seal:
    """What a part says of itself.

    Attributes:
        number: Its place among the parts, from 0.
        corpus: What stands for the corpus and how it was cut (`Manifest.corpus`).
        digest: What stands for all that is in it.
    """

    number: int
    corpus: str
    digest: str = ""


def write_part(path: Path, table: pyarrow.Table, seal: Seal) -> None:
    """Write a part with its seal, whole or not at all.

    Raises:
        ParapluieError: It cannot be written.
    """
    import pyarrow.parquet

    metadata = dict(table.schema.metadata or {})
    data = {**asdict(seal), "digest": _digest(table, metadata, seal)}
    sealed = table.replace_schema_metadata({**metadata, _SEAL: json.dumps(data)})
    try:
        with atomic_write(path) as part, part.open("wb") as file:
            pyarrow.parquet.write_table(sealed, file, write_page_checksum=True)
    except OSError as error:
        raise ParapluieError(
            f"{path} cannot be written ({error.strerror or error}). Make room there, or choose another folder."
        ) from error


def read_part(path: Path, manifest: Manifest) -> pyarrow.Table:
    """Return a part: its pairs are those that its name says, its scores are numbers, its place and bits are as written.

    Raises:
        ParapluieError: It is something else, or damaged.
    """
    import pyarrow.parquet

    with _opened(path) as file:
        table = pyarrow.parquet.read_table(file, page_checksum_verification=True)
        check_signatures(path, table.schema, manifest)
        _check_columns(path, table, manifest)
        if _key(table) != part_key(path):
            raise _wrong(path, "its pairs are not those that its name says")
        metadata = dict(table.schema.metadata or {})
        seal = _seal(path, metadata.pop(_SEAL.encode(), None))
        if _digest(table, metadata, seal) != seal.digest:
            raise _wrong(path, "it was changed after it was written, or is damaged")
        _check_place(path, table.num_rows, seal, manifest)
    return table


def check_end(path: Path, manifest: Manifest) -> None:
    """Make sure of what the end of a part's file says, without its pairs: its scores, its corpus and its place.

    Raises:
        ParapluieError: It is something else, or damaged.
    """
    import pyarrow.parquet

    with _opened(path) as file:
        end = pyarrow.parquet.read_metadata(file)
        schema = end.schema.to_arrow_schema()
        check_signatures(path, schema, manifest)
        _check_place(path, end.num_rows, _seal(path, (schema.metadata or {}).get(_SEAL.encode())), manifest)


def part_schema(path: Path, manifest: Manifest) -> pyarrow.Schema:
    """Return the columns of a part whose scores are those of the list; errors as `read_part`."""
    import pyarrow.parquet

    with _opened(path) as file:
        schema: pyarrow.Schema = pyarrow.parquet.read_schema(file)
        check_signatures(path, schema, manifest)
    return schema


def check_signatures(path: Path, schema: pyarrow.Schema, manifest: Manifest) -> None:
    """Make sure that the scores of a part were computed as all are to be.

    Raises:
        ParapluieError: They were not.
    """
    found = {column: dict(each.fields) for column, each in parse_signatures(schema.metadata).items()}
    for column in {**found, **manifest.signatures}:
        if found.get(column) != manifest.signatures.get(column):
            raise ParapluieError(
                f"{path}: {column} was computed with other settings than {MANIFEST} says. "
                "Move this part away and run its shard again."
            )


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    """Open a part to read it; what is wrong with it is said in a sentence."""
    with damaged(path):
        check_is_file(path)
        with path.open("rb") as file:
            yield file


@contextlib.contextmanager
def damaged(path: Path) -> Iterator[None]:
    """Say in a sentence that a part cannot be read."""
    import pyarrow

    try:
        yield
    except (pyarrow.ArrowException, OSError, ValueError, OverflowError, MemoryError, RecursionError) as error:
        why = f" ({error.strerror})" if isinstance(error, OSError) and error.strerror else ""
        raise ParapluieError(f"{path} is damaged{why}. Delete it and run its shard again.") from error


def _wrong(path: Path, what: str) -> ParapluieError:
    return ParapluieError(f"{path}: {what}. Delete it and run its shard again.")


def _check_columns(path: Path, table: pyarrow.Table, manifest: Manifest) -> None:
    from pyarrow import types

    if not table.num_rows and not table.num_columns:
        return
    names = table.column_names
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise _wrong(path, f"the column {twice} is there twice")
    for name in ("source", "hypothesis"):
        kind = table.schema.field(name).type if name in names else None
        if kind is None or not (types.is_string(kind) or types.is_large_string(kind)):
            raise _wrong(path, f"there is no column of texts called {name}")
    for score in manifest.signatures:
        if score not in names:
            raise _wrong(path, f"the scores {score} are missing")
        kind = table.schema.field(score).type
        if not (types.is_floating(kind) or types.is_null(kind)):
            raise _wrong(path, f"the scores {score} are no numbers but {kind}")


def _seal(path: Path, text: bytes | None) -> Seal:
    if text is None:
        raise _wrong(path, "it has no seal, which says whether it is as it was written")
    try:
        data = parse_json(text)
        return Seal(int(data["number"]), str(data["corpus"]), str(data["digest"]))
    except UNEXPECTED_VALUE as error:
        raise ParapluieError(f"{path} is damaged. Delete it and run its shard again.") from error


def _check_place(path: Path, rows: int, seal: Seal, manifest: Manifest) -> None:
    if seal.corpus != manifest.corpus:
        raise _wrong(path, "it is a part of another corpus")
    if seal.number != part_number(path):
        raise _wrong(path, f"it is part {seal.number} under another name")
    if rows > manifest.rows_of(part_number(path)):
        raise _wrong(path, f"it has {rows:,} pairs, more than a part of this corpus can have")


def _digest(table: pyarrow.Table, metadata: dict[bytes, bytes], seal: Seal) -> str:
    """Return what stands for every cell of a part, the names and types of its columns, its metadata and its place."""
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
            there = compute.is_valid(column).to_numpy()
            add(there.tobytes(), compute.fill_null(column, 0).to_numpy().tobytes())
            continue
        for value in column.to_pylist():
            add(b"" if value is None else b"=" + str(value).encode())
    return digest.hexdigest()


def _key(table: pyarrow.Table) -> str:
    digest = hashlib.blake2b(digest_size=16)
    if table.num_rows:
        texts: list[list[Any]] = [table.column(name).to_pylist() for name in ("source", "hypothesis")]
        has_references = "reference" in table.column_names
        texts.append(table.column("reference").to_pylist() if has_references else [None] * table.num_rows)
        for three in zip(*texts, strict=True):
            if three[0] is None or three[1] is None:
                return ""
            digest.update(pair_key(*three))
    return digest.hexdigest()
