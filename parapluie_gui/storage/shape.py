"""What there is in an SQLite file of this program, compared with what there has to be, before anything of it runs.

A trigger, a view or an index over an expression that somebody put into a file would run within this program. SQLite
goes by the rows of `sqlite_master` alone: those of a file are compared with those of one that was made here, each with
its kind, name, table and SQL, and there may be no other one.
"""

from __future__ import annotations

import contextlib
import re
import sqlite3
from collections.abc import Sequence
from functools import lru_cache

from parapluie_gui.storage import checksum

#: A row of `sqlite_master`: kind, name, table, SQL in one line (None for what SQLite makes for itself).
Entry = tuple[object, object, object, object]

_ENTRIES = "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY rowid"
_BETWEEN = re.compile(r"\s*([(),])\s*|\s+")


def entries(connection: sqlite3.Connection) -> list[Entry]:
    """Return the tables and indexes of a file; any run of white space in the SQL counts as one space."""
    return [(*row, _one_line(sql)) for *row, sql in connection.execute(_ENTRIES)]


@lru_cache(maxsize=32)
def expected(schema: str) -> frozenset[Entry]:
    """Return the tables and indexes of a file just made by this SQL."""
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        connection.create_function(checksum.NAME, -1, checksum.checksum, deterministic=True)
        connection.executescript(schema)
        return frozenset(entries(connection))


def foreign(found: Sequence[Entry], schema: str) -> tuple[str, str] | None:
    """Return the kind and name of something that no such file has; a table that is only not as it was made is none."""
    known = expected(schema)
    tables = {name for kind, name, _, _ in known if kind == "table"}
    for entry in found:
        kind, name, table, sql = entry
        changed = kind == "table" and name == table and name in tables
        made_by_sqlite = kind == "index" and sql is None and table in tables
        if entry not in known and not changed and not made_by_sqlite:
            return str(kind), str(name)
    return None


def readable_tables(connection: sqlite3.Connection, schemas: Sequence[str]) -> set[str]:
    """Return the tables that are as one of these schemas makes them, with nothing foreign to them.

    Reading those runs nothing but SQLite's own code, whatever else there is in the file.
    """
    found = entries(connection)
    known = frozenset[Entry]().union(*map(expected, schemas))
    strange = {str(word).casefold() for entry in found if entry not in known for word in entry[1:3]}
    names = [str(name).casefold() for kind, name, _, _ in found if kind in ("table", "view")]
    return {
        str(name)
        for kind, name, table, sql in found
        if (kind, name, table, sql) in known
        and kind == "table"
        and str(name).casefold() not in strange
        and names.count(str(name).casefold()) == 1
    }


def _one_line(sql: object) -> object:
    return _BETWEEN.sub(lambda found: found[1] or " ", sql).strip() if isinstance(sql, str) else sql
