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
from parapluie_gui.work.events import Batch, ColumnStarted, Event, Failed, Finished, JudgeLoaded, Notice, Progress
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
        told, at_work = _Told(len(pairs), emit), set(range(len(shares)))
        failures: list[Failed] = []
        try:
            while at_work:
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
                if isinstance(event, Failed | Finished):
                    at_work.discard(number)
                elif event.job == self._job:
                    told.tell(number, shares[number], event)
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


class _Told:
    """Puts together what the workers say of their shares of a request."""

    def __init__(self, count: int, emit: Callable[[Event], None]) -> None:
        self._count, self._emit = count, emit
        self._progress: dict[int, Progress] = {}
        self._said: set[Event] = set()

    def tell(self, number: int, share: Rows, event: Event) -> None:
        match event:
            case Batch():
                self._emit(replace(event, rows=share[event.rows]))
            case Progress():
                self._progress[number] = event
                each = self._progress.values()
                done, rate = sum(one.done for one in each), sum(one.rate for one in each)
                total = event.total // max(len(share), 1) * self._count
                self._emit(Progress(event.job, done, total, rate, event.remaining, event.column))
            case JudgeLoaded():  # each names its device
                self._emit(replace(event, notices=()))
                for notice in event.notices:
                    self._once(Notice(event.job, notice))
            case ColumnStarted() | Notice():
                self._once(event)
            case _:
                self._emit(event)

    def _once(self, event: Event) -> None:
        """Emit what every worker says, one time."""
        if event not in self._said:
            self._said.add(event)
            self._emit(event)
