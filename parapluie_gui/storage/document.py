"""A session file (`.pluie`) in the user's folder: complete, and open in no program.

It is a copy of the database a session works on, followed by a trailer: a line of JSON with the digest of all bytes
before it, and how long that line is. It is read once and written whole, so that whatever happens to it, a copy, a sync
client, a file dialog, never meets a half-written file or a lock.
"""

from __future__ import annotations

import contextlib
import errno
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
from parapluie_gui.errors import DamagedError, DocumentError, SessionError, UnwritableError
from parapluie_gui.files import atomic_write
from parapluie_gui.own_files import UNEXPECTED_VALUE, parse_json
from parapluie_gui.storage.database import Database
from parapluie_gui.storage.schema import SESSION

#: The ending of session files.
ENDING = ".pluie"

_MAGIC = b"ParaPLUIE"
#: The end of the trailer: eight digits, how long the JSON before them is, and `_MAGIC`.
_TAIL = 8 + len(_MAGIC)
_MOST_JSON = 10_000
_BLOCK = 1 << 20
#: How an SQLite file begins, and where in its header the kind of file is.
_SQLITE = b"SQLite format 3\0"
_KIND = slice(68, 72)
#: A disk is not filled to the last byte: a session that is opened needs room to be worked on.
_SPARE = 4 << 20
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@dataclass(frozen=True)
class Trailer:
    """What stands behind the database.

    Attributes:
        save: Another text for each time that a document was written.
        digest: Of everything before, BLAKE2b, hexadecimal.
        rows: How many records each table holds.
    """

    save: str
    digest: str
    rows: Mapping[str, int]


def write(database: Database, path: Path, tables: Iterable[str], *, save: str, generations: int) -> None:
    """Write a database to a document, whole or not at all.

    Args:
        database: What is written.
        path: The document; one that is there is replaced.
        tables: The tables whose records are counted.
        save: Of the new trailer.
        generations: So many of the documents before are kept, as `path` with ~, ~2, ~3 … at the end.

    Raises:
        UnwritableError: The folder cannot be written, or the disk is full.
        SessionError: There is no such folder, or the database cannot be read.
    """
    path = Path(os.path.realpath(path))  # a link stays, what it points to is written
    if not path.parent.is_dir():
        raise SessionError(f"There is no folder {path.parent}. Make it first, or choose another.")
    try:
        with atomic_write(path) as part:
            database.copy_to(part, path)
            with contextlib.closing(sqlite3.connect(part)) as copy:
                rows = {table: int(copy.execute(f"SELECT count(*) FROM {table}").fetchone()[0]) for table in tables}
            with part.open("rb+") as file:
                trailer = Trailer(save, _digest(file), rows)
                raw = json.dumps(asdict(trailer)).encode()
                file.write(raw + b"%08d" % len(raw) + _MAGIC)
            _keep_generations(path, generations)
    except OSError as error:
        raise UnwritableError(
            f"{path} cannot be written ({error.strerror or error}). Choose another folder or name."
        ) from error
    except sqlite3.Error as error:
        raise UnwritableError(f"{path} cannot be written ({error}). Choose another folder or name.") from error


def read_trailer(path: Path) -> Trailer | None:
    """Return what stands at a document's end; None where there is no document, or one that lost its end.

    Raises:
        SessionError: The file cannot be read.
    """
    try:
        with path.open("rb") as file:
            return _trailer(file)[0]
    except FileNotFoundError:
        return None
    except OSError as error:
        raise SessionError(f"{path} cannot be read ({error.strerror}). Check its rights.") from error


def copy_out(path: Path, target: Path) -> tuple[Trailer | None, bool]:
    """Copy the database of a document to another file, which is begun once the document looks like one.

    Returns:
        The trailer, None where it is lost, and whether its digest shows that all is as it was written.

    Raises:
        SessionError: The file is missing, is no plain file or no session file, or cannot be read.
        UnwritableError: There is no room for it.
        OSError: The target cannot be written.
    """
    if not path.exists():
        raise SessionError(f"There is no session file {path}. Check where it was saved.")
    if not path.is_file():
        raise SessionError(f"{path} is no file. Choose a session file.")
    try:
        with path.open("rb") as file:
            header = file.read(_KIND.stop)
            if not header.startswith(_SQLITE) or int.from_bytes(header[_KIND], "big") != SESSION.application_id:
                raise DamagedError(
                    f"{path.name} is damaged or is not a ParaPLUIE {SESSION.noun}. Choose another file or a backup "
                    "of it."
                )
            trailer, end = _trailer(file)
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
        if error.filename == str(target) or error.errno in _NO_ROOM:
            raise
        raise SessionError(f"{path} cannot be read ({error.strerror}). Check its rights.") from error
    return trailer, trailer is not None and digest.hexdigest() == trailer.digest


def _check_room(path: Path, target: Path, size: int) -> None:
    free = shutil.disk_usage(target.parent).free
    if free < size + _SPARE:
        raise UnwritableError(
            f"{path.name} needs {format_bytes(size + _SPARE)} to be worked on, and the disk with the folder "
            f"{target.parent} has {format_bytes(free)} left. Make room there."
        )


def version_before(path: Path) -> Path:
    """Return where the version before of a document is kept, if there is one."""
    return path.with_name(f"{path.name}~")


def copy_file(path: Path, target: Path) -> Path:
    """Copy a document, or its version before, to a file of its own, and return that.

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
    """Make sure that a document is still one that this session wrote or read.

    Args:
        path: The document.
        known: The `save`s of its trailer that are this session's own.

    Raises:
        DocumentError: It is gone, or another program wrote it.
    """
    if not path.exists():
        raise DocumentError(f"{path} is gone: it was moved, renamed or deleted.")
    trailer = read_trailer(path)
    if trailer is None or trailer.save not in known:
        raise DocumentError(f"{path} was changed by another program.")


def _trailer(file: BinaryIO) -> tuple[Trailer | None, int]:
    """Return the trailer and where the database before it ends."""
    end = file.seek(0, os.SEEK_END)
    if end < _TAIL:
        return None, end
    file.seek(end - _TAIL)
    tail = file.read(_TAIL)
    length = tail[:8]
    if not tail.endswith(_MAGIC) or not length.isdigit() or not 0 < int(length) <= min(_MOST_JSON, end - _TAIL):
        return None, end
    begin = end - _TAIL - int(length)
    file.seek(begin)
    try:
        found = parse_json(file.read(int(length)))
        rows = {str(table): int(count) for table, count in found["rows"].items()}
        return Trailer(str(found["save"]), str(found["digest"]), rows), begin
    except UNEXPECTED_VALUE:
        return None, begin


def _digest(file: BinaryIO) -> str:
    """Return the digest of all of a file, and leave the file at its end."""
    digest = hashlib.blake2b(digest_size=32)
    while block := file.read(_BLOCK):
        digest.update(block)
    return digest.hexdigest()


def _keep_generations(path: Path, generations: int) -> None:
    """Give the document that is about to be replaced a name of its own, and the older ones the next."""
    if generations < 1 or not path.exists():
        return
    names = [version_before(path)]
    names += [path.with_name(f"{path.name}~{number}") for number in range(2, generations + 1)]
    for older, old in zip(reversed(names[1:]), reversed(names[:-1]), strict=True):
        if old.exists():
            old.replace(older)
    names[0].unlink(missing_ok=True)
    try:
        os.link(path, names[0])  # the document itself is there all the time
    except OSError:  # a disk without links
        shutil.copy2(path, names[0])
