"""The tables of the two kinds of file that hold scores: the user's score store and session files."""

from __future__ import annotations

from parapluie_gui.scores.database import Format

#: `latest` orders the signatures by their last use; `frame` is the prompt around the sentences, of those that have one;
#: `pair` is `pair_key` of the pair's text; a NULL value is NaN.
SCORE_TABLES = """
CREATE TABLE signature (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    json TEXT NOT NULL,
    latest INTEGER NOT NULL,
    frame TEXT
);
CREATE TABLE score (
    signature INTEGER NOT NULL REFERENCES signature (id),
    pair BLOB NOT NULL,
    value REAL,
    p_yes REAL,
    p_no REAL,
    evidence TEXT,
    PRIMARY KEY (signature, pair)
) WITHOUT ROWID
"""

#: `columns` names the optional columns a corpus has, `extra` its own ones (each pair's `extra` holds their values in
#: that order). `key` and `reference_key` are `pair_key` without and with the reference.
SESSION_TABLES = """
CREATE TABLE corpus (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    path TEXT,
    layout TEXT NOT NULL,
    position INTEGER NOT NULL,
    columns TEXT NOT NULL,
    extra TEXT NOT NULL,
    aside TEXT NOT NULL
);
CREATE TABLE pair (
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
) WITHOUT ROWID;
CREATE TABLE note (
    corpus INTEGER NOT NULL REFERENCES corpus (id) ON DELETE CASCADE,
    row INTEGER NOT NULL,
    text TEXT NOT NULL,
    verdict TEXT,
    changed TEXT NOT NULL,
    PRIMARY KEY (corpus, row)
) WITHOUT ROWID;
CREATE TABLE selection (
    corpus INTEGER NOT NULL REFERENCES corpus (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    rows BLOB NOT NULL,
    PRIMARY KEY (corpus, name)
) WITHOUT ROWID;
CREATE TABLE setting (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE bench (
    place INTEGER PRIMARY KEY,
    entry TEXT NOT NULL
)
"""

STORE = Format(application_id=0x504C5343, version=1000, schema=SCORE_TABLES, noun="score store")  # "PLSC"

#: It holds the tables of scores too, so that a worker can write into a session as into a store.
SESSION = Format(
    application_id=0x504C5549,  # "PLUI"
    version=1000,
    schema=f"{SCORE_TABLES};{SESSION_TABLES}",
    noun="session file",
)
