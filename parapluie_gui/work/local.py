"""Computes requests in this process, without the window's worker, for commands and scripts."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from parapluie_gui.arrays import Rows
from parapluie_gui.errors import ParapluieError, WorkerError
from parapluie_gui.metrics import column_source
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pluie.cost import TokenUsage
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.work import bars
from parapluie_gui.work.events import JobProgress, JudgeLoaded
from parapluie_gui.work.gate import WorkGate
from parapluie_gui.work.handle import RequestHandle
from parapluie_gui.work.job import Job
from parapluie_gui.work.request import Request
from parapluie_gui.work.runner import JobRunner
from parapluie_gui.work.score_pairs import ScorePairs
from parapluie_gui.work.scoring_plan import ScoringPlan

Result = TypeVar("Result")


class LocalScorer:
    """A scorer that computes requests in this process and keeps models loaded between them.

    Args:
        stores: Files in which stored scores are looked up and new scores are stored.
        quiet: Whether only notices are written to stderr.
        bar: Whether a progress bar is shown; None: in a terminal or notebook.
    """

    def __init__(
        self,
        stores: Sequence[Path] = (),
        *,
        quiet: bool = False,
        bar: bool | None = None,
    ) -> None:
        self._stores, self._quiet = stores, quiet or bars.lines is False
        self._bar = bar
        self._gate = _CtrlCGate()
        self._runner = JobRunner(lambda event: None, self._gate)

    def score(
        self, corpus: Corpus, plan: ScoringPlan, rows: Rows | None = None, *, quiet: bool = False
    ) -> tuple[ScoreTable, list[ParapluieError]]:
        """Return the scores of a corpus, and the errors of scores that cannot be computed.

        Metrics that are columns of the corpus are read from the corpus. Without `rows` (k,), all pairs are scored. With
        `quiet`, the judge is not described on stderr.
        """
        table = ScoreTable(len(corpus))
        sources, computed = column_source.split(plan.metrics)
        for source in sources:
            source.put(table, corpus)
        pairs = corpus if rows is None else corpus.take(rows)
        handle = RequestHandle()
        handle.fill(table, rows)
        errors = self.run(
            ScorePairs.from_corpus(pairs, replace(plan, metrics=computed), self._stores), handle, quiet=quiet
        )
        return table, errors

    def run(self, request: Request, handle: RequestHandle, *, quiet: bool = False) -> list[ParapluieError]:
        """Compute a request, deliver its events to the handle, and return the errors that ended it.

        With `quiet`, the judge is not described on stderr.
        """
        quiet = quiet or self._quiet
        failures: list[ParapluieError] = []
        unit, total = request.extent
        started = time.monotonic()
        with bars.open_bar(total, unit, False if self._quiet else self._bar) as bar:
            output = _TerminalOutput(bar, quiet)
            output.follow(handle)
            handle.failed.connect(lambda event: failures.append(WorkerError(event.text)))
            with self._gate:
                self._runner.emit = handle.deliver
                self._runner.run(Job(1, request))
            if output.spending is not None and not quiet:
                bar.write(f"parapluie: {output.spending}, {time.monotonic() - started:,.1f} s", file=sys.stderr)
        return failures


class _TerminalOutput:
    """The output of a request in the terminal: a bar, the judge's description and notices.

    Attributes:
        spending: The judge's latest count of requests and tokens.
    """

    def __init__(self, bar: Any, quiet: bool) -> None:
        self._bar, self._quiet = bar, quiet
        self.spending: TokenUsage | None = None

    def follow(self, handle: RequestHandle) -> None:
        """Show the events of a handle."""
        handle.staged.connect(lambda event: self._bar.set_description(event.text))
        handle.judged.connect(self._describe)
        handle.written.connect(lambda event: self._bar.update(len(event.rows)))
        handle.progressed.connect(self._advance)
        handle.noticed.connect(lambda event: self._write(f"parapluie: {event.text}"))
        if os.environ.get("PARAPLUIE_DEBUG"):
            handle.failed.connect(lambda event: self._write(event.detail))

    def _advance(self, event: JobProgress) -> None:
        self._bar.total = event.total
        self._bar.set_description(event.column, refresh=False)
        self._bar.update(event.done - self._bar.n)
        self.spending = event.spending

    def _describe(self, event: JudgeLoaded) -> None:
        if not self._quiet:
            for line in (event.description, *event.notices):
                self._write(line)

    def _write(self, line: str) -> None:
        self._bar.write(line, file=sys.stderr)


class _CtrlCGate(WorkGate):
    """A gate that ends the request on Ctrl+C, even if Python swallows the exception (in a destructor)."""

    def __init__(self) -> None:
        self._pressed = False
        self._handler: Any = None

    def __enter__(self) -> _CtrlCGate:
        if threading.current_thread() is threading.main_thread():
            self._handler = signal.signal(signal.SIGINT, self._press)
        return self

    def __exit__(self, *error: object) -> None:
        if self._handler is not None:
            signal.signal(signal.SIGINT, self._handler)

    def check(self) -> None:
        """Raise KeyboardInterrupt if Ctrl+C was pressed."""
        if self._pressed:
            raise KeyboardInterrupt

    def guard(self, work: Callable[[], Result]) -> Result:
        """Do a batch of work unless Ctrl+C was pressed."""
        self.check()
        return work()

    def _press(self, number: int, frame: object) -> None:
        self._pressed = True
        raise KeyboardInterrupt
