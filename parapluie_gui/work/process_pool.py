"""Spreading a metric that is Python's own work over processes, one for each core."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
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
from parapluie_gui.metrics.base import Metric, References, Texts

#: Fewer pairs than this are done before a second process has loaded its libraries.
WORTH = 20_000
#: Parts handed over for each process: while it computes one, the next is already there.
_AHEAD = 2
#: Seconds between two looks at whether the job is to end.
_LOOK = 0.02

#: A part that makes a metric load what it needs.
_TRIAL = (["a b"], ["a c"], ["a d"])

_SERVE = "parapluie_gui.work.process_pool:serve"


def processes() -> int:
    """Return how many processes pay on this computer: one for each core this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def pays(metric: Metric, pairs: int) -> bool:
    """Return whether several processes are faster for this number of pairs of a metric."""
    return metric.info.parallel and pairs >= WORTH and processes() > 1


class ProcessPool:
    """Processes that compute one metric; they load while their owner computes, and end with the `with` block.

    Each thread of an executor waits for one plain process. A ProcessPoolExecutor does not serve here: its processes run
    the main script of the program again, which the scripts that a report is recomputed with do not expect, and before
    Python 3.14 it has no way to end a process in the middle of its work.
    """

    def __init__(self, metric: str, count: int | None = None) -> None:
        self._children = [_Child(metric) for _ in range(count or processes())]
        self._threads = ThreadPoolExecutor(len(self._children), "process-pool")
        self._idle: queue.SimpleQueue[_Child] = queue.SimpleQueue()
        for child in self._children:
            self._idle.put(child)
        self._loading = [self._threads.submit(self._ask, _TRIAL) for _ in self._children]
        self._parts: deque[Future[Scores]] = deque()

    def __enter__(self) -> ProcessPool:
        return self

    def __exit__(self, *_: object) -> None:
        """End the processes now, whatever they do."""
        for child in self._children:
            child.process.kill()
        self._threads.shutdown(cancel_futures=True)
        for child in self._children:
            child.end()

    def ready(self) -> bool:
        """Return whether all processes have loaded what they need; does not wait.

        Raises:
            MetricError: The metric cannot be computed.
            WorkerError: A process died.
        """
        while self._loading and self._loading[0].done():
            self._loading.pop(0).result()
        return not self._loading

    @property
    def hungry(self) -> bool:
        """True if a process would be idle soon without another part."""
        return len(self._parts) < _AHEAD * len(self._children)

    def send(self, sources: Texts, hypotheses: Texts, references: References = None) -> None:
        """Hand over a part of the pairs."""
        self._parts.append(self._threads.submit(self._ask, (sources, hypotheses, references)))

    def receive(self, check: Callable[[], None] = lambda: None) -> Scores:
        """Wait for the scores of the part that was handed over first; float64 of shape (n,).

        `check` is called while waiting; what it raises leaves the part to be received later.

        Raises:
            MetricError: The metric cannot be computed.
            WorkerError: A process died, most likely because memory ran out.
        """
        while not self.ready() or not self._parts[0].done():
            check()
            wait([*self._loading, self._parts[0]], _LOOK)
        return self._parts.popleft().result()

    def _ask(self, part: Any) -> Any:
        child = self._idle.get()
        try:
            return child.ask(part)
        finally:
            self._idle.put(child)


class _Child:
    """One process."""

    def __init__(self, metric: str) -> None:
        # What this process can import, that one can.
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        command = children.call(_SERVE, metric)
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)

    def ask(self, part: Any) -> Any:
        """Return what the process answers to a part of the pairs."""
        assert self.process.stdin is not None and self.process.stdout is not None
        try:
            _write(part, self.process.stdin)
            answer = json.loads(self.process.stdout.readline())
        except (OSError, ValueError) as error:
            raise WorkerError(
                "A scoring process was killed, most likely because the memory ran out. Press Run again."
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
    """Be such a process: score what comes until the pipe is closed, by the metric that the command line names."""
    # Ctrl+C reaches every process of a terminal; the parent decides what becomes of this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers = sys.stdout.buffer
    sys.stdout = sys.stderr  # what a library prints must not get between the answers
    orders: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def listen() -> None:
        with contextlib.suppress(ValueError):
            for line in sys.stdin.buffer:
                orders.put(json.loads(line))
        os._exit(0)  # the parent is gone, in the middle of a part or not

    threading.Thread(target=listen, daemon=True).start()
    metric: Metric | None = None
    while True:
        part = orders.get()
        try:
            metric = metric or catalogue.metric(sys.argv[1])
            answer: Any = metric.score(*part).tolist()
        except Exception as error:  # said where the user sees it
            answer = str(error) if isinstance(error, ParapluieError) else f"Scoring failed: {error!r}."
        try:
            _write(answer, answers)
        except OSError:
            os._exit(0)  # the parent is gone, and nobody is to read of it in the terminal


def _write(message: Any, pipe: IO[bytes]) -> None:
    """Write a message as one line of JSON; floats come out of it as they went in."""
    pipe.write(json.dumps(message).encode() + b"\n")
    pipe.flush()
