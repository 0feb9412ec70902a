"""An SQLite file of this program: opened with its kind and version checked, its failures turned into sentences."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from parapluie_gui.errors import SessionError

#: Seconds a process waits for another one that is writing.
PATIENCE = 30.0


@dataclass(frozen=True)
class Format:
    """One kind of file.

    Attributes:
        application_id: Written into the file's header, to tell the kinds apart.
        version: Major * 1000 + minor. A newer minor version only adds what an older program can pass over; a newer
            major one is refused.
        schema: SQL that makes an empty file of this version.
        noun: What the user calls it ("session file").
        migrations: From an older version to the SQL steps that bring it to the next one, and that one's number.
    """

    application_id: int
    version: int
    schema: str
    noun: str
    migrations: Mapping[int, tuple[int, Callable[[sqlite3.Connection], None]]] = field(default_factory=dict)


class Database:
    """A connection to such a file, for one thread. Several processes may hold one each.

    The journal is write-ahead (WAL): readers never wait for a writer, and what a transaction wrote is whole or absent
    even when the process is killed.

    Args:
        path: The file.
        formats: The kinds of file that are accepted.
        create: Whether a missing or empty file becomes one of the first kind.
        reading: The file is only read: it is not brought to the present version, and locks are not waited for.

    Raises:
        SessionError: The file is missing, damaged, of another kind or of a newer version, or cannot be written.
    """

    def __init__(self, path: Path, formats: Sequence[Format], create: bool = True, *, reading: bool = False) -> None:
        self.path = path
        self._noun = formats[0].noun
        if not create and not path.is_file():
            raise SessionError(f"There is no {self._noun} {path}. Check where it was saved.")
        with self._sentences():
            # isolation_level None: transactions begin and end only where `transaction` says so.
            patience = 0.0 if reading else PATIENCE
            self._connection = sqlite3.connect(path, timeout=patience, isolation_level=None)
            try:
                self._prepare(formats, create, reading)
            except BaseException:
                self._connection.close()
                raise

    def close(self) -> None:
        """Close the file; the last one to close it folds the write-ahead journal back into it."""
        with self._sentences():
            self._connection.close()

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

    def copy_to(self, path: Path) -> None:
        """Write a copy of everything, compacted and without a journal, to a file that is missing or empty.

        Raises:
            SessionError: It cannot be written.
        """
        try:
            path.touch()  # says more clearly than SQLite why a file cannot be made
            with self._sentences(path):
                self._connection.execute("VACUUM INTO ?", (str(path),))
            with path.open("rb+") as file:  # SQLite does not wait until the copy is on the disk
                os.fsync(file.fileno())
        except OSError as error:
            raise SessionError(
                f"{path} cannot be written ({error.strerror}). Choose another folder or name."
            ) from error

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
        # Asked before anything is written: a file of another kind must come out of this untouched.
        (kind,) = connection.execute("PRAGMA application_id").fetchone()
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if tables == 0 and kind == 0 and create:
            form = formats[0]
        else:
            form = next((form for form in formats if form.application_id == kind), formats[0])
            if kind != form.application_id:
                raise SessionError(f"{self.path.name} is not a ParaPLUIE {self._noun}. Choose another file.")
            if self._version() // 1000 > form.version // 1000:
                raise SessionError(
                    f"{self.path.name} was written by a newer version of ParaPLUIE Inspector. "
                    "Update the program to open it."
                )
        if reading:
            if self._version() < form.version:
                raise SessionError(f"{self.path.name} is of an older version. Open it to bring it to the present one.")
            connection.execute("PRAGMA query_only=ON")
            return
        self._write_ahead()
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute("PRAGMA foreign_keys=ON")
        connection.execute("PRAGMA temp_store=MEMORY")
        if kind == form.application_id and self._version() >= form.version:
            return
        with self.transaction():
            # Looked at again now that nobody else writes: another process may have been faster.
            if self._version() == 0:
                for statement in form.schema.split(";"):
                    connection.execute(statement)
                connection.execute(f"PRAGMA application_id={form.application_id}")
                connection.execute(f"PRAGMA user_version={form.version}")
            else:
                self._migrate(form)

    def _version(self) -> int:
        (version,) = self._connection.execute("PRAGMA user_version").fetchone()
        return int(version)

    def _migrate(self, form: Format) -> None:
        while (version := self._version()) < form.version:
            if version not in form.migrations:
                raise SessionError(
                    f"{self.path.name} was written by a version of ParaPLUIE Inspector too old to be read (format "
                    f"{version}). Open and save it with a version in between."
                )
            following, step = form.migrations[version]
            step(self._connection)
            self._connection.execute(f"PRAGMA user_version={following}")

    def _write_ahead(self) -> None:
        # Changing the journal needs the file to itself, and SQLite does not wait for that by itself.
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                self._connection.execute("PRAGMA journal_mode=WAL").fetchone()
                return
            except sqlite3.OperationalError as error:
                if "locked" not in str(error) or time.monotonic() > deadline:
                    raise
                time.sleep(0.02)

    @contextlib.contextmanager
    def _sentences(self, path: Path | None = None) -> Iterator[None]:
        try:
            yield
        except (sqlite3.ProgrammingError, sqlite3.InterfaceError):
            raise  # a mistake of ours: another thread's connection, a closed one
        except sqlite3.Error as error:
            raise SessionError(_sentence(error, path or self.path, self._noun)) from error


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


def _sentence(error: sqlite3.Error, path: Path, noun: str) -> str:
    """Return an SQLite error as a sentence for the user."""
    text = str(error).lower()
    if "not a database" in text or "malformed" in text or "no such table" in text or "no such column" in text:
        return f"{path.name} is damaged or is not a ParaPLUIE {noun}. Choose another file or a backup of it."
    if "readonly" in text:
        return f"{path.name} cannot be written. Copy it to a folder you may write to."
    if "unable to open" in text:
        return f"{path} cannot be opened. Check that its folder exists and that you may write there."
    if "full" in text:
        return f"The disk that holds {path.name} is full. Make room and try again."
    if "locked" in text or "busy" in text:
        return f"{path.name} is in use by another program. Close that one and try again."
    return f"{path.name} cannot be used ({error}). Try again, or choose another file."
