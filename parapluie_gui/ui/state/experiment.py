"""Runs an experiment: its pairs are generated in a thread, scored by the worker, and evaluated in a thread."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic

from PySide6.QtCore import QObject, Signal

from parapluie_gui.errors import ParapluieError
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.ui.state.client import WorkerClient
from parapluie_gui.ui.state.task import BackgroundTask, Result
from parapluie_gui.work.events import JobProgress
from parapluie_gui.work.handle import RequestHandle
from parapluie_gui.work.scoring_plan import ScoringPlan


@dataclass(frozen=True)
class ExperimentPlan(Generic[Result]):
    """The pairs to score, and the evaluation of their scores.

    Attributes:
        look: The function that evaluates the scores in a thread, given whether scoring was interrupted; its result is
            emitted. It returns None if too few scores arrived before an interruption.
    """

    corpus: Corpus
    scoring: ScoringPlan
    look: Callable[[ScoreTable, bool], Result | None]


class ExperimentRunner(QObject):
    """Runs one experiment at a time; requests to score a corpus that were sent earlier come first.

    Signals:
        staged: (str) Current step.
        progressed: (int) Progress of scoring, in thousandths.
        done: (object) The result of the plan.
        ended: (str) The experiment is over; the sentence says why scores are missing, or is "".
    """

    staged = Signal(str)
    progressed = Signal(int)
    done = Signal(object)
    ended = Signal(str)

    def __init__(self, client: WorkerClient, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.busy = False
        self._client = client
        self._plan: ExperimentPlan[Any] | None = None
        self._table = ScoreTable(0)
        self._handle: RequestHandle | None = None
        self._task: BackgroundTask[Any] | None = None

    def start(self, make: Callable[[], ExperimentPlan[Any]]) -> None:
        """Start with a plan that is made in a thread; does nothing while an experiment is running."""
        if self.busy:
            return
        self.busy = True
        self.staged.emit(self.tr("Generating the pairs …"))
        self._begin(BackgroundTask(lambda tell: make(), self), self._submit)

    def stop(self) -> None:
        """Stop the experiment; its scores are stored."""
        if self._handle is not None:
            self._handle.cancel()
        elif self._task is not None:
            self._task.stop()

    def close(self) -> None:
        """Stop the experiment and wait for its thread."""
        self.stop()
        if self._task is not None:
            self._task.wait()

    def _submit(self, plan: ExperimentPlan[Any]) -> None:
        self._plan, self._table = plan, ScoreTable(len(plan.corpus))
        self.staged.emit(self.tr("Waiting for the scoring process …"))
        handle = self._handle = self._client.score(plan.corpus, plan.scoring)
        handle.fill(self._table)
        handle.progressed.connect(self._show_progress)
        handle.staged.connect(lambda event: self.staged.emit(event.text))
        handle.failed.connect(lambda event: self._look(event.text))
        handle.finished.connect(lambda event: self._end(self._stopped_message()) if event.cancelled else self._look(""))

    def _show_progress(self, event: JobProgress) -> None:
        count = self.tr("Scoring: {0} of {1} …")
        self.staged.emit(count.format(f"{event.done:,}", f"{event.total:,}"))
        self.progressed.emit(1000 * event.done // max(event.total, 1))

    def _look(self, error: str) -> None:
        """Evaluate the scores."""
        self._handle = None
        plan, table = self._plan, self._table
        assert plan is not None

        def take(result: object) -> None:
            if result is not None:
                self.done.emit(result)
            self._end(error)

        self._begin(BackgroundTask(lambda tell: plan.look(table, bool(error)), self), take)

    def _begin(self, task: BackgroundTask[Result], take: Callable[[Result], object]) -> None:
        self._task = task

        def finish() -> None:
            if self._task is task:
                self._task = None
            if self._handle is None and self._task is None and self.busy:
                self._end(self._stopped_message())

        task.begin(take, self._fail, finish)

    def _stopped_message(self) -> str:
        return self.tr("Stopped. Scores computed so far are kept; start again to continue.")

    def _fail(self, error: ParapluieError) -> None:
        self._end(str(error))

    def _end(self, sentence: str) -> None:
        self.busy = False
        self._handle = self._plan = None
        self._table = ScoreTable(0)
        self.ended.emit(sentence)
