"""Requests in this process: the scores of a corpus without the window's worker, for commands and scripts."""

from __future__ import annotations

import builtins
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from tqdm import tqdm

from parapluie_gui import places
from parapluie_gui.errors import ParapluieError, WorkerError
from parapluie_gui.metrics import column_source
from parapluie_gui.models.catalogue import find_model
from parapluie_gui.models.device import EACH_GPU
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.spending import Spending
from parapluie_gui.pluie.templates import Template
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.work.cascade import put_cascade
from parapluie_gui.work.each_gpu import EachGpu
from parapluie_gui.work.events import (
    Batch,
    CandidatesWritten,
    ColumnStarted,
    Event,
    Failed,
    JudgeLoaded,
    Notice,
    Progress,
    StageChanged,
)
from parapluie_gui.work.gate import Gate
from parapluie_gui.work.job import Job
from parapluie_gui.work.request import Request
from parapluie_gui.work.runner import Runner
from parapluie_gui.work.score_pairs import ScorePairs
from parapluie_gui.work.scoring_plan import ScoringPlan
from parapluie_gui.work.write_candidates import WriteCandidates

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
    plan = ScoringPlan(metrics, judge, templates, device)
    _, table, errors = LocalScorer((places.score_cache(),)).score(corpus, plan)
    return table, errors


def is_watched() -> bool:
    """Return whether somebody sees a bar on stderr: a terminal or a notebook."""
    return sys.stderr.isatty() or hasattr(builtins, "__IPYTHON__")


class LocalScorer:
    """Does one request after the other in this process; between them its models stay loaded.

    Args:
        stores: Files in which known scores are looked up and new ones kept.
        quiet: Nothing is written to stderr but notices.
        bar: Whether a bar shows how far it is; None: where somebody sees it.
        keep_both: A second judge has room beside the first; otherwise one takes the other's place.
    """

    def __init__(
        self,
        stores: Sequence[Path] = (),
        *,
        quiet: bool = False,
        bar: bool | None = None,
        keep_both: bool = False,
    ) -> None:
        self._stores, self._quiet = stores, quiet
        self._bar = bar
        self._gate = _CtrlC()
        self._runner = Runner(lambda event: None, self._gate)
        self._each_gpu: EachGpu | None = None
        self._then = LocalScorer(stores, quiet=quiet) if keep_both else self

    def score(self, corpus: Corpus, plan: ScoringPlan) -> tuple[Corpus, ScoreTable, list[ParapluieError]]:
        """Return the corpus with what was found out about it, its scores, and why others cannot be computed.

        Columns of the corpus among the metrics are read from it.
        """
        table = ScoreTable(len(corpus))
        sources, computed = column_source.split(plan.metrics)
        for source in sources:
            source.put(table, corpus)
        errors = self.run(ScorePairs.of(corpus, replace(plan, metrics=computed, cascade=None), self._stores), table)
        if plan.cascade is None or plan.judge is None or errors:
            return corpus, table, errors
        then = plan.cascade
        asked = ScoringPlan((), then.judge, (then.template,), plan.device)
        sent = then.sent(table[plan.templates[0].column])
        second = ScoreTable(0)
        if len(sent):
            _, second, errors = self._then.score(corpus.take(sent), asked)
            if errors:
                return corpus, table, errors
        else:
            ((column, signature),) = asked.signatures().items()
            second.declare(column, signature)
        names = find_model(plan.judge.model).name, find_model(then.judge.model).name
        return put_cascade(corpus, table, plan.templates[0].column, second, sent, then, names), table, errors

    def _run_on_each_gpu(self, request: ScorePairs, take: Callable[[Event], None]) -> None:
        if self._each_gpu is None or self._each_gpu.lost:
            self._each_gpu = EachGpu()
        self._each_gpu.run(request, take, self._gate.check)

    def run(
        self, request: Request, table: ScoreTable, written: Callable[[CandidatesWritten], None] = lambda event: None
    ) -> list[ParapluieError]:
        """Do a request, filling the table; returns the errors it ended with."""
        failure: list[ParapluieError] = []
        unit, total = "score", 0
        if isinstance(request, WriteCandidates):
            unit, total = "text", len(request.sources) * len(request.numbers)
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
                    case CandidatesWritten():
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
                judge = request.wanted_judge()
                if isinstance(request, ScorePairs) and judge is not None and judge.device == EACH_GPU:
                    self._run_on_each_gpu(request, take)
                else:
                    self._runner.run(Job(1, request))
            if spending is not None and not self._quiet:
                bar.write(f"parapluie: {spending}, {time.monotonic() - started:,.1f} s", file=sys.stderr)
        return failure


def write(request: WriteCandidates, take: Callable[[CandidatesWritten], None]) -> None:
    """Let a judge write; progress goes to stderr, and `take` is called with each batch.

    Raises:
        ParapluieError: The judge cannot write, or not this.
    """
    if errors := LocalScorer().run(request, ScoreTable(0), take):
        raise errors[0]


class _CtrlC(Gate):
    """Ends the request when Ctrl+C is pressed, also where Python drops the interruption (within a destructor)."""

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
