"""The thread that drives the worker process: hands it jobs, passes its events on, kills and restarts it."""

from __future__ import annotations

import contextlib
import multiprocessing
import queue
import signal
import time
from collections.abc import Callable
from dataclasses import replace
from multiprocessing.connection import Connection, wait

from PySide6.QtCore import QObject, QThread, Signal

from parapluie_gui.work import worker
from parapluie_gui.work.job import Cancel, Event, Failed, Finished, Job, PairsChunk, Pause, Ready

#: Seconds a worker has to end a cancelled job by itself before it is killed. Within a model it needs a few
#: milliseconds; while a model loads it cannot answer at all.
GRACE = 0.2

#: Pairs sent at a time. Pickling them holds Python's lock, and the window stands still meanwhile: a few milliseconds
#: for 5000, half a second for a million.
PART = 5000

Target = Callable[[Connection], None]


class Driver(QThread):
    """Owns the worker process. Methods are called from the GUI thread and never wait.

    Urgent jobs go to the worker at once, of the others one at a time.

    Signals:
        received: (Event) The worker's events on a job, in order; the last is Finished or Failed.

    Args:
        target: What the process runs, replaced in tests.
    """

    received = Signal(Event)

    def __init__(self, parent: QObject | None = None, target: Target = worker.main) -> None:
        super().__init__(parent)
        self.setObjectName("driver")
        self._context = multiprocessing.get_context("spawn")
        self._target = target
        self._orders: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._bell, self._ear = self._context.Pipe()
        self._process: multiprocessing.process.BaseProcess | None = None
        self._connection: Connection | None = None
        self._ready = False
        self._paused = False
        self._open: dict[int, Job] = {}
        self._sent: set[int] = set()
        self._sending: tuple[Job, int] | None = None
        self._deadlines: dict[int, float] = {}
        self._closing = False

    def warm(self) -> None:
        """Start the worker now, so that it has its libraries loaded when the first job comes."""
        self._order(self._ensure_worker)

    def submit(self, job: Job) -> None:
        """Hand over a job, numbered unlike any other; its events follow."""
        self._order(lambda: self._take(job))

    def pause(self) -> None:
        """Pause the running job until `resume` or its end; the batch under way is dropped and done again later."""
        self._order(lambda: self._rest(True))

    def resume(self) -> None:
        self._order(lambda: self._rest(False))

    def cancel(self, job: int) -> None:
        """End this job; it is over within GRACE, if need be by killing the worker."""
        self._order(lambda: self._cancel(job))

    def close(self) -> None:
        """End the worker and the thread; returns when both are gone."""
        self._order(self._end)
        self.wait()

    def run(self) -> None:
        """Pass orders to the worker and events from it, until `close`."""
        while not self._closing:
            sources: list[object] = [self._ear]
            if self._process is not None:
                sources += [self._connection, self._process.sentinel]
            first = time.monotonic() if self._sending else min(self._deadlines.values(), default=None)
            ready = wait(sources, None if first is None else max(first - time.monotonic(), 0))  # type: ignore[arg-type]
            if self._ear in ready:
                self._ear.recv_bytes()
                self._orders.get()()
            # An order may have replaced the process meanwhile: what was ready of the old one is not asked for.
            if self._connection is not None and self._connection in ready:
                self._receive()
            elif self._process is not None and self._process.sentinel in ready:
                self._lost()
            if any(time.monotonic() >= deadline for deadline in self._deadlines.values()):
                self._kill_for_cancelled()
            if self._sending is not None:
                self._send_part(*self._sending)
        self._drop_worker()
        self._bell.close()
        self._ear.close()

    def _order(self, act: Callable[[], None]) -> None:
        self._orders.put(act)
        with contextlib.suppress(OSError):  # closed already
            self._bell.send_bytes(b".")

    def _end(self) -> None:
        self._closing = True

    def _take(self, job: Job) -> None:
        self._open[job.id] = job
        self._ensure_worker()
        self._feed()

    def _rest(self, paused: bool) -> None:
        self._paused = paused
        if self._ready:
            self._send(Pause(paused))

    def _cancel(self, job: int) -> None:
        if self._sending is not None and self._sending[0].id == job:
            self._sending = None
            self._send(Cancel(job))
            self._conclude(Finished(job, cancelled=True))
            self._feed()
        elif job in self._sent:
            self._deadlines.setdefault(job, time.monotonic() + GRACE)
            self._send(Cancel(job))
        elif job in self._open:
            self._conclude(Finished(job, cancelled=True))

    def _ensure_worker(self) -> None:
        if self._process is not None:
            return
        self._connection, theirs = self._context.Pipe()
        self._process = self._context.Process(target=self._target, args=(theirs,), name="parapluie-worker", daemon=True)
        try:
            self._process.start()
        except OSError as error:
            self._process = None
            self._drop_worker()
            self._fail_all(f"The scoring process cannot be started ({error.strerror}). Close other programs first.")
        finally:
            theirs.close()

    def _feed(self) -> None:
        """Send the worker the jobs whose turn it is."""
        busy = any(not self._open[number].urgent for number in self._sent)
        for job in list(self._open.values()):
            if self._ready and job.id not in self._sent and (job.urgent or not busy):
                busy = busy or not job.urgent
                self._sent.add(job.id)
                if len(job) > PART:
                    self._sending = job, 0
                else:
                    self._send(job)

    def _send_part(self, job: Job, start: int) -> None:
        """Send the next pairs of a large job, at last the job itself; orders are taken in between."""
        cut = slice(start, start + PART)
        references = None if job.references is None else job.references[cut]
        self._send(PairsChunk(job.id, job.sources[cut], job.hypotheses[cut], references))
        self._sending = job, start + PART
        if start + PART >= len(job):
            self._sending = None
            self._send(replace(job, sources=(), hypotheses=(), references=None if job.references is None else ()))

    def _send(self, order: Job | PairsChunk | Cancel | Pause) -> None:
        if self._connection is not None:
            # A worker that just died is found out by its sentinel.
            with contextlib.suppress(OSError):
                self._connection.send(order)

    def _receive(self) -> None:
        assert self._connection is not None
        try:
            event: Event = self._connection.recv()
        except (EOFError, OSError):
            self._lost()
            return
        if isinstance(event, Ready):
            self._ready = True
            self._send(Pause(self._paused))
            self._feed()
        elif isinstance(event, Finished | Failed):
            self._conclude(event)
            self._feed()
        else:
            self.received.emit(event)

    def _conclude(self, event: Finished | Failed) -> None:
        """Emit the end of a job; a pause ends with the paused job."""
        job = self._open.pop(event.job)
        self._sent.discard(event.job)
        self._deadlines.pop(event.job, None)
        if self._paused and not job.urgent:
            self._rest(False)
        self.received.emit(event)

    def _kill_for_cancelled(self) -> None:
        """Kill the worker because a cancelled job does not end; the jobs that were not cancelled go to a new one."""
        self._drop_worker()
        for job in list(self._deadlines):
            self._conclude(Finished(job, cancelled=True))
        self._ensure_worker()

    def _lost(self) -> None:
        """Report a worker that died by itself; the next job gets a new one."""
        assert self._process is not None
        self._process.join(1.0)
        reason = _why(self._process.exitcode)
        self._drop_worker()
        for job in list(self._deadlines):
            self._conclude(Finished(job, cancelled=True))
        self._fail_all(f"{reason} What was scored is kept. Press Run to go on.")

    def _fail_all(self, text: str) -> None:
        for job in list(self._open):
            self._conclude(Failed(job, text))

    def _drop_worker(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._process.close()
            self._process = None
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        self._ready = False
        self._sent.clear()
        self._sending = None


def _why(exit_code: int | None) -> str:
    """Return a sentence on how the worker process ended."""
    if exit_code is None:
        return "The scoring process stopped answering."
    # Windows gives an access violation as a status of its own.
    if exit_code in (-signal.SIGSEGV, 0xC0000005):
        return "The scoring process crashed (segmentation fault)."
    if hasattr(signal, "SIGKILL") and exit_code == -signal.SIGKILL:
        return "The scoring process was killed, most likely because the computer's memory ran out."
    return f"The scoring process ended unexpectedly (exit status {exit_code})."
