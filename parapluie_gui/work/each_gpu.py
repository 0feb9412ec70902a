"""One request on all GPUs: a worker process for each, with a whole model and a share of the pairs."""

from __future__ import annotations

import queue
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from parapluie_gui.arrays import Rows
from parapluie_gui.models.device import gpu_devices
from parapluie_gui.work import worker
from parapluie_gui.work.events import Event, Failed, Finished, JudgeLoaded, Notice, Progress
from parapluie_gui.work.handle import Handle
from parapluie_gui.work.job import Job
from parapluie_gui.work.score_pairs import ScorePairs
from parapluie_gui.work.worker_process import Target, WorkerProcess

#: Seconds between two looks whether the work is to stop.
_TICK = 0.1


class EachGpu:
    """The worker processes; between jobs their models stay loaded.

    Attributes:
        lost: Whether processes are gone, so that no other job can be run.

    Args:
        devices: The GPUs by their names; None: all there are.
        target: What each process runs, replaced in tests.

    Raises:
        ModelError: There is no GPU.
    """

    def __init__(self, devices: Sequence[str] | None = None, target: Target = worker.main) -> None:
        self._devices = devices or gpu_devices()
        self.lost = False
        self._job = 0
        self._heard: queue.SimpleQueue[tuple[int, Event | None]] = queue.SimpleQueue()
        hear = [partial(self._hear, number) for number in range(len(self._devices))]
        self._workers = [WorkerProcess(target, each) for each in hear]

    def run(self, request: ScorePairs, emit: Callable[[Event], None], check: Callable[[], None]) -> None:
        """Compute a request of a judge; `emit` takes what one worker would say of it, `check` ends it by raising.

        Where a process is lost the others finish their shares; then, and when it was ended, all are gone.
        """
        pairs, plan = request.pairs, request.plan
        assert plan.judge is not None
        shares = [np.arange(first, len(pairs), len(self._devices)) for first in range(len(self._devices))]
        self._job += 1
        for device, share, process in zip(self._devices, shares, self._workers, strict=True):
            here = replace(plan, judge=replace(plan.judge, device=device))
            process.send(Job(self._job, replace(request, pairs=pairs.take(share), plan=here)))
        together = _Together(emit, len(pairs))
        handles = [together.handle(number, share) for number, share in enumerate(shares)]
        failures: list[Failed] = []
        try:
            while not all(handle.over for handle in handles):
                check()
                try:
                    number, event = self._heard.get(timeout=_TICK)
                except queue.Empty:
                    continue
                if event is None:
                    self.lost = True
                    gone = f"The process of {self._devices[number]} ended. What was scored is kept; score again."
                    event = Failed(self._job, gone)
                if isinstance(event, Failed):
                    failures.append(event)
                if event.job == self._job:
                    handles[number].hear(event)
        except BaseException:
            self.end()
            raise
        if self.lost:
            self.end()
        emit(failures[0] if failures else Finished(self._job))

    def end(self) -> None:
        """Kill the processes."""
        self.lost = True
        for process in self._workers:
            process.end()

    def _hear(self, number: int, process: WorkerProcess, event: Event | None) -> None:
        """Called from the workers' threads."""
        self._heard.put((number, event))


class _Together:
    """Puts together what the workers say of their shares of a request."""

    def __init__(self, emit: Callable[[Event], None], count: int) -> None:
        self._emit, self._count = emit, count
        self._progress: dict[int, Progress] = {}
        self._once_emitted: set[Event] = set()

    def handle(self, number: int, share: Rows) -> Handle:
        """Return the handle of one worker's share, the rows (k,) of its pairs."""
        handle = Handle()
        handle.staged.connect(self._emit)
        handle.scored.connect(lambda batch: self._emit(replace(batch, rows=share[batch.rows])))
        handle.progressed.connect(partial(self._add, number, len(share)))
        handle.judged.connect(self._describe)
        handle.started.connect(self._once)
        handle.noticed.connect(self._once)
        return handle

    def _add(self, number: int, pairs: int, event: Progress) -> None:
        self._progress[number] = event
        each = self._progress.values()
        done, rate = sum(one.done for one in each), sum(one.rate for one in each)
        total = event.total // max(pairs, 1) * self._count
        self._emit(Progress(event.job, done, total, rate, event.remaining, event.column))

    def _describe(self, event: JudgeLoaded) -> None:
        """Say which judge is loaded: each names its device, and all have the same notices."""
        self._emit(replace(event, notices=()))
        for notice in event.notices:
            self._once(Notice(event.job, notice))

    def _once(self, event: Event) -> None:
        """Emit what every worker says, one time."""
        if event not in self._once_emitted:
            self._once_emitted.add(event)
            self._emit(event)
