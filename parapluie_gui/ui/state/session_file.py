"""The open session: switched, saved as a file, and written to without waiting."""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from parapluie_gui import places
from parapluie_gui.errors import DamagedError, DocumentError, InternalError, InUseError, SessionError, UnwritableError
from parapluie_gui.storage.document import ENDING
from parapluie_gui.storage.live_session import LiveSession, SessionContents
from parapluie_gui.storage.session import Session
from parapluie_gui.storage.working_copies import WorkingCopies, free_name, previous_version_hint
from parapluie_gui.ui.state.scoring import IDLE, CorpusScoring
from parapluie_gui.ui.state.throttle import CallThrottle
from parapluie_gui.ui.state.work_queue import WorkQueue

#: Delay between a change and writing the session file, in milliseconds. If writing is slow, the delay is longer, so
#: that writing takes at most a tenth of the time.
SAVE_MS = 1000
_SHARE = 10

#: Delay before a failed write is tried again, in milliseconds.
RETRY_MS = 5000

#: Operations that can fail: changing the session, and writing its file.
_CHANGES, _FILE = "changes", "file"


_Opening = Callable[[Session | None], Session]


@dataclass(frozen=True)
class _SessionChange:
    """A change of the session, its generation, and the sentence for a failure, with {0} for the reason."""

    work: Callable[[Session], object]
    failure: str
    generation: int


