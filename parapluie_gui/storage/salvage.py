"""Saving what is whole of a damaged session: record by record, each compared with its checksums."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from parapluie_gui.errors import DamagedError, SessionError
from parapluie_gui.storage import belongs, checksum, corpora
from parapluie_gui.storage.database import Database, guard
from parapluie_gui.storage.schema import SESSION, SUMS

#: What the records of each table are called; parents before what belongs to them.
_NOUNS = {
    "signature": "records of what scores were computed with",
    "batch": "batches of scores",
    "corpus": "corpora",
    "piece": "parts of corpora",
    "judgement": "notes and answers",
    "selection": "saved selections",
    "setting": "settings",
    "bench": "entries of the Bench",
}

#: Columns that a record is still of use without.
_DISPENSABLE = ("evidence", "label", "human")

#: Checksums of what follows from the texts of a corpus, and of the texts, which one letter does not make useless.
_MENDED = (("corpus", "keys_sum"), ("piece", "sum"))

_UNREADABLE = (sqlite3.Error, UnicodeDecodeError, OverflowError, MemoryError)


def salvage(damaged: Path, into: Database, rows: Mapping[str, int]) -> list[str]:
    """Copy what is whole of a damaged session into an empty one.

    Args:
        damaged: The database.
        into: The new session.
        rows: How many records each table is known to have held; a table may be missing.

    Returns:
        What is lost or changed, each in a few words ("2 notes"); empty if nothing is.

    Raises:
        DamagedError: Nothing can be read, or its tables are not those of a session.
    """
    try:
        Database(damaged, (SESSION,), create=False, reading=True).close()  # looks at its tables
    except SessionError as error:
        raise DamagedError(str(error)) from error
    with contextlib.closing(sqlite3.connect(damaged)) as source:
        guard(source)
        # Bytes that are no text come through, and differ from their checksum.
        source.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
        source.create_function(checksum.NAME, -1, checksum.checksum, deterministic=True)
        work = _Salvage(source, into)
        with into.transaction():
            lost = {table: work.copy_table(table, rows.get(table)) for table in _NOUNS}
            work.mend_corpora()
    if not work.copied and any(lost.values()):
        raise DamagedError(f"{belongs.shown_name(damaged)} is damaged so that nothing of it can be read.")
    return [f"{lost[table]:,} {noun}" for table, noun in _NOUNS.items() if lost[table]] + work.changed


class _Salvage:
    """One salvage on its way.

    Attributes:
        copied: How many records are saved.
        changed: What is there, but not as it was, in words.
    """

    def __init__(self, source: sqlite3.Connection, into: Database) -> None:
        self.copied = 0
        self.changed: list[str] = []
        self._source, self._into = source, into
        self._differing: set[object] = set()

    def copy_table(self, table: str, known: int | None) -> int:
        """Copy the records of a table that are whole and whose parents are there; return how many are lost."""
        columns = [row[1] for row in self._into.rows(f"PRAGMA table_info({table})")]
        insert = f"INSERT OR IGNORE INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"
        seen = 0
        for record in self._records(table, [*columns, *SUMS[table]]):
            seen += 1
            if record is not None and self._is_whole(table, record):
                with contextlib.suppress(SessionError, UnicodeEncodeError):  # such as one of a corpus that is lost
                    self._into.write(insert, [record[column] for column in columns])
        self._into.write(f"DELETE FROM {table} WHERE ({SESSION.rules[table][0]}) IS NOT TRUE")
        count = int(self._into.rows(f"SELECT count(*) FROM {table}")[0][0])
        self.copied += count
        return max(0, (seen if known is None else known) - count)

    def mend_corpora(self) -> None:
        """Make the keys of the corpora anew, and remove those whose texts cannot be read."""
        for number, name in self._into.rows("SELECT id, name FROM corpus"):
            title = corpora.restored(name)
            try:
                corpora.renew_keys(self._into, number)
            except SessionError:
                self._into.write("DELETE FROM corpus WHERE id = ?", (number,))
                self.changed.append(f"the corpus “{title}” with what belongs to it")
            else:
                if number in self._differing:
                    self.changed.append(f"some texts of “{title}” (they may differ in a letter)")

    def _records(self, table: str, names: Sequence[str]) -> Iterator[dict[str, object] | None]:
        """Yield the records from the first on; where reading breaks off None, and the others from the last on."""
        for backwards in (False, True):
            self._source.execute(f"PRAGMA reverse_unordered_selects={backwards:d}")
            try:
                for row in self._source.execute(f"SELECT {', '.join(names)} FROM {table} NOT INDEXED"):
                    yield dict(zip(names, row, strict=True))
                return
            except _UNREADABLE:
                yield None

    def _is_whole(self, table: str, record: dict[str, object]) -> bool:
        """Tell whether a record is as it was written, but for what it may do without, which is taken out."""
        for name, of in SUMS[table].items():
            if record[name] == checksum.checksum(*(record[column] for column in of.split(", "))):
                continue
            column = name.removesuffix("_sum")
            if column in _DISPENSABLE:
                record[column] = None
                if (what := f"the {column} of a {table}") not in self.changed:
                    self.changed.append(what)
            elif (table, name) in _MENDED:
                self._differing.add(record["id" if table == "corpus" else "corpus"])
            else:
                return False
        return True
