"""Malicious session files with a correct digest: none runs code, and all give an error message."""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
import sqlite3
from collections import namedtuple
from pathlib import Path

import pytest
from damage import fill

from parapluie_gui.errors import DamagedError, ParapluieError, SessionError, UnwritableError
from parapluie_gui.judgements.columns import with_judgements
from parapluie_gui.storage import database, document, schema
from parapluie_gui.storage.checksum import NAME, checksum
from parapluie_gui.storage.session import Session
from parapluie_gui.storage.working_copies import WorkingCopies

TRIGGER = "CREATE TRIGGER {} AFTER INSERT ON judgement BEGIN DELETE FROM judgement; END"
WRITE = "INSERT INTO sqlite_master (type, name, tbl_name, rootpage, sql) VALUES (?, ?, ?, 0, ?)"


@pytest.fixture
def path(tmp_path) -> Path:
    with Session.open(tmp_path / "theirs.pluie", create=True) as session:
        fill(session)
    return tmp_path / "theirs.pluie"


def craft(path: Path, *statements: str | tuple[str, tuple[object, ...]], version: int | None = None) -> None:
    """Change the contents of a document, and correct its digest."""
    trailer = document.read_trailer(path)
    assert trailer is not None
    document.copy_out(path, path.with_suffix(".db"))
    with contextlib.closing(sqlite3.connect(path.with_suffix(".db"), isolation_level=None)) as connection:
        connection.create_function(NAME, -1, checksum, deterministic=True)
        connection.execute("PRAGMA foreign_keys=OFF")
        connection.execute("PRAGMA writable_schema=ON")
        for statement in statements:
            connection.execute(*((statement,) if isinstance(statement, str) else statement))
        if version is not None:
            connection.execute(f"PRAGMA user_version={version}")
    raw = path.with_suffix(".db").read_bytes()
    digest = hashlib.blake2b(raw, digest_size=32).hexdigest()
    tail = json.dumps({"save": trailer.save, "digest": digest, "rows": dict(trailer.rows)}).encode()
    path.write_bytes(raw + tail + b"%08d" % len(tail) + b"ParaPLUIE")


ACTING = {
    "a trigger": [TRIGGER.format("t")],
    "a trigger with SQLite's name": [(WRITE, ("trigger", "sqlite_t", "judgement", TRIGGER.format("sqlite_t")))],
    "a trigger in capitals": [(WRITE, ("TRIGGER", "t", "judgement", TRIGGER.format("t")))],
    "a view": ["CREATE VIEW v AS SELECT 1"],
    "an extra table": ["CREATE TABLE more (a)"],
    "statistics": ["ANALYZE"],
    "an extra index": ["CREATE INDEX i ON judgement (hex(zeroblob(100000)))"],
    "a virtual table": ["CREATE VIRTUAL TABLE t USING fts5(a)"],
}


CONTRADICTING = {
    "a trigger called a table": ("table", "t", "judgement", TRIGGER.format("t")),
    "a trigger called an index of SQLite's": (
        "index",
        "sqlite_autoindex_judgement_9",
        "judgement",
        TRIGGER.format("t"),
    ),
    "a trigger with the name of a table": ("trigger", "judgement", "judgement", TRIGGER.format("t")),
}


CHANGED = r"^theirs\.pluie is damaged or was tampered with: its tables are not those of"


@pytest.mark.parametrize("what", ACTING)
def test_files_with_code_or_extra_tables_are_refused(path, what):
    craft(path, *ACTING[what])
    with pytest.raises(DamagedError, match=CHANGED):
        Session.open(path)


@pytest.mark.parametrize("what", CONTRADICTING)
def test_contradictory_schemas_are_refused(path, what):
    """SQLite itself refuses these files."""
    craft(path, (WRITE, CONTRADICTING[what]))
    with pytest.raises(SessionError, match=r"^theirs\.pluie is damaged"):
        Session.open(path)


