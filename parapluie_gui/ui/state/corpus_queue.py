"""The corpora of the session: opened from files in a thread, one after the other, shown and closed."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Signal

from parapluie_gui import places
from parapluie_gui.arrays import Labels, Rows, Scores
from parapluie_gui.errors import SessionError, one_line
from parapluie_gui.judgements.columns import CorpusJudgements
from parapluie_gui.judgements.record import Judgement
from parapluie_gui.pairs import Corpus, open_corpus, open_text, read_parallel
from parapluie_gui.pairs.reading.large import SampledCorpus
from parapluie_gui.report.judged_demo import SignedCorpus
from parapluie_gui.shipped import shipped_corpora
from parapluie_gui.storage.corpora import CorpusEntry
from parapluie_gui.storage.document import ENDING
from parapluie_gui.storage.session import REMARKS, SCORE_NAMES, Session
from parapluie_gui.storage.store import ScoreStore
from parapluie_gui.ui.state.growing import CorpusUpdate, GrowingKind, growing_at, growing_kinds
from parapluie_gui.ui.state.notes import CorpusAnnotations, SavedSelections
from parapluie_gui.ui.state.opening import (
    LoadedCorpus,
    OpeningQuestion,
    add_to_session,
    ask_again,
    has_columns,
    pool_with,
    read_demo,
    read_from_session,
    read_or_ask,
    read_or_sample,
    read_shipped,
)
from parapluie_gui.ui.state.session_file import SessionFile
from parapluie_gui.ui.state.session_settings import SHOWN, SessionSettings
from parapluie_gui.ui.state.stored_values import StoredValues
from parapluie_gui.ui.state.work_queue import WorkQueue
from parapluie_gui.ui.state.workspace import CorpusWorkspace
from parapluie_gui.work.request import PairTexts

Result = TypeVar("Result")

#: A function that reads a corpus of the session, given the working copy and a function that takes the number of rows
#: read.
Reading = Callable[[Path, Callable[[int], None]], object]


@dataclass(frozen=True)
class SessionCorpus:
    """A corpus of the session, with people's answers and its saved selections."""

    loaded: LoadedCorpus
    corpora: tuple[CorpusEntry, ...]
    records: Sequence[Judgement]
    sets: Mapping[str, Rows]


