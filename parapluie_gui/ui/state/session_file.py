"""The session file in use: opened, begun, saved under another name, and written to without waiting."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from parapluie_gui import places
from parapluie_gui.errors import SessionError
from parapluie_gui.scores.live_session import LiveSession, SessionContents
from parapluie_gui.scores.session import ENDING, Session
from parapluie_gui.scores.store import ScoreStore
from parapluie_gui.ui.state.scoring import IDLE, Scoring
from parapluie_gui.ui.state.unsaved import UnsavedSessions
from parapluie_gui.ui.state.work_queue import WorkQueue


@dataclass(frozen=True)
class _Move:
    """Scores that came into one file after another one was copied from it."""

    source: Path
    target: Path
    after: int


class SessionFile(QObject):
    """The open session. Everything is read and written in threads: the queue's, or the session's own.

    Begins by opening the unsaved session that was used last; `opened` says when that is done.

    Attributes:
        contents: The session's contents when it was opened.
        generation: Another number for each session; the same when one is saved under another name.

    Signals:
        opened: Another session is open.
        renamed: The open session has another file, or another one is open.
        saved: (Path) The session was saved as this file.
        failed: (str) A sentence: something could not be opened or written.
    """

    opened = Signal()
    renamed = Signal()
    saved = Signal(Path)
    failed = Signal(str)

    def __init__(
        self, unsaved: UnsavedSessions, queue: WorkQueue, scoring: Scoring, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.contents = SessionContents(None)
        self.generation = 0
        self._unsaved, self._queue, self._scoring = unsaved, queue, scoring
        self._live = LiveSession()
        self._moves: list[_Move] = []
        self._closing = False
        scoring.over.connect(self._finish_moves)
        self._switch(self.tr("Opening the session …"), self._open_unsaved)
        queue.add(self.tr("Opening the known scores …"), _open_cache, lambda opened: None, can_stop=False)

    @property
    def path(self) -> Path | None:
        """The file; None until the first one is open."""
        return self.contents.path

    @property
    def named(self) -> bool:
        """Whether the user has given the session a file of its own."""
        return self.path is not None and not self._unsaved.owns(self.path)

    def stores(self) -> tuple[Path, ...]:
        """Return the files in which scores are to be kept, the user's score cache first."""
        return (places.score_cache(), *([] if self.path is None else [self.path]))

    def written(self) -> Path:
        """Return the file once every pending change is in it; waits, so not for the GUI thread.

        Raises:
            SessionError: No session is open.
        """
        return self._live.submit(lambda session: session.path).result()

    def open(self, path: Path, done: Callable[[], None] = lambda: None) -> None:
        """Open a session file instead of the present one and call `done`; work queued for that one is cancelled."""
        self._queue.cancel()
        self._switch(self.tr("Opening {0} …").format(path.name), lambda old: Session.open(path), done)

    def new(self) -> None:
        """Begin an empty session; the present one, if it has no file of its own, is emptied."""
        self._queue.cancel()
        self._switch(self.tr("Beginning a new session …"), self._begin_empty)

    def save_as(self, path: Path) -> None:
        """Give the session a file; from then on everything is written there. Scores of a running job come along."""
        if path.suffix.lower() != ENDING:
            path = path.with_name(path.name + ENDING)

        def save(tell: object) -> SessionContents:
            return self._live.switch(partial(self._save, path), self.generation).result()

        self._queue.add(self.tr("Saving {0} …").format(path.name), save, self._take_saved, can_stop=False)

    def write(self, work: Callable[[Session], object], failure: str) -> None:
        """Change something in the session, in its own thread, after all changes before.

        Args:
            work: Called with the session.
            failure: The sentence for `failed`; {0} stands for the reason.
        """
        self._live.submit(work, self.generation).add_done_callback(partial(self._report, failure))

    def close(self) -> None:
        """Finish writing and close the file; the worker is gone by now."""
        self._closing = True
        self._queue.close()
        self._finish_moves()
        self._live.close()
        self._unsaved.close()

    def _switch(
        self, words: str, opening: Callable[[Session | None], Session], done: Callable[[], None] = lambda: None
    ) -> None:
        def switch(tell: object) -> SessionContents:
            return self._live.switch(opening, self.generation + 1).result()

        def take(contents: SessionContents) -> None:
            self.generation += 1
            self.contents = contents
            self.opened.emit()
            self.renamed.emit()
            done()

        self._queue.add(words, switch, take, can_stop=False)

    def _take_saved(self, contents: SessionContents) -> None:
        old, new = self.path, contents.path
        self.contents = contents
        if old is not None and new is not None and old != new:
            # A job may have written into the old file while it was copied, and goes on doing so.
            inherited = [replace(move, target=new) for move in self._moves if move.target == old]
            self._moves += [_Move(old, new, contents.last_batch), *inherited]
            if self._scoring.state == IDLE:
                self._finish_moves()
        self.renamed.emit()
        self.saved.emit(new)

    def _finish_moves(self) -> None:
        """Copy the scores of a job that is over to the files that were saved meanwhile."""
        moves, self._moves = self._moves, []
        for move in moves:
            failure = self.tr("Scores could not be copied to {0}: {1}").format(move.target.name, "{0}")
            self._live.submit(partial(_copy_scores, move)).add_done_callback(partial(self._report, failure))

    def _report(self, failure: str, future: Future[object]) -> None:
        """Report why a change could not be written; called in the session's thread."""
        if (error := future.exception()) is not None:
            self.failed.emit(failure.format(error))
            if self._closing:  # the window shows nothing any more
                sys.stderr.write(f"parapluie: {failure.format(error)}\n")

    def _open_unsaved(self, old: Session | None) -> Session:
        try:
            return self._unsaved.open()
        except SessionError as error:
            self.failed.emit(str(error))
            return self._unsaved.open(empty=True)

    def _begin_empty(self, old: Session | None) -> Session:
        session = old if old is not None and self._unsaved.owns(old.path) else self._unsaved.open(empty=True)
        _empty(session)
        return session

    def _save(self, path: Path, old: Session | None) -> Session:
        assert old is not None
        saved = old.save_as(path)
        if self._unsaved.owns(old.path):
            # The work has a file now; the next unsaved session begins empty.
            _empty(old)
        return saved


def _open_cache(tell: object) -> None:
    """Bring the score cache to the present format; the window only reads it. Scoring reports its errors."""
    with contextlib.suppress(SessionError, OSError):
        ScoreStore(places.score_cache()).close()


def _empty(session: Session) -> None:
    for entry in session.corpora():
        session.remove_corpus(entry.id)
    session.set_bench([])


def _copy_scores(move: _Move, session: Session) -> None:
    with ScoreStore(move.target) as store:
        store.add_from(move.source, move.after)
