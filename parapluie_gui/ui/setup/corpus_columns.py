"""Keeps the chosen metrics with the session, and adds the corpus's own columns to the scores."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QObject, Signal

from parapluie_gui.errors import MetricError
from parapluie_gui.metrics.column_source import INFO
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.ui.setup.metric_choice import ALWAYS, KEY, MetricChoice
from parapluie_gui.ui.state.session_settings import SessionSettings
from parapluie_gui.ui.state.workspace import Workspace


class MetricKeeper(QObject):
    """Between the choice of metrics, the session and the table of scores.

    Signals:
        failed: (str) A sentence: why a column of the corpus cannot be a metric.
    """

    failed = Signal(str)

    def __init__(
        self, workspace: Workspace, settings: SessionSettings, choice: MetricChoice, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._workspace, self._settings, self._choice = workspace, settings, choice
        choice.changed.connect(self._take_choice)
        settings.opened.connect(self.take_up)
        workspace.corpus_changed.connect(self.fill)
        self.take_up()

    def take_up(self) -> None:
        """Restore the session's choice; without one, keep the choice except for what the last session brought."""
        self._choice.take_up(self._settings.values)

    def fill(self) -> None:
        """Add the chosen columns of the corpus to the scores, and remove those no longer chosen."""
        workspace, corpus = self._workspace, self._workspace.corpus
        if corpus is None:
            return
        wanted = {source.score: source for source in self._choice.columns_of_corpus() if source.column in corpus.extra}
        table = workspace.table
        old = [name for name in table.scores if name.startswith(f"{INFO.id}.") and name not in {*wanted, *table.own}]
        filled = ScoreTable(len(corpus))
        for column, source in wanted.items():
            if column not in table:
                try:
                    source.put(filled, corpus)
                except MetricError as error:
                    self.failed.emit(str(error))
        for column in old:
            table.drop(column)
        for column in filled:
            table.declare(column, filled.signatures[column])
        if old or filled.scores:
            self._leave_axes(old)
            # Once for all of them: every view lays itself out again.
            workspace.columns_changed.emit()
            workspace.put(np.arange(len(corpus)), {column: filled[column] for column in filled})

    def _take_choice(self) -> None:
        self._settings.keep(KEY, list(self._choice.specs))
        self.fill()

    def _leave_axes(self, gone: list[str]) -> None:
        """Put other scores on the axes where these stood."""
        workspace = self._workspace
        others = [name for name in workspace.table.scores if name != ALWAYS]
        if workspace.x in gone:
            workspace.set_axes(x=ALWAYS)
        if workspace.y in gone and others:
            workspace.set_axes(y=others[0])
