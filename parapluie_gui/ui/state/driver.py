"""The thread that drives the worker process: sends it jobs, passes its events on, kills and restarts it."""

from __future__ import annotations

import queue
import signal
import time
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, QThread, Signal

from parapluie_gui.work import worker
from parapluie_gui.work.events import Event, JobEnding, JobFailed, JobFinished, WorkerReady
from parapluie_gui.work.job import CancelJob, Job, Order, PauseJobs, PreloadLibraries
from parapluie_gui.work.worker_process import Target, WorkerProcess

#: Seconds after which a worker that has not ended a cancelled job is killed. During a pass it needs a few milliseconds;
#: while a model loads it cannot answer at all.
GRACE = 0.2

#: Seconds of silence after which a worker counts as hanging; a worker that computes or loads sends an event every
#: second.
PATIENCE = 10.0

#: Seconds of silence allowed for a worker that has announced a long pass, such as a large model's on a GPU.
LONGEST_GRACE = 3.0

#: Factor for the patience while a worker starts, since a computer under load starts processes slowly.
_STARTING = 3


class WorkerDriver(QThread):
    """The owner of the worker process. Its methods are called from the GUI thread and never wait, nor does its thread.

    Urgent jobs are sent to the worker at once, other jobs one at a time.

    Signals:
        received: (Event) The worker's events on a job, in order; the last is JobFinished or JobFailed.
        silent: (bool) True when the worker has sent nothing for `patience` seconds although it has a job; False when it
            answers again, is replaced, or has no job left.

    Args:
        target: The function that the process runs, replaced in tests.
        patience: Seconds of silence after which a worker counts as hanging.
    """

    received = Signal(Event)
    silent = Signal(bool)

    def __init__(self, parent: QObject | None = None, target: Target = worker.main, patience: float = PATIENCE) -> None:
        super().__init__(parent)
        self.setObjectName("driver")
        self._target = target
        self._patience = patience
        self._tick = min(1.0, patience / 4)
        self._orders: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._worker: WorkerProcess | None = None
        self._ready = False
        self._paused = False
        self._preload = False
        self._open: dict[int, Job] = {}
        self._sent: set[int] = set()
        self._deadlines: dict[int, float] = {}
        self._quiet = 0.0
        self._looked = 0.0
        self._silent = False
        self._closing = False

    def warm(self, *, libraries: bool = False) -> None:
        """Start the worker now; with `libraries` it loads PyTorch at once, so that no job waits for it."""
        self._order(lambda: self._warm(libraries))

    def submit(self, job: Job) -> None:
        """Send a job, which must have a new number; its events follow."""
        self._order(lambda: self._take(job))

    def pause(self) -> None:
        """Pause the running job until `resume` or its end; the current batch is dropped and done again later."""
        self._order(lambda: self._rest(True))

    def resume(self) -> None:
        self._order(lambda: self._rest(False))

    def cancel(self, job: int) -> None:
        """Cancel a job; it ends within GRACE, or LONGEST_GRACE, if necessary by killing the worker."""
        self._order(lambda: self._cancel(job))

    def restart(self) -> None:
        """Kill the worker and start a new one, which continues the jobs; stored scores are not computed again."""
        self._order(self._replace_worker)

    def close(self) -> None:
        """End the worker and the thread; returns when both are gone."""
        self._order(self._end)
        self.wait()

    def run(self) -> None:
        """Pass orders to the worker and events from it, until `close`."""
        self._looked = time.monotonic()
        while not self._closing:
            try:
                act = self._orders.get(timeout=self._compute_wait())
            except queue.Empty:
                pass
            else:
                act()
            self._look()
        self._drop_worker()

    def _order(self, act: Callable[[], None]) -> None:
        self._orders.put(act)

    def _end(self) -> None:
        self._closing = True

    # Time

    def _compute_wait(self) -> float | None:
        """Return the longest time to wait for an order, in seconds; None without a worker."""
        if self._worker is None:
            return None
        until = min(self._deadlines.values(), default=None)
        return self._tick if until is None else min(self._tick, max(until - time.monotonic(), 0))

    def _look(self) -> None:
        """Replace a worker that does not end a cancelled job, and report one that hangs."""
        now = time.monotonic()
        # If more time has passed, this program was suspended as well: the computer slept.
        self._quiet += min(now - self._looked, 2 * self._tick)
        self._looked = now
        if self._worker is not None and self._quiet > 2 * self._tick and self._worker.exit_code is not None:
            self._report_lost()  # one of its child processes still holds its end of the pipe
        if any(now >= deadline for deadline in self._deadlines.values()):
            self._replace_worker()
        silent = self._worker is not None and bool(self._open) and self._quiet >= self._patience
        if silent != self._silent:
            self._silent = silent
            self.silent.emit(silent)

    # Orders

    def _take(self, job: Job) -> None:
        if not self._open:
            self._quiet = min(self._quiet, 0)
        self._open[job.id] = job
        self._ensure_worker()
        self._feed()

    def _rest(self, paused: bool) -> None:
        self._paused = paused
        if self._ready:
            self._send(PauseJobs(paused))

    def _cancel(self, job: int) -> None:
        if job in self._sent:
            self._deadlines.setdefault(job, time.monotonic() + GRACE)
            self._send(CancelJob(job))
        elif job in self._open:
            self._conclude(JobFinished(job, cancelled=True))

    def _warm(self, libraries: bool) -> None:
        ask = libraries and not self._preload
        self._preload = self._preload or libraries
        self._ensure_worker()
        if ask and self._ready:
            self._send(PreloadLibraries())

    def _ensure_worker(self) -> None:
        if self._worker is not None:
            return
        self._quiet = self._patience * (1 - _STARTING)
        try:
            self._worker = WorkerProcess(self._target, self._hear)
        except OSError as error:
            self._fail_all(f"The scoring process cannot be started ({error.strerror}). Close other programs first.")

    def _feed(self) -> None:
        """Send the worker the jobs whose turn it is."""
        busy = any(not self._open[number].urgent for number in self._sent)
        for job in list(self._open.values()):
            if self._ready and job.id not in self._sent and (job.urgent or not busy):
                busy = busy or not job.urgent
                self._sent.add(job.id)
                self._send(job)

    def _send(self, order: Order) -> None:
        if self._worker is not None:
            self._worker.send(order)

    # Events

    def _hear(self, worker: WorkerProcess, event: Event | None) -> None:
        """Receive an event or the end of the worker; called from the worker's threads."""
        self._order(partial(self._receive, worker, event))

    def _receive(self, worker: WorkerProcess, event: Event | None) -> None:
        if worker is not self._worker:  # the worker has been replaced since
            return
        self._quiet = 0
        if event is None:
            self._report_lost()
        elif isinstance(event, WorkerReady):
            self._ready = True
            self._send(PauseJobs(self._paused))
            if self._preload:
                self._send(PreloadLibraries())
            self._feed()
        elif event.job not in self._open:  # a heartbeat, or a late event of a finished job
            return
        elif isinstance(event, JobEnding):
            if event.job in self._deadlines:
                self._deadlines[event.job] += min(2 * event.seconds, LONGEST_GRACE - GRACE)
        elif isinstance(event, JobFinished | JobFailed):
            self._conclude(event)
            self._feed()
        else:
            self.received.emit(event)

    def _conclude(self, event: JobFinished | JobFailed) -> None:
        """Emit the end of a job; if it is paused, the pause ends too."""
        job = self._open.pop(event.job)
        self._sent.discard(event.job)
        self._deadlines.pop(event.job, None)
        if self._paused and not job.urgent:
            self._rest(False)
        self.received.emit(event)

    def _replace_worker(self) -> None:
        """Kill the worker; a new one gets the jobs that were not cancelled."""
        self._drop_worker()
        for job in list(self._deadlines):
            self._conclude(JobFinished(job, cancelled=True))
        self._ensure_worker()

    def _report_lost(self) -> None:
        """Report a worker that died; the next job starts a new one."""
        assert self._worker is not None
        self._worker.wait(1.0)
        reason = _describe_exit(self._worker.exit_code)
        self._drop_worker()
        for job in list(self._deadlines):
            self._conclude(JobFinished(job, cancelled=True))
        self._fail_all(f"{reason} Scores computed so far are kept. Press Run to continue.")

    def _fail_all(self, text: str) -> None:
        for job in list(self._open):
            self._conclude(JobFailed(job, text))

    def _drop_worker(self) -> None:
        if self._worker is not None:
            self._worker.end()
            self._worker = None
        self._ready = False
        self._sent.clear()


def _describe_exit(exit_code: int | None) -> str:
    """Return a sentence about how the worker process ended."""
    if exit_code is None:
        return "The scoring process stopped answering."
    # Windows reports an access violation, and a mapped file that cannot be read, as special statuses.
    if exit_code in (-signal.SIGSEGV, 0xC0000005):
        return "The scoring process crashed (segmentation fault)."
    if exit_code in (-getattr(signal, "SIGBUS", 0), 0xC0000006):
        return (
            "The scoring process ended because a model file was changed or truncated while it was being read. "
            "Copy or download the model again."
        )
    if hasattr(signal, "SIGKILL") and exit_code == -signal.SIGKILL:
        return "The scoring process was killed, most likely because the computer's memory ran out."
    return f"The scoring process ended unexpectedly (exit status {exit_code})."
