"""One job on all GPUs: a worker process for each, with a whole model and a share of the pairs."""

from __future__ import annotations

import queue
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from parapluie_gui.arrays import Rows
from parapluie_gui.models.device import gpu_devices
from parapluie_gui.work import worker
from parapluie_gui.work.job import Batch, ColumnStarted, Event, Failed, Finished, Job, JudgeLoaded, Notice, Progress
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
        self._heard: queue.SimpleQueue[tuple[int, Event | None]] = queue.SimpleQueue()
        hear = [partial(self._hear, number) for number in range(len(self._devices))]
        self._workers = [WorkerProcess(target, each) for each in hear]

    def run(self, job: Job, emit: Callable[[Event], None], check: Callable[[], None]) -> None:
        """Compute a job of a judge; `emit` takes what one worker would say of it, `check` ends it by raising.

        Where a process is lost the others finish their shares; then, and when it was ended, all are gone.
        """
        assert job.judge is not None
        shares = [np.arange(first, len(job), len(self._devices)) for first in range(len(self._devices))]
        for device, share, process in zip(self._devices, shares, self._workers, strict=True):
            process.send(replace(job.take(share), judge=replace(job.judge, device=device)))
        told, at_work = _Told(job, emit), set(range(len(shares)))
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
                    event = Failed(job.id, gone)
                if isinstance(event, Failed):
                    failures.append(event)
                if isinstance(event, Failed | Finished):
                    at_work.discard(number)
                elif event.job == job.id:
                    told.tell(number, shares[number], event)
        except BaseException:
            self.end()
            raise
        if self.lost:
            self.end()
        emit(failures[0] if failures else Finished(job.id))

    def end(self) -> None:
        """Kill the processes."""
        self.lost = True
        for process in self._workers:
            process.end()

    def _hear(self, number: int, process: WorkerProcess, event: Event | None) -> None:
        """Called from the workers' threads."""
        self._heard.put((number, event))


class _Told:
    """Puts together what the workers say of their shares of a job."""

    def __init__(self, job: Job, emit: Callable[[Event], None]) -> None:
        self._job, self._emit = job, emit
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
                total = event.total // max(len(share), 1) * len(self._job)
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
