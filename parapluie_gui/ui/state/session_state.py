"""The open session and everything that is kept in it, made together."""

from __future__ import annotations

from PySide6.QtCore import QObject

from parapluie_gui.ui.state.corpus_queue import CorpusQueue
from parapluie_gui.ui.state.evidence_reader import EvidenceReader
from parapluie_gui.ui.state.notes import KeptSets, Notes
from parapluie_gui.ui.state.scoring import Scoring
from parapluie_gui.ui.state.session_file import SessionFile
from parapluie_gui.ui.state.session_settings import SessionSettings
from parapluie_gui.ui.state.unsaved import UnsavedSessions
from parapluie_gui.ui.state.work_queue import WorkQueue
from parapluie_gui.ui.state.workspace import Workspace


class SessionState:
    """What the parts of the window need of the session; each part takes what it needs.

    Attributes:
        queue: What is being read, opened or saved.
        session: The session file.
        settings, notes, sets: What the user keeps in it.
        corpora: Its corpora.
        evidence: What is behind the scores.
    """

    def __init__(self, workspace: Workspace, scoring: Scoring, unsaved: UnsavedSessions, parent: QObject) -> None:
        self.queue = WorkQueue(parent)
        self.session = SessionFile(unsaved, self.queue, scoring, parent)
        self.settings = SessionSettings(self.session, parent)
        self.notes, self.sets = Notes(self.session.write, parent), KeptSets(self.session.write)
        self.corpora = CorpusQueue(workspace, self.session, self.settings, self.notes, self.sets, self.queue, parent)
        self.evidence = EvidenceReader(workspace, self.session)

    def close(self) -> None:
        """Write what is still to be written and close the files; the worker is gone by now."""
        self.evidence.close()
        self.session.close()
