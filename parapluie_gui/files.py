"""Files written whole or not at all, under a temporary name that nobody can foresee; what is none, and damaged ones."""

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

#: Rights of a file that only its owner may read.
PRIVATE = 0o600
#: An ending longer than this is no kind of file, and with it the temporary name could be too long for the disk.
_LONGEST_ENDING = 16

#: What has a path and can be opened like a file, but may never come to its end.
_NO_FILES: tuple[tuple[Callable[[int], bool], str], ...] = (
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


class NotAFileError(OSError):
    """What should be read is a pipe, a socket or a device; `strerror` is this name."""


def check_is_file(path: Path) -> None:
    """Refuse a pipe, a socket or a device before it is read: the reader would wait for it, perhaps without end.

    Raises:
        NotAFileError: It is one.
        OSError: There is nothing at this path.
    """
    mode = path.stat().st_mode
    for is_such, name in _NO_FILES:
        if is_such(mode):
            raise NotAFileError(errno.EINVAL, f"{name}, not a file", str(path))


#: Seconds after which nobody is writing any more, whatever process has the number now, or on whatever computer.
_OLD = 7 * 24 * 3600.0
_NAME = re.compile(r"\.parapluie-([0-9a-f]{16})(\.\S*)?")
#: What SQLite puts beside a database while it writes.
_BESIDE = ("", "-journal", "-wal", "-shm")

#: The record of temporary files that are being written, kept from `sweep` on; and those of this process.
_told_in: Path | None = None
_mine: set[Path] = set()


@contextlib.contextmanager
def atomic_write(path: Path, *, private: bool = False) -> Iterator[Path]:
    """Yield the path of an empty temporary file beside `path`, which takes its place when all went well.

    The temporary file ends as `path` does, for writers that go by the ending. It is on the disk before it takes the
    place, so that even after a power cut there is the old file or the new one. When something goes wrong, `path` is as
    it was and the temporary file is gone. A link at `path` is replaced, never followed. After a kill
    the next start removes the temporary file (see `sweep`).

    Args:
        path: The file to be made or replaced; its folder exists.
        private: Only the user may read the file. Otherwise it keeps the rights of the file that it replaces, or has
            those of any new file.

    Raises:
        OSError: The file cannot be written.
    """
    rights = PRIVATE if private else _rights(path)
    ending = path.suffix if len(os.fsencode(path.suffix)) <= _LONGEST_ENDING else ""
    temporary = path.with_name(f".parapluie-{secrets.token_hex(8)}{ending}")
    told = _tell(temporary)
    try:
        # Exclusive: a file or link that is there already is an error. The system takes the umask off the rights.
        flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_NOFOLLOW", 0)
        os.close(os.open(temporary, flags, 0o666 if rights is None else PRIVATE))
        yield temporary
        _to_disk(temporary)
        if rights is not None:
            temporary.chmod(rights)
        temporary.replace(path)
    except OSError as error:
        if error.errno is not None:
            error.filename = str(path)  # the one that the user knows
        raise
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        _forget(told)
    with contextlib.suppress(OSError):  # the name is on the disk too; not every system opens folders
        _to_disk(path.parent)


def touch_private(path: Path) -> None:
    """Make an empty file that only the user may read, unless one exists; a failure shows when the file is used."""
    with contextlib.suppress(OSError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_NOFOLLOW", 0), PRIVATE))


def write_text(path: Path, text: str, *, private: bool = False, errors: str = "strict") -> None:
    """Write a text file in UTF-8, whole or not at all (see `atomic_write`); line ends stay as they are in the text.

    Raises:
        OSError: The file cannot be written.
    """
    with atomic_write(path, private=private) as temporary:
        temporary.write_text(text, encoding="utf-8", errors=errors, newline="")


def _rights(path: Path) -> int | None:
    """Return the rights of the file that will be replaced, None if there is none."""
    try:
        found = path.lstat().st_mode
    except OSError:
        return None
    return stat.S_IMODE(found) & 0o777 if stat.S_ISREG(found) else None


def _to_disk(path: Path) -> None:
    # Windows only does this for files that are open for writing, and folders can only be open for reading.
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def put_aside(path: Path) -> Path:
    """Rename a file or folder to NAME.damaged-1, or the first such number that is free, and return the new path.

    Raises:
        OSError: It is not there, or its folder cannot be written.
    """
    for number in itertools.count(1):
        other = path.with_name(f"{path.name}.damaged-{number}")
        if not os.path.lexists(other):
            return path.rename(other)
    raise AssertionError


def _tell(temporary: Path) -> Path | None:
    """Keep that a temporary file is about to be made; returns what `_forget` takes, None where nothing can be kept."""
    name = _NAME.fullmatch(temporary.name)
    if name is None or _told_in is None or not _told_in.parent.is_dir():
        return None
    told = _told_in / f"{os.getpid()}-{name[1]}"
    try:
        _told_in.mkdir(mode=0o700, exist_ok=True)
        text = f"{platform.node()}\n{os.fsdecode(temporary.absolute())}"
        told.write_text(text, encoding="utf-8", errors="surrogateescape", newline="")
    except OSError:
        return None
    _mine.add(told)
    return told


def _forget(told: Path | None) -> None:
    """The temporary file is gone."""
    if told is not None:
        _mine.discard(told)
        with contextlib.suppress(OSError):
            told.unlink(missing_ok=True)


def sweep(data_folder: Path) -> None:
    """Remove what killed programs left beside the user's files; what cannot be removed now is tried at the next start.

    Nobody could find it by looking: it lies wherever somebody saved something. So from here on each temporary file is
    told to a folder of the user's data folder before it is made, with the process that makes it.
    """
    global _told_in
    _told_in = data_folder / "writing"
    with contextlib.suppress(OSError):
        for told in list(_told_in.iterdir()):
            with contextlib.suppress(OSError, ValueError):
                _sweep(told)


def _sweep(told: Path) -> None:
    process, _, number = told.name.partition("-")
    computer, _, place = told.read_text("utf-8", "surrogateescape").partition("\n")
    old = time.time() - told.stat().st_mtime > _OLD
    if told in _mine or not (old or (computer == platform.node() and _gone(int(process)))):
        return
    temporary = Path(place)
    name = _NAME.fullmatch(temporary.name)
    if name is not None and name[1] == number:
        if not temporary.parent.is_dir() and not old:
            return  # on a disk that is not there now
        for ending in _BESIDE:
            temporary.with_name(temporary.name + ending).unlink(missing_ok=True)
    told.unlink()


def _gone(process: int) -> bool:
    # In a container the next start often has the same number.
    return process == os.getpid() or not _runs(process)


def _runs(process: int) -> bool:
    if sys.platform == "win32":
        import ctypes

        # The right to ask about a process, and what is answered while it runs.
        asking, running = 0x1000, 259
        handle = ctypes.windll.kernel32.OpenProcess(asking, False, process)
        if not handle:
            return False
        code = ctypes.c_ulong()
        ctypes.windll.kernel32.GetExitCodeProcess(handle, ctypes.byref(code))
        ctypes.windll.kernel32.CloseHandle(handle)
        return code.value == running
    try:
        os.kill(process, 0)  # sends nothing
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass  # somebody else's
    return True
