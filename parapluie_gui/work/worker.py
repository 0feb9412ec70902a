"""The process that computes: it loads the model, runs jobs and sends their events; the window stays free of torch."""

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

from parapluie_gui.work.events import Beat, Ending, Event, Failed, Finished, Ready
from parapluie_gui.work.gate import Cancelled, Gate, Interrupted
from parapluie_gui.work.job import Cancel, Job, PairsChunk, Pause, Preload
from parapluie_gui.work.request import PairsRequest, PairTexts

Result = TypeVar("Result")

#: Seconds between two signs of life.
BEAT = 1.0
#: Seconds between two looks at whether a job is to end that need not be spoken of.
QUICK = 0.05


class Inbox:
    """What the window has ordered and is not done yet.

    A thread takes orders in as they come, so that the window's side never waits for a busy worker and a cancel is seen
    in the middle of a batch.
    """

    def __init__(
        self, connection: Connection, say: Callable[[Event], None], preload: Callable[[], None] = lambda: None
    ) -> None:
        self._connection, self._say, self._preload = connection, say, preload
        #: Returns how many seconds may pass until the running job is looked at.
        self.look: Callable[[], float] = lambda: 0.0
        self._jobs: list[Job] = []
        self._arrived: set[int] = set()
        self._parts: dict[int, list[PairTexts]] = {}
        self._cancelled: set[int] = set()
        self._paused = False
        self._changed = threading.Condition()

    def listen(self) -> None:
        """Take in orders until the window is gone; then nobody is left to work for, and the process ends."""
        try:
            while True:
                order = self._connection.recv()
                with self._changed:
                    match order:
                        case PairsChunk(job):
                            self._parts.setdefault(job, []).append(order.pairs)
                        case Job():
                            self._arrived.add(order.id)
                            self._jobs.append(_joined(order, self._parts.pop(order.id, [])))
                        case Cancel(job):
                            again = job in self._cancelled
                            self._parts.pop(job, None)
                            self._cancelled.add(job)
                            if job not in self._arrived:  # no more of it will come
                                self._say(Finished(job, cancelled=True))
                            elif not again and (seconds := self.look()) > QUICK:
                                self._say(Ending(job, seconds))
                        case Pause(paused):
                            self._paused = paused
                        case Preload():
                            self._preload()
                    self._changed.notify_all()
        except (EOFError, OSError):
            os._exit(0)  # what was scored is in the store

    def next(self) -> Job:
        """Wait for a job and take it, an urgent one first."""
        with self._changed:
            self._changed.wait_for(lambda: self._jobs)
            job = next((job for job in self._jobs if job.urgent), self._jobs[0])
            self._jobs.remove(job)
            return job

    def cancelled(self, job: Job) -> bool:
        """Return True if this job is to end."""
        return job.id in self._cancelled

    def interrupts(self, job: Job) -> bool:
        """Return True if this job is to make way, for an urgent one or for a pause."""
        return not job.urgent and (self._paused or self._urgent(job) is not None)

    def take_urgent(self, job: Job) -> Job | None:
        """Take an urgent job that may be done in the middle of this one, if there is any."""
        with self._changed:
            if (urgent := self._urgent(job)) is not None:
                self._jobs.remove(urgent)
            return urgent

    def wait(self, job: Job) -> None:
        """Wait until there is something to do: this job to go on or to end, or an urgent one."""
        with self._changed:
            self._changed.wait_for(lambda: not self._paused or self.cancelled(job) or self._urgent(job))

    def _urgent(self, job: Job) -> Job | None:
        # One that needs another model waits for its turn: two models may not fit into memory.
        at_hand = (None, job.request.wanted_judge())
        return next((each for each in self._jobs if each.urgent and each.request.wanted_judge() in at_hand), None)


def _joined(job: Job, parts: list[PairTexts]) -> Job:
    """Return a job with the pairs that were sent ahead of it."""
    if not parts or not isinstance(job.request, PairsRequest):
        return job
    return replace(job, request=replace(job.request, pairs=PairTexts.joined(parts)))


