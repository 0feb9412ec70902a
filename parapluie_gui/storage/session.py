"""The session, which holds corpora, their scores, and the user's notes and selections."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from parapluie_gui import places
from parapluie_gui.arrays import Labels, Rows, Scores
from parapluie_gui.errors import UnwritableError
from parapluie_gui.judgements.record import NOTE, UNNAMED, Judgement, PairNote, collect_notes, current_records
from parapluie_gui.judgements.scheme import pair_verdict
from parapluie_gui.own_files import parse_json
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pairs.pool import append_pairs
from parapluie_gui.scores.identity import identify
from parapluie_gui.scores.signature import Signature
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.storage import corpora, document, judgements
from parapluie_gui.storage.corpora import CorpusEntry
from parapluie_gui.storage.database import Database, OpenFile
from parapluie_gui.storage.keys import KeyFinder, key_array
from parapluie_gui.storage.schema import SESSION, SUMS
from parapluie_gui.storage.store import KnownScores, ScoreStore
from parapluie_gui.storage.working_copies import WorkingCopies, WorkingCopy, new_save

#: Key of the setting with the words for judges in the names of a corpus's score columns (`ScoreTable.judge_words`).
SCORE_NAMES = "score_names.{}"
#: Key of the setting with the remarks on the scores of a corpus.
REMARKS = "remarks.{}"


class Session(OpenFile):
    """An open session. Changes are written to its working copy at once, and to its document by `save`.

    A session belongs to the thread that opened it; a worker may write scores into the same working copy through its own
    `ScoreStore`, and other threads may `connect` to it.

    Attributes:
        path: The working copy, a database in the user's data folder.
        store: The scores in the working copy.
        notices: Sentences for the user about anything repaired or lost when the session was opened.
    """

    def __init__(
        self, database: Database, copies: WorkingCopies | None = None, copy: WorkingCopy | None = None
    ) -> None:
        self._database = database
        self.store = ScoreStore.from_database(database)
        self.notices: Sequence[str] = () if copy is None else copy.notices
        self._copies, self._copy = copies, copy
        self._content = frozenset[str]() if copies is None else copies.content
        # A new document does not exist yet.
        new = copy is not None and copy.document is not None and not copy.document.exists()
        self._saved = None if new else database.state()
        self._generation_kept = False
        self._closing: Callable[[], object] = lambda: None

    @classmethod
    def connect(cls, path: Path, create: bool = False) -> Session:
        """Open the working copy of an open session once more; closing it saves nothing.

        Raises:
            SessionError: It is missing, damaged, not a session, or from a different version.
        """
        return cls(Database(path, (SESSION,), create))

    @classmethod
    def open(cls, path: Path | str, create: bool = False, *, reading: bool = False) -> Session:
        """Open a session file, which is saved on closing; with `create`, create a missing one.

        With `reading`, it may be open elsewhere, and cannot be changed.

        Raises:
            SessionError: It is missing, damaged, not a session, open elsewhere, or from a different version.
        """
        folder = tempfile.TemporaryDirectory(prefix="parapluie-") if reading else None
        copies = WorkingCopies(places.user_data() if folder is None else Path(folder.name))
        session = cls.from_copy(copies, copies.open(Path(path), create))
        if folder is not None:
            session._database.write("PRAGMA query_only=ON")
            session._closing = folder.cleanup
        return session

    @classmethod
    def from_copy(cls, copies: WorkingCopies, copy: WorkingCopy) -> Session:
        """Open a locked working copy; closing the session releases it."""
        try:
            return cls(Database(copy.path, (SESSION,)), copies, copy)
        except BaseException:
            copy.release()
            raise

    @property
    def document(self) -> Path | None:
        """The session file; None for an unsaved session."""
        return None if self._copy is None else self._copy.document

    @property
    def has_unsaved_changes(self) -> bool:
        """Whether anything was written since the last `save`, by this process or another."""
        return self._database.state() != self._saved

    def save(self, *, over: bool = False) -> None:
        """Write the changes to the session file, if there is one.

        Args:
            over: Whether to write even if the file is gone or another program changed it.

        Raises:
            DocumentError: The file is gone, or another program changed it.
            UnwritableError: It cannot be written now.
        """
        copy = self._copy
        if copy is None or copy.document is None or not (over or self.has_unsaved_changes):
            return
        if not over:
            self.check_document()
        self._write(copy.document)

    def save_as(self, path: Path | str) -> None:
        """Save the session to another file, new or replaced, and continue to work on that file.

        Raises:
            DocumentError: The file is open elsewhere.
            SessionError: It cannot be written, or there is no such folder.
        """
        path = Path(os.path.realpath(path))
        assert self._copies is not None and self._copy is not None
        if path != self._copy.document:
            self._copies.check_closed(path)
            self._generation_kept = False
        self._write(path)

    def check_document(self) -> None:
        """Check that the session file is as this session last saved or opened it.

        Raises:
            DocumentError: It is gone, or another program wrote it.
        """
        copy = self._copy
        if copy is not None and copy.document is not None and copy.saves:
            document.check_unchanged(copy.document, set(copy.saves))

    def empty(self) -> None:
        """Remove all content, with notes, selections and steps to undo; the window's settings are kept."""
        self.notices = ()
        self._database.write("DELETE FROM setting WHERE key = 'undo' OR key LIKE 'undo.%'")
        self._database.write("DELETE FROM corpus")
        self.set_bench([])
        for key in self._content:
            self.drop_setting(key)

    def close(self) -> None:
        """Save and close the session; an unsaved session is kept for the next start unless it is empty.

        Raises:
            SessionError: It could not be saved; its contents are kept in the user's data folder.
        """
        copy, keep = self._copy, True
        try:
            if copy is not None:
                self.save()
                keep = copy.document is None and not self.is_empty
        finally:
            self._database.close()
            if copy is not None:
                (copy.release if keep else copy.forget)()
            self._closing()

    def _write(self, path: Path) -> None:
        """Write the session to a file, which becomes its document."""
        copy = self._copy
        assert copy is not None and self._copies is not None
        save, state, before = new_save(), self._database.state(), (copy.document, copy.saves)
        # If the program is killed within the next lines, the file is still recognized as this session's.
        copy.document, copy.saves = path, (*copy.saves[-1:], save) if path == copy.document else (save,)
        try:
            with contextlib.suppress(UnwritableError):
                copy.remember()
            generations = 0 if self._generation_kept else self._copies.generations
            document.write(self._database, path, SUMS, save=save, generations=generations)
        except BaseException:
            copy.document, copy.saves = before
            with contextlib.suppress(UnwritableError):
                copy.remember()
            raise
        self._generation_kept, self._saved = True, state
        copy.saves = (save,)
        with contextlib.suppress(UnwritableError):  # from here on, the document itself has been written
            copy.remember()

    def transaction(self) -> contextlib.AbstractContextManager[None]:
        """Make all changes in the block, or none of them."""
        return self._database.transaction()

    @property
    def is_empty(self) -> bool:
        """Whether it has no content: no corpus, no pair of the Bench, and no settings that count as content."""
        rows = "EXISTS (SELECT 1 FROM corpus) OR EXISTS (SELECT 1 FROM bench)"
        return self._database.row(f"SELECT {rows}") == (0,) and self._content.isdisjoint(self.settings())

    # Corpora

    def corpora(self) -> list[CorpusEntry]:
        """Return the corpora in the user's order, without reading their pairs."""
        return corpora.entries(self._database)

    def add_corpus(self, corpus: Corpus) -> int:
        """Write a corpus, entirely or not at all, and return its number."""
        with self._database.transaction():
            (position,) = self._database.rows("SELECT max(ifnull(max(position), -1), -1) + 1 FROM corpus")[0]
            return corpora.write(self._database.write, corpus, position)

    def corpus(self, number: int) -> Corpus:
        """Return a corpus as it was added.

        Raises:
            SessionError: There is no corpus with that number.
        """
        return corpora.read(self._database, number)

    def add_pairs(self, number: int, pairs: Corpus) -> int:
        """Append pairs to a corpus, without optional columns that it lacks; return the number of pairs it had before.

        Raises:
            SessionError: There is no corpus with that number.
        """
        present = self.corpus(number)
        self._replace_corpus(number, append_pairs(present, pairs))
        return len(present)

    def keep_pairs(self, number: int, count: int) -> None:
        """Remove all but the first `count` pairs of a corpus, with the judgements of the others.

        Raises:
            SessionError: There is no corpus with that number.
        """
        self._replace_corpus(number, self.corpus(number).take(range(count)))

    def _replace_corpus(self, number: int, corpus: Corpus) -> None:
        """Rewrite a corpus in its place; judgements and selections of the remaining rows are kept."""
        with self._database.transaction():
            records, sets = self.judgements(number, history=True), self.selections(number)
            ((position,),) = self._database.rows("SELECT position FROM corpus WHERE id = ?", (number,))
            self.remove_corpus(number)
            corpora.write(self._database.write, corpus, position, number)
            self.add_judgements(number, (record for record in records if record.row < len(corpus)))
            for name, rows in sets.items():
                self.save_selection(number, name, rows[rows < len(corpus)])

    def close_corpus(self, number: int, closed: bool = True) -> None:
        """Hide a corpus from `corpora`, or with `closed` false show it again; its data are kept."""
        self._database.write(
            "UPDATE corpus SET position = ~position WHERE id = ? AND (position >= 0) = ?", (number, closed)
        )

    def forget_closed(self, excepted: Collection[int]) -> None:
        """Remove the closed corpora, except those with some numbers."""
        for (number,) in self._database.rows("SELECT id FROM corpus WHERE position < 0"):
            if number not in excepted:
                self.remove_corpus(number)

    def remove_corpus(self, number: int) -> None:
        """Remove a corpus with its notes and selections; its scores are kept in case its pairs are added again."""
        self._database.write("DELETE FROM corpus WHERE id = ?", (number,))

    # Scores

    def score_table(self, number: int, columns: Sequence[str] | None = None) -> ScoreTable:
        """Return the scores in this file for the texts of a corpus's pairs.

        A template has one column for each judge, precision and revision. If a column was computed in several ways (by
        versions of the program or of the template), the most recently used way with scores for this corpus counts.

        Args:
            number: The corpus.
            columns: The score columns to return, whatever their judge; None for all.
        """
        # Scores that depend on the reference or on other columns are stored under a key that includes these.
        finders = [
            KeyFinder(key_array(joined)) for joined in corpora.keys(self._database, number) if joined is not None
        ]
        with_columns: dict[tuple[str, ...], list[KeyFinder]] = {(): finders}
        table = ScoreTable(len(finders[0]))
        latest: dict[tuple[str, str], tuple[Signature, KnownScores]] = {}
        for signature in reversed(self.store.signatures()):
            maker = identify(signature.column, signature).maker
            way = signature.column, "" if maker is None else maker.key
            if way not in latest and (columns is None or signature.column in columns):
                if (shown := signature.columns) not in with_columns:
                    keys = corpora.keys_with_columns(self._database, number, shown)
                    with_columns[shown] = [finders[0] if keys is None else KeyFinder(key_array(keys))]
                first, *others = with_columns[shown]
                known = self.store.look_up(signature, first)
                for finder in others:
                    known = known.fill_gaps(self.store.look_up(signature, finder))
                if known.known.any():
                    latest[way] = signature, known
        names = self._column_names(number, [signature for signature, _ in latest.values()])
        for signature, scores in reversed(latest.values()):
            column = table.declare(names[signature.key], signature)
            rows = np.flatnonzero(scores.known)
            table.put(rows, {column: scores.value[rows]})
            for name, values in zip(identify(column).evidence, (scores.p_yes, scores.p_no), strict=True):
                if not np.isnan(values).all():
                    table.put(rows, {name: values[rows]})
        table.take_remarks(self.settings().get(REMARKS.format(number)))
        return table

    def _column_names(self, number: int, signatures: Sequence[Signature]) -> dict[str, str]:
        """Return the names of score columns by the keys of their signatures.

        Names stay as they last were in the session, even for a new corpus. In a session from a version with one judge
        per template, the most recently used judge keeps the name without a judge.

        Args:
            number: The corpus.
            signatures: Signatures, the most recently used first.
        """
        settings = self.settings()
        others = [value for key, value in settings.items() if key.startswith(SCORE_NAMES.format(""))]
        stored = [value for value in (*others, settings.get(SCORE_NAMES.format(number))) if isinstance(value, dict)]
        words = {key: word for value in stored for key, word in value.items()}
        table, names = ScoreTable(0), {}
        identities = [(identify(signature.column, signature), signature) for signature in signatures]
        for is_named in (True, False):
            for identity, signature in identities:
                word = words.get(identity.maker.key) if identity.maker is not None else None
                if isinstance(word, str) is is_named:
                    names[signature.key] = table.declare(
                        identity.with_word(word) if word else identity.column, signature
                    )
        return names

    # Judgements

    def judge(self, number: int, row: int, annotator: str, scheme: str, question: str, answer: str | None) -> None:
        """Store an annotator's answer to a question on a pair (0-based row); None retracts an earlier one."""
        judgements.write(self._database, number, (row, annotator, scheme, question), answer)

    def judgements(self, number: int, *, history: bool = False) -> list[Judgement]:
        """Return the answers and notes on a corpus; with `history`, also the replaced ones."""
        records = judgements.read(self._database, number)
        return records if history else current_records(records)

    def add_judgements(self, number: int, records: Iterable[Judgement]) -> int:
        """Add records from another session to a corpus, and return how many are new."""
        return judgements.add(self._database, number, records)

    def set_note(
        self, number: int, row: int, text: str, verdict_id: str | None = None, annotator: str = UNNAMED
    ) -> None:
        """Store a note and one of the five verdicts on a pair (0-based row); "" and None retract earlier ones."""
        scheme, question = pair_verdict()
        if verdict_id is not None and question.answer(verdict_id) is None:
            raise KeyError(verdict_id)
        with self.transaction():
            self.judge(number, row, annotator, *NOTE, text or None)
            self.judge(number, row, annotator, scheme, question.id, verdict_id)

    def notes(self, number: int, annotator: str = UNNAMED) -> dict[int, PairNote]:
        """Return an annotator's notes and verdicts on a corpus by row."""
        return collect_notes(self.judgements(number), annotator)

    def set_role(self, number: int, role: str, values: Labels | Scores | None) -> None:
        """Replace the labels or human scores of a corpus; None removes them, as in a file without any.

        The file's own stay available as a column (`corpora.file_column`) until they are in use again.
        """
        with self._database.transaction():
            corpora.set_role(self._database, number, role, values)

    def set_annotators(self, number: int, annotators: Mapping[str, float]) -> None:
        """Choose the columns of a corpus that hold annotators' answers; see `Corpus.annotators`."""
        with self._database.transaction():
            corpora.set_annotators(self._database, number, annotators)

    # Selections

    def save_selection(self, number: int, name: str, rows: Sequence[int] | Rows) -> None:
        """Store a selection of rows of a corpus; an earlier one with the same name is replaced."""
        self._database.write(
            "INSERT OR REPLACE INTO selection (corpus, name, rows) VALUES (?, ?, ?)",
            (number, name, np.asarray(rows, dtype="<i8").tobytes()),
        )

    def remove_selection(self, number: int, name: str) -> None:
        """Remove a selection of a corpus, if there is one with this name."""
        self._database.write("DELETE FROM selection WHERE corpus = ? AND name = ?", (number, name))

    def selections(self, number: int) -> dict[str, Rows]:
        """Return the selections of a corpus by name: int64 arrays of rows."""
        ((pairs,),) = self._database.rows("SELECT pairs FROM corpus WHERE id = ?", (number,)) or [(0,)]
        stored = self._database.rows("SELECT name, rows FROM selection WHERE corpus = ? ORDER BY name", (number,))
        selections = {name: np.frombuffer(blob, dtype="<i8").astype(np.int64) for name, blob in stored}
        # A file from elsewhere may name rows that do not exist.
        return {name: rows[(rows >= 0) & (rows < pairs)] for name, rows in selections.items()}

    # Settings

    def set_setting(self, key: str, value: object) -> None:
        """Store a setting: any value that JSON can represent."""
        self._database.write("INSERT OR REPLACE INTO setting (key, value) VALUES (?, ?)", (key, json.dumps(value)))

    def drop_setting(self, key: str) -> None:
        """Remove a setting, if there is one with this key."""
        self._database.write("DELETE FROM setting WHERE key = ?", (key,))

    def settings(self) -> dict[str, Any]:
        """Return all settings by key; None for one that is not valid JSON."""
        return {key: _parse(text) for key, text in self._database.rows("SELECT key, value FROM setting")}

    # Bench

    def set_bench(self, entries: Sequence[Mapping[str, object]]) -> None:
        """Store the Bench's history: entries that JSON can represent, oldest first."""
        with self._database.transaction():
            self._database.write("DELETE FROM bench")
            self._database.write_many(
                "INSERT INTO bench (place, entry) VALUES (?, ?)",
                ((place, json.dumps(entry)) for place, entry in enumerate(entries)),
            )

    def bench(self) -> list[Any]:
        """Return the Bench's history, oldest first; None for an entry that is not valid JSON."""
        return [_parse(entry) for (entry,) in self._database.rows("SELECT entry FROM bench ORDER BY place")]


def _parse(text: object) -> Any:
    """Return the value of a JSON text; None if it is not valid."""
    try:
        return parse_json(text) if isinstance(text, str) else None
    except ValueError:
        return None
