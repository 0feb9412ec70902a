"""Files of older versions are read with everything in them."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from parapluie_gui.judgements.record import NOTE, UNNAMED, Judgement
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.scores.signature import Signature, pair_key
from parapluie_gui.storage.checksum import NAME, checksum
from parapluie_gui.storage.database import Database
from parapluie_gui.storage.salvage import salvage
from parapluie_gui.storage.schema import SESSION, STORE
from parapluie_gui.storage.session import Session
from parapluie_gui.storage.store import ScoreStore

DIRECT = Signature.of("pluie.direct", {"name": "pluie"})
BLEU = Signature.of("bleu", {"name": "bleu"})

#: The tables of version 0.1.0, as its schema made them.
SCORES = """
CREATE TABLE signature (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, json TEXT NOT NULL, latest INTEGER NOT NULL,
    frame TEXT);
CREATE TABLE score (signature INTEGER NOT NULL REFERENCES signature (id), pair BLOB NOT NULL, value REAL, p_yes REAL,
    p_no REAL, evidence TEXT, PRIMARY KEY (signature, pair)) WITHOUT ROWID;
"""
PAIRS = """
CREATE TABLE corpus (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, path TEXT, layout TEXT NOT NULL,
    position INTEGER NOT NULL, columns TEXT NOT NULL, extra TEXT NOT NULL, aside TEXT NOT NULL);
CREATE TABLE pair (corpus INTEGER NOT NULL REFERENCES corpus (id) ON DELETE CASCADE, row INTEGER NOT NULL,
    key BLOB NOT NULL, reference_key BLOB, id TEXT NOT NULL, source TEXT NOT NULL, hypothesis TEXT NOT NULL,
    reference TEXT, label INTEGER, human REAL, "group" TEXT, extra TEXT, PRIMARY KEY (corpus, row)) WITHOUT ROWID;
CREATE TABLE note (corpus INTEGER NOT NULL REFERENCES corpus (id) ON DELETE CASCADE, row INTEGER NOT NULL,
    text TEXT NOT NULL, verdict TEXT, changed TEXT NOT NULL, PRIMARY KEY (corpus, row)) WITHOUT ROWID;
CREATE TABLE selection (corpus INTEGER NOT NULL REFERENCES corpus (id) ON DELETE CASCADE, name TEXT NOT NULL,
    rows BLOB NOT NULL, PRIMARY KEY (corpus, name)) WITHOUT ROWID;
