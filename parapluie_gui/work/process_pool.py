"""Processes that share the work of a metric written in Python, one for each core."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import IO, Any

import numpy as np

from parapluie_gui import children
from parapluie_gui.arrays import Scores
from parapluie_gui.errors import MetricError, ParapluieError, WorkerError
from parapluie_gui.metrics import catalogue
from parapluie_gui.metrics.base import AllReferences, Metric, Texts

#: Minimum number of pairs for several processes; fewer are scored before a second process has loaded.
WORTH = 20_000
#: Number of parts queued for each process, so that the next part is ready when it finishes one.
_AHEAD = 2
#: Seconds between checks for cancellation.
_CHECK_INTERVAL = 0.02

#: A part of one pair that makes a metric load its libraries and data.
_TRIAL = (["a b"], ["a c"], ["a d"])

_SERVE = "parapluie_gui.work.process_pool:serve"


def count_cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def is_worthwhile(metric: Metric, pairs: int) -> bool:
    """Return True if several processes are faster for this number of pairs."""
    return metric.info.parallel and pairs >= WORTH and count_cores() > 1


class ProcessPool:
    """Processes that compute one metric, load in the background and end with the `with` block.

    Each thread of an executor waits for one process. A ProcessPoolExecutor is not suitable: its processes run the main
    script again, which scripts that recompute a report do not expect, and before Python 3.14 it cannot kill a process
    in the middle of its work.
    """

    def __init__(self, metric: str, count: int | None = None) -> None:
        self._children = [_ChildProcess(metric) for _ in range(count or count_cores())]
        self._threads = ThreadPoolExecutor(len(self._children), "process-pool")
        self._idle: queue.SimpleQueue[_ChildProcess] = queue.SimpleQueue()
        for child in self._children:
            self._idle.put(child)
        self._loading = [self._threads.submit(self._ask, _TRIAL) for _ in self._children]
        self._parts: deque[Future[Scores]] = deque()

    def __enter__(self) -> ProcessPool:
        return self

    def __exit__(self, *_: object) -> None:
        """Kill the processes."""
        for child in self._children:
            child.process.kill()
        self._threads.shutdown(cancel_futures=True)
        for child in self._children:
            child.end()

    def ready(self) -> bool:
        """Return True if all processes have loaded the metric; does not wait.

        Raises:
            MetricError: The metric cannot be computed.
            WorkerError: A process died.
        """
        while self._loading and self._loading[0].done():
            self._loading.pop(0).result()
        return not self._loading

    @property
    def has_room(self) -> bool:
        """Whether another part can be queued."""
        return len(self._parts) < _AHEAD * len(self._children)

    def send(self, sources: Texts, hypotheses: Texts, references: AllReferences = None) -> None:
        """Queue a part of the pairs."""
        self._parts.append(self._threads.submit(self._ask, (sources, hypotheses, references)))

    def receive(self, check: Callable[[], None] = lambda: None) -> Scores:
        """Wait for the scores of the part that was queued first; float64 of shape (n,).

        `check` is called while waiting; if it raises, the part can still be received later.

        Raises:
            MetricError: The metric cannot be computed.
            WorkerError: A process died, most likely because memory ran out.
        """
        while not self.ready() or not self._parts[0].done():
            check()
            wait([*self._loading, self._parts[0]], _CHECK_INTERVAL)
        return self._parts.popleft().result()

    def _ask(self, part: Any) -> Any:
        child = self._idle.get()
        try:
            return child.ask(part)
        finally:
            self._idle.put(child)


class _ChildProcess:
    """A process of the pool."""

    def __init__(self, metric: str) -> None:
        self.process = children.start(_SERVE, metric)

    def ask(self, part: Any) -> Any:
        """Return the scores of a part of the pairs."""
        assert self.process.stdin is not None and self.process.stdout is not None
        try:
            _write(part, self.process.stdin)
            answer = json.loads(self.process.stdout.readline())
        except (OSError, ValueError) as error:
            raise WorkerError(
                "A scoring process was killed, most likely because memory ran out. Press Run again."
            ) from error
        if isinstance(answer, str):
            raise MetricError(answer)
        return np.array(answer, dtype=np.float64)

    def end(self) -> None:
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            with contextlib.suppress(OSError):
                pipe.close()


def serve() -> None:
    """Run a process of the pool: score parts with the metric named on the command line until the pipe is closed."""
    # Ctrl+C reaches every process of a terminal; only the parent may end this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers = sys.stdout.buffer
    sys.stdout = sys.stderr  # output of libraries must not mix with the answers
    orders: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def listen() -> None:
        with contextlib.suppress(ValueError):
            for line in sys.stdin.buffer:
                orders.put(json.loads(line))
        os._exit(0)  # the parent is gone

    threading.Thread(target=listen, daemon=True).start()
    metric: Metric | None = None
    while True:
        part = orders.get()
        try:
            metric = metric or catalogue.metric(sys.argv[1])
            answer: Any = metric.score(*part).tolist()
        except Exception as error:  # the parent reports the error
            answer = str(error) if isinstance(error, ParapluieError) else f"Scoring failed: {error!r}."
        try:
            _write(answer, answers)
        except OSError:
            os._exit(0)  # the parent is gone, and a traceback would end up in the terminal


def _write(message: Any, pipe: IO[bytes]) -> None:
    """Write a message as one line of JSON, which preserves floats exactly."""
    pipe.write(json.dumps(message).encode() + b"\n")
    pipe.flush()
