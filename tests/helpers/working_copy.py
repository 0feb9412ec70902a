"""Looks into the session that a window in another process works on."""

from __future__ import annotations

import contextlib
from pathlib import Path

from parapluie_gui.errors import SessionError
from parapluie_gui.storage.session import Session


def holds_a_corpus(home: Path) -> bool:
    """Tell whether the first window of a data folder has all its parts and a corpus in its session."""
    copy = home / "sessions" / "1.sqlite"
    if copy.is_file():
        with contextlib.suppress(SessionError), Session.connect(copy) as session:
            return bool(session.corpora())
    return False
