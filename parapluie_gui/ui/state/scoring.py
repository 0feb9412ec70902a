"""Scoring as the window sees it: starts jobs on the worker and hands their results to whoever asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from parapluie_gui.metrics.consent import allowed_files
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.templates import Template
from parapluie_gui.scores.identity import identify
from parapluie_gui.ui.state.driver import Driver
from parapluie_gui.ui.state.workspace import Workspace
from parapluie_gui.work.cascade import Cascade
from parapluie_gui.work.compare_with_one import CompareWithOne
from parapluie_gui.work.events import (
    Batch,
    CandidatesWritten,
    ColumnStarted,
    Event,
    Failed,
    Finished,
    JudgeLoaded,
    Notice,
    Progress,
    StageChanged,
)
from parapluie_gui.work.job import Job
from parapluie_gui.work.request import Pairs
from parapluie_gui.work.score_pairs import ScorePairs
from parapluie_gui.work.scoring_plan import ScoringPlan
from parapluie_gui.work.show_prompt import ShowPrompt
from parapluie_gui.work.write_candidates import WriteCandidates

IDLE, LOADING, RUNNING, PAUSED, STOPPING = "idle", "loading", "running", "paused", "stopping"


class Scoring(QObject):
    """One job over the corpus at a time, and any number of small jobs beside it.

    Args:
        workspace: Gets the scores; those of a corpus that is no longer shown are only kept in the stores.
        driver: Started already; closed by its owner.

    Attributes:
        state: "idle", "loading", "running", "paused" or "stopping".
        driver: The thread that drives the worker process.

    Signals:
        state_changed: (state)
        staged: (str) Current step before scores can come.
        judged: (str, tuple of str) The model is loaded: its description and notices.
        progressed: (Progress)
        noticed: (str) A notice for the user.
        failed: (str) The job over the corpus ended with this sentence.
        unforeseen: (str, str) A job ended with this sentence, which was shown, for a reason that nobody foresaw: its
            traceback.
        ended: (cancelled, seconds) The job over the corpus was done or stopped.
        hung: (bool) The worker does not answer though it has a job; False when it does again, or need not any more.
        over: The job over the corpus was done or stopped, or failed; nothing more is written into its stores.
        wrote: (job, Written) Candidates that were written.
        writing_staged: (job, str) Current step of a job that writes.
        writing_ended: (job, str) A job that writes is done or stopped; the sentence says why it failed, or is "".
    """

    state_changed = Signal(str)
    staged = Signal(str)
    judged = Signal(str, tuple)
    progressed = Signal(Progress)
    noticed = Signal(str)
    failed = Signal(str)
    unforeseen = Signal(str, str)
    ended = Signal(bool, float)
    hung = Signal(bool)
    over = Signal()
    wrote = Signal(int, CandidatesWritten)
    writing_staged = Signal(int, str)
    writing_ended = Signal(int, str)

    def __init__(self, workspace: Workspace, driver: Driver, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.state = IDLE
        self.driver = driver
        self._workspace = workspace
        self._last = 0
        self._job: int | None = None
        self._corpus: object = None
        self._beside: dict[int, Callable[[Event], None]] = {}
        driver.received.connect(self._hear)
        driver.silent.connect(self.hung)

    def start(
        self,
        corpus: Corpus,
        metrics: Sequence[str],
        judge: JudgeSettings | None,
        templates: Sequence[Template],
        stores: Sequence[Path],
        cascade: Cascade | None = None,
    ) -> None:
        """Score a whole corpus; stored scores come at once. Does nothing while another job runs."""
        if self.state != IDLE:
            return
        self._corpus = self._workspace.key
        self._job = self.next_number()
        self._set(LOADING)
        self.driver.resume()
        files = allowed_files(metrics)
        plan = ScoringPlan(tuple(metrics), judge, tuple(templates), cascade=cascade)
        self.driver.submit(Job(self._job, ScorePairs.of(corpus, plan, stores, metric_files=files)))

    def pause(self) -> None:
        if self.state in (LOADING, RUNNING):
            self.driver.pause()
            self._set(PAUSED)

    def resume(self) -> None:
        if self.state == PAUSED:
            self.driver.resume()
            self._set(RUNNING)

    def pause_or_resume(self) -> None:
        """Resume a paused job, pause any other."""
        (self.resume if self.state == PAUSED else self.pause)()

    def stop(self) -> None:
        """End the job; its scores stay."""
        if self._job is not None and self.state != STOPPING:
            self._set(STOPPING)
            self.driver.cancel(self._job)

    def restart_worker(self) -> None:
        """End the worker, whatever it does; another one goes on with the jobs, and takes what was scored as known."""
        if self.state == RUNNING:
            self._set(LOADING)
        self.driver.restart()

    def score_beside(
        self,
        pairs: Corpus,
        metrics: Sequence[str],
        judge: JudgeSettings | None,
        templates: Sequence[Template],
        stores: Sequence[Path],
        hear: Callable[[Event], None],
    ) -> int:
        """Score a few pairs now, between two batches of the running job; returns the job's number, for `cancel`.

        `hear` is called with each event of the job; the last is Finished or Failed.
        """
        number = self.next_number()
        self._beside[number] = hear
        files = allowed_files(metrics)
        plan = ScoringPlan(tuple(metrics), judge, tuple(templates))
        self.driver.submit(Job(number, ScorePairs.of(pairs, plan, stores, metric_files=files), urgent=True))
        return number

    def preview(
        self, source: str, hypothesis: str, judge: JudgeSettings, template: Template, hear: Callable[[Event], None]
    ) -> int:
        """Show a pair to a judge under a template now, and keep nothing; returns the job's number, for `cancel`.

        `hear` is called with each event of the job; PromptShown comes among them.
        """
        number = self.next_number()
        self._beside[number] = hear
        self.driver.submit(Job(number, ShowPrompt(source, hypothesis, judge, template), urgent=True))
        return number

    def compare(self, corpus: Corpus, row: int, stores: Sequence[Path], hear: Callable[[Event], None]) -> int:
        """Compare all pairs with one of them, after what was asked earlier; returns the job's number, for `cancel`.

        `hear` is called with each event of the job; `Compared` comes among them.
        """
        number = self.next_number()
        self._beside[number] = hear
        self.driver.submit(Job(number, CompareWithOne(Pairs.of(corpus), row, tuple(stores))))
        return number

    def write(self, request: WriteCandidates) -> int:
        """Let a judge write candidates of a sentence now; returns the job's number."""
        number = self.next_number()
        self._beside[number] = self._hear_writing
        self.driver.submit(Job(number, request, urgent=True))
        return number

    def cancel(self, job: int) -> None:
        """End a job of `score_beside` or `write`."""
        self.driver.cancel(job)

    def next_number(self) -> int:
        """Return a number for a job that no other job has."""
        self._last += 1
        return self._last

    def _set(self, state: str) -> None:
        if state != self.state:
            self.state = state
            self.state_changed.emit(state)

    def _hear(self, event: Event) -> None:
        if event.job in self._beside:
            self._hear_beside(event)
        elif event.job == self._job:
            self._hear_corpus(event)
        if isinstance(event, Failed) and event.detail:
            self.unforeseen.emit(event.text, event.detail)

    def _hear_beside(self, event: Event) -> None:
        if isinstance(event, JudgeLoaded):
            self.judged.emit(event.description, event.notices)
        over = isinstance(event, Failed | Finished)
        (self._beside.pop if over else self._beside.__getitem__)(event.job)(event)

    def _hear_corpus(self, event: Event) -> None:
        here = self._workspace.key == self._corpus
        match event:
            case ColumnStarted() if here:
                self._workspace.declare(event.column, event.signature)
            case Batch() if here:
                self._workspace.put(event.rows, event.values)
            case Progress():
                if self.state == LOADING and event.rate > 0 and identify(event.column).judged:
                    self._set(RUNNING)
                self.progressed.emit(event)
            case StageChanged():
                self.staged.emit(event.text)
            case JudgeLoaded():
                if self.state == LOADING:
                    self._set(RUNNING)
                self.judged.emit(event.description, event.notices)
            case Notice():
                self.noticed.emit(event.text)
            case Failed():
                self._end()
                self.failed.emit(event.text)
            case Finished():
                self._end()
                self.ended.emit(event.cancelled, event.seconds)

    def _hear_writing(self, event: Event) -> None:
        match event:
            case CandidatesWritten():
                self.wrote.emit(event.job, event)
            case StageChanged():
                self.writing_staged.emit(event.job, event.text)
            case Failed() | Finished():
                self.writing_ended.emit(event.job, event.text if isinstance(event, Failed) else "")

    def _end(self) -> None:
        self._job = None
        self._set(IDLE)
        self.over.emit()
