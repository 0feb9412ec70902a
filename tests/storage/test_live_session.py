"""The open session and its thread."""

from __future__ import annotations

import pytest

from parapluie_gui.errors import SessionError
from parapluie_gui.storage.live_session import LiveSession
from parapluie_gui.storage.session import Session


def test_work_after_the_end_is_refused_in_its_result(tmp_path):
    """A note may be written while the program ends."""
    live = LiveSession()
    live.switch(lambda current: Session.open(tmp_path / "session.sqlite", create=True), 1).result()
    assert live.submit(lambda session: session.path.is_file()).result()
    live.close()
    refused = live.submit(lambda session: session.path)
    with pytest.raises(SessionError, match="The session has been closed"):
        refused.result()
