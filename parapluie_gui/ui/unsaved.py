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
        self._locks: dict[int, QLockFile] = {}

    def open(self) -> Session:
        """Return this window's unsaved session as it was left, made when missing.

        Raises:
            SessionError: Its file cannot be opened; it is left as it is.
        """
        for number in range(1, _MOST):
            stem = STEM if number == 1 else f"{STEM}-{number}"
            if number not in self._locks:
                lock = QLockFile(str(self._folder / f"{stem}.lock"))
                # Never stale by age: a window may stay open for weeks. That of a dead process is taken over by Qt.
                lock.setStaleLockTime(0)
                if not lock.tryLock(0):
                    continue
                self._locks[number] = lock
            return Session.open(self._folder / (stem + ENDING), create=True)
        raise SessionError("Too many windows are open at once; close some.")

    def close(self) -> None:
        """Leave the sessions to the next window."""
        for lock in self._locks.values():
            lock.unlock()
        self._locks.clear()

    def owns(self, path: Path) -> bool:
        """Whether a session file is one that the user has not named."""
        return path.parent == self._folder and path.stem.split("-")[0] == STEM
