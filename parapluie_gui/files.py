"""Files written whole or not at all, under a temporary name that nobody can foresee; what is none, and damaged ones."""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import secrets
import stat
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


@contextlib.contextmanager
def atomic_write(path: Path, *, private: bool = False) -> Iterator[Path]:
    """Yield the path of an empty temporary file beside `path`, which takes its place when all went well.

    The temporary file ends as `path` does, for writers that go by the ending. It is on the disk before it takes the
    place, so that even after a power cut there is the old file or the new one. When something goes wrong, `path` is as
    it was and the temporary file is gone. A link at `path` is replaced, never followed.

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
    with contextlib.suppress(OSError):  # the name is on the disk too; not every system opens folders
        _to_disk(path.parent)


def touch_private(path: Path) -> None:
    """Make an empty file that only the user may read, where there is nothing; whoever uses it says why it cannot."""
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
