"""Something tried on pairs: they are made in a thread, scored by the worker, and looked at in a thread."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic

from PySide6.QtCore import QObject, Signal

from parapluie_gui.errors import ParapluieError
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.ui.state.client import Client
from parapluie_gui.ui.state.task import Result, Task
from parapluie_gui.work.events import Progress
from parapluie_gui.work.handle import Handle
from parapluie_gui.work.scoring_plan import ScoringPlan


@dataclass(frozen=True)
class ExperimentPlan(Generic[Result]):
    """What is scored, and what is made of the scores.

    Attributes:
        look: Called in a thread with the scores that came, and whether scoring broke off; its result is handed out.
            None of a scoring that broke off says that nothing can be made of it.
    """

    corpus: Corpus
    scoring: ScoringPlan
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

    def __init__(self, client: Client, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.busy = False
        self._client = client
        self._plan: ExperimentPlan[Any] | None = None
        self._table = ScoreTable(0)
        self._handle: Handle | None = None
        self._task: Task[Any] | None = None

    def start(self, make: Callable[[], ExperimentPlan[Any]]) -> None:
        """Begin with a plan that is made in a thread; does nothing while another one is under way."""
        if self.busy:
            return
        self.busy = True
        self.staged.emit(self.tr("Making the pairs …"))
        self._begin(Task(lambda tell: make(), self), self._submit)

    def stop(self) -> None:
        """Give it up; what was scored is kept."""
        if self._handle is not None:
            self._handle.cancel()
        elif self._task is not None:
            self._task.stop()

    def close(self) -> None:
        """Give it up and wait for its thread."""
        self.stop()
        if self._task is not None:
            self._task.wait()

    def _submit(self, plan: ExperimentPlan[Any]) -> None:
        self._plan, self._table = plan, ScoreTable(len(plan.corpus))
        self.staged.emit(self.tr("Waiting for the worker …"))
        handle = self._handle = self._client.score(plan.corpus, plan.scoring)
        handle.fill(self._table)
        handle.progressed.connect(self._show_progress)
        handle.staged.connect(lambda event: self.staged.emit(event.text))
        handle.failed.connect(lambda event: self._look(event.text))
        handle.finished.connect(lambda event: self._end(self._stopped()) if event.cancelled else self._look(""))

    def _show_progress(self, event: Progress) -> None:
        count = self.tr("Scoring: {0} of {1} …")
        self.staged.emit(count.format(f"{event.done:,}", f"{event.total:,}"))
        self.progressed.emit(1000 * event.done // max(event.total, 1))

    def _look(self, error: str) -> None:
        """Make of the scores what can be made."""
        self._handle = None
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
            if self._handle is None and self._task is None and self.busy:
                self._end(self._stopped())

        task.begin(take, self._fail, ended)

    def _stopped(self) -> str:
        return self.tr("Stopped. What was scored is kept: begin again to go on from there.")

    def _fail(self, error: ParapluieError) -> None:
        self._end(str(error))

    def _end(self, sentence: str) -> None:
        self.busy = False
        self._handle = self._plan = None
        self._table = ScoreTable(0)
        self.ended.emit(sentence)
