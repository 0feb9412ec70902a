"""An SQLite file of this program: its kind and version are checked, and its errors become messages for the user."""

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
from parapluie_gui.storage import checksum, copy_note

_BACKUP = "Choose a different file or a backup of it."

#: Seconds to wait while another process writes.
PATIENCE = 30.0

#: Seconds to wait when only reading, perhaps in the window's thread: a commit takes a few milliseconds.
READING_PATIENCE = 0.05


@dataclass(frozen=True)
class FileFormat:
    """A kind of SQLite file.

    Attributes:
        application_id: The number in the file's header that identifies its kind.
        version: The version, which grows with every change to the tables; files of any other version are refused.
        schema: SQL that creates an empty file.
        noun: The user's word for such a file ("session file").
        rules: By table, two SQL conditions on every record: that this program could have written it, and that it is
            unchanged since.
    """

    application_id: int
    version: int
    schema: str
    noun: str
    rules: Mapping[str, tuple[str, str]] = field(default_factory=dict)


class Database:
    """A connection to an SQLite file of this program, for one thread. Several processes may be connected at once.

    A transaction is written entirely or not at all, even if the process is killed or the power fails. The journal is a
    rollback journal: locks are held only for the milliseconds of a transaction. A write-ahead log would hold them as
    long as the file is open, and any part of this process that opens and closes the file (a file dialog that detects
    its type) would drop them: another process could then delete the log in use.

    Args:
        path: The file.
        formats: The accepted kinds of file.
        create: Whether to create a missing or empty file, as one of the first kind.
        reading: Only read the file, and wait `READING_PATIENCE` for writers.
        waits: Wait `PATIENCE` for writers even when only reading; not for the window's thread.

    Raises:
        DamagedError: It cannot be read.
        UnwritableError: It cannot be written.
        SessionError: It is missing, or of a different kind or version.
    """

    def __init__(
        self,
        path: Path,
        formats: Sequence[FileFormat],
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
            touch_private(path)  # SQLite would make the file readable by everyone
        with self._translated_errors():
            # isolation_level None: only `transaction` begins and ends transactions.
            patience = READING_PATIENCE if reading and not waits else PATIENCE
            self._connection = sqlite3.connect(path, timeout=patience, isolation_level=None)
            try:
                self._prepare(formats, create, reading)
            except BaseException:
                self._connection.close()
                raise

    def close(self) -> None:
        """Close the file."""
        with self._translated_errors():
            self._connection.close()

    def check(self, *, written: bool = True) -> None:
        """Check every record; with `written`, read the whole file and compare it with its checksums.

        Raises:
            DamagedError: A record has changed since it was written, or does not belong in such a file.
        """
        with self._translated_errors():
            sound = not written or self._connection.execute("PRAGMA integrity_check(1)").fetchone() == ("ok",)
            for table, rules in self._form.rules.items():
                rule = " AND ".join(rules if written else rules[:1])
                (count,) = self._connection.execute(
                    f"SELECT count(*) FROM {table} WHERE ({rule}) IS NOT TRUE"
                ).fetchone()
                sound = sound and not count
        if not sound:
            raise DamagedError(f"{self.display_name} is damaged. {_BACKUP}")

    def state(self) -> tuple[int, int]:
        """Return a value that differs after every change, whether through this connection or others."""
        with self._translated_errors():
            (version,) = self._connection.execute("PRAGMA data_version").fetchone()
            return self._connection.total_changes, int(version)

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Return all rows of a query."""
        with self._translated_errors():
            return self._connection.execute(sql, values).fetchall()

    def row(self, sql: str, values: Sequence[object] = ()) -> tuple[Any, ...] | None:
        """Return the first row of a query, or None."""
        with self._translated_errors():
            row: tuple[Any, ...] | None = self._connection.execute(sql, values).fetchone()
            return row

    def write(self, sql: str, values: Sequence[object] = ()) -> int:
        """Run one statement and return the id of the row it inserted."""
        with self._translated_errors():
            return self._connection.execute(sql, values).lastrowid or 0

    def write_many(self, sql: str, values: Iterable[Sequence[object]]) -> None:
        """Run one statement for each row of values; call it within a `transaction` if there are many."""
        with self._translated_errors():
            self._connection.executemany(sql, values)

    def copy_to(self, path: Path, target: Path) -> None:
        """Write a copy of everything, compacted and without a journal, to an empty file.

        Args:
            path: The file.
            target: The path that error messages name.

        Raises:
            SessionError: It cannot be written.
        """
        with self._translated_errors(target):
            self._connection.execute("VACUUM INTO ?", (str(path),))

    @property
    def display_name(self) -> str:
        """The name of the file in messages; for a working copy, the name of its session file."""
        return copy_note.display_name(self.path)

    @contextlib.contextmanager
    def transaction(self, reading: bool = False) -> Iterator[None]:
        """Run all statements in the block, or none; nested transactions are part of the outermost one.

        With `reading`, the file is only read, and no other process has to wait.
        """
        if self._connection.in_transaction:
            yield
            return
        with self._translated_errors():
            # IMMEDIATE: a transaction that reads first could not wait for another writer later.
            self._connection.execute("BEGIN" if reading else "BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                # SQLite has already rolled back if the disk is full.
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def _prepare(self, formats: Sequence[FileFormat], create: bool, reading: bool) -> None:
        connection = self._connection
        guard(connection)
        connection.create_function(checksum.NAME, -1, checksum.checksum, deterministic=True)
        connection.execute("PRAGMA cell_size_check=ON")
        # Done before anything is written, so that a file of a different kind stays untouched, and in one transaction,
        # because another process may be creating the file.
        with self.transaction(reading=True):
            self._form = form = self._identify_format(formats, create)
        if reading:
            connection.execute("PRAGMA query_only=ON")
            return
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("PRAGMA temp_store=MEMORY")
        if self._version() == 0:
            self._create_tables(form)
        connection.execute("PRAGMA foreign_keys=ON")

    def _identify_format(self, formats: Sequence[FileFormat], create: bool) -> FileFormat:
        """Return the kind of the file; refuse it if its version or tables are not this program's."""
        (kind,) = self._connection.execute("PRAGMA application_id").fetchone()
        tables = _tables(self._connection)
        if not tables and kind == 0 and create:
            return formats[0]
        form = next((form for form in formats if form.application_id == kind), formats[0])
        if kind != form.application_id:
            raise SessionError(f"{self.display_name} is not a ParaPLUIE {self._noun}. Choose a different file.")
        version = self._version()
        if version > form.version:
            raise SessionError(
                f"{self.display_name} was written by a newer version of ParaPLUIE Inspector. Update the program to "
                "open it."
            )
        if 0 < version < form.version:
            raise SessionError(
                f"{self.display_name} was written by a version of ParaPLUIE Inspector before 0.1.0 (format {version}), "
                "which is no longer read. Export what you need with that version and move the file elsewhere."
            )
        if version == 0 or tables != _tables_of_schema(form.schema):
            raise DamagedError(
                f"{self.display_name} is damaged or was tampered with: its tables are not those of a ParaPLUIE "
                f"{form.noun}. {_BACKUP}"
            )
        return form

    def _create_tables(self, form: FileFormat) -> None:
        with self.transaction():
            # Checked again now that the file is locked: another process may have created it first.
            if self._version() == 0:
                for statement in form.schema.split(";"):
                    self._connection.execute(statement)
                self._connection.execute(f"PRAGMA application_id={form.application_id}")
                self._connection.execute(f"PRAGMA user_version={form.version}")

    def _version(self) -> int:
        (version,) = self._connection.execute("PRAGMA user_version").fetchone()
        return int(version)

    @contextlib.contextmanager
    def _translated_errors(self, path: Path | None = None) -> Iterator[None]:
        try:
            yield
        except (sqlite3.ProgrammingError, sqlite3.InterfaceError):
            raise  # a programming error, such as the use of a closed connection
        except sqlite3.Error as error:
            name = self.display_name if path is None else path.name
            raise _session_error(error, path or self.path, name, self._noun) from error
        except UnicodeDecodeError as error:
            raise DamagedError(f"{self.display_name} is damaged: it holds invalid text. {_BACKUP}") from error


class OpenFile:
    """The base of sessions and stores: a context manager that closes the file."""

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
    """Prevent a file of unknown origin from running code, as far as Python's SQLite allows.

    `trusted_schema` must stay on: without it SQLite would not even read the list of tables, whose checksum columns call
    `checksum`, and Python cannot declare a function harmless (SQLITE_INNOCUOUS). That function only computes a number,
    and is the only function there; nothing calls it before the tables have been compared with this program's.
    """
    if hasattr(connection, "setconfig"):  # available from Python 3.12
        for name, on in (("DEFENSIVE", True), ("ENABLE_TRIGGER", False), ("ENABLE_VIEW", False)):
            connection.setconfig(getattr(sqlite3, f"SQLITE_DBCONFIG_{name}"), on)


def _tables(connection: sqlite3.Connection) -> list[tuple[object, ...]]:
    """Return kind, name, table and SQL of every table, index, view and trigger, in a fixed order."""
    return sorted(connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master"), key=repr)


@lru_cache(maxsize=8)
def _tables_of_schema(schema: str) -> list[tuple[object, ...]]:
    """Return the tables and indexes that this SQL creates."""
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        connection.create_function(checksum.NAME, -1, checksum.checksum, deterministic=True)
        connection.executescript(schema)
        return _tables(connection)


def _session_error(error: sqlite3.Error, path: Path, name: str, noun: str) -> SessionError:
    """Return an SQLite error as a message for the user."""
    text = str(error).lower()
    damaged = ("not a database", "malformed", "no such table", "no such column", "decode", "user-defined function")
    if any(phrase in text for phrase in (*damaged, "too big", "generated column")):
        return DamagedError(f"{name} is damaged or is not a ParaPLUIE {noun}. {_BACKUP}")
    if "readonly" in text:
        return UnwritableError(f"{name} cannot be written. Copy it to a folder that you can write to.")
    if "unable to open" in text:
        return UnwritableError(f"{path} cannot be opened. Check that its folder exists and that you can write to it.")
    if "full" in text:
        return UnwritableError(f"The disk with the folder {path.parent} is full. Free disk space there.")
    if "locked" in text or "busy" in text:
        return UnwritableError(f"{name} is in use by another program. Close that program and try again.")
    kind = UnwritableError if isinstance(error, sqlite3.OperationalError) else SessionError
    return kind(f"{name} cannot be used ({error}). Try again, or choose a different file.")
