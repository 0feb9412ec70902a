"""The tables of older versions of the program's files, as those versions made them: what a migration begins with."""

from __future__ import annotations

import re

from parapluie_gui.storage.checksum import sums

#: A line of a table that makes a column of checksums, which versions up to 2000 did not have.
_SUM = re.compile(r"\n *\w+ INTEGER NOT NULL GENERATED ALWAYS AS \([^\n]*\) STORED,")
_JUDGEMENT = re.compile(r"CREATE TABLE judgement \(.*?\) WITHOUT ROWID", re.DOTALL)

#: Version 3000 had one person's notes and verdicts in the place of everybody's judgements.
_NOTE = f"""CREATE TABLE note (
    corpus INTEGER NOT NULL REFERENCES corpus (id) ON DELETE CASCADE,
    row INTEGER NOT NULL,
    {sums({"sum": "corpus, row, text, verdict, changed"})},
    text TEXT NOT NULL,
    verdict TEXT,
    changed TEXT NOT NULL,
    PRIMARY KEY (corpus, row)
) WITHOUT ROWID"""

#: Version 1000 had a row for each score and for each pair.
_SCORE = """CREATE TABLE score (
    signature INTEGER NOT NULL REFERENCES signature (id),
    pair BLOB NOT NULL,
    value REAL,
    p_yes REAL,
    p_no REAL,
    evidence TEXT,
    PRIMARY KEY (signature, pair)
) WITHOUT ROWID"""
_CORPUS = """CREATE TABLE corpus (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    path TEXT,
    layout TEXT NOT NULL,
    position INTEGER NOT NULL,
    columns TEXT NOT NULL,
    extra TEXT NOT NULL,
    aside TEXT NOT NULL
)"""
_PAIR = """CREATE TABLE pair (
    corpus INTEGER NOT NULL REFERENCES corpus (id) ON DELETE CASCADE,
    row INTEGER NOT NULL,
    key BLOB NOT NULL,
    reference_key BLOB,
    id TEXT NOT NULL,
    source TEXT NOT NULL,
    hypothesis TEXT NOT NULL,
    reference TEXT,
    label INTEGER,
    human REAL,
    "group" TEXT,
    extra TEXT,
    PRIMARY KEY (corpus, row)
) WITHOUT ROWID"""


def version_3000(tables: str) -> str:
    """Return the SQL of version 3000's tables, from that of the present ones."""
    return _JUDGEMENT.sub(lambda found: _NOTE, tables)


def version_2000(tables: str) -> str:
    """Return the SQL of version 2000's tables, from that of the present ones."""
    return _SUM.sub("", version_3000(tables))


def version_1000(tables: str) -> str:
    """Return the SQL of version 1000's tables, from that of the present ones."""
    there = {"batch": _SCORE, "corpus": _CORPUS, "piece": _PAIR}
    found = []
    for statement in version_2000(tables).split(";"):
        kind, name = statement.split()[1:3]
        if kind == "TABLE":
            found.append(there.get(name, statement))
    return ";".join(found)
