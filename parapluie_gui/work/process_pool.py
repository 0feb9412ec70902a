"""Spreading a metric that is Python's own work over processes, one for each core."""

from __future__ import annotations

import collections
import contextlib
import json
import os
import queue
import signal
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import IO

import numpy as np

from parapluie_gui.arrays import Scores
from parapluie_gui.errors import MetricError, ParapluieError, WorkerError
from parapluie_gui.metrics import catalogue
from parapluie_gui.metrics.base import Metric

#: Fewer pairs than this are done before a second process has loaded its libraries.
WORTH = 20_000
#: Parts under way in each process: while it computes one, the next is already there.
_AHEAD = 2
#: Seconds between two looks at whether the job is to end.
_LOOK = 0.02

_SERVE = "from parapluie_gui.work.process_pool import serve; serve()"


def processes() -> int:
    """Return how many processes pay on this computer: one for each core this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def pays(metric: Metric, pairs: int) -> bool:
    """Return whether so many pairs of a metric are done sooner by several processes."""
    # A program packed into one file has no Python to start beside it.
    return metric.info.parallel and pairs >= WORTH and processes() > 1 and not hasattr(sys, "frozen")


class Spread:
    """Processes that compute one metric; they load while their owner computes, and end with the `with` block.

    They are plain child processes that talk over pipes, because the worker process of the window is a daemon, which
    multiprocessing allows no children. A child whose parent is gone, however it went, finds its pipe closed and ends.

    Args:
        metric: The metric's spec, from which each process makes its own.
        count: How many processes, one for each core unless given.
    """

    def __init__(self, metric: str, count: int | None = None) -> None:
        self._children = [_Child(metric) for _ in range(count or processes())]
        self._loading = list(self._children)
        self._sent: collections.deque[tuple[_Child, int]] = collections.deque()
        self._turn = 0

    def __enter__(self) -> Spread:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the processes now, whatever they do."""
        for child in self._children:
            child.end()

    def ready(self) -> bool:
        """Whether all processes have loaded what they need; does not wait.

        Raises:
            MetricError: The metric cannot be computed.
            WorkerError: A process died.
        """
        while self._loading and self._loading[0].receive(wait=0) is not None:
            del self._loading[0]
        return not self._loading

    @property
    def hungry(self) -> bool:
        """Whether a process would be idle soon without another part."""
        return len(self._sent) < _AHEAD * len(self._children)

    def send(
        self, sources: Sequence[str], hypotheses: Sequence[str], references: Sequence[str | None] | None = None
    ) -> None:
        """Hand over a part of the pairs; every process takes its turn."""
        child = self._children[self._turn % len(self._children)]
        self._turn += 1
        child.send(json.dumps([sources, hypotheses, references]))
        self._sent.append((child, len(sources)))

    def receive(self, check: Callable[[], None] = lambda: None) -> Scores:
        """Wait for the scores of the part that was handed over first; float64 of shape (n,).

        Args:
            check: Called while waiting; what it raises leaves the part to be received later.

        Raises:
            MetricError: The metric cannot be computed.
            WorkerError: A process died, most likely because memory ran out.
        """
        child, pairs = self._sent[0]
        while not self.ready():
            check()
            time.sleep(_LOOK)
        while (answer := child.receive(_LOOK)) is None:
            check()
        self._sent.popleft()
        scores = np.frombuffer(answer, dtype=np.float64)
        if len(scores) != pairs:
            raise WorkerError(f"A scoring process answered {len(scores)} of {pairs} pairs; press Run to go on.")
        return scores


class _Child:
    """One process. Threads write to it and read from it, so that neither side waits for the other with a full pipe."""

    def __init__(self, metric: str) -> None:
        # What this process can import, that one can.
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        self._process = subprocess.Popen(
            [sys.executable, "-c", _SERVE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
        )
        self._orders: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._answers: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._threads = [threading.Thread(target=run, daemon=True) for run in (self._write, self._read)]
        for thread in self._threads:
            thread.start()
        self.send(metric)

    def send(self, message: str) -> None:
        self._orders.put(message.encode())

    def receive(self, wait: float) -> bytes | None:
        """Return the next answer, or None if there is none after so many seconds."""
        try:
            answer = self._answers.get(timeout=wait) if wait else self._answers.get_nowait()
        except queue.Empty:
            return None
        if answer is None:
            self._answers.put(None)
            raise WorkerError("A scoring process was killed, most likely because the memory ran out; press Run again.")
        if answer[:1] == b"!":
            raise MetricError(answer[1:].decode())
        return answer[1:]

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        self._orders.put(None)
        for thread in self._threads:
            thread.join()
        for pipe in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                assert pipe is not None
                pipe.close()

    def _write(self) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):  # it died: whoever reads finds out
            while (message := self._orders.get()) is not None:
                _put(self._process.stdin, message)

    def _read(self) -> None:
        assert self._process.stdout is not None
        while (answer := _get(self._process.stdout)) is not None:
            self._answers.put(answer)
        self._answers.put(None)


def _put(pipe: IO[bytes], message: bytes) -> None:
    pipe.write(struct.pack("<Q", len(message)))
    pipe.write(message)
    pipe.flush()


def _get(pipe: IO[bytes]) -> bytes | None:
    head = pipe.read(8)
    if len(head) < 8:
        return None
    (length,) = struct.unpack("<Q", head)
    message = pipe.read(length)
    return message if len(message) == length else None


def serve() -> None:
    """Be such a process: take the metric's spec, then score what comes until the pipe is closed."""
    # Ctrl+C reaches every process of a terminal; the parent decides what becomes of this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    orders, answers = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # what a library prints must not get between the answers
    waiting: queue.SimpleQueue[bytes] = queue.SimpleQueue()

    def listen() -> None:
        while (message := _get(orders)) is not None:
            waiting.put(message)
        os._exit(0)  # the parent is gone, in the middle of a part or not

    threading.Thread(target=listen, daemon=True).start()
    try:
        metric = catalogue.metric(waiting.get().decode())
        metric.score(["a b"], ["a c"], ["a d"])  # loads what it needs
        _put(answers, b"=")
        while True:
            scores = metric.score(*json.loads(waiting.get()))
            _put(answers, b"=" + np.ascontiguousarray(scores, dtype=np.float64).tobytes())
    except Exception as error:  # said where the user sees it
        said = str(error) if isinstance(error, ParapluieError) else f"Scoring failed: {error!r}."
        _put(answers, b"!" + said.encode("utf-8", "replace"))
