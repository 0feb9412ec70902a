"""Something tried on pairs: they are made in a thread, scored by the worker, and looked at in a thread."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic

from PySide6.QtCore import QObject, Signal

from parapluie_gui import places
from parapluie_gui.errors import ParapluieError
from parapluie_gui.metrics.consent import allowed_files
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.templates import Template
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.ui.state.scoring import Scoring
from parapluie_gui.ui.state.task import Result, Task
from parapluie_gui.work.events import Batch, ColumnStarted, Event, Failed, Finished, Progress, StageChanged
from parapluie_gui.work.job import Job
from parapluie_gui.work.score_pairs import ScorePairs
from parapluie_gui.work.scoring_plan import ScoringPlan


@dataclass(frozen=True)
class Plan(Generic[Result]):
    """What is scored, and what is made of the scores.

    Attributes:
        look: Called in a thread with the scores that came, and whether scoring broke off; its result is handed out.
            None of a scoring that broke off says that nothing can be made of it.
    """

    corpus: Corpus
    metrics: tuple[str, ...]
    judge: JudgeSettings
    templates: tuple[Template, ...]
    look: Callable[[ScoreTable, bool], Result | None]


class Experiment(QObject):
    """Does one at a time; what a corpus that is being scored asked for earlier comes first.

    Signals:
        staged: (str) Current step.
        progressed: (int) How far the scoring is, in thousandths.
        done: (object) What the plan made of the scores.
        ended: (str) It is over; the sentence says why scores are missing, or is "".
    """

    staged = Signal(str)
    progressed = Signal(int)
    done = Signal(object)
    ended = Signal(str)

    def __init__(self, scoring: Scoring, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.busy = False
        self._scoring = scoring
        self._plan: Plan[Any] | None = None
        self._table = ScoreTable(0)
        self._job: int | None = None
        self._task: Task[Any] | None = None
        scoring.driver.received.connect(self._hear)

    def start(self, make: Callable[[], Plan[Any]]) -> None:
        """Begin with a plan that is made in a thread; does nothing while another one is under way."""
        if self.busy:
            return
        self.busy = True
        self.staged.emit(self.tr("Making the pairs …"))
        self._begin(Task(lambda tell: make(), self), self._submit)

    def stop(self) -> None:
        """Give it up; what was scored is kept."""
        if self._job is not None:
            self._scoring.driver.cancel(self._job)
        elif self._task is not None:
            self._task.stop()

    def close(self) -> None:
        """Give it up and wait for its thread."""
        self.stop()
        if self._task is not None:
            self._task.wait()

    def _submit(self, plan: Plan[Any]) -> None:
        self._plan, self._table = plan, ScoreTable(len(plan.corpus))
        self._job = self._scoring.next_number()
        files, stores = allowed_files(plan.metrics), (places.score_cache(),)
        self.staged.emit(self.tr("Waiting for the worker …"))
        wanted = ScoringPlan(plan.metrics, plan.judge, plan.templates)
        request = ScorePairs.of(plan.corpus, wanted, stores, metric_files=files)
        self._scoring.driver.submit(Job(self._job, request))

    def _hear(self, event: Event) -> None:
        if event.job != self._job:
            return
        match event:
            case ColumnStarted():
                self._table.declare(event.column, event.signature)
            case Batch():
                self._table.put(event.rows, event.values)
            case Progress():
                count = self.tr("Scoring: {0} of {1} …")
                self.staged.emit(count.format(f"{event.done:,}", f"{event.total:,}"))
                self.progressed.emit(1000 * event.done // max(event.total, 1))
            case StageChanged():
                self.staged.emit(event.text)
            case Failed():
                self._look(event.text)
            case Finished():
                if event.cancelled:
                    self._end(self._stopped())
                else:
                    self._look("")

    def _look(self, error: str) -> None:
        """Make of the scores what can be made."""
        self._job = None
        plan, table = self._plan, self._table
        assert plan is not None

        def take(found: object) -> None:
            if found is not None:
                self.done.emit(found)
            self._end(error)

        self._begin(Task(lambda tell: plan.look(table, bool(error)), self), take)

    def _begin(self, task: Task[Result], take: Callable[[Result], object]) -> None:
        self._task = task

        def ended() -> None:
            if self._task is task:
                self._task = None
            if self._job is None and self._task is None and self.busy:
                self._end(self._stopped())

        task.begin(take, self._fail, ended)

    def _stopped(self) -> str:
        return self.tr("Stopped. What was scored is kept: begin again to go on from there.")

    def _fail(self, error: ParapluieError) -> None:
        self._end(str(error))

    def _end(self, sentence: str) -> None:
        self.busy = False
        self._job = self._plan = None
        self._table = ScoreTable(0)
        self.ended.emit(sentence)
