"""Working copies of the open sessions: databases in the user's data folder, each with a lock.

A session file is copied to a working copy when it is opened, and written from it (see `document.py`). A copy without a
lock was left by a window that no longer exists: it is an unsaved session, or work that was not saved to its document.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from filelock import FileLock, Timeout

from parapluie_gui.errors import DamagedError, DocumentError, InUseError, SessionError, UnwritableError
from parapluie_gui.files import put_aside
from parapluie_gui.storage import copy_note, document
from parapluie_gui.storage.database import Database
from parapluie_gui.storage.salvage import salvage
from parapluie_gui.storage.schema import SESSION, SUMS

#: Working copies are numbered from 1 up to, but not including, this number: more than anyone opens at once.
_MAX_COPIES = 50

#: Seconds to wait while another window opens a working copy.
_PATIENCE = 10.0


@dataclass
class WorkingCopy:
    """A database that a session works on.

    Attributes:
        path: The database.
        document: The session file it belongs to; None for an unsaved session.
        saves: The `save` values of the document that this copy wrote or read: the last one and, during a save, the next
            one.
        lock: The lock, held while the session is open.
        notices: Sentences for the user about anything repaired or lost when the session was opened.
    """

    path: Path
    lock: FileLock
    document: Path | None = None
    saves: tuple[str, ...] = ()
    notices: list[str] = field(default_factory=list)

    def remember(self) -> None:
        """Write the note that names its document.

        Raises:
            UnwritableError: The data folder cannot be written.
        """
        copy_note.write(self.path, self.document, self.saves)

    def forget(self) -> None:
        """Remove the database, because its document is complete."""
        for path in (self.path, self.path.with_name(f"{self.path.name}-journal"), copy_note.note_path(self.path)):
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)
        self.release()

    def release(self) -> None:
        """Unlock the database for other windows."""
        self.lock.release()


class WorkingCopies:
    """The working copies of a user.

    Args:
        folder: The user's data folder; the copies are in its folder `sessions`, which is created if missing.
        generations: Number of previous versions of a document to keep next to it; each time it is opened adds one.
        content: Keys of the settings that count as content, like a corpus: a session with one of them is not empty.
            All other settings are preferences.

    Attributes:
        generations, content: The arguments of the same names.
    """

    def __init__(self, folder: Path, generations: int = 1, content: Iterable[str] = ()) -> None:
        self._home, self._folder = folder, folder / copy_note.FOLDER
        self.generations = generations
        self.content = frozenset(content)
        self._scratch: tempfile.TemporaryDirectory[str] | None = None

    def last_unsaved(self) -> WorkingCopy:
        """Return the most recent unsaved session that is not open, otherwise an empty session.

        Work that a killed program did not save is first written to its document.
        """
        notices: list[str] = []
        with self._exclusive(notices):
            free = [copy for path in self._databases() if (copy := self._lock(path)) is not None]
        for copy in [copy for copy in free if copy.document is not None]:
            free.remove(copy)
            notices += self._save_leftover(copy)
        unsaved = next(iter(free), None)
        for copy in free[1:]:
            copy.release()
        copy = self.new() if unsaved is None else self._check_copy(unsaved)
        copy.notices[:0] = notices
        return copy

    def new(self) -> WorkingCopy:
        """Return an empty unsaved session.

        Raises:
            SessionError: Too many sessions are open.
        """
        notices: list[str] = []
        with self._exclusive(notices):
            for number in range(1, _MAX_COPIES):
                path = self._folder / f"{number}.sqlite"
                note = copy_note.note_path(path)
                if not path.exists() and not note.is_dir() and (copy := self._lock(path)) is not None:
                    note.unlink(missing_ok=True)
                    copy.document, copy.saves, copy.notices = None, (), notices
                    return copy
        raise SessionError("Too many windows are open at once. Close some of them.")

    def open(self, path: Path, create: bool = False) -> WorkingCopy:
        """Return a checked working copy of a document; for a damaged one, an unsaved session with its intact records.

        Args:
            path: The document.
            create: Whether to create a missing document.

        Raises:
            InUseError: It is open elsewhere.
            SessionError: It is missing, is not a session file, is from a different version, or nothing in it can be
                read.
        """
        path = Path(os.path.realpath(path))
        notices: list[str] = []
        with self._exclusive(notices):
            for database in self._databases():
                if copy_note.read(database)[0] == path:
                    notices += self._save_leftover(self._lock_leftover(database, path))
        if not create and not path.exists():
            raise SessionError(f"There is no session file {path}. Check where it was saved.")
        copy = self.new()
        copy.notices += notices
        copy.document = path
        try:
            copy.remember()
            if not path.exists():
                return copy
            try:
                trailer, is_intact = document.copy_out(path, copy.path)
            except DamagedError as error:
                raise DamagedError(f"{error} {previous_version_hint(path)}".rstrip()) from error
            copy.saves = () if trailer is None else (trailer.save,)
            copy.remember()
            if not is_intact:
                damage = DamagedError(f"{path.name} is damaged.")
                return self._salvage(copy, damage, {} if trailer is None else trailer.rows)
            return self._check_copy(copy, written=False)
        except BaseException:
            copy.forget()
            raise

    def check_closed(self, path: Path) -> None:
        """Check that a document is not open anywhere.

        Raises:
            InUseError: It is open.
        """
        with self._exclusive([]):
            for database in self._databases():
                if copy_note.read(database)[0] == Path(os.path.realpath(path)):
                    self._lock_leftover(database, path).release()

    def close(self) -> None:
        """Remove the temporary folder, if one was used."""
        if self._scratch is not None:
            self._scratch.cleanup()

    def _lock_leftover(self, database: Path, path: Path) -> WorkingCopy:
        """Lock the working copy of a document that a killed program left."""
        if (copy := self._lock(database)) is None:
            raise InUseError(f"{path.name} is open in another window or program. Close it there first.")
        return copy

    def _save_leftover(self, copy: WorkingCopy) -> list[str]:
        """Save unsaved work of a killed program to its document, or next to it; return messages for the user."""
        path = copy.document
        assert path is not None
        notices = []
        try:
            checked = self._check_copy(copy)
            try:
                document.check_unchanged(path, set(copy.saves))
                target = path if checked is copy else free_name(path)
            except DocumentError:
                target = free_name(path)
            with contextlib.closing(Database(checked.path, (SESSION,))) as database:
                document.write(database, target, SUMS, save=new_save(), generations=self.generations)
            if target != path:
                notices.append(
                    f"Unsaved work on {path.name} is now in {target.name}, because {path.name} has changed since it "
                    "was saved."
                )
            notices = checked.notices + notices
            checked.forget()
        except SessionError as error:
            notices.append(f"Unsaved work on {path.name} is kept, but not in that file yet. {error}")
            copy.release()
        return notices

    def _check_copy(self, copy: WorkingCopy, *, written: bool = True) -> WorkingCopy:
        """Return the copy if all its records are valid, otherwise a new copy with the valid records.

        Args:
            copy: The copy.
            written: Whether to compare it with its checksums; not needed after a digest has shown that it is intact.
        """
        try:
            with contextlib.closing(Database(copy.path, (SESSION,), create=copy.document is None)) as database:
                database.check(written=written)
            return copy
        except SessionError as error:
            if copy.document is not None and not isinstance(error, DamagedError):
                raise
            return self._salvage(copy, error, {})

    def _salvage(self, copy: WorkingCopy, error: SessionError, rows: Mapping[str, int]) -> WorkingCopy:
        """Return a new unsaved session with the intact records of a copy, which is then removed or moved aside."""
        new = self.new()
        new.notices += copy.notices
        reason = f"{copy_note.display_name(copy.path)} is damaged." if isinstance(error, DamagedError) else str(error)
        try:
            with contextlib.closing(Database(new.path, (SESSION,))) as database:
                lost = salvage(copy.path, database, rows)
            losses = "; ".join(lost) if lost else "only the structure of the file"
            outcome = f"Its intact parts are open as an unsaved session. Lost or changed: {losses}."
        except DamagedError as failure:
            if copy.document is not None:
                new.forget()
                raise DamagedError(f"{failure} {previous_version_hint(copy.document)}".rstrip()) from error
            outcome = "Nothing in it can be read."
        if copy.document is None:
            remains = f"The damaged file is now {put_aside(copy.path)}."
            copy.release()
        else:
            copy.forget()
            remains = f"{copy.document.name} is unchanged; save this session under another name."
        new.notices.append(f"{reason} {outcome} {remains}")
        return new

    def _databases(self) -> list[Path]:
        """Return the paths of all working copies, the most recently used first."""
        return sorted(self._folder.glob("*.sqlite"), key=lambda path: path.stat().st_mtime, reverse=True)

    def _lock(self, path: Path) -> WorkingCopy | None:
        """Lock a database; None if another window holds the lock."""
        lock = FileLock(path.with_suffix(".lock"), timeout=0, thread_local=False, mode=0o600)
        try:
            lock.acquire()
        except (Timeout, OSError):
            return None
        return WorkingCopy(path, lock, *copy_note.read(path))

    @contextlib.contextmanager
    def _exclusive(self, notices: list[str]) -> Iterator[None]:
        """Lock out other windows; switch to a temporary folder if the data folder cannot be written."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            lock = FileLock(self._folder / "all.lock", timeout=_PATIENCE, thread_local=False, mode=0o600)
            lock.acquire()
            _try_to_write(self._folder)
        except (OSError, Timeout) as error:
            if self._scratch is not None:
                raise UnwritableError(f"There is no writable folder for the session ({error}).") from error
            self._scratch = tempfile.TemporaryDirectory(prefix="parapluie-")
            notices.append(
                f"Your data folder {self._home} cannot be written ({getattr(error, 'strerror', None) or error}). Save "
                "the session to a file: until then it is kept in a temporary folder."
            )
            self._folder = Path(self._scratch.name)
            with self._exclusive(notices):
                yield
            return
        try:
            yield
        finally:
            lock.release()


def new_save() -> str:
    """Return a random `save` for a document's trailer."""
    return secrets.token_hex(8)


def free_name(path: Path, word: str = "recovered") -> Path:
    """Return an unused path next to a document, whose name ends in a word in parentheses."""
    names = (f"{path.stem} ({word}{f' {number}' if number > 1 else ''}){path.suffix}" for number in range(1, 1000))
    return next(free for name in names if not (free := path.with_name(name)).exists())


def previous_version_hint(path: Path) -> str:
    """Return a sentence on the previous version of a document; "" if there is none."""
    older = document.previous_version(path)
    try:
        time = datetime.fromtimestamp(older.stat().st_mtime).strftime("%Y-%m-%d %H:%M")
    except OSError:
        return ""
    return f"The version of {time} is next to it: {older.name}."


def _try_to_write(folder: Path) -> None:
    """Raise OSError if the folder cannot be written or its disk is full."""
    with tempfile.TemporaryFile(dir=folder) as file:
        file.write(bytes(65536))
        file.flush()
        os.fsync(file.fileno())
