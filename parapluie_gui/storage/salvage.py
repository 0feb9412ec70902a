"""Saving what is whole of a damaged session: record by record, each compared with its checksum."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from parapluie_gui.errors import DamagedError, SessionError
from parapluie_gui.storage import belongs, checksum, corpora, shape
from parapluie_gui.storage.corpora import PIECE, CorpusEntry, pack, unpack
from parapluie_gui.storage.database import Database, guard
from parapluie_gui.storage.migration import judgements_of_notes
from parapluie_gui.storage.schema import SESSION, SUMS

#: What stands in the place of a text that cannot be read.
LOST = "\N{REPLACEMENT CHARACTER}"

#: What finds a record of each table, and what the table's records are called; parents before what belongs to them.
_KEYS = {
    "signature": ("id",),
    "batch": ("id",),
    "corpus": ("id",),
    "piece": ("corpus", "name", "place"),
    "judgement": ("corpus", "row", "annotator", "scheme", "question", "changed"),
    "selection": ("corpus", "name"),
    "setting": ("key",),
    "bench": ("place",),
}
NOUNS = {
    "signature": "records of what scores were computed with",
    "batch": "batches of scores",
    "corpus": "corpora",
    "piece": "parts of corpora",
    "judgement": "notes and answers",
    "note": "notes",
    "selection": "saved selections",
    "setting": "settings",
    "bench": "entries of the Bench",
}

#: Columns that a record is still of use without, by the checksum that they have.
_DISPENSABLE = {"evidence_sum": ("evidence",), "label_sum": ("label",), "human_sum": ("human",)}

#: Checksums of what follows from the texts, or is mended as far as it can be.
_MENDED = (("corpus", "keys_sum"), ("piece", "sum"))

_UNREADABLE = (sqlite3.Error, UnicodeDecodeError, OverflowError, MemoryError)


def salvage(damaged: Path, into: Database, rows: Mapping[str, int] | None) -> list[str]:
    """Copy what is whole of a damaged session into an empty one.

    Args:
        damaged: The database.
        into: The new session.
        rows: How many records each table is known to have held, if that is known.

    Returns:
        What is lost or changed, each in a few words ("2 notes"); empty if nothing is.

    Raises:
        DamagedError: Nothing at all can be read.
    """
    try:
        source = sqlite3.connect(damaged)
    except sqlite3.Error as error:
        raise DamagedError(f"{belongs.shown_name(damaged)} is no file that can be read.") from error
    with contextlib.closing(source):
        guard(source)
        # Bytes that are no text come through, and differ from their checksum.
        source.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
        source.create_function(checksum.NAME, -1, checksum.checksum, deterministic=True)
        work = _Salvage(source, into)
        with into.transaction():
            for table in _KEYS:
                work.take(table)
            work.take_notes()
            for entry in corpora.entries(into):
                work.mend(entry)
    if not work.found and (rows is None or any(rows.values())):
        raise DamagedError(f"{belongs.shown_name(damaged)} is damaged so that nothing of it can be read.")
    for table, count in (rows or {}).items():
        work.lost[table] = max(work.lost[table], count - work.found[table])
    return [f"{work.lost[table]:,} {noun}" for table, noun in NOUNS.items() if work.lost[table]] + work.changed


class _Salvage:
    """One salvage on its way.

    Attributes:
        found: How many records each table gave.
        lost: How many it has that are not whole.
        changed: What is there, but not as it was, in words.
    """

    def __init__(self, source: sqlite3.Connection, into: Database) -> None:
        self.found: Counter[str] = Counter()
        self.lost: Counter[str] = Counter()
        self.changed: list[str] = []
        self._source, self._into = source, into
        self._touched: set[int] = set()
        try:
            self._readable = shape.readable_tables(source, [SESSION.schema, SESSION.migrations[3000][2]])
        except _UNREADABLE:
            self._readable = set()

    def take(self, table: str) -> None:
        """Copy the records of a table that are whole and whose parents are there."""
        columns = [row[1] for row in self._into.rows(f"PRAGMA table_info({table})")]
        marks = ", ".join("?" * len(columns))
        for key in self._keys(table):
            record = self._record(table, columns, key)
            try:
                if record is not None:
                    self._into.write(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})", record)
                    self.found[table] += 1
                    continue
            except (SessionError, UnicodeEncodeError):
                pass  # of a corpus that is lost, or not what such a record can be
            self.lost[table] += 1

    def take_notes(self) -> None:
        """Copy the notes of a session of version 3000, which had no table of judgements, as far as they are whole."""
        if "note" not in self._readable:
            return
        columns = "corpus, row, text, verdict, changed"
        try:
            rows = self._source.execute(f"SELECT sum, {columns} FROM note").fetchall()
        except _UNREADABLE:
            return
        whole = [row for sum, *row in rows if sum == checksum.checksum(*row)]
        self.lost["note"] += len(rows) - len(whole)
        for note in whole:
            try:
                for corpus, row, scheme, question, answer, changed in judgements_of_notes([note]):
                    self._into.write(
                        "INSERT INTO judgement (corpus, row, annotator, scheme, question, answer, changed) "
                        "VALUES (?, ?, '', ?, ?, ?, ?)",
                        (corpus, row, scheme, question, answer, changed),
                    )
                self.found["note"] += 1
            except (SessionError, UnicodeEncodeError):
                self.lost["note"] += 1

    def mend(self, entry: CorpusEntry) -> None:
        """Put placeholders where texts of a corpus are lost, and recompute what depends on its texts."""
        ((optional, extra),) = self._into.rows("SELECT columns, extra FROM corpus WHERE id = ?", (entry.id,))
        names = ["id", "source", "hypothesis", *json.loads(optional)]
        names += [f"extra {place}" for place in range(len(json.loads(extra)))]
        lost = 0
        for name in names:
            for place, start in enumerate(range(0, entry.pairs, PIECE)):
                at = (entry.id, name, place)
                count = min(PIECE, entry.pairs - start)
                row = self._into.row("SELECT texts FROM piece WHERE corpus = ? AND name = ? AND place = ?", at)
                if row is None or (entry.id in self._touched and not _holds(row[0], count, name)):
                    (stand_in,) = pack([LOST] * count)
                    self._into.write(
                        "INSERT OR REPLACE INTO piece (corpus, name, place, texts) VALUES (?, ?, ?, ?)", (*at, stand_in)
                    )
                    lost += count
        if lost:
            self.changed.append(f"{lost:,} texts of “{entry.name}”")
        elif entry.id in self._touched:
            self.changed.append(f"some texts of “{entry.name}” (they may differ in a letter)")
        if lost or entry.id in self._touched:
            corpora.renew_keys(self._into, entry.id)

    def _keys(self, table: str) -> list[tuple[object, ...]]:
        """Return what finds the records of a table: from its beginning, and from its end where reading breaks off."""
        if table not in self._readable:
            return []
        names = ", ".join(_KEYS[table])
        found: dict[tuple[object, ...], None] = {}
        for direction in ("", " DESC"):
            order = ", ".join(f"{name}{direction}" for name in _KEYS[table])
            try:
                for key in self._source.execute(f"SELECT {names} FROM {table} ORDER BY {order}"):
                    found[key] = None
                break
            except _UNREADABLE:
                continue
        return list(found)

    def _record(self, table: str, columns: Sequence[str], key: Sequence[object]) -> list[object] | None:
        """Return a record, None if it cannot be read or is not as it was written."""
        where = " AND ".join(f"{name} = ?" for name in _KEYS[table])
        sums = SUMS[table]
        names = ", ".join([*columns, *sums])
        try:
            row = self._source.execute(f"SELECT {names} FROM {table} WHERE {where}", key).fetchone()
        except (*_UNREADABLE, UnicodeEncodeError):
            return None
        if row is None:
            return None
        record = dict(zip([*columns, *sums], row, strict=True))
        corpus = record.get("id" if table == "corpus" else "corpus")
        for name, of in sums.items():
            if record[name] == checksum.checksum(*(record[column] for column in of.split(", "))):
                continue
            if name in _DISPENSABLE:
                record |= dict.fromkeys(_DISPENSABLE[name])
                if table == "corpus":
                    self.changed.append(f"the {_DISPENSABLE[name][0]} column of a corpus")
            elif (table, name) in _MENDED and isinstance(corpus, int):
                self._touched.add(corpus)
            else:
                return None
        return [record[column] for column in columns]


def _holds(texts: object, count: int, name: str) -> bool:
    """Tell whether a piece of a column can be read as so many values of the kind that the column has."""
    kinds = (str,) if name in ("id", "source", "hypothesis") else (str, float, int, bool, type(None))
    try:
        values = unpack(count, lambda place: texts) if isinstance(texts, bytes) else []
    except (ValueError, RecursionError):
        return False
    return len(values) == count and all(isinstance(value, kinds) for value in values)
