"""Writes files atomically through unpredictable temporary names, and handles special and damaged files."""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import platform
import re
import secrets
import stat
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

#: Permissions of a file that only its owner may read.
PRIVATE = 0o600
#: Maximum length of an ending that a temporary name keeps, because longer names could be too long for the file system.
_LONGEST_ENDING = 16

#: File types that can be opened like a file but may never end.
_SPECIAL_FILES: tuple[tuple[Callable[[int], bool], str], ...] = (
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


class NotAFileError(OSError):
    """Raised for a pipe, a socket or a device in place of a file; `strerror` says which."""


def check_is_file(path: Path) -> None:
    """Refuse a pipe, a socket or a device, because reading it might never end.

    Raises:
        NotAFileError: The path is one of these.
        OSError: The path does not exist.
    """
    mode = path.stat().st_mode
    for is_kind, name in _SPECIAL_FILES:
        if is_kind(mode):
            raise NotAFileError(errno.EINVAL, f"{name}, not a file", str(path))


#: Seconds after which a temporary file counts as abandoned, even if a process with its number exists.
_OLD = 7 * 24 * 3600.0
#: Maximum length of the record of a temporary file (the name of a computer and a path), in letters.
_LONGEST_RECORD = 65_536
_NAME = re.compile(r"\.parapluie-([0-9a-f]{16})(\.\S*)?")
#: Endings of the files that SQLite creates next to a database while writing it.
_SQLITE_ENDINGS = ("", "-journal", "-wal", "-shm")

#: The folder with a record of each temporary file, set by `remove_leftovers`; and the records of this process.
_records: Path | None = None
_own_records: set[Path] = set()


@contextlib.contextmanager
def atomic_write(path: Path, *, private: bool = False) -> Iterator[Path]:
    """Yield the path of an empty temporary file in the folder of `path`, and replace `path` by it on success.

    The temporary file has the same ending as `path`, for writers that depend on it. It is flushed to disk before it
    replaces `path`, so that after a power failure either the old or the new file exists. On an error, `path` is
    unchanged and the temporary file is removed. A link at `path` is replaced, not followed. If the process is killed,
    the next start removes the temporary file (see `remove_leftovers`).

    Args:
        path: The file to create or replace, in an existing folder.
        private: Whether only the user may read the file. Otherwise it gets the permissions of the file that it
            replaces, or the default permissions.

    Raises:
        OSError: The file cannot be written.
    """
    permissions = PRIVATE if private else _permissions(path)
    ending = path.suffix if len(os.fsencode(path.suffix)) <= _LONGEST_ENDING else ""
    temporary = path.with_name(f".parapluie-{secrets.token_hex(8)}{ending}")
    record = _record(temporary)
    try:
        # Exclusive: an existing file or link is an error. The system applies the umask to the permissions.
        flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_NOFOLLOW", 0)
        os.close(os.open(temporary, flags, 0o666 if permissions is None else PRIVATE))
        yield temporary
        _flush(temporary)
        if permissions is not None:
            temporary.chmod(permissions)
        temporary.replace(path)
    except OSError as error:
        if error.errno is not None:
            error.filename = str(path)  # report the name that the user knows
        raise
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        _remove_record(record)
    with contextlib.suppress(OSError):  # flushes the new name as well; not every system can open folders
        _flush(path.parent)


def touch_private(path: Path) -> None:
    """Create an empty file that only the user may read, unless it exists; ignore errors, which using it will show."""
    with contextlib.suppress(OSError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_NOFOLLOW", 0), PRIVATE))


def write_text(path: Path, text: str, *, private: bool = False, errors: str = "strict") -> None:
    """Write a text file in UTF-8 atomically (see `atomic_write`), with the line breaks of the text.

    Raises:
        OSError: The file cannot be written.
    """
    with atomic_write(path, private=private) as temporary:
        temporary.write_text(text, encoding="utf-8", errors=errors, newline="")


def _permissions(path: Path) -> int | None:
    """Return the permissions of a file, None if it is missing or not a regular file."""
    try:
        mode = path.lstat().st_mode
    except OSError:
        return None
    return stat.S_IMODE(mode) & 0o777 if stat.S_ISREG(mode) else None


def _flush(path: Path) -> None:
    # Windows only flushes files open for writing, and folders can only be opened for reading.
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def put_aside(path: Path) -> Path:
    """Rename a file or folder to NAME.damaged-1, or the first free number, and return the new path.

    Raises:
        OSError: It does not exist, or its folder cannot be written.
    """
    for number in itertools.count(1):
        other = path.with_name(f"{path.name}.damaged-{number}")
        if not os.path.lexists(other):
            return path.rename(other)
    raise AssertionError


def _record(temporary: Path) -> Path | None:
    """Record a temporary file before it is created; return the record, or None if that is impossible."""
    name = _NAME.fullmatch(temporary.name)
    if name is None or _records is None or not _records.parent.is_dir():
        return None
    record = _records / f"{os.getpid()}-{name[1]}"
    try:
        _records.mkdir(mode=0o700, exist_ok=True)
        text = f"{platform.node()}\n{os.fsdecode(temporary.absolute())}"
        record.write_text(text, encoding="utf-8", errors="surrogateescape", newline="")
    except OSError:
        return None
    _own_records.add(record)
    return record


def _remove_record(record: Path | None) -> None:
    if record is not None:
        _own_records.discard(record)
        with contextlib.suppress(OSError):
            record.unlink(missing_ok=True)


def remove_leftovers(data_folder: Path) -> None:
    """Remove temporary files of killed processes; the next start tries again to remove those that could not be removed.

    They may be in any folder in which something was saved. Therefore, from this call on, each temporary file is
    recorded in the user's data folder, with its process, before it is created.
    """
    global _records
    _records = data_folder / "writing"
    with contextlib.suppress(OSError):
        for record in list(_records.iterdir()):
            with contextlib.suppress(OSError, ValueError):
                _remove_leftover(record)


def _remove_leftover(record: Path) -> None:
    process, _, number = record.name.partition("-")
    check_is_file(record)
    with record.open(encoding="utf-8", errors="surrogateescape") as file:
        computer, _, place = file.read(_LONGEST_RECORD).partition("\n")
    old = time.time() - record.stat().st_mtime > _OLD
    if record in _own_records or not (old or (computer == platform.node() and _has_ended(int(process)))):
        return
    temporary = Path(place)
    name = _NAME.fullmatch(temporary.name)
    if name is not None and name[1] == number:
        if not temporary.parent.is_dir() and not old:
            return  # the file may be on a disk that is not connected
        for ending in _SQLITE_ENDINGS:
            temporary.with_name(temporary.name + ending).unlink(missing_ok=True)
    record.unlink()


def _has_ended(process: int) -> bool:
    # In a container, the next start often gets the same process number.
    return process == os.getpid() or not _is_running(process)


def _is_running(process: int) -> bool:
    if sys.platform == "win32":
        import ctypes

        # The permission to query a process, and its exit code while it runs.
        query, running = 0x1000, 259
        handle = ctypes.windll.kernel32.OpenProcess(query, False, process)
        if not handle:
            return False
        code = ctypes.c_ulong()
        ctypes.windll.kernel32.GetExitCodeProcess(handle, ctypes.byref(code))
        ctypes.windll.kernel32.CloseHandle(handle)
        return code.value == running
    try:
        os.kill(process, 0)  # signal 0 sends nothing
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass  # raised for a process of a different user
    return True
