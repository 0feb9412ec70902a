"""A worker process as its owner sees it: started, spoken to and ended, and never waited for.

A pipe holds little, and a worker that is stopped neither empties its end nor fills it. So two threads send and listen,
and nobody but they waits for the other side.
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
from parapluie_gui.work.job import Cancel, Job, Order, PairsChunk
from parapluie_gui.work.request import PairsRequest, PairTexts

#: Pairs sent at a time. Pickling them holds Python's lock, and the window stands still meanwhile: a few milliseconds
#: for 5000, half a second for a million.
PART = 5000

#: Seconds that a killed process and its threads have to be gone. One that waits for a broken disk is not gone sooner
#: than the disk allows, and is left to itself.
END = 0.5

Target = Callable[[Connection], None]


@dataclass(frozen=True)
class _Rest:
    """What is still to be sent of a large job: the pairs from one on, then the job itself, which has none here."""

    job: Job
    pairs: PairTexts
    start: int = 0


class WorkerProcess:
    """A running worker.

    Args:
        target: What the process runs with its end of the pipe.
        hear: Takes each of the worker's events, and None once it is gone; called from other threads than the caller's.

    Raises:
        OSError: The system starts no other process.
    """

    def __init__(self, target: Target, hear: Callable[[WorkerProcess, Event | None], None]) -> None:
        context = multiprocessing.get_context("spawn")
        self._hear = hear
        self._orders: queue.SimpleQueue[Order | _Rest | None] = queue.SimpleQueue()
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
            threading.Thread(target=act, name=f"worker-{act.__name__.strip('_')}", daemon=True)
            for act in (self._send_orders, self._listen)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def exit_code(self) -> int | None:
        """The process's exit status, negative for a signal; None while it runs."""
        return self._process.exitcode

    def send(self, order: Order) -> None:
        """Send an order as soon as the worker takes it; orders keep their order, but come between parts of a job.

        Of a job that is cancelled before all of it was sent, no more is sent.
        """
        self._orders.put(order)

    def wait(self, seconds: float) -> None:
        """Wait for the process to end by itself."""
        self._process.join(seconds)

    def end(self) -> None:
        """Kill the process, whatever it does, and end the threads."""
        self._process.kill()
        self._orders.put(None)
        self._process.join(END)
        for thread in self._threads:
            thread.join(END)
        if not any(thread.is_alive() for thread in self._threads):
            self._connection.close()
        with contextlib.suppress(ValueError):  # it is still there
            self._process.close()

    def _listen(self) -> None:
        with contextlib.suppress(EOFError, OSError):
            while True:
                self._hear(self, self._connection.recv())
        self._hear(self, None)

    def _send_orders(self) -> None:
        unsent: set[int] = set()
        with contextlib.suppress(OSError):  # the worker is gone, which the other thread finds out
            while (order := self._orders.get()) is not None:
                match order:
                    case Job(number, PairsRequest(pairs) as request) if len(pairs) > PART:
                        unsent.add(number)
                        order = _Rest(replace(order, request=replace(request, pairs=PairTexts())), pairs)
                if isinstance(order, _Rest):
                    if order.job.id in unsent and self._send_part(order):
                        unsent.discard(order.job.id)
                    continue
                if isinstance(order, Cancel):  # the worker says that it is over; one that hangs says nothing
                    unsent.discard(order.job)
                self._connection.send(order)

    def _send_part(self, rest: _Rest) -> bool:
        """Send the next pairs of a large job, and with the last of them the job; returns whether that was all."""
        end = rest.start + PART
        self._connection.send(PairsChunk(rest.job.id, rest.pairs[rest.start : end]))
        if end < len(rest.pairs):
            self._orders.put(replace(rest, start=end))
            return False
        self._connection.send(rest.job)
        return True


@contextlib.contextmanager
def _without_ctrl_c() -> Iterator[None]:
    """Keep Ctrl+C, which goes to all processes at a terminal, from one that is started in this thread.

    A worker ignores it, but it would print a traceback while it is still being loaded. Windows has no such mask.
    """
    if sys.platform == "win32":
        yield
        return
    from multiprocessing import resource_tracker

    # Its start, before that of the first process, would let Ctrl+C through again (Python 3.11).
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
