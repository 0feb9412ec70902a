"""The owner's end of the connection to a worker process, which never blocks.

A pipe holds little, and a suspended worker neither reads nor writes. So two threads, which send and receive, are the
only ones that wait for the worker.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import queue
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection

from parapluie_gui.work.events import Event
from parapluie_gui.work.job import CancelJob, Job, Order, PairsChunk
from parapluie_gui.work.request import PairsRequest, PairTexts

#: Pairs sent at a time. Pickling them holds the GIL, which freezes the window: for a few milliseconds with 5000 pairs,
#: for half a second with a million.
PART = 5000

#: Seconds to wait for a killed process and its threads. A process that hangs on a broken disk is then abandoned.
END = 0.5

Target = Callable[[Connection], None]


@dataclass(frozen=True)
class _UnsentPairs:
    """The unsent part of a large job: the pairs from `start` on, and the job without pairs."""

    job: Job
    pairs: PairTexts
    start: int = 0


class WorkerProcess:
    """A running worker.

    Args:
        target: The function that the process runs with its end of the pipe.
        receive: Called from a background thread with each event of the worker, and with None once it is gone.

    Raises:
        OSError: The system cannot start a process.
    """

    def __init__(self, target: Target, receive: Callable[[WorkerProcess, Event | None], None]) -> None:
        context = multiprocessing.get_context("spawn")
        self._receive = receive
        self._orders: queue.SimpleQueue[Order | _UnsentPairs | None] = queue.SimpleQueue()
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=target, args=(theirs,), name="parapluie-worker", daemon=True)
        try:
            with _without_ctrl_c():
                self._process.start()
        except OSError:
            self._connection.close()
            raise
        finally:
            theirs.close()
        self._threads = [
            threading.Thread(target=loop, name=f"worker-{loop.__name__.strip('_')}", daemon=True)
            for loop in (self._send_orders, self._listen)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def exit_code(self) -> int | None:
        """Exit status of the process, negative for a signal; None while it runs."""
        return self._process.exitcode

    def send(self, order: Order) -> None:
        """Queue an order for the worker; orders are sent in sequence, but may be sent between parts of a large job.

        Cancelling a job stops sending its remaining parts.
        """
        self._orders.put(order)

    def wait(self, seconds: float) -> None:
        """Wait for up to some seconds until the process ends."""
        self._process.join(seconds)

    def end(self) -> None:
        """Kill the process and end the threads."""
        self._process.kill()
        self._orders.put(None)
        self._process.join(END)
        for thread in self._threads:
            thread.join(END)
        if not any(thread.is_alive() for thread in self._threads):
            self._connection.close()
        with contextlib.suppress(ValueError):  # the process has not ended yet
            self._process.close()

    def _listen(self) -> None:
        with contextlib.suppress(EOFError, OSError):
            while True:
                self._receive(self, self._connection.recv())
        self._receive(self, None)

    def _send_orders(self) -> None:
        unsent: set[int] = set()
        with contextlib.suppress(OSError):  # the worker is gone, which the other thread reports
            while (order := self._orders.get()) is not None:
                match order:
                    case Job(number, PairsRequest(pairs) as request) if len(pairs) > PART:
                        unsent.add(number)
                        order = _UnsentPairs(replace(order, request=replace(request, pairs=PairTexts())), pairs)
                if isinstance(order, _UnsentPairs):
                    if order.job.id in unsent and self._send_part(order):
                        unsent.discard(order.job.id)
                    continue
                if isinstance(order, CancelJob):  # the worker reports the end of the job
                    unsent.discard(order.job)
                self._connection.send(order)

    def _send_part(self, unsent: _UnsentPairs) -> bool:
        """Send the next pairs of a large job, and the job after the last pairs; return True if all is sent."""
        end = unsent.start + PART
        self._connection.send(PairsChunk(unsent.job.id, unsent.pairs[unsent.start : end]))
        if end < len(unsent.pairs):
            self._orders.put(replace(unsent, start=end))
            return False
        self._connection.send(unsent.job)
        return True


@contextlib.contextmanager
def _without_ctrl_c() -> Iterator[None]:
    """Block Ctrl+C, which reaches all processes at a terminal, in processes that this thread starts.

    A worker ignores Ctrl+C, but would print a traceback if it arrived while the worker loads. Windows has no such mask.
    """
    if sys.platform == "win32":
        yield
        return
    from multiprocessing import resource_tracker

    # The first process starts the tracker, which would unblock Ctrl+C (Python 3.11).
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