CALLING = {
    "an index over an expression": ["CREATE INDEX i ON judgement (checksum(row))"],
    "an index of some rows": ["CREATE INDEX i ON judgement (row) WHERE checksum(row) > 0"],
    "a view": ["CREATE VIEW v AS SELECT checksum(1)"],
    "a trigger": ["CREATE TRIGGER t AFTER INSERT ON judgement BEGIN SELECT checksum(new.row); END"],
    "a computed column": ["CREATE TABLE more (a, b AS (checksum(a)))", "INSERT INTO more VALUES (1)"],
    "a checked column": ["CREATE TABLE more (a CHECK (checksum(a) > 0))"],
    "a column with a default": ["CREATE TABLE more (a DEFAULT (checksum(1)))"],
    "nothing": [],
}


@pytest.mark.parametrize("what", CALLING)
def test_no_function_is_called_before_the_tables_are_compared(path, monkeypatch, what):
    craft(path, *CALLING[what])
    database._tables_of_schema(schema.SESSION.schema)  # the tables created here call the function themselves
    calls: list[tuple[object, ...]] = []
    monkeypatch.setattr("parapluie_gui.storage.checksum.checksum", lambda *values: calls.append(values) or 0)
    if CALLING[what]:
        with pytest.raises(DamagedError, match=CHANGED):
            Session.open(path)
        assert not calls
        return
    with Session.open(path) as session:
        assert not calls
        session.set_setting("a", 1)
    assert calls


def test_a_view_in_place_of_a_table_is_never_read(path):
    """Reading the view would never end, and neither would recovering a damaged file."""
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT i AS id, i AS name FROM n"
    craft(path, "DROP TABLE setting", f"CREATE VIEW setting AS {endless}")
    with pytest.raises(DamagedError, match=CHANGED):
        Session.open(path)
    raw = path.read_bytes()
    path.write_bytes(raw.replace(b"Source sentence 3.", b"source sentence 3."))  # also damaged
    with pytest.raises(DamagedError, match=CHANGED):
        Session.open(path)


def test_foreign_tables_are_refused(path):
    craft(path, "DROP TABLE bench", "CREATE TABLE bench (place INTEGER PRIMARY KEY, entry TEXT)")
    with pytest.raises(DamagedError, match=CHANGED):
        Session.open(path)


def test_a_file_without_a_version_is_refused(path):
    craft(path, version=0)
    with pytest.raises(DamagedError, match=CHANGED):
        Session.open(path)


# Before a byte is copied


def no_copy(monkeypatch) -> None:
    monkeypatch.setattr(hashlib, "blake2b", lambda *a, **k: pytest.fail("copied before it was looked at"))


def test_files_that_are_not_sessions_are_not_copied(tmp_path, monkeypatch, home):
    with (tmp_path / "zeros.pluie").open("wb") as file:
        file.truncate(3 << 30)  # a sparse file, which takes no space
    no_copy(monkeypatch)
    with pytest.raises(DamagedError, match=r"^zeros\.pluie is damaged or is not a ParaPLUIE session file"):
        Session.open(tmp_path / "zeros.pluie")
    assert not list((home / "sessions").glob("*.sqlite"))


def test_databases_of_other_programs_are_not_copied(tmp_path, monkeypatch):
    with contextlib.closing(sqlite3.connect(tmp_path / "bookmarks.pluie")) as connection:
        connection.execute("CREATE TABLE bookmark (url TEXT)")
    no_copy(monkeypatch)
    with pytest.raises(DamagedError, match=r"^bookmarks\.pluie is damaged or is not a ParaPLUIE session file"):
        Session.open(tmp_path / "bookmarks.pluie")


def test_files_that_do_not_fit_on_the_disk_are_not_copied(path, monkeypatch):
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: usage(9, 9, 3 << 20))
    no_copy(monkeypatch)
    with pytest.raises(
        UnwritableError, match=r"^theirs\.pluie needs 4 MB to .* but the disk with the folder .* has 3 MB left"
    ):
        Session.open(path)


# Records that this program never writes


