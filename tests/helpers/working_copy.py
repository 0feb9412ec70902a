"""Access to the session that a window in a different process has open."""

from __future__ import annotations

import contextlib
from pathlib import Path

from parapluie_gui.errors import SessionError
from parapluie_gui.storage.session import Session


def holds_a_corpus(home: Path) -> bool:
    """Return whether the session of a data folder's first window contains a corpus."""
    copy = home / "sessions" / "1.sqlite"
    if copy.is_file():
        with contextlib.suppress(SessionError), Session.connect(copy) as session:
            return bool(session.corpora())
    return False
