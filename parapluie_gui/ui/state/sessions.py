"""What lies on the desk: the session file, its corpora and notes, and how files come in."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import QObject, Signal

from parapluie_gui import places
from parapluie_gui.errors import ParapluieError, SessionError
from parapluie_gui.pairs import Corpus, open_corpus, open_text, read_parallel
from parapluie_gui.pluie.evidence import Evidence
from parapluie_gui.pluie.prompt import Frame
from parapluie_gui.scores.session import ENDING, Session
from parapluie_gui.scores.signature import Signature, pair_key
from parapluie_gui.scores.store import ScoreStore
from parapluie_gui.ui.state.opening import (
    Loaded,
    Question,
    added_to,
    from_session,
    has_columns,
    into_session,
    read_demo,
    read_or_ask,
)
from parapluie_gui.ui.state.task import Task
from parapluie_gui.ui.state.unsaved import UnsavedSessions
from parapluie_gui.ui.state.workspace import Workspace


class Desk(QObject):
    """The open session and what it holds.

    Attributes:
        session: The open session file; everything is written to it as it happens.

    Signals:
        session_changed: Another session is open, or it has another name.
        corpora_changed: A corpus came or went, or another one is shown.
        asked: (Question) The user has to say how a file is read.
        failed: (str) A sentence: something could not be opened or written.
        said: (str) A sentence: something was done.
        working: (str) What is being read or written; "" when nothing is.
    """

    session_changed = Signal()
    corpora_changed = Signal()
    asked = Signal(object)
    failed = Signal(str)
    said = Signal(str)
    working = Signal(str)

    def __init__(self, workspace: Workspace, unsaved: UnsavedSessions, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.session = unsaved.open()
        self._unsaved = unsaved
        self._workspace = workspace
        self._number: int | None = None
        self._notes: dict[int, tuple[str, str]] = {}
        self._task: Task[Any] | None = None
        self._queue: list[tuple[str, Callable[[Callable[[int], None]], Any], Callable[[Any], None]]] = []
        self._cache: ScoreStore | None = None
        workspace.find_evidence = self._find_evidence
        workspace.find_prompt = self._find_prompt

    # What there is

    @property
    def number(self) -> int | None:
        """The session's number of the corpus shown, or None."""
        return self._number

    @property
    def named(self) -> bool:
        """Whether the user has given the session a file of its own."""
        return not self._unsaved.owns(self.session.path)

    def stores(self) -> tuple[Path, ...]:
        """Return the files in which scores are to be kept."""
        return (places.score_cache(), self.session.path)

    def corpus_names(self) -> tuple[list[str], int]:
        """Return the names of the session's corpora, and the place of the one shown (-1 for none)."""
        entries = self.session.corpora()
        shown = next((at for at, entry in enumerate(entries) if entry.id == self._number), -1)
        return [entry.name for entry in entries], shown

    def corpus_files(self) -> tuple[Path, ...]:
        """Return the files that the shown corpus was read from, several where it is pooled; empty if not known."""
        corpus = self._workspace.corpus
        if corpus is None or self._number is None:
            return ()
        kept = self.session.get_setting(f"files.{self._number}", None)
        if isinstance(kept, list):
            return tuple(Path(str(name)) for name in kept)
        return () if corpus.path is None else (corpus.path,)

    # Bringing things in

    def open_files(self, paths: Sequence[Path]) -> None:
        """Open files of any kind this program knows: corpora, a session, or two parallel texts dropped together."""
        sessions = [path for path in paths if path.suffix.lower() == ENDING]
        if sessions:
            self.open_session(sessions[0])
            return
        if len(paths) == 2 and all(path.suffix.lower() == ".txt" for path in paths) and not has_columns(paths[0]):
            self._load(f"{paths[0].name} + {paths[1].name}", partial(read_parallel, *paths))
            return
        for path in paths:
            self._load(path.name, partial(read_or_ask, partial(open_corpus, path), path.name))

    def add_files(self, paths: Sequence[Path]) -> None:
        """Pool files with the shown corpus, as one more corpus of the session; scores that are known stay known."""
        present = self._workspace.corpus
        if present is None:
            self.open_files(paths)
            return
        for path in paths:
            # Several are added one after the other: each finds the one before in the shown corpus.
            work = partial(read_or_ask, partial(open_corpus, path), path.name, self._with_shown)
            taking = partial(self._take_added, path)
            self._work(path.name, partial(into_session, self.session.path, work), taking)

    def open_text(self, text: str) -> None:
        """Open pasted text as a corpus."""
        if not text.strip():
            self.failed.emit(self.tr("The clipboard holds no text; copy rows of a table or lines with a tab first."))
            return
        name = self.tr("Pasted pairs")
        self._load(name, partial(read_or_ask, partial(open_text, text), name))

    def open_demo(self) -> None:
        """Open the demo corpus that ships with the program."""
        self._load(self.tr("Demo"), read_demo)

    def answer(self, question: Question, options: Mapping[str, Any]) -> None:
        """Read the file of a question as the user said."""
        self._load(question.name, partial(question.read, **options))

    def cancel(self) -> None:
        """Give up what is being read, and what waits to be."""
        self._queue.clear()
        if self._task is not None:
            self._task.stop()

    @property
    def reading(self) -> bool:
        """Whether a corpus is on its way."""
        return self._task is not None

    def show_corpus(self, place: int) -> None:
        """Show another corpus of the session, by its place in `corpus_names`."""
        entries = self.session.corpora()
        if 0 <= place < len(entries) and entries[place].id != self._number:
            self._work(
                entries[place].name, partial(from_session, self.session.path, entries[place].id), self._take_corpus
            )

    def remove_corpus(self) -> None:
        """Take the shown corpus out of the session; its file stays where it is."""
        if self._number is not None:
            self.session.remove_corpus(self._number)
            self._number = None
            self._workspace.show(None)
            self._show_first()

    # Sessions

    def open_session(self, path: Path) -> None:
        """Open a session file instead of the present one."""
        try:
            session = Session.open(path)
        except SessionError as error:
            self.failed.emit(str(error))
            return
        self._switch(session)
        self._number = None
        self._workspace.show(None)
        self._show_first()

    def new_session(self) -> None:
        """Begin an empty session; the present one, if it has no file of its own, is emptied."""
        if self.named:
            self._switch(self._unsaved.open(empty=True))
        for entry in self.session.corpora():
            self.session.remove_corpus(entry.id)
        self.session.set_bench([])
        self._number = None
        self._workspace.show(None)
        self.session_changed.emit()
        self.corpora_changed.emit()

    def save_as(self, path: Path) -> bool:
        """Give the session a file; from then on everything is written there."""
        if path.suffix.lower() != ENDING:
            path = path.with_name(path.name + ENDING)
        was_named = self.named
        try:
            saved = self.session.save_as(path)
        except SessionError as error:
            self.failed.emit(str(error))
            return False
        old = self.session
        if not was_named:
            # What was unsaved has a home now; the next unsaved session begins empty.
            for entry in old.corpora():
                old.remove_corpus(entry.id)
            old.set_bench([])
        self._switch(saved)
        self.said.emit(self.tr("Saved as {0}; from now on everything is kept there.").format(path.name))
        return True

    # Notes

    def note(self, row: int) -> tuple[str, str]:
        """Return the note and the verdict's id of a pair of the shown corpus, "" for none."""
        return self._notes.get(row, ("", ""))

    def note_texts(self) -> dict[int, str]:
        """Return the notes of the shown corpus by row; one with a verdict alone has an empty text."""
        return {row: text for row, (text, _) in self._notes.items()}

    def write_note(self, row: int, text: str, verdict: str) -> None:
        """Keep what the user wrote of a pair, at once."""
        if self._number is None:
            return
        try:
            self.session.set_note(self._number, row, text, verdict or None)
        except (SessionError, sqlite3.Error) as error:
            self.failed.emit(self.tr("The note could not be written: {0}").format(error))
            return
        if text or verdict:
            self._notes[row] = (text, verdict)
        else:
            self._notes.pop(row, None)
        self._workspace.note_changed.emit(row)

    def keep_bench_history(self, entries: Sequence[Mapping[str, object]]) -> None:
        """Keep the Bench's history in the session."""
        with contextlib.suppress(SessionError, sqlite3.Error):
            self.session.set_bench(entries)

    # Sets and views

    def kept_sets(self) -> dict[str, np.ndarray]:
        """Return the sets of pairs that the user kept for the shown corpus, name to rows."""
        return {} if self._number is None else self.session.selections(self._number)

    def keep_set(self, name: str, rows: np.ndarray) -> None:
        """Keep a set of pairs under a name; an older one of that name is replaced."""
        if self._number is None:
            return
        try:
            self.session.save_selection(self._number, name, rows)
        except (SessionError, sqlite3.Error) as error:
            self.failed.emit(self.tr("The set could not be kept: {0}").format(error))
        else:
            self.said.emit(self.tr("{0} pairs kept as “{1}”.").format(len(rows), name))

    def view(self) -> Mapping[str, Any]:
        """Return how the shown corpus was looked at last: axes, threshold, filter, primary pair."""
        kept = self.session.get_setting(f"view.{self._number}", {})
        return kept if isinstance(kept, dict) else {}

    def keep_view(self, view: Mapping[str, Any]) -> None:
        """Remember how the shown corpus is looked at."""
        if self._number is not None:
            with contextlib.suppress(SessionError, sqlite3.Error):
                self.session.set_setting(f"view.{self._number}", dict(view))

    def prompt(self, signature: Signature, source: str, hypothesis: str, evidence: Evidence) -> str | None:
        """Return the exact text that the judge was shown for a pair, or None when it is not known."""
        cache = self._scores()
        frame = (cache.frame(signature) if cache is not None else None) or self.session.store.frame(signature)
        if frame is None:
            return None
        return Frame.from_json(frame).fill(source, hypothesis, evidence.explanation or "")[0]

    def close(self) -> None:
        """Close the files; stops what is being read."""
        self._queue.clear()
        if self._task is not None:
            self._task.stop()
            self._task.wait()
        if self._cache is not None:
            self._cache.close()
            self._cache = None
        self.session.close()
        self._unsaved.close()

    # Inside

    def _load(self, name: str, reading: Callable[..., Corpus | Question]) -> None:
        self._work(name, partial(into_session, self.session.path, reading), self._take_corpus)

    def _work(self, name: str, work: Callable[[Callable[[int], None]], Any], take: Callable[[Any], None]) -> None:
        """Do some reading in a thread, one thing after the other."""
        self._queue.append((name, work, take))
        self._next()

    def _next(self) -> None:
        if self._task is not None or not self._queue:
            return
        name, work, take = self._queue.pop(0)
        self.working.emit(self.tr("Reading {0} …").format(name))
        task = Task(work, self)
        self._task = task
        task.told.connect(partial(self._tell_rows, name))
        task.done.connect(take)
        task.failed.connect(self._fail)
        task.finished.connect(self._ended)
        task.start()

    def _ended(self) -> None:
        self._task = None
        self.working.emit("")
        self._next()

    def _tell_rows(self, name: str, rows: int) -> None:
        self.working.emit(self.tr("Reading {0} … {1} rows").format(name, f"{rows:,}"))

    def _fail(self, error: ParapluieError) -> None:
        self.failed.emit(str(error))

    def _take_corpus(self, result: Loaded | Question) -> None:
        if isinstance(result, Question):
            self.asked.emit(result)
            return
        self._number = result.number
        self._notes = {row: (note.text, note.verdict or "") for row, note in self.session.notes(result.number).items()}
        self._workspace.show(result.corpus, result.table)
        self.corpora_changed.emit()

    def _with_shown(self, new: Corpus) -> Corpus:
        present = self._workspace.corpus
        return new if present is None else added_to(present, new)

    def _take_added(self, path: Path, result: Loaded | Question) -> None:
        files = self.corpus_files()
        self._take_corpus(result)
        if isinstance(result, Loaded) and files:
            with contextlib.suppress(SessionError, sqlite3.Error):
                self.session.set_setting(f"files.{result.number}", [str(file) for file in (*files, path)])

    def _show_first(self) -> None:
        self._notes = {}
        self.corpora_changed.emit()
        entries = self.session.corpora()
        if entries:
            self.show_corpus(len(entries) - 1)

    def _switch(self, session: Session) -> None:
        self.session.close()
        self.session = session
        self.session_changed.emit()

    def _find_evidence(self, column: str, row: int) -> Evidence | None:
        store, signature = self._scores(), self._workspace.table.signatures.get(column)
        if store is None or signature is None:
            return None
        text = store.evidence(signature, self._key(row)) or self.session.store.evidence(signature, self._key(row))
        return None if text is None else Evidence.from_json(text)

    def _find_prompt(self, column: str, row: int) -> str | None:
        signature, corpus = self._workspace.table.signatures.get(column), self._workspace.corpus
        evidence = self._find_evidence(column, row)
        if signature is None or corpus is None or evidence is None:
            return None
        return self.prompt(signature, corpus.source[row], corpus.hypothesis[row], evidence)

    def _key(self, row: int) -> bytes:
        assert self._workspace.corpus is not None
        return pair_key(self._workspace.corpus.source[row], self._workspace.corpus.hypothesis[row])

    def _scores(self) -> ScoreStore | None:
        """Return the user's score cache, opened at the first use."""
        if self._cache is None:
            with contextlib.suppress(SessionError, sqlite3.Error, OSError):
                self._cache = ScoreStore(places.score_cache())
        return self._cache
