"""An SQLite file of this program: opened with its kind and version checked, its failures turned into sentences."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Self

from parapluie_gui.errors import DamagedError, SessionError, UnwritableError
from parapluie_gui.files import touch_private
from parapluie_gui.storage import belongs, checksum

_BACKUP = "Choose another file or a backup of it."

#: Seconds a process waits for another one that is writing.
PATIENCE = 30.0

#: The same for one that only reads, perhaps while its window waits: a commit takes a few milliseconds.
READING_PATIENCE = 0.05


@dataclass(frozen=True)
class Format:
    """One kind of file.

    Attributes:
        application_id: Written into the file's header, to identify its kind.
        version: Grows with every change of the tables; files of any other version are refused.
        schema: SQL that makes an empty file.
        noun: What the user calls it ("session file").
        rules: By table, two SQL conditions that hold of every record: it is one that this program writes, and it is as
            it was written.
    """

    application_id: int
    version: int
    schema: str
    noun: str
    rules: Mapping[str, tuple[str, str]] = field(default_factory=dict)


class Database:
    """A connection to such a file, for one thread. Several processes may hold one each.

    What a transaction wrote is whole or absent, also when the process is killed or the power fails. The journal is a
    rollback journal: locks are held for the milliseconds of a transaction only. With a write-ahead journal they are
    held as long as the file is open, and any part of this process that opens and closes the file (a file dialog that
    tells its type) drops them: another process then deletes the journal under this one.

    Args:
        path: The file.
        formats: The kinds of file that are accepted.
        create: Whether a missing or empty file becomes one of the first kind.
        reading: The file is only read, and is hardly waited for.
        waits: Another process that writes is waited for, though the file is only read; not for the window's thread.

    Raises:
        DamagedError: It cannot be read as a whole.
        UnwritableError: It cannot be written.
        SessionError: It is missing, or of another kind or version.
    """

    def __init__(
        self,
        path: Path,
        formats: Sequence[Format],
        create: bool = True,
        *,
        reading: bool = False,
        waits: bool = False,
    ) -> None:
        self.path = path
        self._noun = formats[0].noun
        if not create and not path.is_file():
            raise SessionError(f"There is no {self._noun} {path}. Check where it was saved.")
        if create:
            touch_private(path)  # SQLite would make it for everybody to read
        with self._sentences():
            # isolation_level None: transactions begin and end only where `transaction` says so.
            patience = READING_PATIENCE if reading and not waits else PATIENCE
            self._connection = sqlite3.connect(path, timeout=patience, isolation_level=None)
            try:
                self._prepare(formats, create, reading)
            except BaseException:
                self._connection.close()
                raise

    def close(self) -> None:
        """Close the file."""
        with self._sentences():
            self._connection.close()

    def check(self, *, written: bool = True) -> None:
        """Look at every record, and with `written` read everything and compare it with its checksums.

        Raises:
            DamagedError: Something is not as it was written, or is no record of such a file.
        """
        with self._sentences():
            sound = not written or self._connection.execute("PRAGMA integrity_check(1)").fetchone() == ("ok",)
            for table, rules in self._form.rules.items():
                rule = " AND ".join(rules if written else rules[:1])
                (count,) = self._connection.execute(
                    f"SELECT count(*) FROM {table} WHERE ({rule}) IS NOT TRUE"
                ).fetchone()
                sound = sound and not count
        if not sound:
            raise DamagedError(f"{self.called} is damaged. {_BACKUP}")

    def state(self) -> tuple[int, int]:
        """Return what is another one after every change, by this connection or by another one."""
        with self._sentences():
            (version,) = self._connection.execute("PRAGMA data_version").fetchone()
            return self._connection.total_changes, int(version)

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Return all rows of a query."""
        with self._sentences():
            return self._connection.execute(sql, values).fetchall()

    def row(self, sql: str, values: Sequence[object] = ()) -> tuple[Any, ...] | None:
        """Return the first row of a query, or None."""
        with self._sentences():
            found: tuple[Any, ...] | None = self._connection.execute(sql, values).fetchone()
            return found

    def write(self, sql: str, values: Sequence[object] = ()) -> int:
        """Run one statement and return the id of the row it inserted."""
        with self._sentences():
            return self._connection.execute(sql, values).lastrowid or 0

    def write_many(self, sql: str, values: Iterable[Sequence[object]]) -> None:
        """Run one statement for each row of values; inside a `transaction` when there are many."""
        with self._sentences():
            self._connection.executemany(sql, values)

    def copy_to(self, path: Path, called: Path) -> None:
        """Write a copy of everything, compacted and without a journal, to an empty file.

        Args:
            path: The file.
            called: What it is called in a sentence for the user.

        Raises:
            SessionError: It cannot be written.
        """
        with self._sentences(called):
            self._connection.execute("VACUUM INTO ?", (str(path),))

    @property
    def called(self) -> str:
        """What the file is called in a sentence: a working copy has the name of the session file it belongs to."""
        return belongs.shown_name(self.path)

    @contextlib.contextmanager
    def transaction(self, reading: bool = False) -> Iterator[None]:
        """Make everything inside happen entirely or not at all; transactions nest into the outermost.

        With `reading`, the file is only read, and nobody has to wait.
        """
        if self._connection.in_transaction:
            yield
            return
        with self._sentences():
            # IMMEDIATE: a transaction that reads first could not wait for another writer later on.
            self._connection.execute("BEGIN" if reading else "BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                # A full disk may have rolled back already.
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def _prepare(self, formats: Sequence[Format], create: bool, reading: bool) -> None:
        connection = self._connection
        guard(connection)
        connection.create_function(checksum.NAME, -1, checksum.checksum, deterministic=True)
        connection.execute("PRAGMA cell_size_check=ON")
        # Asked before anything is written: a file of another kind must come out of this untouched. And at once: another
        # process may be about to make it.
        with self.transaction(reading=True):
            self._form = form = self._recognised(formats, create)
        if reading:
            connection.execute("PRAGMA query_only=ON")
            return
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("PRAGMA temp_store=MEMORY")
        if self._version() == 0:
            self._make(form)
        connection.execute("PRAGMA foreign_keys=ON")

    def _recognised(self, formats: Sequence[Format], create: bool) -> Format:
        """Return the kind of the file; one whose version or tables are not those that this program makes is refused."""
        (kind,) = self._connection.execute("PRAGMA application_id").fetchone()
        tables = _tables(self._connection)
        if not tables and kind == 0 and create:
            return formats[0]
        form = next((form for form in formats if form.application_id == kind), formats[0])
        if kind != form.application_id:
            raise SessionError(f"{self.called} is not a ParaPLUIE {self._noun}. Choose another file.")
        version = self._version()
        if version > form.version:
            raise SessionError(
                f"{self.called} was written by a newer version of ParaPLUIE Inspector. Update the program to open it."
            )
        if 0 < version < form.version:
            raise SessionError(
                f"{self.called} was written by a version of ParaPLUIE Inspector before 0.1.0 (format {version}), which "
                "is no longer read. Export what you need with that version and move the file away."
            )
        if version == 0 or tables != _made_by(form.schema):
            raise DamagedError(
                f"{self.called} is damaged, or was changed to run commands of somebody else's: its tables are not "
                f"those of a {form.noun} of ParaPLUIE Inspector. {_BACKUP}"
            )
        return form

    def _make(self, form: Format) -> None:
        with self.transaction():
            # Looked at again now that nobody else writes: another process may have been faster.
            if self._version() == 0:
                for statement in form.schema.split(";"):
                    self._connection.execute(statement)
                self._connection.execute(f"PRAGMA application_id={form.application_id}")
                self._connection.execute(f"PRAGMA user_version={form.version}")

    def _version(self) -> int:
        (version,) = self._connection.execute("PRAGMA user_version").fetchone()
        return int(version)

    @contextlib.contextmanager
    def _sentences(self, path: Path | None = None) -> Iterator[None]:
        try:
            yield
        except (sqlite3.ProgrammingError, sqlite3.InterfaceError):
            raise  # a mistake of ours: another thread's connection, a closed one
        except sqlite3.Error as error:
            called = self.called if path is None else path.name
            raise _session_error(error, path or self.path, called, self._noun) from error
        except UnicodeDecodeError as error:
            raise DamagedError(f"{self.called} is damaged: it holds what is no text. {_BACKUP}") from error


class OpenFile:
    """What a session and a store have in common: a file that is open until it is closed."""

    _database: Database

    @property
    def path(self) -> Path:
        """The file."""
        return self._database.path

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._database.close()


def guard(connection: sqlite3.Connection) -> None:
    """Keep what is in a file of unknown origin from running anything, as far as Python's SQLite can.

    Functions of ours cannot be kept from its tables (`trusted_schema`): SQLite would not even read the list of tables,
    whose columns of checksums call one, and Python cannot declare a function harmless (SQLITE_INNOCUOUS). It is the
    only one, does nothing but count, and nothing calls it before the tables are compared with our own.
    """
    if hasattr(connection, "setconfig"):  # from Python 3.12
        for name, on in (("DEFENSIVE", True), ("ENABLE_TRIGGER", False), ("ENABLE_VIEW", False)):
            connection.setconfig(getattr(sqlite3, f"SQLITE_DBCONFIG_{name}"), on)


def _tables(connection: sqlite3.Connection) -> list[tuple[object, ...]]:
    """Return kind, name, table and SQL of all that SQLite would use or run of a file, in a fixed order."""
    return sorted(connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master"), key=repr)


@lru_cache(maxsize=8)
def _made_by(schema: str) -> list[tuple[object, ...]]:
    """Return the tables and indexes of a file just made by this SQL."""
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        connection.create_function(checksum.NAME, -1, checksum.checksum, deterministic=True)
        connection.executescript(schema)
        return _tables(connection)


def _session_error(error: sqlite3.Error, path: Path, called: str, noun: str) -> SessionError:
    """Return an SQLite error as a sentence for the user."""
    text = str(error).lower()
    damaged = ("not a database", "malformed", "no such table", "no such column", "decode", "user-defined function")
    if any(words in text for words in (*damaged, "too big", "generated column")):
        return DamagedError(f"{called} is damaged or is not a ParaPLUIE {noun}. {_BACKUP}")
    if "readonly" in text:
        return UnwritableError(f"{called} cannot be written. Copy it to a folder you may write to.")
    if "unable to open" in text:
        return UnwritableError(f"{path} cannot be opened. Check that its folder exists and that you may write there.")
    if "full" in text:
        return UnwritableError(f"The disk with the folder {path.parent} is full. Make room there.")
    if "locked" in text or "busy" in text:
        return UnwritableError(f"{called} is in use by another program. Close that one and try again.")
    kind = UnwritableError if isinstance(error, sqlite3.OperationalError) else SessionError
    return kind(f"{called} cannot be used ({error}). Try again, or choose another file.")
