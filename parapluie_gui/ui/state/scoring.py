"""The scoring of the corpus shown: started, paused, stopped; its scores go to the workspace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from parapluie_gui.arrays import Rows
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.scores.identity import identify
from parapluie_gui.ui.state.client import WorkerClient
from parapluie_gui.ui.state.workspace import CorpusWorkspace
from parapluie_gui.work.events import (
    ColumnRemarked,
    ColumnStarted,
    JobFailed,
    JobFinished,
    JobProgress,
    JudgeLoaded,
    ScoreBatch,
)
from parapluie_gui.work.handle import RequestHandle, TableFiller
from parapluie_gui.work.scoring_plan import ScoringPlan

IDLE, LOADING, RUNNING, PAUSED, STOPPING = "idle", "loading", "running", "paused", "stopping"


class CorpusScoring(QObject):
    """Scores the corpus shown, one request at a time.

    Args:
        workspace: The workspace, which receives the scores; scores of a corpus that is no longer shown are only stored.

    Attributes:
        state: "idle", "loading", "running", "paused" or "stopping".
        client: Sends requests to the worker, for scoring and for everything else.

    Signals:
        state_changed: (state)
        staged: (str) Current step before scores arrive.
        progressed: (JobProgress)
        noticed: (str) A notice for the user.
        failed: (str) Scoring failed, with this sentence.
        ended: (cancelled, seconds) Scoring finished or was stopped.
        over: Scoring finished, was stopped or failed; nothing more is written to its stores.
    """

    state_changed = Signal(str)
    staged = Signal(str)
    progressed = Signal(JobProgress)
    noticed = Signal(str)
    failed = Signal(str)
    ended = Signal(bool, float)
    over = Signal()

    def __init__(self, workspace: CorpusWorkspace, client: WorkerClient, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.state = IDLE
        self.client = client
        self._workspace = workspace
        self._handle: RequestHandle | None = None
        self._corpus: object = None
        self._rows: Rows | None = None
        self._filler = TableFiller(workspace)

    def start(self, corpus: Corpus, plan: ScoringPlan, stores: Sequence[Path], rows: Rows | None = None) -> None:
        """Score a corpus, or some of its rows; stored scores arrive at once. Does nothing while scoring."""
        if self.state != IDLE:
            return
        self._corpus, self._rows = self._workspace.key, rows
        self._filler = TableFiller(self._workspace)
        self._set_state(LOADING)
        self.client.driver.resume()
        handle = self._handle = self.client.score(corpus if rows is None else corpus.take(rows), plan, stores)
        handle.started.connect(self._declare)
        handle.scored.connect(self._store_scores)
        handle.remarked.connect(self._remark)
        handle.progressed.connect(self._advance)
        handle.staged.connect(lambda event: self.staged.emit(event.text))
        handle.judged.connect(self._note_judge)
        handle.noticed.connect(lambda event: self.noticed.emit(event.text))
        handle.failed.connect(self._fail)
        handle.finished.connect(self._finish)

    def pause(self) -> None:
        if self.state in (LOADING, RUNNING):
            self.client.driver.pause()
            self._set_state(PAUSED)

    def resume(self) -> None:
        if self.state == PAUSED:
            self.client.driver.resume()
            self._set_state(RUNNING)

    def pause_or_resume(self) -> None:
        """Resume a paused job, pause any other."""
        (self.resume if self.state == PAUSED else self.pause)()

    def stop(self) -> None:
        """Stop the job; its scores are kept."""
        if self._handle is not None and self.state != STOPPING:
            self._set_state(STOPPING)
            self._handle.cancel()

    def restart_worker(self) -> None:
        """Kill the worker; a new one continues the jobs, and reuses stored scores."""
        if self.state == RUNNING:
            self._set_state(LOADING)
        self.client.driver.restart()

    def _set_state(self, state: str) -> None:
        if state != self.state:
            self.state = state
            self.state_changed.emit(state)

    def _declare(self, event: ColumnStarted) -> None:
        if self._workspace.key == self._corpus:
            self._filler.declare(event)

    def _store_scores(self, batch: ScoreBatch) -> None:
        if self._workspace.key == self._corpus:
            self._filler.put(batch.rows if self._rows is None else self._rows[batch.rows], batch.values)

    def _remark(self, event: ColumnRemarked) -> None:
        if self._workspace.key == self._corpus:
            self._filler.remark(event, self._rows)

    def _advance(self, progress: JobProgress) -> None:
        if self.state == LOADING and progress.rate > 0 and identify(progress.column).is_from_judge:
            self._set_state(RUNNING)
        self.progressed.emit(replace(progress, column=self._filler.table_column(progress.column)))

    def _note_judge(self, event: JudgeLoaded) -> None:
        if self.state == LOADING:
            self._set_state(RUNNING)

    def _fail(self, event: JobFailed) -> None:
        self._end()
        self.failed.emit(event.text)

    def _finish(self, event: JobFinished) -> None:
        self._end()
        self.ended.emit(event.cancelled, event.seconds)

    def _end(self) -> None:
        self._handle = None
        self._set_state(IDLE)
        self.over.emit()
