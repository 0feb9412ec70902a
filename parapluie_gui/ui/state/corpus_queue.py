"""How corpora come into the session and which one is shown: files are read in a thread, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from parapluie_gui.analysis.protocols.pem_controls import with_controls
from parapluie_gui.arrays import Labels, Rows, Scores
from parapluie_gui.errors import one_line
from parapluie_gui.judgements.columns import People
from parapluie_gui.judgements.record import Judgement
from parapluie_gui.pairs import Corpus, open_corpus, open_text, read_parallel
from parapluie_gui.scores.corpora import CorpusEntry
from parapluie_gui.scores.document import ENDING
from parapluie_gui.scores.merge import Merged, merge_judgements
from parapluie_gui.scores.session import Session
from parapluie_gui.ui.state.notes import KeptSets, Notes
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
from parapluie_gui.ui.state.session_file import SessionFile
from parapluie_gui.ui.state.session_settings import SessionSettings
from parapluie_gui.ui.state.work_queue import WorkQueue
from parapluie_gui.ui.state.workspace import Workspace

#: Reads a corpus of the session, given the working copy and a function that takes the number of rows read.
Reading = Callable[[Path, Callable[[int], None]], object]


@dataclass(frozen=True)
class _Arrival:
    """A corpus of the session with what people said of it and its saved selections."""

    loaded: Loaded
    corpora: tuple[CorpusEntry, ...]
    records: Sequence[Judgement]
    sets: Mapping[str, Rows]


class CorpusQueue(QObject):
    """The corpora of the session.

    Attributes:
        number: The session's number of the corpus shown, or None.
        entries: The session's corpora, in the user's order.

    Signals:
        corpora_changed: A corpus came or went, or another one is shown.
        asked: (Question) The user has to choose how a file is read.
        failed: (str) A sentence: something could not be opened.
        merged: (str, Merged) What was merged from the session of that name.
    """

    corpora_changed = Signal()
    asked = Signal(Question)
    failed = Signal(str)
    merged = Signal(str, Merged)

    def __init__(
        self,
        workspace: Workspace,
        session: SessionFile,
        settings: SessionSettings,
        notes: Notes,
        sets: KeptSets,
        queue: WorkQueue,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.number: int | None = None
        self.entries: tuple[CorpusEntry, ...] = ()
        self._workspace, self._session, self._settings = workspace, session, settings
        self._notes, self._sets, self._queue = notes, sets, queue
        session.opened.connect(self._take_session)
        notes.changed.connect(self._take_judgement)

    def names(self) -> tuple[list[str], int]:
        """Return the names of the session's corpora, and the place of the one shown (-1 for none)."""
        shown = next((at for at, entry in enumerate(self.entries) if entry.id == self.number), -1)
        return [entry.name for entry in self.entries], shown

    def files(self) -> tuple[Path, ...]:
        """Return the files of the shown corpus, several where it is pooled; empty if unknown."""
        corpus = self._workspace.corpus
        if names := self._settings.values.texts(f"files.{self.number}"):
            return tuple(map(Path, names))
        return () if corpus is None or corpus.path is None else (corpus.path,)

    def open_files(self, paths: Sequence[Path]) -> None:
        """Open files of any kind this program knows: corpora, a session, or two parallel texts dropped together."""
        sessions = [path for path in paths if path.suffix.lower() == ENDING]
        if sessions:
            self._session.open(sessions[0], self.show_last)
        elif len(paths) == 2 and all(path.suffix.lower() == ".txt" for path in paths) and not has_columns(paths[0]):
            self._load(one_line(f"{paths[0].name} + {paths[1].name}"), partial(read_parallel, *paths))
        else:
            for path in paths:
                name = one_line(path.name)
                self._load(name, partial(read_or_ask, partial(open_corpus, path), name))

    def add_files(self, paths: Sequence[Path]) -> None:
        """Pool files with the shown corpus, as one more corpus of the session; existing scores are reused."""
        if self._workspace.corpus is None:
            self.open_files(paths)
            return
        for path in paths:
            # Several are added one after the other: each finds the one before in the shown corpus.
            name = one_line(path.name)
            work = partial(read_or_ask, partial(open_corpus, path), name, self._with_shown)
            self._load(name, work, partial(self._take_added, path))

    def open_text(self, text: str) -> None:
        """Open pasted text as a corpus."""
        if not text.strip():
            self.failed.emit(self.tr("The clipboard holds no text. Copy rows of a table or lines with a tab first."))
            return
        name = self.tr("Pasted pairs")
        self._load(name, partial(read_or_ask, partial(open_text, text), name))

    def add_controls(self) -> None:
        """Open the shown corpus once more with PEM's controls behind its pairs; scores of its pairs are reused."""
        corpus = self._workspace.corpus
        if corpus is None:
            self.failed.emit(self.tr("There are no pairs yet. Open a corpus first (Ctrl+O)."))
            return
        self.open_made(self.tr("{0} with controls").format(corpus.name), partial(with_controls, corpus))

    def open_made(self, name: str, make: Callable[[], Corpus]) -> None:
        """Open a corpus that the program makes itself, as one more of the session, under this name."""
        self._load(name, lambda tick: replace(make(), name=name, path=None))

    def open_demo(self) -> None:
        """Open the demo corpus that ships with the program."""
        self._load(self.tr("Demo"), read_demo)

    def answer(self, question: Question, options: Mapping[str, Any]) -> None:
        """Read the file of a question with the user's choices."""
        self._load(question.name, partial(question.read, **options))

    def show_corpus(self, place: int) -> None:
        """Show another corpus of the session, by its place in `entries`."""
        if 0 <= place < len(self.entries) and (entry := self.entries[place]).id != self.number:
            self._add(entry.name, lambda path, tell: from_session(path, entry.id, tell), self._take)

    def show_last(self) -> None:
        """Show the session's last corpus, if it has any."""
        self.show_corpus(len(self.entries) - 1)

    def merge_judgements(self, path: Path) -> None:
        """Add what people said in another session file; `merged` follows."""
        number = self.number

        def work(tell: Callable[[int], None]) -> tuple[Merged, Sequence[Judgement], Sequence[CorpusEntry]]:
            copy = self._session.written()
            with Session.open(path, reading=True) as other, Session.connect(copy) as session:
                result = merge_judgements(session, other, path.stem)
                records = () if number is None else session.judgements(number)
                return result, records, tuple(session.corpora())

        def take(found: tuple[Merged, Sequence[Judgement], Sequence[CorpusEntry]]) -> None:
            result, records, entries = found
            if number is not None and number == self.number:
                self._notes.show(number, records)
                self._take_judgement(-1)
            self.entries = tuple(entries)
            self.corpora_changed.emit()
            self._session.changed_elsewhere()
            self.merged.emit(path.name, result)

        self._queue.add(self.tr("Merging {0} …").format(one_line(path.name)), work, take, can_stop=False)

    def set_role(self, role: str, values: Labels | Scores) -> None:
        """Give the shown corpus other labels or human scores ("label" or "human"), and show it again."""
        number = self.number
        entry = next((each for each in self.entries if each.id == number), None)
        if number is not None and entry is not None:
            failure = self.tr("The labels could not be written: {0}")
            self._session.write(lambda session: session.set_role(number, role, values), failure)
            self._add(entry.name, lambda path, tell: from_session(path, number, tell), self._take)

    def remove_corpus(self) -> None:
        """Remove the corpus from the session (the file is not deleted) where it is."""
        if (number := self.number) is not None:
            self._show_none([entry for entry in self.entries if entry.id != number])
            failure = self.tr("The corpus could not be removed: {0}")
            self._session.write(lambda session: session.remove_corpus(number), failure)
            self.show_last()

    def _load(
        self, name: str, reading: Callable[..., Corpus | Question], take: Callable[[Any], None] | None = None
    ) -> None:
        self._add(name, lambda path, tell: into_session(path, reading, tell), take or self._take)

    def _add(self, name: str, reading: Reading, take: Callable[[Any], None]) -> None:
        def work(tell: Callable[[int], None]) -> object:
            path = self._session.written()
            result = reading(path, tell)
            if not isinstance(result, Loaded):
                return result
            with Session.connect(path) as session:
                records, sets = session.judgements(result.number), session.selections(result.number)
                return _Arrival(result, tuple(session.corpora()), records, sets)

        self._queue.add(self.tr("Reading {0} …").format(name), work, take)

    def _take(self, result: _Arrival | Question) -> None:
        if isinstance(result, Question):
            self.asked.emit(result)
            return
        loaded = result.loaded
        self.number, self.entries = loaded.number, result.corpora
        self._notes.show(loaded.number, result.records)
        self._sets.show(loaded.number, result.sets)
        key = (self._session.generation, loaded.number)
        self._workspace.show(loaded.corpus, loaded.table, key, self._said(loaded.corpus))
        self.corpora_changed.emit()

    def _said(self, corpus: Corpus) -> People:
        """Return what people said of the shown corpus."""
        return People.of(corpus, self._notes.records(), self._notes.schemes)

    def _take_judgement(self, row: int) -> None:
        if self._workspace.corpus is not None:
            self._workspace.set_said(self._said(self._workspace.corpus))

    def _take_added(self, path: Path, result: _Arrival | Question) -> None:
        files = self.files()
        self._take(result)
        if isinstance(result, _Arrival) and files:
            self._settings.keep(f"files.{self.number}", [str(file) for file in (*files, path)])

    def _with_shown(self, new: Corpus) -> Corpus:
        present = self._workspace.corpus
        return new if present is None else added_to(present, new)

    def _take_session(self) -> None:
        self._show_none(self._session.contents.corpora)

    def _show_none(self, entries: Sequence[CorpusEntry]) -> None:
        self.number, self.entries = None, tuple(entries)
        self._notes.show(None, ())
        self._sets.show(None, {})
        if self._workspace.corpus is not None:
            self._workspace.show(None)
        self.corpora_changed.emit()
