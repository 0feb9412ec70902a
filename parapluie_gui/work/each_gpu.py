"""Scores on every GPU of the computer, with a process, a copy of the model and a share of the pairs for each."""

from __future__ import annotations

import contextlib
import multiprocessing
import queue
import time
import weakref
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from parapluie_gui.arrays import Rows
from parapluie_gui.errors import ParapluieError, WorkerError
from parapluie_gui.models.device import gpu_devices
from parapluie_gui.work import worker
from parapluie_gui.work.context import UnexpectedError
from parapluie_gui.work.events import Event, JobFailed, JobFinished
from parapluie_gui.work.gate import BatchInterrupted, JobCancelled
from parapluie_gui.work.job import CancelJob, Job
from parapluie_gui.work.request import Request
from parapluie_gui.work.worker_process import Target, WorkerProcess

#: Seconds between checks for cancellation.
_TICK = 0.1
#: Seconds without a heartbeat after which a process counts as lost; heartbeats are sent every second.
PATIENCE = 30.0

_EventQueue = queue.SimpleQueue[tuple[int, Event | None]]


@dataclass(frozen=True)
class GpuShare:
    """The share of one GPU: a request about these pairs (k,) of a larger request."""

    rows: Rows
    request: Request


class EachGpu:
    """One process for each GPU, with models that stay loaded between requests.

    The processes end when this object is garbage-collected.

    Attributes:
        devices: Names of the GPUs.
        lost: Whether the processes are gone.

    Args:
        devices: Names of the GPUs; None for all GPUs.
        target: The function that each process runs, replaced in tests.
        patience: Seconds without a heartbeat after which a process counts as lost.

    Raises:
        ModelError: There is no GPU.
    """

    def __init__(
        self, devices: Sequence[str] | None = None, target: Target = worker.main, patience: float = PATIENCE
    ) -> None:
        self.devices = tuple(devices or gpu_devices())
        self._job = 0
        self._target, self._patience = target, patience
        self._workers: list[WorkerProcess] = []
        self.lost = True
        self._start()

    def shares(self, rows: Rows, ask: Callable[[Rows, str], Request]) -> list[GpuShare]:
        """Divide pairs (k,) among the GPUs; `ask` returns the request for some of the pairs on a device."""
        parts = [(rows[place :: len(self.devices)], device) for place, device in enumerate(self.devices)]
        return [GpuShare(part, ask(part, device)) for part, device in parts if len(part)]

    def run(
        self,
        shares: Iterable[GpuShare],
        receive: Callable[[Rows, Event], None],
        check: Callable[[], None],
        *,
        urgent: bool,
    ) -> None:
        """Compute each share in its process.

        If a process is lost, the others finish their shares, and the next call starts all processes again. A cancel or
        an interruption leaves the models loaded.

        Args:
            shares: The shares, one for each device in order.
            receive: Called with the pairs of a share and each of its events.
            check: Called often; an exception from it ends all shares.
            urgent: As in `Job`.

        Raises:
            ParapluieError: The first error of a process.
            UnexpectedError: The first error of a process, if it is unexpected.
        """
        if self.lost or self._has_lost_process():
            self.end()
            self._start()
        self._job += 1
        waiting = dict(enumerate(shares))
        for place, share in waiting.items():
            self._workers[place].send(Job(self._job, share.request, urgent))
        asked, failures = list(waiting), list[Exception]()
        quiet, self._looked = dict.fromkeys(waiting, 0.0), time.monotonic()
        try:
            while waiting:
                check()
                for place in self._silent(quiet).intersection(waiting):
                    failures.append(self._lose(place, "no longer responds"))
                    del waiting[place]
                try:
                    place, event = self._events.get(timeout=_TICK)
                except queue.Empty:
                    continue
                quiet[place] = 0.0
                self._started.add(place)
                if event is None:
                    self.lost = True
                    if waiting.pop(place, None) is not None:
                        failures.append(self._lose(place, "ended"))
                elif event.job != self._job or place not in waiting:  # a heartbeat, or an event of a cancelled share
                    continue
                elif isinstance(event, JobFailed):
                    failures.append(_error(event))
                    del waiting[place]
                elif isinstance(event, JobFinished):
                    del waiting[place]
                else:
                    receive(waiting[place].rows, event)
        except (JobCancelled, BatchInterrupted):
            for place in asked:
                self._workers[place].send(CancelJob(self._job))
            raise
        except BaseException:
            self.end()
            raise
        if self.lost:
            self.end()
        if failures:
            raise failures[0]

    def _has_lost_process(self) -> bool:
        """Return True if a process has ended since the last request; discard other events."""
        has_ended = False
        with contextlib.suppress(queue.Empty):
            while True:
                has_ended = self._events.get_nowait()[1] is None or has_ended
        return has_ended

    def _silent(self, quiet: dict[int, float]) -> set[int]:
        """Add the time since the last check to `quiet`, and return the processes that exceed the limit."""
        # The computer may have slept since the last check. A process loads libraries until its first event.
        last, self._looked = self._looked, time.monotonic()
        for place in self._started.intersection(quiet):
            quiet[place] += min(self._looked - last, 2 * _TICK)
        return {place for place, seconds in quiet.items() if seconds > self._patience}

    def _lose(self, place: int, problem: str) -> WorkerError:
        self.lost = True
        return WorkerError(
            f"The process of {self.devices[place]} {problem}. Scores computed so far are kept; start scoring again."
        )

    def end(self) -> None:
        """Kill the processes."""
        self.lost = True
        self._end()

    def _start(self) -> None:
        # The window's worker is a daemon, which may not start processes; these are daemons too and end with it.
        multiprocessing.current_process().daemon = False
        self.lost = False
        self._events: _EventQueue = queue.SimpleQueue()
        self._started: set[int] = set()
        self._looked = time.monotonic()
        self._workers = [
            WorkerProcess(self._target, partial(_enqueue, self._events, place)) for place in range(len(self.devices))
        ]
        self._end = weakref.finalize(self, _end_all, self._workers)


def _enqueue(events: _EventQueue, place: int, process: WorkerProcess, event: Event | None) -> None:
    """Queue an event; a plain function, since a method would let the threads keep the `EachGpu` alive."""
    events.put((place, event))


def _end_all(workers: Sequence[WorkerProcess]) -> None:
    for process in workers:
        process.end()


def _error(event: JobFailed) -> Exception:
    """Return the error of a process, with its traceback if it is unexpected."""
    if not event.detail:
        return ParapluieError(event.text)
    error = UnexpectedError(event.text)
    error.add_note(event.detail)
    return error
