"""A session: corpora, their scores, the user's notes and selections."""

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
from parapluie_gui.judgements.record import NOTE, UNNAMED, Judgement, Note, collect_notes, current_records
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

#: The setting that says what the names of the score columns of a corpus say of their judges (`ScoreTable.judge_words`).
SCORE_NAMES = "score_names.{}"


class Session(OpenFile):
    """An open session. Every change is in its working copy at once, and in its document with the next `save`.

    Each object belongs to the thread that opened it; a worker may write scores into the same working copy through a
    `ScoreStore` of its own, and other threads may `connect` to it.

    Attributes:
        path: The working copy, a database in the user's data folder.
        store: The scores in it.
        said: Sentences for the user about the opening: what was repaired or lost.
    """

    def __init__(
        self, database: Database, copies: WorkingCopies | None = None, copy: WorkingCopy | None = None
    ) -> None:
        self._database = database
        self.store = ScoreStore.over(database)
        self.said: Sequence[str] = () if copy is None else copy.said
        self._copies, self._copy = copies, copy
        self._content = frozenset[str]() if copies is None else copies.content
        # One that is to be made at a document's place is not there yet.
        new = copy is not None and copy.document is not None and not copy.document.exists()
        self._saved = None if new else database.state()
        self._generation_kept = False
        self._closing: Callable[[], object] = lambda: None

    @classmethod
    def connect(cls, path: Path, create: bool = False) -> Session:
        """Open a working copy itself, beside the session it belongs to; nothing is saved on closing.

        Raises:
            SessionError: It is missing, damaged, no session, or of another version.
        """
        return cls(Database(path, (SESSION,), create))

    @classmethod
    def open(cls, path: Path | str, create: bool = False, *, reading: bool = False) -> Session:
        """Open a session file, or make it if it is missing and `create` is set; it is saved on closing.

        With `reading` it may be open elsewhere, and cannot be changed.

        Raises:
            SessionError: It is missing, damaged, no session, open elsewhere, or of another version.
        """
        folder = tempfile.TemporaryDirectory(prefix="parapluie-") if reading else None
        copies = WorkingCopies(places.user_data() if folder is None else Path(folder.name))
        session = cls.of(copies, copies.of(Path(path), create))
        if folder is not None:
            session._database.write("PRAGMA query_only=ON")
            session._closing = folder.cleanup
        return session

    @classmethod
    def of(cls, copies: WorkingCopies, copy: WorkingCopy) -> Session:
        """Open a working copy that the caller has locked; it is released on closing."""
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
    def changed(self) -> bool:
        """Whether anything was written since the last `save`, by anybody."""
        return self._database.state() != self._saved

    def save(self, *, over: bool = False) -> None:
        """Write what was changed into the session file, if it has one.

        Args:
            over: Also over a file that is gone, or that another program wrote.

        Raises:
            DocumentError: The file is not what this session last saved or opened.
            UnwritableError: It cannot be written now.
        """
        copy = self._copy
        if copy is None or copy.document is None or not (over or self.changed):
            return
        if not over:
            self.check_document()
        self._write(copy.document)

    def save_as(self, path: Path | str) -> None:
        """Make another file, new or replaced, the session's own.

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
        """Make sure that the session file is what this session last saved or opened.

        Raises:
            DocumentError: It is gone, or another program wrote it.
        """
        copy = self._copy
        if copy is not None and copy.document is not None and copy.saves:
            document.check_unchanged(copy.document, set(copy.saves))

    def empty(self) -> None:
        """Remove all that a user would miss, with notes, selections and steps to undo; choices in the window stay."""
        self.said = ()
        self._database.write("DELETE FROM setting WHERE key = 'undo' OR key LIKE 'undo.%'")
        self._database.write("DELETE FROM corpus")
        self.set_bench([])
        for key in self._content:
            self.drop_setting(key)

    def close(self) -> None:
        """Save the session and close it; an unsaved one stays for the next time, unless it is empty.

        Raises:
            SessionError: It could not be saved; what it holds is kept in the user's data folder.
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
        """Write everything into a file, which is the session's own from then on."""
        copy = self._copy
        assert copy is not None and self._copies is not None
        save, state, before = new_save(), self._database.state(), (copy.document, copy.saves)
        # If the program is killed within the next lines, the file is still known as one of its own.
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
        with contextlib.suppress(UnwritableError):  # the document is written, which is what counts
            copy.remember()

    def transaction(self) -> contextlib.AbstractContextManager[None]:
        """Make every change inside happen entirely or not at all."""
        return self._database.transaction()

    @property
    def is_empty(self) -> bool:
        """It holds nothing that a user would miss: no corpus, no pair of the Bench, no setting that is content."""
        rows = "EXISTS (SELECT 1 FROM corpus) OR EXISTS (SELECT 1 FROM bench)"
        return self._database.row(f"SELECT {rows}") == (0,) and self._content.isdisjoint(self.settings())

    # Corpora

    def corpora(self) -> list[CorpusEntry]:
        """Return the corpora in the user's order, without reading their pairs."""
        return corpora.entries(self._database)

    def add_corpus(self, corpus: Corpus) -> int:
        """Write a corpus, all of it or nothing, and return its number."""
        with self._database.transaction():
            (position,) = self._database.rows("SELECT max(ifnull(max(position), -1), -1) + 1 FROM corpus")[0]
            return corpora.write(self._database.write, corpus, position)

    def corpus(self, number: int) -> Corpus:
        """Read a corpus back as it was added.

        Raises:
            SessionError: There is none of that number.
        """
        return corpora.read(self._database, number)

    def add_pairs(self, number: int, pairs: Corpus) -> int:
        """Put pairs behind those of a corpus, and return how many it had; the optional columns it lacks are left out.

        Raises:
            SessionError: There is no corpus of that number.
        """
        present = self.corpus(number)
        self._replace_corpus(number, append_pairs(present, pairs))
        return len(present)

    def keep_pairs(self, number: int, count: int) -> None:
        """Remove the pairs of a corpus behind the first `count`, with what people said of them.

        Raises:
            SessionError: There is no corpus of that number.
        """
        self._replace_corpus(number, self.corpus(number).take(range(count)))

    def _replace_corpus(self, number: int, corpus: Corpus) -> None:
        """Write a corpus again in its place; judgements of its rows are kept."""
        with self._database.transaction():
            records, sets = self.judgements(number, history=True), self.selections(number)
            ((position,),) = self._database.rows("SELECT position FROM corpus WHERE id = ?", (number,))
            self.remove_corpus(number)
            corpora.write(self._database.write, corpus, position, number)
            self.add_judgements(number, (record for record in records if record.row < len(corpus)))
            for name, rows in sets.items():
                self.save_selection(number, name, rows[rows < len(corpus)])

    def close_corpus(self, number: int, closed: bool = True) -> None:
        """Leave a corpus out of `corpora` with all that belongs to it, or take one back that was left out."""
        self._database.write(
            "UPDATE corpus SET position = ~position WHERE id = ? AND (position >= 0) = ?", (number, closed)
        )

    def forget_closed(self, kept: Collection[int]) -> None:
        """Remove the corpora that were closed, but for some."""
        for (number,) in self._database.rows("SELECT id FROM corpus WHERE position < 0"):
            if number not in kept:
                self.remove_corpus(number)

    def remove_corpus(self, number: int) -> None:
        """Remove a corpus with its notes and selections; its scores stay, should its pairs come again."""
        self._database.write("DELETE FROM corpus WHERE id = ?", (number,))

    # Scores

    def score_table(self, number: int, columns: Sequence[str] | None = None) -> ScoreTable:
        """Return the scores this file holds for a corpus's pairs, found by their text.

        Each judge, precision and revision under a template has a column of its own. Where one was computed in several
        ways (another version, another text of the template), the latest used way with scores for this corpus counts.

        With `columns`, only these score columns, whoever judged.
        """
        # Scores that depend on the reference have a key of their own, and so have those that depend on other columns.
        finders = [
            KeyFinder(key_array(joined)) for joined in corpora.keys(self._database, number) if joined is not None
        ]
        with_columns: dict[tuple[str, ...], list[KeyFinder]] = {(): finders}
        table = ScoreTable(len(finders[0]))
        found: dict[tuple[str, str], tuple[Signature, KnownScores]] = {}
        for signature in reversed(self.store.signatures()):
            maker = identify(signature.column, signature).maker
            way = signature.column, "" if maker is None else maker.key
            if way not in found and (columns is None or signature.column in columns):
                if (shown := signature.columns) not in with_columns:
                    keys = corpora.keys_with(self._database, number, shown)
                    with_columns[shown] = [finders[0] if keys is None else KeyFinder(key_array(keys))]
                first, *others = with_columns[shown]
                known = self.store.look_up(signature, first)
                for finder in others:
                    known = known.completed(self.store.look_up(signature, finder))
                if known.known.any():
                    found[way] = signature, known
        names = self._column_names(number, [signature for signature, _ in found.values()])
        for signature, scores in reversed(found.values()):
            column = table.declare(names[signature.key], signature)
            rows = np.flatnonzero(scores.known)
            table.put(rows, {column: scores.value[rows]})
            for name, values in zip(identify(column).evidence, (scores.p_yes, scores.p_no), strict=True):
                if not np.isnan(values).all():
                    table.put(rows, {name: values[rows]})
        return table

    def _column_names(self, number: int, signatures: Sequence[Signature]) -> dict[str, str]:
        """Return the columns of scores by the keys of their signatures, which are ordered from the latest used.

        They are called as the session last called them, for a corpus that is new in it as for the others. In a session
        of a version that knew one judge under a template the latest used one has the name without a judge, as it had
        there.
        """
        settings = self.settings()
        others = [value for key, value in settings.items() if key.startswith(SCORE_NAMES.format(""))]
        kept = [each for each in (*others, settings.get(SCORE_NAMES.format(number))) if isinstance(each, dict)]
        words = {key: word for each in kept for key, word in each.items()}
        table, names = ScoreTable(0), {}
        made = [(identify(each.column, each), each) for each in signatures]
        for known in (True, False):
            for identity, signature in made:
                word = words.get(identity.maker.key) if identity.maker is not None else None
                if isinstance(word, str) is known:
                    names[signature.key] = table.declare(
                        identity.with_word(word) if word else identity.column, signature
                    )
        return names

    # What people say

    def judge(self, number: int, row: int, annotator: str, scheme: str, question: str, answer: str | None) -> None:
        """Keep somebody's answer to a question on a pair (0-based row); None takes an earlier one back."""
        judgements.write(self._database, number, (row, annotator, scheme, question), answer)

    def judgements(self, number: int, *, history: bool = False) -> list[Judgement]:
        """Return the answers and notes on a corpus, with `history` also those that later ones replaced."""
        records = judgements.read(self._database, number)
        return records if history else current_records(records)

    def add_judgements(self, number: int, records: Iterable[Judgement]) -> int:
        """Add records of another session to those of a corpus, and return how many were not there already."""
        return judgements.add(self._database, number, records)

    def set_note(
        self, number: int, row: int, text: str, verdict_id: str | None = None, annotator: str = UNNAMED
    ) -> None:
        """Store a note and one of the five answers on a pair (0-based row); "" and None take earlier ones back."""
        scheme, question = pair_verdict()
        if verdict_id is not None and question.answer(verdict_id) is None:
            raise KeyError(verdict_id)
        with self.transaction():
            self.judge(number, row, annotator, *NOTE, text or None)
            self.judge(number, row, annotator, scheme, question.id, verdict_id)

    def notes(self, number: int, annotator: str = UNNAMED) -> dict[int, Note]:
        """Return somebody's notes and verdicts on a corpus by row."""
        return collect_notes(self.judgements(number), annotator)

    def set_role(self, number: int, role: str, values: Labels | Scores | None) -> None:
        """Give a corpus other labels or human scores, None for none as at first.

        Those of its file stay beside, as a column (`corpora.filed`), until they are in use again.
        """
        with self._database.transaction():
            corpora.set_role(self._database, number, role, values)

    def set_annotators(self, number: int, annotators: Mapping[str, float]) -> None:
        """Let other columns of a corpus be those of annotators; see `Corpus.annotators`."""
        with self._database.transaction():
            corpora.set_annotators(self._database, number, annotators)

    # Selections

    def save_selection(self, number: int, name: str, rows: Sequence[int] | Rows) -> None:
        """Store some rows of a corpus under a name; an earlier selection of that name is replaced."""
        self._database.write(
            "INSERT OR REPLACE INTO selection (corpus, name, rows) VALUES (?, ?, ?)",
            (number, name, np.asarray(rows, dtype="<i8").tobytes()),
        )

    def remove_selection(self, number: int, name: str) -> None:
        """Remove a selection of a corpus, if there is one of this name."""
        self._database.write("DELETE FROM selection WHERE corpus = ? AND name = ?", (number, name))

    def selections(self, number: int) -> dict[str, Rows]:
        """Return the named selections of a corpus: int64 arrays of rows."""
        ((pairs,),) = self._database.rows("SELECT pairs FROM corpus WHERE id = ?", (number,)) or [(0,)]
        found = self._database.rows("SELECT name, rows FROM selection WHERE corpus = ? ORDER BY name", (number,))
        selections = {name: np.frombuffer(blob, dtype="<i8").astype(np.int64) for name, blob in found}
        # A file of somebody else's may name rows that are not there.
        return {name: rows[(rows >= 0) & (rows < pairs)] for name, rows in selections.items()}

    # Settings

    def set_setting(self, key: str, value: object) -> None:
        """Store a value that JSON can hold."""
        self._database.write("INSERT OR REPLACE INTO setting (key, value) VALUES (?, ?)", (key, json.dumps(value)))

    def drop_setting(self, key: str) -> None:
        """Remove a value, if there is one of this key."""
        self._database.write("DELETE FROM setting WHERE key = ?", (key,))

    def settings(self) -> dict[str, Any]:
        """Return all stored values by their keys, None for what is no JSON."""
        return {key: _value(text) for key, text in self._database.rows("SELECT key, value FROM setting")}

    # Bench

    def set_bench(self, entries: Sequence[Mapping[str, object]]) -> None:
        """Store the Bench's history: entries that JSON can hold, oldest first."""
        with self._database.transaction():
            self._database.write("DELETE FROM bench")
            self._database.write_many(
                "INSERT INTO bench (place, entry) VALUES (?, ?)",
                ((place, json.dumps(entry)) for place, entry in enumerate(entries)),
            )

    def bench(self) -> list[Any]:
        """Return the Bench's history, oldest first, None for what is no JSON."""
        return [_value(entry) for (entry,) in self._database.rows("SELECT entry FROM bench ORDER BY place")]


def _value(text: object) -> Any:
    """Return what a text holds as JSON, None where it is none."""
    try:
        return parse_json(text) if isinstance(text, str) else None
    except ValueError:
        return None