class CorpusQueue(QObject):
    """The corpora of the session.

    Attributes:
        number: The session's number of the corpus shown, or None.
        entries: The session's corpora, in the user's order.

    Signals:
        corpora_changed: A corpus was added or closed, or a different one is shown.
        asked: (OpeningQuestion) The user has to choose how a file is read.
        failed: (str) A sentence: why something could not be opened.
        collected: (number, count, Corpus) Pairs were appended to the `count` pairs of a corpus.
        warned: (str) A sentence: a file of a growing corpus cannot be used, or the corpus has no pairs yet.
        news: (str) A sentence: what was done.
        closed: (number, name) The user closed a corpus.
        role_set: (number, role, values before or None, values) The labels or human scores of a corpus were replaced, or
            its annotators (`Corpus.annotators`), with the role "annotators".
    """

    corpora_changed = Signal()
    asked = Signal(OpeningQuestion)
    failed = Signal(str)
    collected = Signal(int, int, Corpus)
    warned = Signal(str)
    news = Signal(str)
    closed = Signal(int, str)
    role_set = Signal(int, str, object, object)

    def __init__(
        self,
        workspace: CorpusWorkspace,
        session: SessionFile,
        settings: SessionSettings,
        notes: CorpusAnnotations,
        sets: SavedSelections,
        queue: WorkQueue,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.number: int | None = None
        self.entries: tuple[CorpusEntry, ...] = ()
        self._workspace, self._session, self._settings = workspace, session, settings
        self._notes, self._sets, self._queue = notes, sets, queue
        workspace.columns_changed.connect(self._keep_columns)
        session.opened.connect(self._take_session)
        notes.changed.connect(self._take_judgement)

    def names(self) -> tuple[list[str], int]:
        """Return the names of the session's corpora, and the index of the one shown (-1 for none)."""
        shown = next((at for at, entry in enumerate(self.entries) if entry.id == self.number), -1)
        return [entry.name for entry in self.entries], shown

    def files(self) -> tuple[Path, ...]:
        """Return the files of the corpus shown: several for a pooled corpus, none if unknown."""
        corpus = self._workspace.corpus
        if names := self._settings.values.texts(f"files.{self.number}"):
            return tuple(map(Path, names))
        return () if corpus is None or corpus.path is None else (corpus.path,)

    def open_files(self, paths: Sequence[Path]) -> None:
        """Open files of any supported kind: corpora, a session, or two parallel texts dropped together."""
        sessions = [path for path in paths if path.suffix.lower() == ENDING]
        if sessions:
            self._session.open(sessions[0], self.show_last)
        elif len(paths) == 2 and all(path.suffix.lower() == ".txt" for path in paths) and not has_columns(paths[0]):
            self._load(one_line(f"{paths[0].name} + {paths[1].name}"), partial(read_parallel, *paths))
        else:
            for path in paths:
                name = one_line(path.name)
                if (kind := growing_at(path)) is not None:
                    self._open_growing(kind, path.absolute())
                else:
                    self._load(name, partial(read_or_sample, path, name))

    def _open_growing(self, kind: GrowingKind, folder: Path) -> None:
        """Add the new pairs of a growing corpus to the session, and show it."""
        results: list[CorpusUpdate] = []

        def work(path: Path, tell: Callable[[int], None]) -> object:
            results.append(kind.read(path, folder, tell))
            return results[0].loaded

        def take(result: SessionCorpus | None) -> None:
            if result is None:
                self.warned.emit(kind.empty(folder))
            else:
                if results[0].setting_value:
                    self._settings.keep(kind.setting.format(result.loaded.number), results[0].setting_value)
                self.show(result)
                self._session.save_soon()
            for sentence in results[0].sentences:
                self.warned.emit(sentence)

        self.read(one_line(folder.name), work, take)

    def ask_again(self) -> None:
        """Ask how the file of the corpus shown is read; `asked` follows."""
        corpus, files = self._workspace.corpus, self.files()
        if corpus is not None and len(files) == 1 and files[0].is_file():
            self._load(one_line(files[0].name), lambda tick: ask_again(files[0], corpus.plan))
        else:
            self.failed.emit(self.tr("This corpus has no single file that could be read in another way. Open a file."))

    def reload(self) -> None:
        """Read the corpus shown again if it grows, or draw a new sample from its file or folder."""
        sampled, folder = (
            self._workspace.sample_origin,
            next((setting.text("folder") for _, setting in self._growing()), ""),
        )
        if sampled is not None or folder:
            self.open_files([Path(folder) if sampled is None else sampled.path])
        else:
            words = self.tr("Only folders of parts and large files can be read again. Open the file again (Ctrl+O).")
            self.failed.emit(words)

    @property
    def extent(self) -> str:
        """The share of a growing corpus that has been read, in words; "" if the corpus shown does not grow."""
        return next((kind.extent(setting) for kind, setting in self._growing()), "")

    def _growing(self) -> Iterator[tuple[GrowingKind, StoredValues]]:
        """Yield the kind of the corpus shown and its setting, if it grows."""
        for kind in growing_kinds():
            key = kind.setting.format(self.number)
            if key in self._settings.values:
                yield kind, self._settings.values.part(key)

    def add_files(self, paths: Sequence[Path]) -> None:
        """Pool files with the corpus shown into a new corpus of the session; existing scores are reused."""
        if self._workspace.corpus is None:
            self.open_files(paths)
            return
        for path in paths:
            # Files are added one after the other, each to the pool of those before it.
            name = one_line(path.name)
            work = partial(read_or_ask, partial(open_corpus, path), name, self._pool_with_shown)
            self._load(name, work, partial(self._take_added, path))

    def open_text(self, text: str) -> None:
        """Open pasted text as a corpus."""
        if not text.strip():
            self.failed.emit(
                self.tr("The clipboard contains no text. First copy rows of a table, or lines with a tab.")
            )
            return
        name = self.tr("Pasted pairs")
        self._load(name, partial(read_or_ask, partial(open_text, text), name))

    def open_generated(self, name: str, make: Callable[[], Corpus]) -> None:
        """Open a corpus that the program generates, under this name."""
        self._load(name, lambda tick: replace(make(), name=name, path=None))

    def collect(
        self,
        number: int | None,
        pairs: Corpus,
        records: Callable[[int], Sequence[Judgement]],
        scores: Mapping[str, Scores] = MappingProxyType({}),
        done: Callable[[], object] = lambda: None,
    ) -> None:
        """Append pairs to a corpus of the session, or to a new one, and show it; `collected` follows.

        Args:
            number: The corpus; None for a new one with the name of `pairs`.
            pairs: The pairs to add.
            records: The function that returns people's answers about them, given the corpus row of the first.
            scores: The scores shown for these pairs, by column; scores in the cache are copied.
            done: Called once the corpus is shown.
        """

        def work(path: Path, tell: Callable[[int], None]) -> LoadedCorpus:
            with Session.connect(path) as session, session.transaction():
                first = 0 if number is None else session.add_pairs(number, pairs)
                at = session.add_corpus(pairs) if number is None else number
                session.add_judgements(at, records(first))
                with (
                    contextlib.suppress(SessionError),
                    ScoreStore(places.score_cache(), reading=True, waits=True) as cache,
                ):
                    cache.copy_to(session.store, PairTexts.from_corpus(pairs).keys(), scores)
            return read_from_session(path, at, tell)

        def take(result: SessionCorpus) -> None:
            self.show(result)
            self._session.save_soon()
            if number is not None:
                self.collected.emit(number, len(result.loaded.corpus) - len(pairs), pairs)
            done()

        self.read(pairs.name, work, take)

    def keep_pairs(self, number: int, count: int) -> None:
        """Remove all pairs of a corpus except the first `count`, and show it."""
        failure = self.tr("The pairs could not be removed: {0}")
        self._session.write(lambda session: session.keep_pairs(number, count), failure)
        self._show(number)

    def open_demo(self) -> None:
        """Open the demo corpus that ships with the program."""
        self._load(self.tr("Demo"), read_demo)

    def open_shipped(self, name: str) -> None:
        """Open a corpus that ships with the program, by its name."""
        self._load(shipped_corpora()[name].title, partial(read_shipped, name))

    def answer(self, question: OpeningQuestion, options: Mapping[str, Any]) -> None:
        """Read the file of a question with the user's choices."""

        def take(result: SessionCorpus) -> None:
            self.show(result)
            if name := options.get("save_plan"):
                self.news.emit(self.tr("The reading plan was saved as “{0}”.").format(name))

        self._load(question.name, partial(question.read, **options), take)

    def show_corpus(self, place: int) -> None:
        """Show a corpus of the session, by its index in `entries`."""
        if 0 <= place < len(self.entries):
            self.bring(self.entries[place].id)

    def show_last(self) -> None:
        """Show the corpus that was shown last, or else the last one of the session."""
        numbers, last = [entry.id for entry in self.entries], self._settings.values.place(SHOWN)
        self.show_corpus(numbers.index(last) if last in numbers else len(numbers) - 1)

    def change_judgements(
        self, words: str, work: Callable[[Session], Result], then: Callable[[Result], object]
    ) -> None:
        """Change people's answers in the session, and show them.

        Args:
            words: Current step, for the user.
            work: Changes the open session, in its own thread. It may raise a `ParapluieError`, which the queue emits.
            then: Called with the result of `work`, once it is shown.
        """
        number = self.number

        def change(tell: Callable[[int], None]) -> tuple[Result, Sequence[Judgement], Sequence[CorpusEntry]]:
            with Session.connect(self._session.flush_changes()) as session:
                result = work(session)
                return result, () if number is None else session.judgements(number), tuple(session.corpora())

        def take(changed: tuple[Result, Sequence[Judgement], Sequence[CorpusEntry]]) -> None:
            result, records, entries = changed
            if number is not None and number == self.number:
                self._notes.show(number, records)
                self._take_judgement(-1)
            self.entries = tuple(entries)
            self.corpora_changed.emit()
            self._session.save_soon()
            then(result)

        self._queue.add(words, change, take, can_stop=False)

    def set_role(self, role: str, values: Labels | Scores) -> None:
        """Replace the labels or human scores ("label" or "human") of the corpus shown, and show it again."""
        if (number := self.number) is not None and self._workspace.corpus is not None:
            before = getattr(self._workspace.corpus, role)
            self.put_role(number, role, values)
            self.role_set.emit(number, role, before, values)

    def put_role(self, number: int, role: str, values: Labels | Scores | None) -> None:
        """Replace the labels or human scores of any corpus of the session, and show it."""
        failure = self.tr("The labels could not be written: {0}")
        self._session.write(lambda session: session.set_role(number, role, values), failure)
        self._show(number)

    def set_annotators(self, annotators: Mapping[str, float]) -> None:
        """Replace the annotators' columns of the corpus shown (see `Corpus.annotators`), and show it again."""
        if (number := self.number) is not None and self._workspace.corpus is not None:
            before = dict(self._workspace.corpus.annotators)
            self.put_annotators(number, annotators)
            self.role_set.emit(number, "annotators", before, dict(annotators))

    def put_annotators(self, number: int, annotators: Mapping[str, float]) -> None:
        """Replace the annotators' columns of any corpus of the session, and show it."""
        failure = self.tr("The annotators could not be written: {0}")
        self._session.write(lambda session: session.set_annotators(number, annotators), failure)
        self._show(number)

    def bring(self, number: int) -> None:
        """Show a corpus by its number in the session, unless it is already shown."""
        if number != self.number:
            self._show(number)

    def _show(self, number: int) -> None:
        """Read a corpus of the session and show it."""
        entry = next((candidate for candidate in self.entries if candidate.id == number), None)
        if entry is not None:
            self.read(entry.name, lambda path, tell: read_from_session(path, number, tell), self.show)

    def remove_corpus(self) -> None:
        """Close the corpus shown, and show the last one; `closed` follows. Its file is not deleted."""
        shown = next((entry for entry in self.entries if entry.id == self.number), None)
        if shown is not None:
            self.close(shown.id)
            self.closed.emit(shown.id, shown.name)

    def close(self, number: int) -> None:
        """Remove a corpus from the session's list, with everything that belongs to it; `reopen` restores it."""
        failure = self.tr("The corpus could not be removed: {0}")
        self._session.write(lambda session: session.close_corpus(number), failure)
        self.entries = tuple(entry for entry in self.entries if entry.id != number)
        if number == self.number:
            self._show_none(self.entries)
            self.show_last()
        else:
            self.corpora_changed.emit()

    def reopen(self, number: int, name: str) -> None:
        """Restore a closed corpus to the list, and show it."""
        failure = self.tr("The corpus could not be opened again: {0}")
        self._session.write(lambda session: session.close_corpus(number, closed=False), failure)
        self.read(name, lambda path, tell: read_from_session(path, number, tell), self.show)

    def forget_closed(self, needed: Collection[int]) -> None:
        """Delete the closed corpora from the session, except those in `kept`."""
        failure = self.tr("The corpus could not be removed: {0}")
        self._session.write(lambda session: session.forget_closed(needed), failure)

    def _load(
        self,
        name: str,
        reading: Callable[..., Corpus | OpeningQuestion | SampledCorpus | SignedCorpus],
        take: Callable[[Any], None] | None = None,
    ) -> None:
        self.read(name, lambda path, tell: add_to_session(path, reading, tell), take or self.show)

    def read(self, name: str, reading: Reading, take: Callable[[Any], None]) -> None:
        """Read a corpus in the queue.

        `take` receives a SessionCorpus if the result is a LoadedCorpus, and any other result unchanged.
        """

        def work(tell: Callable[[int], None]) -> object:
            path = self._session.flush_changes()
            result = reading(path, tell)
            if not isinstance(result, LoadedCorpus):
                return result
            with Session.connect(path) as session:
                records, sets = session.judgements(result.number), session.selections(result.number)
                return SessionCorpus(result, tuple(session.corpora()), records, sets)

        self._queue.add(self.tr("Reading {0} …").format(name), work, take)

    def show(self, result: SessionCorpus | OpeningQuestion) -> None:
        """Show a corpus that was read, or ask the user how to read it."""
        if isinstance(result, OpeningQuestion):
            self.asked.emit(result)
            return
        loaded = result.loaded
        self.number, self.entries = loaded.number, result.corpora
        self._notes.show(loaded.number, result.records)
        self._sets.show(loaded.number, result.sets)
        key = (self._session.generation, loaded.number)
        self._workspace.show(loaded.corpus, loaded.table, key, self._judgements(loaded.corpus), loaded.sample_origin)
        self.corpora_changed.emit()

    def _judgements(self, corpus: Corpus) -> CorpusJudgements:
        """Return people's answers about the corpus shown."""
        return CorpusJudgements.from_records(corpus, self._notes.records(), self._notes.schemes)

    def _take_judgement(self, row: int) -> None:
        """Update people's answers about one pair, or about all pairs (-1)."""
        corpus, notes = self._workspace.corpus, self._notes
        if corpus is not None:
            records = notes.records_of(row)
            updated = None if row < 0 else self._workspace.judgements.with_pair(row, records, notes.schemes)
            self._workspace.set_judgements(self._judgements(corpus) if updated is None else updated)

    def _take_added(self, path: Path, result: SessionCorpus | OpeningQuestion) -> None:
        files = self.files()
        self.show(result)
        if isinstance(result, SessionCorpus) and files:
            self._settings.keep(f"files.{self.number}", [str(file) for file in (*files, path)])

    def _keep_columns(self) -> None:
        """Store the remarks on scores, and which judge has which column, so that names mean the same the next time."""
        if self._workspace.key != (self._session.generation, self.number):
            return
        table = self._workspace.table
        if words := table.judge_words():
            self._settings.keep(SCORE_NAMES.format(self.number), words)
        if remarks := table.remarks_to_json():
            self._settings.keep(REMARKS.format(self.number), remarks)

    def _pool_with_shown(self, new: Corpus) -> Corpus:
        present = self._workspace.corpus
        return new if present is None else pool_with(present, new)

    def _take_session(self) -> None:
        self._show_none(self._session.contents.corpora)

    def _show_none(self, entries: Sequence[CorpusEntry]) -> None:
        self.number, self.entries = None, tuple(entries)
        self._notes.show(None, ())
        self._sets.show(None, {})
        if self._workspace.corpus is not None:
            self._workspace.show(None)
        self.corpora_changed.emit()
