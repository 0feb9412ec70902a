"""The session file in use until the user gives one of their own: one for each window that is open at the same time."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QLockFile

from parapluie_gui.errors import SessionError
from parapluie_gui.scores.session import ENDING, Session

STEM = "unsaved"

#: More windows than anybody opens.
_MOST = 50


class UnsavedSessions:
    """Opens unsaved sessions in a folder and keeps other windows away from them until it is closed.

    Args:
        folder: The user's data folder, or a scratch one.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._locks: dict[Path, QLockFile] = {}

    def open(self, *, empty: bool = False) -> Session:
        """Return an unsaved session that no other window has: the one used last, or an empty one.

        Args:
            empty: One without a corpus, made if need be; those with work in them are left as they are.

        Raises:
            SessionError: Its file cannot be opened; it is left as it is. Where an empty one is wanted: no file can.
        """
        known = sorted(self._folder.glob(f"{STEM}*{ENDING}"), key=lambda path: path.stat().st_mtime, reverse=True)
        new = (self._folder / f"{STEM}-{number}{ENDING}" for number in range(1, _MOST))
        refused = SessionError("Too many windows are open at once. Close some.")
        for path in [*known, *(path for path in new if path not in known)]:
            if not self._take(path):
                continue
            try:
                session = Session.open(path, create=True)
            except SessionError as error:
                if not empty:
                    raise
                refused = error
                continue
            if not empty or session.is_empty:
                return session
            session.close()
        raise refused

    def close(self) -> None:
        """Leave the sessions to the next window."""
        for lock in self._locks.values():
            lock.unlock()
        self._locks.clear()

    def owns(self, path: Path) -> bool:
        """Tell an unsaved session's file from one that the user named."""
        return path.parent == self._folder and path.stem.split("-")[0] == STEM

    def _take(self, path: Path) -> bool:
        if path not in self._locks:
            lock = QLockFile(str(path.with_suffix(".lock")))
            # Never stale by age: a window may stay open for weeks. That of a dead process is taken over by Qt.
            lock.setStaleLockTime(0)
            if not lock.tryLock(0):
                return False
            self._locks[path] = lock
        return True