#: A change to a session, and the words in the message for the loss, "" if there is none.
ODD = {
    "a signature of no JSON": ("UPDATE signature SET json = '{'", ""),
    "a signature without fields": ("UPDATE signature SET json = '{}'", ""),
    "a signature that is not a text": (
        "UPDATE signature SET json = x'ff'",
        "1 record of how scores were computed; 1 batch of scores",
    ),
    "pairs below zero": ("UPDATE batch SET pairs = -5", "1 batch of scores"),
    "scores cut": ("UPDATE batch SET numbers = x'00'", "1 batch of scores"),
    "keys of a batch as text": ("UPDATE batch SET keys = 'text'", "1 batch of scores"),
    "a note before the first pair": ("UPDATE judgement SET row = -1 WHERE question = 'note'", "1 note or answer"),
    "a note far beyond the last": (
        "UPDATE judgement SET row = 9223372036854775807 WHERE question = 'note'",
        "1 note or answer",
    ),
    "a note of half a row": ("UPDATE judgement SET row = 'half' WHERE question = 'note'", "1 note or answer"),
    "a note that is not a text": ("UPDATE judgement SET answer = x'ff80' WHERE question = 'note'", ""),
    "a selection of half a row": ("UPDATE selection SET rows = x'0011'", "1 saved selection"),
    "a selection of other rows": ("UPDATE selection SET rows = x'ffffffffffffff7f'", ""),
    "a setting of no JSON": ("UPDATE setting SET value = '{'", ""),
    "a setting of bytes": ("UPDATE setting SET value = x'ff'", "1 setting"),
    "an entry of bytes": ("UPDATE bench SET entry = x'ff'", "1 entry of the Bench"),
    "a corpus of very many pairs": ("UPDATE corpus SET pairs = 1000000000000", "1 corpus"),
    "a corpus of some pairs": ("UPDATE corpus SET pairs = 'some'", "1 corpus"),
    "a corpus without its texts": ("DELETE FROM piece WHERE name = 'source'", ""),
    "texts that are a number": ("UPDATE piece SET texts = 5 WHERE name = 'source'", "1 part of a corpus"),
    "labels of 77": ("UPDATE corpus SET label = x'0100014d01'", ""),
    "labels cut": ("UPDATE corpus SET label = x'01'", "1 corpus"),
    "human scores cut": ("UPDATE corpus SET human = x'01'", "1 corpus"),
    "keys as text": ("UPDATE corpus SET keys = 'text'", "1 corpus"),
    "keys cut": ("UPDATE corpus SET keys = x'00'", "1 corpus"),
    "keys of zeros": ("UPDATE corpus SET keys = zeroblob(80)", ""),
    "the name of a corpus that is not a text": ("UPDATE corpus SET name = x'ff80'", ""),
    "evidence that is not a list": ("UPDATE batch SET evidence = '[1'", ""),
}


@pytest.mark.parametrize("what", ODD)
def test_invalid_records_give_an_error_message(path, what):
    statement, lost = ODD[what]
    craft(path, statement)
    with Session.open(path) as session:
        assert bool(lost) == (session.document is None) == bool(session.notices)
        assert not lost or f"Lost or changed: {lost}" in session.notices[0]
        for entry in session.corpora():
            # An invalid corpus gives an error only when it is read.
            with contextlib.suppress(DamagedError):
                with_judgements(session.corpus(entry.id), session.judgements(entry.id), [])
            session.score_table(entry.id)
            assert all((rows < entry.pairs).all() for rows in session.selections(entry.id).values())
            session.notes(entry.id)
        assert session.settings() is not None and session.bench() is not None
        for signature in session.store.signatures():
            session.store.evidence(signature, [bytes(16)])


def test_an_unreadable_corpus_is_reported_with_the_users_file(path):
    craft(path, "UPDATE corpus SET extra = '7'")
    with Session.open(path) as session, pytest.raises(DamagedError, match=r"^theirs\.pluie is damaged: a corpus in it"):
        session.corpus(1)


def test_errors_of_an_unsaved_session_name_no_file(home):
    copies = WorkingCopies(home)
    with Session.from_copy(copies, copies.last_unsaved()) as session, pytest.raises(ParapluieError) as said:
        session.corpus(3)
    assert str(said.value).startswith("The unsaved session has no corpus number 3")
