"""A session file (`.pluie`): corpora, their scores, the user's notes and selections, in one SQLite file."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from parapluie_gui.arrays import Rows
from parapluie_gui.errors import SessionError
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.scores import corpora
from parapluie_gui.scores.column_kind import evidence_columns
from parapluie_gui.scores.corpora import CorpusEntry
from parapluie_gui.scores.database import Database, OpenFile
from parapluie_gui.scores.keys import Finder, key_array
from parapluie_gui.scores.schema import SESSION
from parapluie_gui.scores.signature import Signature
from parapluie_gui.scores.store import KnownScores, ScoreStore
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.scores.verdict import Note, verdict

#: The ending of session files.
ENDING = ".pluie"


class Session(OpenFile):
    """An open session file. Everything is written as it happens; there is no unsaved state.

    Each object belongs to the thread that opened it; a worker may write scores into the same file through a
    `ScoreStore` of its own.

    Attributes:
        store: The scores in this file.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self.store = ScoreStore.over(database)

    @classmethod
    def open(cls, path: Path | str, create: bool = False) -> Session:
        """Open a session file, or make it if it is missing and `create` is set.

        Raises:
            SessionError: It is missing, damaged, no session, or written by a newer version.
        """
        return cls(Database(Path(path), (SESSION,), create))

    @property
    def is_empty(self) -> bool:
        """It holds nothing that a user would miss: no corpus and no pair from the bench."""
        return self._database.row("SELECT EXISTS (SELECT 1 FROM corpus) OR EXISTS (SELECT 1 FROM bench)") == (0,)

    def save_as(self, path: Path | str) -> Session:
        """Write a copy of everything to another file and open it; this session stays open.

        The copy is made beside the target and put in its place at the end, so the target is never half a file.

        Args:
            path: The new file; an existing one is replaced. One's own path changes nothing and is opened again.

        Raises:
            SessionError: The folder cannot be written, the disk is full, or the target is open elsewhere.
        """
        path = Path(path)
        if not path.parent.is_dir():
            raise SessionError(f"There is no folder {path.parent}. Make it first, or choose another.")
        copy = path.with_name(f".{path.name}.{os.getpid()}.part")
        try:
            if path.exists() and path.samefile(self.path):
                return Session.open(path)
            copy.unlink(missing_ok=True)
            self._database.copy_to(copy)
            _let_go(path)
            copy.replace(path)
        except OSError as error:
            raise SessionError(
                f"{path} cannot be written ({error.strerror}). Choose another folder or name."
            ) from error
        finally:
            with contextlib.suppress(OSError):
                copy.unlink(missing_ok=True)
        return Session.open(path)

    # Corpora

    def corpora(self) -> list[CorpusEntry]:
        """Return the corpora in the user's order, without reading their pairs."""
        return corpora.entries(self._database)

    def add_corpus(self, corpus: Corpus) -> int:
        """Write a corpus, all of it or nothing, and return its number."""
        with self._database.transaction():
            (position,) = self._database.rows("SELECT ifnull(max(position), -1) + 1 FROM corpus")[0]
            return corpora.write(self._database.write, corpus, position)

    def corpus(self, number: int) -> Corpus:
        """Read a corpus back as it was added.

        Raises:
            SessionError: There is none of that number.
        """
        return corpora.read(self._database, number)

    def remove_corpus(self, number: int) -> None:
        """Remove a corpus with its notes and selections; its scores stay, should its pairs come again."""
        self._database.write("DELETE FROM corpus WHERE id = ?", (number,))

    # Scores

    def score_table(self, number: int, columns: Sequence[str] | None = None) -> ScoreTable:
        """Return the scores this file holds for a corpus's pairs, found by their text.

        Where a column was computed in several ways (another model, another version), the latest used way that has
        scores for this corpus counts.

        With `columns`, only these score columns.
        """
        # Scores that depend on the reference have a key of their own.
        finders = [Finder(key_array(joined)) for joined in corpora.keys(self._database, number) if joined is not None]
        table = ScoreTable(len(finders[0]))
        found: dict[str, tuple[Signature, KnownScores]] = {}
        for signature in reversed(self.store.signatures()):
            if signature.column not in found and (columns is None or signature.column in columns):
                known = self.store.look_up(signature, finders[0])
                for finder in finders[1:]:
                    known = known.completed(self.store.look_up(signature, finder))
                if known.known.any():
                    found[signature.column] = signature, known
        for column, (signature, scores) in reversed(found.items()):
            table.declare(column, signature)
            rows = np.flatnonzero(scores.known)
            table.put(rows, {column: scores.value[rows]})
            for name, values in zip(evidence_columns(column), (scores.p_yes, scores.p_no), strict=True):
                if not np.isnan(values).all():
                    table.put(rows, {name: values[rows]})
        return table

    # Notes

    def set_note(self, number: int, row: int, text: str, verdict_id: str | None = None) -> None:
        """Store a note, with the id of a `Verdict`, on a pair (0-based row); without text and verdict, remove it."""
        if verdict_id is not None:
            verdict(verdict_id)
        if not text and verdict_id is None:
            self._database.write("DELETE FROM note WHERE corpus = ? AND row = ?", (number, row))
        else:
            self._database.write(
                "INSERT OR REPLACE INTO note (corpus, row, text, verdict, changed) VALUES (?, ?, ?, ?, ?)",
                (number, row, corpora.stored(text), verdict_id, datetime.now(UTC).isoformat()),
            )

    def notes(self, number: int) -> dict[int, Note]:
        """Return the notes of a corpus by row."""
        rows = self._database.rows(
            "SELECT row, text, verdict, changed FROM note WHERE corpus = ? ORDER BY row", (number,)
        )
        return {
            row: Note(corpora.restored(text), verdict_id, datetime.fromisoformat(changed))
            for row, text, verdict_id, changed in rows
        }

    # Selections

    def save_selection(self, number: int, name: str, rows: Sequence[int] | Rows) -> None:
        """Store some rows of a corpus under a name; an earlier selection of that name is replaced."""
        self._database.write(
            "INSERT OR REPLACE INTO selection (corpus, name, rows) VALUES (?, ?, ?)",
            (number, name, np.asarray(rows, dtype="<i8").tobytes()),
        )

    def selections(self, number: int) -> dict[str, Rows]:
        """Return the named selections of a corpus: int64 arrays of rows."""
        rows = self._database.rows("SELECT name, rows FROM selection WHERE corpus = ? ORDER BY name", (number,))
        return {name: np.frombuffer(blob, dtype="<i8").astype(np.int64) for name, blob in rows}

    # Settings

    def set_setting(self, key: str, value: object) -> None:
        """Store a value that JSON can hold."""
        self._database.write("INSERT OR REPLACE INTO setting (key, value) VALUES (?, ?)", (key, json.dumps(value)))

    def settings(self) -> dict[str, Any]:
        """Return all stored values by their keys."""
        return {key: json.loads(value) for key, value in self._database.rows("SELECT key, value FROM setting")}

    # Bench

    def set_bench(self, entries: Sequence[Mapping[str, object]]) -> None:
        """Store the Bench's history: entries that JSON can hold, oldest first."""
        with self._database.transaction():
            self._database.write("DELETE FROM bench")
            self._database.write_many(
                "INSERT INTO bench (place, entry) VALUES (?, ?)",
                ((place, json.dumps(entry)) for place, entry in enumerate(entries)),
            )

    def bench(self) -> list[dict[str, object]]:
        """Return the Bench's history, oldest first."""
        return [json.loads(entry) for (entry,) in self._database.rows("SELECT entry FROM bench ORDER BY place")]


def _let_go(path: Path) -> None:
    """Make sure that a session about to be replaced is open nowhere, and remove its journal.

    A write-ahead journal left by the old file would be applied to the new one.
    """
    if path.exists():
        try:
            connection = sqlite3.connect(path, timeout=1.0, isolation_level=None)
            try:
                connection.execute("PRAGMA journal_mode=DELETE")
            finally:
                connection.close()
        except sqlite3.OperationalError as error:
            if "locked" in str(error):
                raise SessionError(
                    f"{path.name} is open in another window. Close it there, or choose another name."
                ) from error
        except sqlite3.DatabaseError:
            pass  # damaged or no session: its contents do not matter, the user asked to replace it
    for ending in ("-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)
