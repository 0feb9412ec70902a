"""Recovers a damaged session record by record, comparing each record with its checksums."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from parapluie_gui.errors import DamagedError, SessionError
from parapluie_gui.storage import checksum, copy_note, corpora
from parapluie_gui.storage.database import Database, guard
from parapluie_gui.storage.schema import SESSION, SUMS

#: The singular and plural noun for each table's records; tables that others refer to come first.
_NOUNS = {
    "signature": ("record of how scores were computed", "records of how scores were computed"),
    "batch": ("batch of scores", "batches of scores"),
    "corpus": ("corpus", "corpora"),
    "piece": ("part of a corpus", "parts of corpora"),
    "judgement": ("note or answer", "notes and answers"),
    "selection": ("saved selection", "saved selections"),
    "setting": ("setting", "settings"),
    "bench": ("entry of the Bench", "entries of the Bench"),
}

#: Columns without which a record is still useful.
_OPTIONAL = ("evidence", "label", "human")

#: Checksums that may differ: keys are recomputed from the texts, and a text with a wrong letter is still useful.
_TOLERATED = (("corpus", "keys_sum"), ("piece", "sum"))

_READ_ERRORS = (sqlite3.Error, UnicodeDecodeError, OverflowError, MemoryError)


def salvage(damaged: Path, into: Database, rows: Mapping[str, int]) -> list[str]:
    """Copy the intact records of a damaged session into an empty one.

    Args:
        damaged: The damaged database.
        into: The database of the new session.
        rows: The number of records that each table had, where it is known.

    Returns:
        Phrases for the lost and changed records ("2 notes"); empty if there are none.

    Raises:
        DamagedError: Nothing can be read, or its tables are not those of a session.
    """
    try:
        Database(damaged, (SESSION,), create=False, reading=True).close()  # checks its tables
    except SessionError as error:
        raise DamagedError(str(error)) from error
    with contextlib.closing(sqlite3.connect(damaged)) as source:
        guard(source)
        # Invalid text is read as it is; its checksum then differs.
        source.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
        source.create_function(checksum.NAME, -1, checksum.checksum, deterministic=True)
        work = _SessionSalvage(source, into)
        with into.transaction():
            lost = {table: work.copy_table(table, rows.get(table)) for table in _NOUNS}
            work.mend_corpora()
    if not work.copied and any(lost.values()):
        raise DamagedError(f"{copy_note.display_name(damaged)} is so damaged that nothing in it can be read.")
    losses = [f"{lost[table]:,} {nouns[lost[table] != 1]}" for table, nouns in _NOUNS.items() if lost[table]]
    return losses + work.changed


class _SessionSalvage:
    """The recovery of one session.

    Attributes:
        copied: The number of recovered records.
        changed: Phrases for records that were recovered with changes.
    """

    def __init__(self, source: sqlite3.Connection, into: Database) -> None:
        self.copied = 0
        self.changed: list[str] = []
        self._source, self._into = source, into
        self._differing: set[object] = set()

    def copy_table(self, table: str, known: int | None) -> int:
        """Copy the intact records of a table whose parent records exist; return the number of lost records."""
        columns = [row[1] for row in self._into.rows(f"PRAGMA table_info({table})")]
        insert = f"INSERT OR IGNORE INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"
        seen = 0
        for record in self._records(table, [*columns, *SUMS[table]]):
            seen += 1
            if record is not None and self._is_intact(table, record):
                with contextlib.suppress(SessionError, UnicodeEncodeError):  # for example a record of a lost corpus
                    self._into.write(insert, [record[column] for column in columns])
        self._into.write(f"DELETE FROM {table} WHERE ({SESSION.rules[table][0]}) IS NOT TRUE")
        count = int(self._into.rows(f"SELECT count(*) FROM {table}")[0][0])
        self.copied += count
        return max(0, (seen if known is None else known) - count)

    def mend_corpora(self) -> None:
        """Recompute the keys of the corpora, and remove corpora whose texts cannot be read."""
        for number, name in self._into.rows("SELECT id, name FROM corpus"):
            title = corpora.decode_text(name)
            try:
                corpora.renew_keys(self._into, number)
            except SessionError:
                self._into.write("DELETE FROM corpus WHERE id = ?", (number,))
                self.changed.append(f"the corpus “{title}” with its notes and selections")
            else:
                if number in self._differing:
                    self.changed.append(f"some texts of “{title}” (characters in them may be wrong)")

    def _records(self, table: str, names: Sequence[str]) -> Iterator[dict[str, object] | None]:
        """Yield the records up to the first unreadable one, then None, then the others from the last one backwards."""
        for backwards in (False, True):
            self._source.execute(f"PRAGMA reverse_unordered_selects={backwards:d}")
            try:
                for row in self._source.execute(f"SELECT {', '.join(names)} FROM {table} NOT INDEXED"):
                    yield dict(zip(names, row, strict=True))
                return
            except _READ_ERRORS:
                yield None

    def _is_intact(self, table: str, record: dict[str, object]) -> bool:
        """Return whether a record is as it was written; set optional columns that differ to None."""
        for name, columns in SUMS[table].items():
            if record[name] == checksum.checksum(*(record[column] for column in columns.split(", "))):
                continue
            column = name.removesuffix("_sum")
            if column in _OPTIONAL:
                record[column] = None
                if (phrase := f"the {column} of a {table}") not in self.changed:
                    self.changed.append(phrase)
            elif (table, name) in _TOLERATED:
                self._differing.add(record["id" if table == "corpus" else "corpus"])
            else:
                return False
        return True
