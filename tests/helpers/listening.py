"""A recorder of a driver's events with their times, and jobs for tests."""

from __future__ import annotations

import itertools
import multiprocessing
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from PySide6.QtCore import QObject
from waiting import in_time

from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.ui.state.driver import WorkerDriver
from parapluie_gui.work.events import Event, JobFailed, JobFinished, ScoreBatch
from parapluie_gui.work.job import Job
from parapluie_gui.work.request import PairTexts
from parapluie_gui.work.score_pairs import ScorePairs
from parapluie_gui.work.scoring_plan import JudgeTemplates, ScoringPlan

#: Seconds that pause, resume and cancel may take on an idle computer; see `in_time` for a busy one.
AT_ONCE = 0.3


class EventRecorder(QObject):
    """Records a driver's events with their time of arrival in this thread, and its silences."""

    def __init__(self, driver: WorkerDriver, qtbot) -> None:
        super().__init__()
        self.driver = driver
        self.heard: list[tuple[float, Event]] = []
        self._qtbot = qtbot
        self.silences: list[bool] = []
        driver.received.connect(self._hear)
        driver.silent.connect(self.silences.append)

    def _hear(self, event: Event) -> None:
        self.heard.append((time.monotonic(), event))

    def events(self, job: int, kind: type = Event) -> list:
        return [event for _, event in self.heard if event.job == job and isinstance(event, kind)]

    def times(self, job: int, kind: type = Event) -> list[float]:
        return [at for at, event in self.heard if event.job == job and isinstance(event, kind)]

    def wait(
        self, job: int, kind: type | tuple = (JobFinished, JobFailed), count: int = 1, seconds: float = 30
    ) -> list:
        """Wait for `count` events of a kind, by default the end of the job, and return them."""
        self._qtbot.waitUntil(lambda: len(self.events(job, kind)) >= count, timeout=int(in_time(seconds) * 1000))
        return self.events(job, kind)

    def listen(self, seconds: float) -> None:
        self._qtbot.wait(int(seconds * 1000))

    def rows(self, job: int) -> list[int]:
        """Return the rows scored so far, sorted."""
        batches = self.events(job, ScoreBatch)
        return np.sort(np.concatenate([batch.rows for batch in batches])).tolist() if batches else []


def worker_pid() -> int:
    """Return the process id of the only worker process."""
    (process,) = multiprocessing.active_children()
    assert process.pid is not None
    return process.pid


_score_arrays = itertools.count(1)


def make_job(pairs: int = 10, *, metrics: tuple[str, ...] = ("edit_distance",), **rest) -> Job:
    """Return a job on artificial pairs, with a new number."""
    number = next(_score_arrays)
    sources = tuple(f"sentence {row}" for row in range(pairs))
    return scoring_job(sources, tuple(f"{text} too" for text in sources), id=number, metrics=metrics, **rest)


def scoring_job(
    sources: Sequence[str],
    hypotheses: Sequence[str],
    references: Sequence[str | None] | None = None,
    more: Mapping[str, tuple[str | None, ...]] | None = None,
    *,
    id: int = 1,
    urgent: bool = False,
    **rest,
) -> Job:
    """Return a job that scores pairs; `rest` has fields of its request or plan."""
    pairs = PairTexts(tuple(sources), tuple(hypotheses), None if references is None else tuple(references), more or {})
    return replace_fields(Job(id, ScorePairs(pairs, ScoringPlan()), urgent), **rest)


def replace_fields(job: Job, **fields) -> Job:
    """Return a job with fields replaced: fields of the job, its request, its plan or its pairs.

    `judge` and `templates` belong to its only judge.
    """
    request = job.request
    assert isinstance(request, ScorePairs)
    if asked := {name: fields.pop(name) for name in ("judge", "templates") if name in fields}:
        only = replace((request.plan.judgings or (JudgeTemplates(JudgeSettings(""), ()),))[0], **asked)
        fields["judgings"] = (replace(only, templates=tuple(only.templates)),)

    def new(part):
        return replace(part, **{name: fields.pop(name) for name in list(fields) if hasattr(part, name)})

    job, pairs, plan = new(job), new(request.pairs), new(request.plan)
    return replace(job, request=replace(request, pairs=pairs, plan=plan, **fields))


def wait_for_end(recorder: EventRecorder, job: Job, seconds: float = 30) -> JobFinished | JobFailed:
    """Wait for the end of a job and return it; check that it comes once and last."""
    (end,) = recorder.wait(job.id, seconds=seconds)
    recorder.listen(0.05)
    assert len(recorder.events(job.id, (JobFinished, JobFailed))) == 1
    assert recorder.events(job.id)[-1] is end, "something came after the end"
    return end
