"""A session file (`.pluie`) in the user's folder: complete, and never kept open by a program.

It is a copy of the database that a session works on, followed by a trailer: a line of JSON with the digest of all bytes
before it, and the length of that line. It is read once and only ever replaced as a whole, so that copying programs,
sync clients and file dialogs never see a half-written file or a lock.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import BinaryIO

from parapluie_gui.computer import format_bytes
from parapluie_gui.errors import NO_ROOM, DamagedError, DocumentError, SessionError, UnwritableError
from parapluie_gui.files import atomic_write
from parapluie_gui.own_files import UNEXPECTED_VALUE, parse_json
from parapluie_gui.storage.database import Database
from parapluie_gui.storage.schema import SESSION

#: The ending of session files.
ENDING = ".pluie"

_MAGIC = b"ParaPLUIE"
#: Bytes at the end of the trailer: eight digits for the length of the JSON before them, then `_MAGIC`.
_TAIL = 8 + len(_MAGIC)
_MAX_JSON = 10_000
_BLOCK = 1 << 20
#: The first bytes of an SQLite file, and the offset of `application_id` in its header.
_SQLITE = b"SQLite format 3\0"
_KIND = slice(68, 72)
#: Number of bytes left free on the disk, because an open session needs room to grow.
_SPARE = 4 << 20


@dataclass(frozen=True)
class DocumentTrailer:
    """The end of a session file, after the database.

    Attributes:
        save: A random text that identifies this particular save of the document.
        digest: BLAKE2b of all bytes before the trailer, hexadecimal.
        rows: The number of records in each table.
    """

    save: str
    digest: str
    rows: Mapping[str, int]


def write(database: Database, path: Path, tables: Iterable[str], *, save: str, generations: int) -> None:
    """Write a database to a document, entirely or not at all.

    Args:
        database: The database.
        path: The document; an existing one is replaced.
        tables: The tables whose records are counted.
        save: The `save` of the new trailer.
        generations: Number of earlier versions to keep, as `path` followed by ~, ~2, ~3 …

    Raises:
        UnwritableError: The folder cannot be written, or the disk is full.
        SessionError: There is no such folder, or the database cannot be read.
    """
    path = Path(os.path.realpath(path))  # keeps a link and writes its target instead
    if not path.parent.is_dir():
        raise SessionError(f"There is no folder {path.parent}. Create it first, or choose a different folder.")
    try:
        with atomic_write(path) as part:
            database.copy_to(part, path)
            with contextlib.closing(sqlite3.connect(part)) as copy:
                rows = {table: int(copy.execute(f"SELECT count(*) FROM {table}").fetchone()[0]) for table in tables}
            with part.open("rb+") as file:
                trailer = DocumentTrailer(save, _digest(file), rows)
                raw = json.dumps(asdict(trailer)).encode()
                file.write(raw + b"%08d" % len(raw) + _MAGIC)
            _keep_generations(path, generations)
    except OSError as error:
        raise UnwritableError(
            f"{path} cannot be written ({error.strerror or error}). Choose another folder or name."
        ) from error
    except sqlite3.Error as error:
        raise UnwritableError(f"{path} cannot be written ({error}). Choose another folder or name.") from error


def read_trailer(path: Path) -> DocumentTrailer | None:
    """Return the trailer of a document; None if there is no document, or its end is missing.

    Raises:
        SessionError: The file cannot be read.
    """
    try:
        with path.open("rb") as file:
            return _find_trailer(file)[0]
    except FileNotFoundError:
        return None
    except OSError as error:
        raise SessionError(f"{path} cannot be read ({error.strerror}). Check its permissions.") from error


def copy_out(path: Path, target: Path) -> tuple[DocumentTrailer | None, bool]:
    """Copy the database of a document to another file, which is created only if the document looks valid.

    Returns:
        The trailer (None if it is missing), and whether its digest shows that the document is intact.

    Raises:
        SessionError: The file is missing, not a regular file, not a session file, or cannot be read.
        UnwritableError: The disk has no room for it.
        OSError: The target cannot be written.
    """
    if not path.exists():
        raise SessionError(f"There is no session file {path}. Check where it was saved.")
    if not path.is_file():
        raise SessionError(f"{path} is not a file. Choose a session file.")
    try:
        with path.open("rb") as file:
            header = file.read(_KIND.stop)
            if not header.startswith(_SQLITE) or int.from_bytes(header[_KIND], "big") != SESSION.application_id:
                raise DamagedError(
                    f"{path.name} is damaged or is not a ParaPLUIE {SESSION.noun}. Choose a different file or a backup "
                    "of it."
                )
            trailer, end = _find_trailer(file)
            _check_room(path, target, end)
            file.seek(0)
            digest = hashlib.blake2b(digest_size=32)
            with target.open("wb") as copy:
                left = end
                while left and (block := file.read(min(_BLOCK, left))):
                    digest.update(block)
                    copy.write(block)
                    left -= len(block)
    except OSError as error:
        if error.filename == str(target) or error.errno in NO_ROOM:
            raise
        raise SessionError(f"{path} cannot be read ({error.strerror}). Check its permissions.") from error
    return trailer, trailer is not None and digest.hexdigest() == trailer.digest


def _check_room(path: Path, target: Path, size: int) -> None:
    free = shutil.disk_usage(target.parent).free
    if free < size + _SPARE:
        raise UnwritableError(
            f"{path.name} needs {format_bytes(size + _SPARE)} to be opened, but the disk with the folder "
            f"{target.parent} has {format_bytes(free)} left. Free disk space there."
        )


def previous_version(path: Path) -> Path:
    """Return the path of a document's previous version, which may be missing."""
    return path.with_name(f"{path.name}~")


