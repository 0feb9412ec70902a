"""A job in this process: the scores of a corpus without the window's worker, for commands and scripts."""

from __future__ import annotations

import builtins
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from tqdm import tqdm

from parapluie_gui import places
from parapluie_gui.errors import ParapluieError, WorkerError
from parapluie_gui.metrics import column_source
from parapluie_gui.models.device import EACH_GPU
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.spending import Spending
from parapluie_gui.pluie.templates import Template
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.work.each_gpu import EachGpu
from parapluie_gui.work.gate import Gate
from parapluie_gui.work.job import (
    Batch,
    ColumnStarted,
    Event,
    Failed,
    Job,
    JudgeLoaded,
    Notice,
    Progress,
    StageChanged,
    Written,
)
from parapluie_gui.work.runner import Runner

Result = TypeVar("Result")


def compute(
    corpus: Corpus,
    metrics: tuple[str, ...],
    judge: JudgeSettings | None = None,
    templates: tuple[Template, ...] = (),
    device: str = "auto",
) -> ScoreTable:
    """Return the scores of a corpus; progress goes to stderr. Arguments as `try_compute`.

    Raises:
        ParapluieError: A score cannot be computed.
    """
    table, errors = try_compute(corpus, metrics, judge, templates, device)
    if errors:
        raise errors[0]
    return table


def try_compute(
    corpus: Corpus,
    metrics: tuple[str, ...],
    judge: JudgeSettings | None = None,
    templates: tuple[Template, ...] = (),
    device: str = "auto",
) -> tuple[ScoreTable, list[ParapluieError]]:
    """Return the scores that can be computed, and why others cannot; progress goes to stderr.

    Columns of the corpus among the metrics are read from it; `device` is where the models of metrics compute.
    """
    return LocalScorer((places.score_cache(),)).score(corpus, metrics, judge, templates, device)


def is_watched() -> bool:
    """Return whether somebody sees a bar on stderr: a terminal or a notebook."""
    return sys.stderr.isatty() or hasattr(builtins, "__IPYTHON__")


class LocalScorer:
    """Scores one corpus after the other in this process; between them its models stay loaded.

    Args:
        stores: Files in which known scores are looked up and new ones kept.
        quiet: Nothing is written to stderr but notices.
        bar: Whether a bar shows how far it is; None: where somebody sees it.
    """

    def __init__(self, stores: Sequence[Path] = (), *, quiet: bool = False, bar: bool | None = None) -> None:
        self._stores, self._quiet = stores, quiet
        self._bar = bar
        self._gate = _CtrlC()
        self._runner = Runner(lambda event: None, self._gate)
        self._each_gpu: EachGpu | None = None

    def score(
        self,
        corpus: Corpus,
        metrics: tuple[str, ...],
        judge: JudgeSettings | None = None,
        templates: tuple[Template, ...] = (),
        device: str = "auto",
    ) -> tuple[ScoreTable, list[ParapluieError]]:
        """Return the scores that can be computed, and why others cannot. Arguments as `try_compute`."""
        table = ScoreTable(len(corpus))
        sources, computed = column_source.split(metrics)
        for source in sources:
            source.put(table, corpus)
        job = Job.of(corpus, 1, computed, judge, templates, self._stores, device=device)
        return table, self.run(job, table)

    def _run_on_each_gpu(self, job: Job, take: Callable[[Event], None]) -> None:
        if self._each_gpu is None or self._each_gpu.lost:
            self._each_gpu = EachGpu()
        self._each_gpu.run(job, take, self._gate.check)

    def run(
        self, job: Job, table: ScoreTable, written: Callable[[Written], None] = lambda found: None
    ) -> list[ParapluieError]:
        """Run a job, filling the table; returns the errors it ended with."""
        failure: list[ParapluieError] = []
        unit, total = ("score", 0) if job.writing is None else ("text", len(job) * len(job.writing.numbers))
        hidden = self._quiet or not (is_watched() if self._bar is None else self._bar)
        spending: Spending | None = None
        started = time.monotonic()
        with tqdm(total=total, unit=unit, file=sys.stderr, disable=hidden, leave=False) as bar:

            def take(event: Event) -> None:
                nonlocal spending
                match event:
                    case ColumnStarted():
                        table.declare(event.column, event.signature)
                    case Batch():
                        table.put(event.rows, event.values)
                    case Written():
                        written(event)
                        bar.update(len(event.rows))
                    case Progress():
                        bar.total = event.total
                        bar.set_description(event.column, refresh=False)
                        bar.update(event.done - bar.n)
                        spending = event.spending
                    case StageChanged():
                        bar.set_description(event.text)
                    case JudgeLoaded() if not self._quiet:
                        bar.write(event.description, file=sys.stderr)
                        for notice in event.notices:
                            bar.write(notice, file=sys.stderr)
                    case Notice():
                        bar.write(f"parapluie: {event.text}", file=sys.stderr)
                    case Failed():
                        failure.append(WorkerError(event.text))
                        if os.environ.get("PARAPLUIE_DEBUG"):
                            bar.write(event.detail, file=sys.stderr)

            self._runner.emit = take
            with self._gate:
                if job.writing is None and job.judge is not None and job.judge.device == EACH_GPU:
                    self._run_on_each_gpu(job, take)
                else:
                    self._runner.run(job)
            if spending is not None and not self._quiet:
                bar.write(f"parapluie: {spending}, {time.monotonic() - started:,.1f} s", file=sys.stderr)
        return failure


def write(job: Job, take: Callable[[Written], None]) -> None:
    """Run a job that writes; progress goes to stderr, and `take` is called with each batch.

    Raises:
        ParapluieError: The judge cannot write, or not this.
    """
    if errors := LocalScorer().run(job, ScoreTable(0), take):
        raise errors[0]


class _CtrlC(Gate):
    """Ends the job when Ctrl+C is pressed, also where Python drops the interruption (within a destructor)."""

    def __init__(self) -> None:
        self._pressed = False
        self._before: Any = None

    def __enter__(self) -> _CtrlC:
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._press)
        return self

    def __exit__(self, *error: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def check(self) -> None:
        """Raise KeyboardInterrupt once the key was pressed."""
        if self._pressed:
            raise KeyboardInterrupt

    def guard(self, work: Callable[[], Result]) -> Result:
        """Do a batch of work unless the key was pressed."""
        self.check()
        return work()

    def _press(self, number: int, frame: object) -> None:
        self._pressed = True
        raise KeyboardInterrupt
