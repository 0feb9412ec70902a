"""The worker process: it loads models, runs jobs and sends their events, so that the window needs no PyTorch."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from multiprocessing.connection import Connection
from typing import TypeVar

from parapluie_gui import children
from parapluie_gui.work.events import Event, Heartbeat, JobEnding, JobFailed, JobFinished, WorkerReady
from parapluie_gui.work.gate import BatchInterrupted, JobCancelled, WorkGate
from parapluie_gui.work.job import CancelJob, Job, PairsChunk, PauseJobs, PreloadLibraries
from parapluie_gui.work.request import PairsRequest, PairTexts

Result = TypeVar("Result")

#: Seconds between heartbeats.
HEARTBEAT = 1.0
#: Maximum number of seconds between checks for cancellation; longer delays are announced to the user.
QUICK = 0.05


class OrderQueue:
    """The queue of orders from the window.

    A thread receives orders as they arrive, so that the window never waits for a busy worker, and cancelling takes
    effect in the middle of a batch.
    """

    def __init__(
        self, connection: Connection, send: Callable[[Event], None], preload: Callable[[], None] = lambda: None
    ) -> None:
        self._connection, self._send, self._preload = connection, send, preload
        #: Returns the number of seconds until the running job checks for cancellation.
        self.seconds_to_check: Callable[[], float] = lambda: 0.0
        self._jobs: list[Job] = []
        self._arrived: set[int] = set()
        self._parts: dict[int, list[PairTexts]] = {}
        self._cancelled: set[int] = set()
        self._paused = False
        self._changed = threading.Condition()

    def listen(self) -> None:
        """Receive orders until the window is gone, then end the process."""
        try:
            while True:
                order = self._connection.recv()
                with self._changed:
                    match order:
                        case PairsChunk(job):
                            self._parts.setdefault(job, []).append(order.pairs)
                        case Job():
                            self._arrived.add(order.id)
                            self._jobs.append(_with_pairs(order, self._parts.pop(order.id, [])))
                        case CancelJob(job):
                            repeated = job in self._cancelled
                            self._parts.pop(job, None)
                            self._cancelled.add(job)
                            if job not in self._arrived:  # the window sends no more of the job
                                self._send(JobFinished(job, cancelled=True))
                            elif not repeated and (seconds := self.seconds_to_check()) > QUICK:
                                self._send(JobEnding(job, seconds))
                        case PauseJobs(paused):
                            self._paused = paused
                        case PreloadLibraries():
                            self._preload()
                    self._changed.notify_all()
        except (EOFError, OSError):
            os._exit(0)  # scores that were computed are already stored

    def next(self) -> Job:
        """Wait for a job and remove it from the queue, urgent ones first."""
        with self._changed:
            self._changed.wait_for(lambda: self._jobs)
            job = next((job for job in self._jobs if job.urgent), self._jobs[0])
            self._jobs.remove(job)
            return job

    def is_cancelled(self, job: Job) -> bool:
        """Return True if a job was cancelled."""
        return job.id in self._cancelled

    def interrupts(self, job: Job) -> bool:
        """Return True if a job has to stop for an urgent one or for a pause."""
        return not job.urgent and (self._paused or self._urgent(job) is not None)

    def take_urgent(self, job: Job) -> Job | None:
        """Remove an urgent job that can run in the middle of this one, and return it; None if there is none."""
        with self._changed:
            if (urgent := self._urgent(job)) is not None:
                self._jobs.remove(urgent)
            return urgent

    def wait(self, job: Job) -> None:
        """Wait until a paused job may continue or was cancelled, or an urgent job arrives."""
        with self._changed:
            self._changed.wait_for(lambda: not self._paused or self.is_cancelled(job) or self._urgent(job))

    def _urgent(self, job: Job) -> Job | None:
        # An urgent job with a different model has to wait: two models may not fit into memory.
        available = (None, job.request.wanted_judge())
        return next((job for job in self._jobs if job.urgent and job.request.wanted_judge() in available), None)


def _with_pairs(job: Job, parts: list[PairTexts]) -> Job:
    """Return a job with its pairs, which were sent before it."""
    if not parts or not isinstance(job.request, PairsRequest):
        return job
    return replace(job, request=replace(job.request, pairs=PairTexts.concatenate(parts)))


class WorkerGate(WorkGate):
    """The gate of the running job; runs urgent jobs between its batches and during a pause."""

    def __init__(self, inbox: OrderQueue, serve: Callable[[Job], None]) -> None:
        self._inbox = inbox
        self._serve = serve
        self._job: Job | None = None
        self._looked = time.monotonic()
        self._longest = [0.0, 0.0]  # longest times between two checks: in the previous batch, and in this one
        self._busy = False

    @property
    def wait(self) -> float:
        """The longest recent time between two checks, in seconds; long on a GPU, which queues all layers of a pass.

        It is 0 between batches and while a model loads.
        """
        return max(self._longest) if self._busy else 0.0

    @contextlib.contextmanager
    def running(self, job: Job) -> Iterator[None]:
        """Run a job, possibly in the middle of another job."""
        outer, self._job = self._job, job
        try:
            yield
        finally:
            self._job = outer

    def check(self) -> None:
        """Raise Cancelled or Interrupted on orders of the window; an urgent job is not interrupted."""
        assert self._job is not None
        self._mark()
        if self._inbox.is_cancelled(self._job):
            raise JobCancelled
        if self._inbox.interrupts(self._job):
            raise BatchInterrupted

    def guard(self, work: Callable[[], Result]) -> Result:
        """Do one batch of work, and repeat it if it was interrupted."""
        while True:
            self._looked = time.monotonic()  # time before the batch does not count
            try:
                self.check()
                self._longest, self._busy = [self._longest[1], 0.0], True
                return work()
            except BatchInterrupted:
                pass
            finally:
                self._busy = False
                self._mark()
            self._make_way()

    def _mark(self) -> None:
        now = time.monotonic()
        self._longest[1] = max(self._longest[1], now - self._looked)
        self._looked = now

    def _make_way(self) -> None:
        assert self._job is not None
        if (urgent := self._inbox.take_urgent(self._job)) is not None:
            self._serve(urgent)
        else:
            self._inbox.wait(self._job)


class EventSender:
    """The sender of events and heartbeats to the window; thread-safe."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._lock = threading.Lock()

    def send(self, event: Event) -> None:
        """Send an event; end the process if the window is gone."""
        try:
            with self._lock:
                self._connection.send(event)
        except OSError:
            os._exit(0)

    def send_heartbeats(self) -> None:
        """Send heartbeats forever."""
        while True:
            time.sleep(HEARTBEAT)
            self.send(Heartbeat())


