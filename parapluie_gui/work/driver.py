"""The thread that drives the worker process: hands it jobs, passes its events on, kills and restarts it."""

from __future__ import annotations

import multiprocessing
import queue
import signal
import time
from collections.abc import Callable
from multiprocessing.connection import Connection, wait

from PySide6.QtCore import QObject, QThread, Signal

from parapluie_gui.work import worker
from parapluie_gui.work.job import Event, Failed, Finished, Job

#: Seconds a worker has to end a cancelled job by itself before it is killed. Within a model it needs a few
#: milliseconds; while a model loads it cannot answer at all.
GRACE = 0.2

Target = Callable[[Connection, worker.Flags], None]


class Driver(QThread):
    """Owns the worker process. Methods are called from the GUI thread and never wait.

    Signals:
        said: (Event) Anything the worker says, in order.

    Args:
        target: What the process runs, replaced in tests.
    """

    said = Signal(object)

    def __init__(self, parent: QObject | None = None, target: Target = worker.main) -> None:
        super().__init__(parent)
        self.setObjectName("driver")
        self._context = multiprocessing.get_context("spawn")
        self._target = target
        self._flags = worker.Flags.make(self._context)
        self._orders: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._bell, self._ear = self._context.Pipe()
        self._process: multiprocessing.process.BaseProcess | None = None
        self._connection: Connection | None = None
        self._open: dict[int, Job] = {}
        self._deadline: tuple[float, int] | None = None
        self._closing = False

    def warm(self) -> None:
        """Start the worker now, so that it has its libraries loaded when the first job comes."""
        self._order(self._ensure_worker)

    def submit(self, job: Job) -> None:
        """Hand over a job; its events follow."""
        self._order(lambda: self._give(job))

    def pause(self) -> None:
        """Let the running job rest; the batch under way is given up and done again later."""
        self._flags.paused.value = 1

    def resume(self) -> None:
        """Let the running job go on."""
        self._flags.paused.value = 0

    def cancel(self, job: int) -> None:
        """End this job and those before it; it is over within GRACE, if need be by killing the worker."""
        self._flags.cancelled.value = max(self._flags.cancelled.value, job)
        self._flags.paused.value = 0
        self._order(lambda: self._expect_end(job))

    def close(self) -> None:
        """End the worker and the thread; returns when both are gone."""
        if self.isRunning():
            self._order(self._end)
            self.wait()

    def run(self) -> None:
        """Pass orders to the worker and events from it, until `close`."""
        while not self._closing:
            sources: list[object] = [self._ear]
            if self._process is not None:
                sources += [self._connection, self._process.sentinel]
            timeout = None if self._deadline is None else max(self._deadline[0] - time.monotonic(), 0)
            ready = wait(sources, timeout)  # type: ignore[arg-type]
            if self._ear in ready:
                self._ear.recv_bytes()
                self._orders.get()()
            if self._connection in ready:
                self._receive()
            elif self._process is not None and self._process.sentinel in ready:
                self._lost()
            if self._deadline is not None and time.monotonic() >= self._deadline[0]:
                self._kill_for(self._deadline[1])
        self._drop_worker()
        self._bell.close()
        self._ear.close()

    def _order(self, act: Callable[[], None]) -> None:
        self._orders.put(act)
        self._bell.send_bytes(b".")

    def _end(self) -> None:
        self._closing = True

    def _ensure_worker(self) -> None:
        if self._process is None:
            self._connection, theirs = self._context.Pipe()
            self._process = self._context.Process(
                target=self._target, args=(theirs, self._flags), name="parapluie-worker", daemon=True
            )
            self._process.start()
            theirs.close()

    def _give(self, job: Job) -> None:
        self._ensure_worker()
        assert self._connection is not None
        self._open[job.id] = job
        try:
            self._connection.send(job)
        except (OSError, ValueError):
            self._lost()

    def _receive(self) -> None:
        assert self._connection is not None
        try:
            event: Event = self._connection.recv()
        except (EOFError, OSError):
            self._lost()
            return
        # A killed worker's job was reported as over; what it may still have sent is late.
        if event.job in self._open:
            if isinstance(event, Finished | Failed):
                self._over(event.job)
            self.said.emit(event)

    def _over(self, job: int) -> None:
        self._open.pop(job, None)
        if self._deadline is not None and self._deadline[1] == job:
            self._deadline = None

    def _expect_end(self, job: int) -> None:
        if job in self._open:
            self._deadline = (time.monotonic() + GRACE, job)

    def _kill_for(self, job: int) -> None:
        """Kill the worker because a cancelled job does not end; other open jobs are given to a new one."""
        self._deadline = None
        self._drop_worker()
        others = [other for other in self._open.values() if other.id > job]
        for ended in [number for number in self._open if number <= job]:
            self._over(ended)
            self.said.emit(Finished(ended, cancelled=True))
        self._ensure_worker()
        for other in others:
            self._give(other)

    def _lost(self) -> None:
        """Report a worker that died by itself, and start another."""
        assert self._process is not None
        self._process.join(1.0)
        reason = _why(self._process.exitcode)
        self._drop_worker()
        for job in list(self._open):
            self._over(job)
            self.said.emit(Failed(job, f"{reason} What was scored is kept; press Run to go on."))

    def _drop_worker(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._process.close()
            self._process = None
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _why(exit_code: int | None) -> str:
    """Return a sentence on how the worker process ended."""
    if exit_code == -signal.SIGSEGV:
        return "The scoring process crashed (segmentation fault)."
    if hasattr(signal, "SIGKILL") and exit_code == -signal.SIGKILL:
        return "The scoring process was killed, most likely because the computer's memory ran out."
    return f"The scoring process ended unexpectedly (exit status {exit_code})."
