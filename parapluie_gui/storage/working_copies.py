"""Where sessions live while they are open: databases in the user's data folder, each with a lock.

A session file is copied here when it is opened, and written from here (see `document.py`). What is here without a lock
belongs to a window that is gone: an unsaved session, or work that did not reach its document any more.
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
from parapluie_gui.storage import belongs, document
from parapluie_gui.storage.database import Database
from parapluie_gui.storage.salvage import salvage
from parapluie_gui.storage.schema import SESSION, SUMS

#: More windows than anybody opens.
_MOST = 50

#: Seconds for which another window may look for a place here.
_PATIENCE = 10.0


@dataclass
class WorkingCopy:
    """A database that a session works on.

    Attributes:
        path: The database.
        document: The session file it belongs to; None for an unsaved session.
        saves: The `save`s of the document that are this copy's own: the last one, and one that may be under way.
        lock: Held while the session is open.
        said: Sentences for the user about the opening: what was repaired or lost.
    """

    path: Path
    lock: FileLock
    document: Path | None = None
    saves: tuple[str, ...] = ()
    said: list[str] = field(default_factory=list)

    def remember(self) -> None:
        """Keep beside the database which document it belongs to.

        Raises:
            UnwritableError: The data folder cannot be written.
        """
        belongs.write(self.path, self.document, self.saves)

    def forget(self) -> None:
        """Remove the database; its document has everything."""
        for path in (self.path, self.path.with_name(f"{self.path.name}-journal"), belongs.note(self.path)):
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)
        self.release()

    def release(self) -> None:
        """Leave the database to the next window."""
        self.lock.release()


class WorkingCopies:
    """The working copies of a user.

    Args:
        folder: The user's data folder; they lie in its folder `sessions`, made if need be.
        generations: How many versions of a document are kept next to it, the latest of each time that it was opened.
        content: Keys of the settings that hold what a user made, as a corpus does: a session that has one of them is
            not empty. Every other setting is a choice in the window.

    Attributes:
        generations, content: See above.
    """

    def __init__(self, folder: Path, generations: int = 1, content: Iterable[str] = ()) -> None:
        self._home, self._folder = folder, folder / belongs.FOLDER
        self.generations = generations
        self.content = frozenset(content)
        self._scratch: tempfile.TemporaryDirectory[str] | None = None

    def last_unsaved(self) -> WorkingCopy:
        """Return the most recent unsaved session that no other window has open, otherwise an empty one.

        Work that did not reach its document, because its program was killed, is written there first.
        """
        said: list[str] = []
        with self._looking(said):
            free = [copy for path in self._known() if (copy := self._take(path)) is not None]
        for copy in [copy for copy in free if copy.document is not None]:
            free.remove(copy)
            said += self._finish(copy)
        unsaved = next(iter(free), None)
        for copy in free[1:]:
            copy.release()
        copy = self.new() if unsaved is None else self._sound(unsaved)
        copy.said[:0] = said
        return copy

    def new(self) -> WorkingCopy:
        """Return an empty unsaved session.

        Raises:
            SessionError: There are too many.
        """
        said: list[str] = []
        with self._looking(said):
            for number in range(1, _MOST):
                path = self._path(number)
                if not path.exists() and not belongs.note(path).is_dir() and (copy := self._take(path)) is not None:
                    belongs.note(path).unlink(missing_ok=True)
                    copy.document, copy.saves, copy.said = None, (), said
                    return copy
        raise SessionError("Too many windows are open at once. Close some.")

    def of(self, path: Path, create: bool = False) -> WorkingCopy:
        """Return a working copy of a document, checked; of a damaged one an unsaved session with what is whole of it.

        Args:
            path: The document.
            create: It may be missing.

        Raises:
            InUseError: It is open elsewhere.
            SessionError: It is missing, no session file, of another version, or nothing of it can be read.
        """
        path = Path(os.path.realpath(path))
        said: list[str] = []
        with self._looking(said):
            for known in self._known():
                if belongs.read(known)[0] == path:
                    said += self._finish(self._take_left(known, path))
        if not create and not path.exists():
            raise SessionError(f"There is no session file {path}. Check where it was saved.")
        copy = self.new()
        copy.said += said
        copy.document = path
        try:
            copy.remember()
            if not path.exists():
                return copy
            try:
                trailer, sound = document.copy_out(path, copy.path)
            except DamagedError as error:
                raise DamagedError(f"{error} {hint(path)}".rstrip()) from error
            copy.saves = () if trailer is None else (trailer.save,)
            copy.remember()
            if not sound:
                differs = DamagedError(f"{path.name} is damaged.")
                return self._salvaged(copy, differs, {} if trailer is None else trailer.rows)
            return self._sound(copy, written=False)
        except BaseException:
            copy.forget()
            raise

    def check_closed(self, path: Path) -> None:
        """Make sure that a document is open nowhere.

        Raises:
            InUseError: It is open.
        """
        with self._looking([]):
            for known in self._known():
                if belongs.read(known)[0] == Path(os.path.realpath(path)):
                    self._take_left(known, path).release()

    def close(self) -> None:
        """Remove the temporary folder, if one had to do."""
        if self._scratch is not None:
            self._scratch.cleanup()

    def _take_left(self, known: Path, path: Path) -> WorkingCopy:
        """Lock the working copy of a document that a killed program left."""
        if (left := self._take(known)) is None:
            raise InUseError(f"{path.name} is open in another window or program. Close it there first.")
        return left

    def _finish(self, copy: WorkingCopy) -> list[str]:
        """Save what a killed program left into its document, or next to it; return a message for the user."""
        path = copy.document
        assert path is not None
        said = []
        try:
            sound = self._sound(copy)
            try:
                document.check_unchanged(path, set(copy.saves))
                target = path if sound is copy else free_name(path)
            except DocumentError:
                target = free_name(path)
            with contextlib.closing(Database(sound.path, (SESSION,))) as database:
                document.write(database, target, SUMS, save=new_save(), generations=self.generations)
            if target != path:
                said.append(
                    f"Work on {path.name} that had not been saved is now in {target.name}, because {path.name} is not "
                    "as it was left."
                )
            said = sound.said + said
            sound.forget()
        except SessionError as error:
            said.append(f"Work on {path.name} is not in that file yet, but kept. {error}")
            copy.release()
        return said

    def _sound(self, copy: WorkingCopy, *, written: bool = True) -> WorkingCopy:
        """Return a copy whose every record is sound: this one, or a new one with what is whole of it.

        Args:
            copy: The copy.
            written: Compare it with its checksums; a digest may have shown already that all is as it was written.
        """
        try:
            with contextlib.closing(Database(copy.path, (SESSION,), create=copy.document is None)) as database:
                database.check(written=written)
            return copy
        except SessionError as error:
            if copy.document is not None and not isinstance(error, DamagedError):
                raise
            return self._salvaged(copy, error, {})

    def _salvaged(self, copy: WorkingCopy, error: SessionError, rows: Mapping[str, int]) -> WorkingCopy:
        """Return a new unsaved session with what is whole of a copy, which goes or is put aside."""
        new = self.new()
        new.said += copy.said
        what = f"{belongs.shown_name(copy.path)} is damaged." if isinstance(error, DamagedError) else str(error)
        try:
            with contextlib.closing(Database(new.path, (SESSION,))) as database:
                lost = salvage(copy.path, database, rows)
            listed = "; ".join(lost) if lost else "nothing but what holds its records together"
            saved = f"What is whole is open as an unsaved session. Lost or changed: {listed}."
        except DamagedError as nothing:
            if copy.document is not None:
                new.forget()
                raise DamagedError(f"{nothing} {hint(copy.document)}".rstrip()) from error
            saved = "Nothing of it can be read."
        if copy.document is None:
            kept = f"The damaged file is now {put_aside(copy.path)}."
            copy.release()
        else:
            copy.forget()
            kept = f"{copy.document.name} is left as it is; save this session under another name."
        new.said.append(f"{what} {saved} {kept}")
        return new

    def _known(self) -> list[Path]:
        """Return the databases here, the one used last first."""
        return sorted(self._folder.glob("*.sqlite"), key=lambda path: path.stat().st_mtime, reverse=True)

    def _take(self, path: Path) -> WorkingCopy | None:
        """Lock a database, unless another window has it."""
        lock = FileLock(path.with_suffix(".lock"), timeout=0, thread_local=False, mode=0o600)
        try:
            lock.acquire()
        except (Timeout, OSError):
            return None
        return WorkingCopy(path, lock, *belongs.read(path))

    @contextlib.contextmanager
    def _looking(self, said: list[str]) -> Iterator[None]:
        """Keep other windows from looking for a place at the same time; a full data folder is reported."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            lock = FileLock(self._folder / "all.lock", timeout=_PATIENCE, thread_local=False, mode=0o600)
            lock.acquire()
            _try_to_write(self._folder)
        except (OSError, Timeout) as error:
            if self._scratch is not None:
                raise UnwritableError(f"There is no folder in which a session can be kept ({error}).") from error
            self._scratch = tempfile.TemporaryDirectory(prefix="parapluie-")
            said.append(
                f"Your data folder {self._home} cannot be written ({getattr(error, 'strerror', None) or error}). Save "
                "the session to a file: until then it is kept in a temporary folder."
            )
            self._folder = Path(self._scratch.name)
            with self._looking(said):
                yield
            return
        try:
            yield
        finally:
            lock.release()

    def _path(self, number: int) -> Path:
        return self._folder / f"{number}.sqlite"


def new_save() -> str:
    """Return a `save` for a document's trailer that no other one has."""
    return secrets.token_hex(8)


def free_name(path: Path, word: str = "recovered") -> Path:
    """Return a name beside a document that is free, with a word that says what it is."""
    names = (f"{path.stem} ({word}{f' {number}' if number > 1 else ''}){path.suffix}" for number in range(1, 1000))
    return next(found for name in names if not (found := path.with_name(name)).exists())


def hint(path: Path) -> str:
    """Return a sentence on the version before of a document; "" where there is none."""
    older = document.version_before(path)
    try:
        when = datetime.fromtimestamp(older.stat().st_mtime).strftime("%Y-%m-%d %H:%M")
    except OSError:
        return ""
    return f"The version of {when} is beside it as {older.name}."


def _try_to_write(folder: Path) -> None:
    """Raise OSError where nothing can be written, or nothing more."""
    with tempfile.TemporaryFile(dir=folder) as file:
        file.write(bytes(65536))
        file.flush()
        os.fsync(file.fileno())
