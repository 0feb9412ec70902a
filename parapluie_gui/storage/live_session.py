"""The open session in a thread of its own: the window never waits for the disk or for another program."""

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
    """A session without the pairs, their scores and their notes.

    Attributes:
        path: The working copy; None before the first session is open.
        document: The session file; None for an unsaved session.
        said: Sentences for the user about the opening: what was repaired or lost.
    """

    path: Path | None
    document: Path | None = None
    corpora: tuple[CorpusEntry, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    bench: tuple[Mapping[str, object], ...] = ()
    said: tuple[str, ...] = ()

    @classmethod
    def of(cls, session: Session) -> SessionContents:
        """Read a session."""
        corpora, bench = tuple(session.corpora()), tuple(session.bench())
        return cls(session.path, session.document, corpora, session.settings(), bench, tuple(session.said))


class LiveSession:
    """Runs work on the open session, one piece after the other, in the order in which it was submitted.

    Attributes:
        generation: Of the open session: the number given to `switch`. Changes in the session's thread.
    """

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="session")
        # Begun here: one that is begun in a thread of Qt's is taken for a part of that.
        self._thread.submit(lambda: None)
        self._session: Session | None = None
        self.generation = 0

    def submit(self, work: Callable[[Session], Result]) -> Future[Result]:
        """Run some work with the open session.

        Args:
            work: Called in the session's thread; the session must not leave it.
        """
        return self._thread.submit(self._do, work)

    def switch(self, opening: Callable[[Session | None], Session], generation: int) -> Future[SessionContents]:
        """Open a session and close the present one; if that fails, the present one stays open.

        Args:
            opening: Returns the session, from the present one (None at the beginning). May return the present one.
            generation: The generation from now on.
        """
        return self._thread.submit(self._switch, opening, generation)

    def close(self) -> None:
        """Finish the submitted work, save the session and close it; returns when that is done.

        Raises:
            SessionError: It could not be saved; what it holds is kept in the user's data folder.
        """
        closed = self._thread.submit(self._close)
        self._thread.shutdown()
        closed.result()

    def _do(self, work: Callable[[Session], Result]) -> Result:
        if self._session is None:
            raise SessionError("No session is open. Open one, or begin a new one.")
        return work(self._session)

    def _switch(self, opening: Callable[[Session | None], Session], generation: int) -> SessionContents:
        old, new = self._session, opening(self._session)
        try:
            contents = SessionContents.of(new)
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
