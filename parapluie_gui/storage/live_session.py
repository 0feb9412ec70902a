"""Runs the open session in its own thread, so that the window never waits for the disk or other programs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from parapluie_gui.errors import SessionError
from parapluie_gui.storage.corpora import CorpusEntry
from parapluie_gui.storage.session import Session

Result = TypeVar("Result")


@dataclass(frozen=True)
class SessionContents:
    """A session's contents without the pairs, scores and notes.

    Attributes:
        path: The working copy; None before the first session is open.
        document: The session file; None for an unsaved session.
        notices: Sentences for the user about anything repaired or lost when the session was opened.
    """

    path: Path | None
    document: Path | None = None
    corpora: tuple[CorpusEntry, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    bench: tuple[Mapping[str, object], ...] = ()
    notices: tuple[str, ...] = ()

    @classmethod
    def from_session(cls, session: Session) -> SessionContents:
        """Read the contents of a session."""
        corpora, bench = tuple(session.corpora()), tuple(session.bench())
        return cls(session.path, session.document, corpora, session.settings(), bench, tuple(session.notices))


class LiveSession:
    """Runs functions on the open session, one after another, in the order in which they were submitted.

    Attributes:
        generation: The number of the open session, as passed to `switch`; it changes in the session's thread.
    """

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="session")
        # Started here, because if a Qt thread started it, it would be taken for a part of that thread.
        self._thread.submit(lambda: None)
        self._session: Session | None = None
        self.generation = 0

    def submit(self, work: Callable[[Session], Result]) -> Future[Result]:
        """Run a function with the open session.

        Args:
            work: Called with the session, in its thread; the session must not leave that thread.

        Returns:
            The future result; a `SessionError` if the session has been closed, as while the program ends.
        """
        try:
            return self._thread.submit(self._run, work)
        except RuntimeError:  # the thread takes no more work
            refused: Future[Result] = Future()
            refused.set_exception(SessionError("The session has been closed."))
            return refused

    def switch(self, opening: Callable[[Session | None], Session], generation: int) -> Future[SessionContents]:
        """Open a session and close the current one; if that fails, the current one stays open.

        Args:
            opening: The function that returns the session to use, given the current one (None at first); it may return
                the current one.
            generation: The new generation.
        """
        return self._thread.submit(self._switch, opening, generation)

    def close(self) -> None:
        """Wait for the submitted work, then save and close the session.

        Raises:
            SessionError: It could not be saved; its contents are kept in the user's data folder.
        """
        closed = self._thread.submit(self._close)
        self._thread.shutdown()
        closed.result()

    def _run(self, work: Callable[[Session], Result]) -> Result:
        if self._session is None:
            raise SessionError("No session is open. Open a session, or start a new one.")
        return work(self._session)

    def _switch(self, opening: Callable[[Session | None], Session], generation: int) -> SessionContents:
        old, new = self._session, opening(self._session)
        try:
            contents = SessionContents.from_session(new)
        except BaseException:
            if new is not old:
                new.close()
            raise
        self._session, self.generation = new, generation
        if old is not None and old is not new:
            old.close()
        return contents

    def _close(self) -> None:
        if self._session is not None:
            self._session.close()
            self._session = None