class SessionFile(QObject):
    """The open session. It is read and written in threads: the queue's, or the session's own.

    The unsaved session that was used last is opened at once; `opened` follows.

    Attributes:
        contents: The session's contents when it was opened.
        generation: A number that is different for each session; it stays the same when a session is saved under a new
            name.

    Signals:
        opened: A session was opened.
        renamed: The open session got a different file, or a different session was opened.
        saved: (Path, bool) The user saved the session in this file; True if the file is new.
        message: (str) A sentence about the session just opened.
        failed: (str) A sentence: something could not be opened or written.
        damaged: (str, Path) A sentence: this session file is damaged, and its previous version exists.
        in_use: (str, Path) A sentence: this session file is open elsewhere.
        stuck: (str) A sentence: why changes are not in the session file yet. It applies until the next sentence; ""
            once the changes are saved.
        asked: (str) A sentence: the session file was changed by another program, and the user has to choose.
    """

    opened = Signal()
    renamed = Signal()
    saved = Signal(Path, bool)
    message = Signal(str)
    failed = Signal(str)
    damaged = Signal(str, Path)
    in_use = Signal(str, Path)
    stuck = Signal(str)
    asked = Signal(str)
    _work_done = Signal(str, float, object)

    def __init__(
        self, copies: WorkingCopies, queue: WorkQueue, scoring: CorpusScoring, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.contents = SessionContents(None)
        self.generation = 0
        self._copies, self._queue, self._scoring = copies, queue, scoring
        self._live = LiveSession()
        self._changes: deque[_SessionChange] = deque()
        self._closing = self._asking = False
        self._saving = CallThrottle(self._save_quietly, SAVE_MS, self)
        self._retry = QTimer(self, singleShot=True, interval=RETRY_MS)
        self._retry.timeout.connect(self._try_again)
        self._work_done.connect(self._take_outcome)
        self._troubles: dict[str, str] = {}
        self._shown_trouble = ""
        scoring.progressed.connect(self._saving.ask)
        scoring.over.connect(self._saving.ask)
        self._switch(self.tr("Opening the session …"), lambda old: Session.from_copy(copies, copies.last_unsaved()))

    @property
    def path(self) -> Path | None:
        """The session file; None for an unsaved session."""
        return self.contents.document

    @property
    def copy(self) -> Path | None:
        """The working copy; None until the first session is open."""
        return self.contents.path

    def stores(self) -> tuple[Path, ...]:
        """Return the files that store scores, the user's score cache first."""
        return (places.score_cache(), *([] if self.copy is None else [self.copy]))

    def flush_changes(self) -> Path:
        """Return the working copy once every pending change is written. It waits, so do not call it in the GUI thread.

        Raises:
            SessionError: No session is open.
        """
        return self._live.submit(lambda session: session.path).result()

    def open(self, path: Path, done: Callable[[], None] = lambda: None) -> None:
        """Open a session file instead of the current one and call `done`; cancel work queued for it."""
        if path.exists() and self.path is not None and self.path.exists() and path.samefile(self.path):
            done()
            return

        def opening(old: Session | None) -> Session:
            self._save_before_closing(old)
            return self._open(path)

        self._leave(lambda: self._switch(self.tr("Opening {0} …").format(path.name), opening, done, path))

    def new(self) -> None:
        """Begin an empty session; the current one is emptied if it has no file."""
        self._leave(lambda: self._switch(self.tr("Starting a new session …"), self._begin_empty))

    def save_as(self, path: Path) -> None:
        """Save the session in a file, where all later changes are saved too."""
        if path.suffix.lower() != ENDING:
            path = path.with_name(path.name + ENDING)

        def save(tell: object) -> Path:
            def write(session: Session) -> Path:
                session.save_as(path)
                assert session.document is not None
                return session.document

            return self._live.submit(write).result()

        self._queue.add(self.tr("Saving {0} …").format(path.name), save, self._take_saved, can_stop=False)

    def save(self, *, over: bool = False) -> None:
        """Write the session file now; `saved` follows. With `over`, overwrite changes by another program."""
        path = self.path
        assert path is not None

        def write(tell: object) -> DocumentError | None:
            try:
                self._live.submit(lambda session: session.save(over=over)).result()
            except DocumentError as error:
                return error
            return None

        def take(error: DocumentError | None) -> None:
            if error is None:
                self._settle()
                self.saved.emit(path, False)
            else:
                self._asking = False
                self._ask(error)

        self._queue.add(self.tr("Saving {0} …").format(path.name), write, take, can_stop=False)

    def open_changed_file(self) -> None:
        """Open the session file as another program wrote it; the present session is saved in a new file next to it."""
        path = self.path
        assert path is not None

        def reopen(old: Session | None) -> Session:
            assert old is not None
            beside = free_name(path)
            self._write_changes(old)
            old.save_as(beside)
            self.message.emit(self.tr("Your version is now in {0}.").format(beside.name))
            return self._open(path)

        self._leave(lambda: self._switch(self.tr("Opening {0} …").format(path.name), reopen))

    def keep_generations(self, count: int) -> None:
        """Set how many previous versions of a session file are kept."""
        self._copies.generations = count

    def look(self) -> None:
        """Check whether another program changed or removed the session file."""
        if self.path is not None and not self._asking:
            self._do(_FILE, lambda session: session.check_document())

    def write(self, work: Callable[[Session], object], failure: str) -> None:
        """Change the session in its thread, after all earlier changes.

        A change that cannot be written now (a full disk) is tried again until it can.

        Args:
            work: Called with the session.
            failure: The sentence for `failed`; {0} stands for the reason.
        """
        self._changes.append(_SessionChange(work, failure, self.generation))
        self._do(_CHANGES, self._write_changes)
        self._saving.ask()

    def save_soon(self) -> None:
        """Save the session soon: another part of this program changed its working copy."""
        self._saving.ask()

    def close(self) -> None:
        """Finish writing, save the session and close it; the worker must have ended."""
        self._closing = True
        self._retry.stop()
        self._saving.stop()
        self._queue.close()
        self._do(_CHANGES, self._write_changes)
        try:
            self._live.close()
        except SessionError as error:
            self._say_at_last(self.tr("The session file was not saved, but your work is kept: {0}").format(error))
        self._copies.close()

    def _save_before_closing(self, session: Session | None) -> None:
        """Save the session before it is closed; if that fails, it stays open."""
        if session is not None:
            self._write_changes(session)
            session.save()

    def _open(self, path: Path) -> Session:
        return Session.from_copy(self._copies, self._copies.open(path))

    def _leave(self, act: Callable[[], None]) -> None:
        """Stop the job that writes into the current session, then call `act`."""
        self._queue.cancel()
        if self._scoring.state == IDLE:
            act()
            return
        self._scoring.over.connect(act, Qt.ConnectionType.SingleShotConnection)
        self._scoring.stop()

    def _switch(
        self, words: str, opening: _Opening, done: Callable[[], None] = lambda: None, path: Path | None = None
    ) -> None:
        """Open a session and call `done`.

        `path` is the requested file, whose previous version is offered if it is damaged.
        """

        def switch(tell: object) -> SessionContents:
            return self._live.switch(opening, self.generation + 1).result()

        def take(contents: SessionContents) -> None:
            self.generation += 1
            self.contents = contents
            self._settle()
            self.opened.emit()
            self.renamed.emit()
            for sentence in contents.notices:
                self.message.emit(sentence)
            if path is not None and contents.document is None:  # damaged: its readable part is an unsaved session
                self._offer_previous_version(path)
            done()

        def fail(error: Exception) -> None:
            if path is not None and isinstance(error, InUseError):
                self.in_use.emit(str(error), path)
                return
            self.failed.emit(str(error))
            if path is not None and isinstance(error, DamagedError | InternalError):
                self._offer_previous_version(path)

        self._queue.add(words, switch, take, fail, can_stop=False)

    def _offer_previous_version(self, path: Path) -> None:
        if older := previous_version_hint(path):
            self.damaged.emit(older, path)

    def _take_saved(self, path: Path) -> None:
        self.contents = replace(self.contents, document=path)
        self._settle()
        self.renamed.emit()
        self.saved.emit(path, True)

    # In the session's thread

    def _do(self, what: str, work: Callable[[Session], float | None]) -> None:
        """Run a function in the session's thread; `_take_outcome` receives the outcome in the GUI thread."""
        self._live.submit(work).add_done_callback(partial(self._report, what))

    def _write_changes(self, session: Session) -> None:
        """Make the pending changes, in their order; called in the session's thread."""
        while self._changes:
            change = self._changes[0]
            try:
                if change.generation != self._live.generation:
                    raise SessionError("The session has been closed.")
                change.work(session)
            except UnwritableError as error:
                raise UnwritableError(change.failure.format(error)) from error
            except SessionError as error:
                self._changes.popleft()
                self._complain(change.failure.format(error))
            except Exception as error:
                self._changes.popleft()
                raise InternalError.from_error(error, change.failure) from error
            else:
                self._changes.popleft()

    def _save_quietly(self) -> None:
        """Write the session file, if there is one and no question is open."""

        def save(session: Session) -> float:
            begin = time.monotonic()
            session.save()
            return time.monotonic() - begin

        if self.path is not None and not self._asking:
            self._do(_FILE, save)

    def _try_again(self) -> None:
        self._do(_CHANGES, self._write_changes)
        self._save_quietly()

    def _report(self, what: str, future: Future[float | None]) -> None:
        """Pass on the outcome of some work; called in the session's thread."""
        error = future.exception()
        if not self._closing:
            self._work_done.emit(what, 0.0 if error is not None else future.result() or 0.0, error)
        elif error is not None:
            self._say_at_last(str(error))

    def _take_outcome(self, what: str, seconds: float, error: Exception | None) -> None:
        if seconds:
            self._saving.wait = max(SAVE_MS, int(seconds * 1000 * _SHARE))
        if error is None:
            self._troubles.pop(what, None)
        elif isinstance(error, DocumentError):
            self._ask(error)
        elif isinstance(error, UnwritableError):
            self._troubles[what] = str(error)
            self._retry.start()
        elif isinstance(error, SessionError):
            self.failed.emit(str(error))
        else:
            shown = error if isinstance(error, InternalError) else InternalError.from_error(error)
            self.failed.emit(str(shown))
            sys.excepthook(type(shown), shown, shown.__traceback__)
        self._tell_troubles()

    def _tell_troubles(self) -> None:
        sentence = next(iter(self._troubles.values()), "")
        if sentence != self._shown_trouble:
            self._shown_trouble = sentence
            self.stuck.emit(sentence)

    def _complain(self, sentence: str) -> None:
        self.failed.emit(sentence)
        if self._closing:
            self._say_at_last(sentence)

    def _ask(self, error: DocumentError) -> None:
        if not self._asking:
            self._asking = True
            self._troubles[_FILE] = self.tr("{0} Your work is kept, but not in that file.").format(error)
            self._tell_troubles()
            self.asked.emit(str(error))

    def _settle(self) -> None:
        """Drop all troubles: the session has been saved, or a different session is open."""
        self._asking = False
        self._retry.stop()
        self._troubles.clear()
        self._tell_troubles()

    def _say_at_last(self, sentence: str) -> None:
        """Print a sentence in the terminal, since the window is already closed."""
        if sys.stderr is not None:
            sys.stderr.write(f"parapluie: {sentence}\n")

    def _begin_empty(self, old: Session | None) -> Session:
        self._save_before_closing(old)
        if old is not None and old.document is None:
            old.empty()
            return old
        return Session.from_copy(self._copies, self._copies.new())
