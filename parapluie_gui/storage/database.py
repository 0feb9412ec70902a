"""An SQLite file of this program: opened with its kind and version checked, its failures turned into sentences."""

from __future__ import annotations

import contextlib
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from parapluie_gui.errors import DamagedError, SessionError, UnwritableError
from parapluie_gui.files import touch_private
from parapluie_gui.storage import belongs, checksum, shape

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
        version: Major * 1000 + minor. A newer minor version has the same tables, and in them what an older program can
            pass over; a newer major one is refused.
        schema: SQL that makes an empty file of this version.
        noun: What the user calls it ("session file").
        migrations: From an older version to the number of the next one, the SQL steps that bring a file to it, and the
            SQL that makes an empty file of the older one.
        sums: The columns of checksums by table, with the columns that each one is of.
    """

    application_id: int
    version: int
    schema: str
    noun: str
    migrations: Mapping[int, tuple[int, Callable[[sqlite3.Connection], None], str]] = field(default_factory=dict)
    sums: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def schema_of(self, version: int) -> str | None:
        """Return the SQL that makes an empty file of a version; None of one that cannot be brought to this one."""
        if version // 1000 == self.version // 1000 and version >= self.version:
            return self.schema
        return self.migrations[version][2] if version in self.migrations else None


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
        reading: The file is only read: it is not brought to the present version, and is hardly waited for.
        waits: Another process that writes is waited for, though the file is only read; not for the window's thread.

    Raises:
        DamagedError: It cannot be read as a whole.
        UnwritableError: It cannot be written.
        SessionError: It is missing, of another kind or of a newer version, or holds what no such file has.
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

    def check(self) -> None:
        """Read everything and compare it with its checksums.

        Raises:
            DamagedError: Something is not as it was written.
        """
        with self._sentences():
            sound = self._connection.execute("PRAGMA integrity_check(1)").fetchone() == ("ok",)
            for table, sums in self._form.sums.items():
                differing = " OR ".join(f"{name} IS NOT {checksum.NAME}({of})" for name, of in sums.items())
                (count,) = self._connection.execute(f"SELECT count(*) FROM {table} WHERE {differing}").fetchone()
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
            form = self._understood(formats, create)
        self._form = form
        if reading:
            if self._version() < form.version:
                raise SessionError(f"{self.called} is of an older version. Open it to bring it to the present one.")
            connection.execute("PRAGMA query_only=ON")
            return
        self._leave_write_ahead()
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("PRAGMA temp_store=MEMORY")
        if self._version() < form.version:
            self._make_or_migrate(form)
        connection.execute("PRAGMA foreign_keys=ON")

    def _understood(self, formats: Sequence[Format], create: bool) -> Format:
        """Return the kind of the file; one that is not like a new one of its version is refused."""
        (kind,) = self._connection.execute("PRAGMA application_id").fetchone()
        found = shape.entries(self._connection)
        if not found and kind == 0 and create:
            return formats[0]
        form = next((form for form in formats if form.application_id == kind), formats[0])
        if kind != form.application_id:
            raise SessionError(f"{self.called} is not a ParaPLUIE {self._noun}. Choose another file.")
        version = self._version()
        if version // 1000 > form.version // 1000:
            raise SessionError(
                f"{self.called} was written by a newer version of ParaPLUIE Inspector. Update the program to open it."
            )
        schema = form.schema_of(version)
        if strange := shape.foreign(found, schema or form.schema):
            raise SessionError(
                f"{self.called} holds the {strange[0]} {strange[1]!r}, which no {self._noun} of ParaPLUIE Inspector "
                "has. Do not use it: somebody may have changed it to run commands of theirs."
            )
        if schema is None and version > 0:
            raise SessionError(
                f"{self.called} was written by a version of ParaPLUIE Inspector too old to be read (format "
                f"{version}). Open and save it with a version in between."
            )
        if schema is None or len(found) != len(set(found)) or set(found) != shape.expected(schema):
            raise DamagedError(f"{self.called} is damaged: its tables are not as they were made. {_BACKUP}")
        return form

    def _make_or_migrate(self, form: Format) -> None:
        connection = self._connection
        # A table that is renamed stays what others call it: the one that takes its place.
        connection.execute("PRAGMA legacy_alter_table=ON")
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
            following, step, _ = form.migrations[version]
            step(self._connection)
            self._connection.execute(f"PRAGMA user_version={following}")

    def _leave_write_ahead(self) -> None:
        """Fold in the write-ahead journal of an older version of this program."""
        # Changing the journal needs the file to itself, and SQLite does not wait for that by itself.
        deadline = time.monotonic() + PATIENCE
        while self._connection.execute("PRAGMA journal_mode").fetchone() == ("wal",):
            try:
                self._connection.execute("PRAGMA journal_mode=DELETE").fetchone()
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
    only one, does nothing but count, and nothing calls it before the tables are compared with our own (`shape`).
    """
    if hasattr(connection, "setconfig"):  # from Python 3.12
        for name, on in (("DEFENSIVE", True), ("ENABLE_TRIGGER", False), ("ENABLE_VIEW", False)):
            connection.setconfig(getattr(sqlite3, f"SQLITE_DBCONFIG_{name}"), on)


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
