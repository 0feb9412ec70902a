"""The process that computes: it loads the model, runs jobs and sends their events; the window stays free of torch."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, TypeVar

from parapluie_gui.work.gate import Cancelled, Gate, Paused
from parapluie_gui.work.job import Event, Job

Result = TypeVar("Result")

#: How long a resting worker sleeps before it looks again; well under what a person notices.
NAP = 0.02


@dataclass(frozen=True)
class Flags:
    """What the window tells the worker without a message, so that it acts in the middle of a batch.

    Attributes:
        paused: 1 while the running job is to rest.
        cancelled: Jobs up to this number are to end.
    """

    paused: Any
    cancelled: Any

    @classmethod
    def make(cls, context: Any) -> Flags:
        """Return flags in memory that both processes share."""
        return cls(context.Value("i", 0, lock=False), context.Value("q", 0, lock=False))


class WorkerGate(Gate):
    """The gate of the running job; serves urgent jobs between its batches and while it rests.

    Attributes:
        job: The number of the running job.
    """

    def __init__(self, flags: Flags, serve_urgent: Callable[[], None]) -> None:
        self.job = 0
        self._flags = flags
        self._serve_urgent = serve_urgent
        self._urgent = False

    def check(self) -> None:
        """Raise Cancelled or Paused as the flags say; an urgent job is not paused."""
        if self.job <= self._flags.cancelled.value:
            raise Cancelled
        if self._flags.paused.value and not self._urgent:
            raise Paused

    def guard(self, work: Callable[[], Result]) -> Result:
        """Do one batch of work, again if a pause interrupted it."""
        while True:
            if not self._urgent:
                self._rest()
            try:
                return work()
            except Paused:
                continue

    @contextlib.contextmanager
    def urgent(self, job: int) -> Any:
        """Let an urgent job through while the other one rests or waits."""
        before, self.job, self._urgent = self.job, job, True
        try:
            yield
        finally:
            self.job, self._urgent = before, False

    def _rest(self) -> None:
        while True:
            if self.job <= self._flags.cancelled.value:
                raise Cancelled
            self._serve_urgent()
            if not self._flags.paused.value:
                return
            time.sleep(NAP)


class Worker:
    """The loop of the worker process."""

    def __init__(self, connection: Connection, flags: Flags) -> None:
        from parapluie_gui.work.runner import Runner

        self._connection = connection
        self._jobs: queue.SimpleQueue[Job] = queue.SimpleQueue()
        self._waiting: list[Job] = []
        self._running: Job | None = None
        self._gate = WorkerGate(flags, self._serve_urgent)
        self._runner = Runner(self._send, self._gate)

    def work(self) -> None:
        """Run jobs until the window goes away."""
        threading.Thread(target=self._listen, daemon=True).start()
        while True:
            job = self._waiting.pop(0) if self._waiting else self._jobs.get()
            self._gate.job, self._running = job.id, job
            with self._gate.urgent(job.id) if job.urgent else contextlib.nullcontext():
                self._runner.run(job)

    def _listen(self) -> None:
        """Take in jobs at once, so that the window's side never waits for a busy worker."""
        try:
            while True:
                self._jobs.put(self._connection.recv())
        except (EOFError, OSError):
            # The window is gone; nobody is left to read a result, and what was scored is in the store.
            os._exit(0)

    def _serve_urgent(self) -> None:
        with contextlib.suppress(queue.Empty):
            while True:
                self._waiting.append(self._jobs.get_nowait())
        for job in list(self._waiting):
            # One that needs another model waits for its turn: two models may not fit into memory.
            if not job.urgent or self._running is None or job.judge not in (None, self._running.judge):
                continue
            self._waiting.remove(job)
            with self._gate.urgent(job.id):
                self._runner.run(job)

    def _send(self, event: Event) -> None:
        self._connection.send(event)


def main(connection: Connection, flags: Flags) -> None:
    """Entry of the spawned process."""
    # Nothing is fetched from a hub while scoring: what is on this computer is found, the rest was to be asked for.
    os.environ["HF_HUB_OFFLINE"] = "1"
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "true")
    # Ctrl+C in a terminal reaches every process of the group; the window decides what becomes of the worker.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "nice"):
        # The window's own thread goes first wherever both want the same core.
        with contextlib.suppress(OSError):
            os.nice(5)
    worker = Worker(connection, flags)
    # Loaded while the user still looks at the corpus.
    import torch  # noqa: F401
    import transformers  # noqa: F401

    worker.work()
