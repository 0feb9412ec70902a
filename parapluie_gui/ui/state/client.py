"""The window's client of the worker process: it sends requests, whose handles emit the results."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from parapluie_gui import places
from parapluie_gui.metrics.consent import allowed_files
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.ui.state.driver import WorkerDriver
from parapluie_gui.work.events import Event, JobFailed, JobFinished, JudgeLoaded
from parapluie_gui.work.handle import RequestHandle
from parapluie_gui.work.job import Job
from parapluie_gui.work.request import Request
from parapluie_gui.work.score_pairs import ScorePairs
from parapluie_gui.work.scoring_plan import ScoringPlan


class WorkerClient(QObject):
    """A sender of requests to the worker. Handles get their events in its thread, never before `ask` has returned.

    Args:
        driver: The driver, already started, which its owner closes.

    Signals:
        judged: (str, tuple of str) A model is loaded: its description, "" for an urgent request, and its notices.
        unexpected_error: (str, str) A request ended with an unexpected error: the sentence shown and the traceback.
        hanging: (bool) The worker does not answer although it has a job; False once it answers again or has no job
            left.
    """

    judged = Signal(str, tuple)
    unexpected_error = Signal(str, str)
    hanging = Signal(bool)

    def __init__(self, driver: WorkerDriver, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.driver = driver
        self._last = 0
        self._handles: dict[int, RequestHandle] = {}
        self._urgent: set[int] = set()
        driver.received.connect(self._hear)
        driver.silent.connect(self.hanging)

    def ask(self, request: Request, *, urgent: bool = False) -> RequestHandle:
        """Send a request; an urgent one runs between two batches of the running job."""
        self._last += 1
        handle = self._handles[self._last] = RequestHandle(partial(self.driver.cancel, self._last))
        if urgent:
            self._urgent.add(self._last)
        self.driver.submit(Job(self._last, request, urgent))
        return handle

    def score(
        self, corpus: Corpus, plan: ScoringPlan, stores: Sequence[Path] | None = None, *, urgent: bool = False
    ) -> RequestHandle:
        """Request the scores of pairs; without `stores` they are stored in the user's score cache."""
        stores, files = stores or (places.score_cache(),), allowed_files(plan.metrics)
        return self.ask(ScorePairs.from_corpus(corpus, plan, stores, metric_files=files), urgent=urgent)

    def _hear(self, event: Event) -> None:
        over = isinstance(event, JobFailed | JobFinished)
        handle = self._handles.pop(event.job, None) if over else self._handles.get(event.job)
        if over:
            self._urgent.discard(event.job)
        if isinstance(event, JudgeLoaded):
            self.judged.emit("" if event.job in self._urgent else event.description, event.notices)
        if handle is not None:
            handle.deliver(event)
        if isinstance(event, JobFailed) and event.detail:
            self.unexpected_error.emit(event.text, event.detail)