class Worker:
    """The loop of the worker process."""

    def __init__(self, sender: EventSender, inbox: OrderQueue, libraries: Callable[[], None]) -> None:
        from parapluie_gui.work.runner import JobRunner

        self._sender = sender
        self._inbox = inbox
        self._gate = WorkerGate(inbox, self._run)
        inbox.seconds_to_check = lambda: self._gate.wait
        self._runner = JobRunner(self._send, self._gate, libraries)

    def work(self) -> None:
        """Run jobs until the window goes away."""
        while True:
            self._run(self._inbox.next())

    def _run(self, job: Job) -> None:
        with self._gate.running(job):
            self._runner.run(job)

    def _send(self, event: Event) -> None:
        self._sender.send(event)
        if isinstance(event, JobFailed) and "CUDA error" in event.detail:
            # The device can no longer be used in this process; the next job gets a new process.
            os._exit(1)


def main(connection: Connection) -> None:
    """Run the worker in a spawned process."""
    # Ctrl+C in a terminal reaches every process of the group; only the window may end the worker.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Nothing is downloaded while scoring; downloads need the user's consent beforehand.
    os.environ["HF_HUB_OFFLINE"] = "1"
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "true")
    children.limit_spinning()
    sender, libraries = EventSender(connection), LibraryLoader()
    inbox = OrderQueue(connection, sender.send, libraries.begin)
    sender.send(WorkerReady())
    for loop in (inbox.listen, sender.send_heartbeats):
        threading.Thread(target=loop, daemon=True).start()
    if hasattr(os, "nice"):
        # The window's thread has priority on a shared core.
        with contextlib.suppress(OSError):
            os.nice(5)
    Worker(sender, inbox, libraries.wait).work()


class LibraryLoader:
    """A thread that loads PyTorch and transformers when first needed.

    Jobs without a model run in the meantime. Jobs with a model wait until both libraries are loaded, since transformers
    cannot be imported by two threads at a time.
    """

    def __init__(self) -> None:
        self._loading: threading.Thread | None = None
        self._lock = threading.Lock()

    def begin(self) -> None:
        """Start loading, unless it has been started."""
        with self._lock:
            if self._loading is None:
                self._loading = threading.Thread(target=preload, daemon=True)
                self._loading.start()

    def wait(self) -> None:
        """Wait until the libraries are loaded."""
        self.begin()
        assert self._loading is not None
        self._loading.join()


def preload() -> None:
    """Load PyTorch and transformers."""
    # If one is broken or absent, the job that needs it reports the error.
    with contextlib.suppress(ImportError):
        import torch  # noqa: F401
        from transformers import PreTrainedModel  # noqa: F401  (transformers alone defers most of its imports)
