"""The open session with all its parts."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject

from parapluie_gui.analysis.columns import read_column_settings
from parapluie_gui.feature import installed_features
from parapluie_gui.storage.working_copies import WorkingCopies
from parapluie_gui.ui.state.corpus_queue import CorpusQueue
from parapluie_gui.ui.state.evidence_reader import EvidenceReader
from parapluie_gui.ui.state.history import SessionHistory
from parapluie_gui.ui.state.notes import CorpusAnnotations, SavedSelections
from parapluie_gui.ui.state.scoring import CorpusScoring
from parapluie_gui.ui.state.session_file import SessionFile
from parapluie_gui.ui.state.session_settings import SessionSettings
from parapluie_gui.ui.state.work_queue import WorkQueue
from parapluie_gui.ui.state.workspace import CorpusWorkspace


class SessionState:
    """The parts of the open session, for the window; `queue` does the reading, opening and saving for all of them."""

    def __init__(
        self, workspace: CorpusWorkspace, scoring: CorpusScoring, copies: WorkingCopies, parent: QObject
    ) -> None:
        self.queue = WorkQueue(parent)
        self.session = SessionFile(copies, self.queue, scoring, parent)
        self.settings = SessionSettings(self.session, parent)
        self.settings.opened.connect(partial(_take_columns, workspace, self.settings))
        self.notes, self.sets = (
            CorpusAnnotations(self.session.write, parent),
            SavedSelections(self.session.write, parent),
        )
        self.corpora = CorpusQueue(workspace, self.session, self.settings, self.notes, self.sets, self.queue, parent)
        self.history = SessionHistory(self.settings, lambda: [entry.id for entry in self.corpora.entries], parent)
        self.evidence = EvidenceReader(workspace, self.session)

    def close(self) -> None:
        """Finish writing and close the files; the worker must have ended."""
        self.evidence.close()
        self.session.close()


def _take_columns(workspace: CorpusWorkspace, settings: SessionSettings) -> None:
    """Give the workspace the column settings that features stored, after a session has been opened."""
    material = read_column_settings(settings.values)
    for feature in installed_features():
        keeps, value = any(part.setting for part in feature.columns), material.get(feature.name)
        if keeps and value != workspace.feature_material.get(feature.name):
            workspace.set_feature_material(feature.name, value)