CREATE TABLE setting (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE bench (place INTEGER PRIMARY KEY, entry TEXT NOT NULL);
"""


def old_file(path: Path, form, tables: str) -> sqlite3.Connection:
    connection = sqlite3.connect(path)
    connection.executescript(tables)
    connection.execute(f"PRAGMA application_id={form.application_id}")
    connection.execute("PRAGMA user_version=1000")
    for number, signature in ((1, DIRECT), (2, BLEU)):
        values = (number, signature.key, signature.to_json(), number, "frame" if number == 1 else None)
        connection.execute("INSERT INTO signature VALUES (?, ?, ?, ?, ?)", values)
    key = pair_key("source", "hypothesis")
    connection.execute("INSERT INTO score VALUES (1, ?, 1.5, 0.9, 0.1, 'Because.')", (key,))
    connection.execute("INSERT INTO score VALUES (2, ?, NULL, NULL, NULL, NULL)", (key,))
    connection.execute("INSERT INTO score VALUES (2, ?, 0.25, NULL, NULL, NULL)", (pair_key("a", "b", "r"),))
    return connection


def check_scores(store: ScoreStore) -> None:
    key = pair_key("source", "hypothesis")
    found = store.known(DIRECT, [key, pair_key("un", "known")])
    assert found.known.tolist() == [True, False]
    assert (found.value[0], found.p_yes[0], found.p_no[0]) == (1.5, 0.9, 0.1)
    assert store.evidence(DIRECT, [key])[0] == "Because."
    assert store.frame(DIRECT) == "frame"
    bleu = store.known(BLEU, [key, pair_key("a", "b", "r")])
    assert bleu.known.all()
    np.testing.assert_array_equal(bleu.value, [np.nan, 0.25])
    assert store.signatures() == [DIRECT, BLEU]


def test_a_store(tmp_path):
    old_file(tmp_path / "s", STORE, SCORES).execute("COMMIT").connection.close()
    for _ in range(2):
        with ScoreStore(tmp_path / "s") as store:
            check_scores(store)
            store.put(BLEU, [pair_key("new", "one")], [1.0])


@pytest.mark.parametrize("number", [1, 7])
def test_a_session(tmp_path, number):
    path = tmp_path / "s.pluie"
    connection = old_file(path, SESSION, SCORES + PAIRS)
    head = (number, "mine", "/data/x.tsv", "MRPC", 0, '["reference", "label", "human"]', '["kind"]', "[]")
    connection.execute("INSERT INTO corpus VALUES (?, ?, ?, ?, ?, ?, ?, ?)", head)
    half = "half \ud83d".encode("utf-8", "surrogatepass")
    rows = [
        ("p1", "source", "hypothesis", None, 1, 0.5, json.dumps([2])),
        ("p2", "a", "b", "r", None, None, json.dumps([None])),
        ("p3", half, "c", "", 0, None, json.dumps(["x"])),
    ]
    for row, (id, source, hypothesis, reference, label, human, extra) in enumerate(rows):
        values = (number, row, b"", None, id, source, hypothesis, reference, label, human, None, extra)
        connection.execute("INSERT INTO pair VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", values)
    connection.execute("INSERT INTO note VALUES (?, 1, 'hm', NULL, '2025-01-01T00:00:00')", (number,))
    connection.execute("INSERT INTO selection VALUES (?, 'two', ?)", (number, np.array([0, 2], "<i8").tobytes()))
    connection.execute("INSERT INTO setting VALUES ('x', '3')")
    connection.commit()
    connection.close()
    for _ in range(2):
        with Session.open(path) as session:
            (entry,) = session.corpora()
            assert (entry.id, entry.name, entry.pairs, entry.path) == (number, "mine", 3, Path("/data/x.tsv"))
            corpus = session.corpus(number)
            assert corpus.id == ["p1", "p2", "p3"]
            assert corpus.source == ["source", "a", "half \ud83d"]
            assert corpus.reference == [None, "r", ""]
            assert corpus.label.tolist() == [1, -1, 0]
            np.testing.assert_array_equal(corpus.human, [0.5, np.nan, np.nan])
            assert corpus.group is None
            assert corpus.extra == {"kind": ["2", None, "x"]}
            check_scores(session.store)
            table = session.score_table(number)
            np.testing.assert_array_equal(table["pluie.direct"], [1.5, np.nan, np.nan])
            np.testing.assert_array_equal(table["bleu"], [np.nan, 0.25, np.nan])
            assert session.notes(number)[1].text == "hm"
            assert session.selections(number)["two"].tolist() == [0, 2]
            assert session.settings() == {"x": 3}
    with Session.open(path) as session:
        assert session.judgements(number)[0].annotator == UNNAMED
        session.remove_corpus(number)
        assert not session.notes(number)
        assert session.is_empty


#: The table of version 3000 that had one person's notes and verdicts.
NOTES = f"""
CREATE TABLE note (corpus INTEGER NOT NULL REFERENCES corpus (id) ON DELETE CASCADE, row INTEGER NOT NULL,
    sum INTEGER NOT NULL GENERATED ALWAYS AS ({NAME}(corpus, row, text, verdict, changed)) STORED,
    text TEXT NOT NULL, verdict TEXT, changed TEXT NOT NULL, PRIMARY KEY (corpus, row)) WITHOUT ROWID;
"""


def file_of_version_3000(path: Path) -> None:
    with Session.connect(path, create=True) as session:
        session.add_corpus(Corpus("mine", ["p1", "p2", "p3"], ["a", "b", "c"], ["d", "e", "f"]))
    connection = sqlite3.connect(path)
    connection.create_function(NAME, -1, checksum, deterministic=True)
    connection.executescript(f"DROP TABLE judgement; {NOTES}")
    insert = "INSERT INTO note (corpus, row, text, verdict, changed) VALUES (1, ?, ?, ?, '2026-03-01T10:00:00+00:00')"
    connection.execute(insert, (0, "Träume", "same_meaning"))
    connection.execute(insert, (1, "", "dont_know"))
    connection.execute(insert, (2, "half \ud83d".encode("utf-8", "surrogatepass"), None))
    connection.execute("PRAGMA user_version=3000")
    connection.commit()
    connection.close()


def test_notes_of_version_3000_become_judgements(tmp_path):
    path = tmp_path / "s.pluie"
    file_of_version_3000(path)
    when = datetime(2026, 3, 1, 10, tzinfo=UTC)
    for _ in range(2):
        with Session.open(path) as session:
            assert list(session.said) == []
            assert sorted(session.judgements(1), key=lambda record: record.key) == [
                Judgement(0, UNNAMED, *NOTE, "Träume", when),
                Judgement(0, UNNAMED, "parapluie", "verdict", "same_meaning", when),
                Judgement(1, UNNAMED, "parapluie", "verdict", "dont_know", when),
                Judgement(2, UNNAMED, *NOTE, "half \ud83d", when),
            ]
            assert session.notes(1)[0].text == "Träume"


def test_what_is_whole_of_damaged_notes_of_version_3000_is_saved(tmp_path):
    path = tmp_path / "s.pluie"
    file_of_version_3000(path)
    raw = path.read_bytes()
    place = raw.index("Träume".encode())
    path.write_bytes(raw[:place] + b"X" + raw[place + 1 :])
    with contextlib.closing(Database(tmp_path / "new", (SESSION,))) as new:
        assert salvage(path, new, {"note": 3, "corpus": 1}) == ["1 notes"]
        answers = new.rows("SELECT row, question, answer FROM judgement ORDER BY row")
    half = "half \ud83d".encode("utf-8", "surrogatepass")
    assert answers == [(1, "verdict", "dont_know"), (2, "note", half)]