def copy_file(path: Path, target: Path) -> Path:
    """Copy a document, or its previous version, to a new file, and return its path.

    Raises:
        UnwritableError: It cannot be copied.
    """
    try:
        with atomic_write(target) as part:
            shutil.copyfile(path, part)
    except OSError as error:
        raise UnwritableError(f"{target} cannot be written ({error.strerror or error}). Copy it elsewhere.") from error
    return target


def check_unchanged(path: Path, known: set[str]) -> None:
    """Check that this session was the last to write or read a document.

    Args:
        path: The document.
        known: The `save` values that this session wrote or read.

    Raises:
        DocumentError: It is gone, or another program wrote it.
    """
    if not path.exists():
        raise DocumentError(f"{path} no longer exists: it was moved, renamed or deleted.")
    trailer = read_trailer(path)
    if trailer is None or trailer.save not in known:
        raise DocumentError(f"{path} was changed by another program.")


def _find_trailer(file: BinaryIO) -> tuple[DocumentTrailer | None, int]:
    """Return the trailer, None if it is missing, and the length of the database before it."""
    end = file.seek(0, os.SEEK_END)
    if end < _TAIL:
        return None, end
    file.seek(end - _TAIL)
    tail = file.read(_TAIL)
    length = tail[:8]
    if not tail.endswith(_MAGIC) or not length.isdigit() or not 0 < int(length) <= min(_MAX_JSON, end - _TAIL):
        return None, end
    begin = end - _TAIL - int(length)
    file.seek(begin)
    try:
        content = parse_json(file.read(int(length)))
        rows = {str(table): int(count) for table, count in content["rows"].items()}
        return DocumentTrailer(str(content["save"]), str(content["digest"]), rows), begin
    except UNEXPECTED_VALUE:
        return None, begin


def _digest(file: BinaryIO) -> str:
    """Return the digest of a file, reading it to its end."""
    digest = hashlib.blake2b(digest_size=32)
    while block := file.read(_BLOCK):
        digest.update(block)
    return digest.hexdigest()


def _keep_generations(path: Path, generations: int) -> None:
    """Keep the document that is about to be replaced under the name of a previous version, renaming older versions."""
    if generations < 1 or not path.exists():
        return
    names = [previous_version(path)]
    names += [path.with_name(f"{path.name}~{number}") for number in range(2, generations + 1)]
    for older, old in zip(reversed(names[1:]), reversed(names[:-1]), strict=True):
        if old.exists():
            old.replace(older)
    names[0].unlink(missing_ok=True)
    try:
        os.link(path, names[0])  # unlike a rename, this leaves the document in place
    except OSError:  # a file system without hard links
        shutil.copy2(path, names[0])
