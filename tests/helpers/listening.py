"""An ear that notes when each of a driver's events arrives, and jobs to be heard of."""

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
from parapluie_gui.work.events import Batch, Event, Failed, Finished
from parapluie_gui.work.job import Job
from parapluie_gui.work.request import PairTexts
from parapluie_gui.work.score_pairs import ScorePairs
from parapluie_gui.work.scoring_plan import Judging, ScoringPlan

#: Seconds that pause, resume and cancel may take on an idle computer; `in_time` says how long on this one.
AT_ONCE = 0.3


class Ear(QObject):
    """Keeps what a driver says with the time of arrival in this thread, and each beginning and end of a silence."""

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

    def wait(self, job: int, kind: type | tuple = (Finished, Failed), count: int = 1, seconds: float = 30) -> list:
        """Wait for so many events of a kind and return them; by default for the end of the job."""
        self._qtbot.waitUntil(lambda: len(self.events(job, kind)) >= count, timeout=int(in_time(seconds) * 1000))
        return self.events(job, kind)

    def listen(self, seconds: float) -> None:
        self._qtbot.wait(int(seconds * 1000))

    def rows(self, job: int) -> list[int]:
        """Return the pairs that have come, sorted."""
        batches = self.events(job, Batch)
        return np.sort(np.concatenate([batch.rows for batch in batches])).tolist() if batches else []


def worker_pid() -> int:
    """Return the number of the one worker process there is."""
    (process,) = multiprocessing.active_children()
    assert process.pid is not None
    return process.pid


_score_arrays = itertools.count(1)


def make_job(pairs: int = 10, *, metrics: tuple[str, ...] = ("edit_distance",), **rest) -> Job:
    """Return a job over made-up pairs, with a number of its own."""
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
    """Return a job that scores pairs; the rest are fields of its request or of its plan."""
    pairs = PairTexts(tuple(sources), tuple(hypotheses), None if references is None else tuple(references), more or {})
    return changed(Job(id, ScorePairs(pairs, ScoringPlan()), urgent), **rest)


def changed(job: Job, **fields) -> Job:
    """Return a job with other values of fields, wherever they are: its own, or its request's, plan's or pairs'.

    `judge` and `templates` are those of its only judge.
    """
    request = job.request
    assert isinstance(request, ScorePairs)
    if asked := {name: fields.pop(name) for name in ("judge", "templates") if name in fields}:
        only = replace((request.plan.judgings or (Judging(JudgeSettings(""), ()),))[0], **asked)
        fields["judgings"] = (replace(only, templates=tuple(only.templates)),)

    def new(part):
        return replace(part, **{name: fields.pop(name) for name in list(fields) if hasattr(part, name)})

    job, pairs, plan = new(job), new(request.pairs), new(request.plan)
    return replace(job, request=replace(request, pairs=pairs, plan=plan, **fields))


def ended(ear: Ear, job: Job, seconds: float = 30) -> Finished | Failed:
    """Wait for the end of a job and return it; it comes once, and nothing after it."""
    (end,) = ear.wait(job.id, seconds=seconds)
    ear.listen(0.05)
    assert len(ear.events(job.id, (Finished, Failed))) == 1
    assert ear.events(job.id)[-1] is end, "something came after the end"
    return end