class WorkerGate(Gate):
    """The gate of the running job; serves urgent jobs between its batches and while it rests."""

    def __init__(self, inbox: Inbox, serve: Callable[[Job], None]) -> None:
        self._inbox = inbox
        self._serve = serve
        self._job: Job | None = None
        self._looked = time.monotonic()
        self._longest = [0.0, 0.0]  # waits between two looks: in the last batch, and in this one
        self._busy = False

    @property
    def wait(self) -> float:
        """The longest time between two looks lately, in seconds: a GPU is given all layers of a pass at once.

        0 between batches and while a model loads, of which there is no end to wait for.
        """
        return max(self._longest) if self._busy else 0.0

    @contextlib.contextmanager
    def running(self, job: Job) -> Iterator[None]:
        """Run a job, also within another one."""
        outer, self._job = self._job, job
        try:
            yield
        finally:
            self._job = outer

    def check(self) -> None:
        """Raise Cancelled or Interrupted as the window wants; an urgent job is not interrupted."""
        assert self._job is not None
        self._mark()
        if self._inbox.cancelled(self._job):
            raise Cancelled
        if self._inbox.interrupts(self._job):
            raise Interrupted

    def guard(self, work: Callable[[], Result]) -> Result:
        """Do one batch of work, again if it was interrupted."""
        while True:
            self._looked = time.monotonic()  # what was before is no part of the batch
            try:
                self.check()
                self._longest, self._busy = [self._longest[1], 0.0], True
                return work()
            except Interrupted:
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


class Voice:
    """What the worker says to the window, from any thread: events, and signs of life however long a batch takes."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._lock = threading.Lock()

    def say(self, event: Event) -> None:
        """Send an event; the process ends if nobody is left to hear it."""
        try:
            with self._lock:
                self._connection.send(event)
        except OSError:
            os._exit(0)

    def beat(self) -> None:
        """Say for ever that the process lives."""
        while True:
            time.sleep(BEAT)
            self.say(Beat())


class Worker:
    """The loop of the worker process."""

    def __init__(self, voice: Voice, inbox: Inbox, libraries: Callable[[], None]) -> None:
        from parapluie_gui.work.runner import Runner

        self._voice = voice
        self._inbox = inbox
        self._gate = WorkerGate(inbox, self._run)
        inbox.look = lambda: self._gate.wait
        self._runner = Runner(self._send, self._gate, libraries)

    def work(self) -> None:
        """Run jobs until the window goes away."""
        while True:
            self._run(self._inbox.next())

    def _run(self, job: Job) -> None:
        with self._gate.running(job):
            self._runner.run(job)

    def _send(self, event: Event) -> None:
        self._voice.say(event)
        if isinstance(event, Failed) and "CUDA error" in event.detail:
            # The device's state is lost for this process; the next job gets a new one.
            os._exit(1)


def main(connection: Connection) -> None:
    """Entry of the spawned process."""
    # Ctrl+C in a terminal reaches every process of the group; the window decides what becomes of the worker.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Nothing is fetched from a hub while scoring: what is on this computer is found, the rest was to be asked for.
    os.environ["HF_HUB_OFFLINE"] = "1"
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "true")
    if "OMP_WAIT_POLICY" not in os.environ:
        # PyTorch's threads wait for each other by spinning. While the window draws, one of them has no core, and the
        # others would spin for as long as it draws (tests/benchmarks/explain.py --beside: a quarter of the time).
        os.environ.setdefault("GOMP_SPINCOUNT", "10000")
    voice, libraries = Voice(connection), Libraries()
    inbox = Inbox(connection, voice.say, libraries.begin)
    voice.say(Ready())
    for act in (inbox.listen, voice.beat):
        threading.Thread(target=act, daemon=True).start()
    if hasattr(os, "nice"):
        # The window's own thread goes first wherever both want the same core.
        with contextlib.suppress(OSError):
            os.nice(5)
    Worker(voice, inbox, libraries.wait).work()


class Libraries:
    """PyTorch and transformers, loaded when they are first wanted: what needs neither never waits for them.

    In a thread of their own: a job that needs no model goes on meanwhile. One that does must wait for the whole of
    them, since transformers cannot be imported by two threads at a time.
    """

    def __init__(self) -> None:
        self._loading: threading.Thread | None = None
        self._lock = threading.Lock()

    def begin(self) -> None:
        """Begin to load them, unless that has been done."""
        with self._lock:
            if self._loading is None:
                self._loading = threading.Thread(target=preload, daemon=True)
                self._loading.start()

    def wait(self) -> None:
        """Return once they are loaded."""
        self.begin()
        assert self._loading is not None
        self._loading.join()


def preload() -> None:
    """Load the large libraries."""
    # Where one is broken or absent, the job that needs it says so.
    with contextlib.suppress(ImportError):
        import torch  # noqa: F401
        from transformers import PreTrainedModel  # noqa: F401  (transformers alone puts most of its loading off)
