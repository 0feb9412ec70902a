"""What the worker process runs in tests: the real one, without torch and with metrics that misbehave."""

from __future__ import annotations

import mmap
import os
import signal
import sqlite3
import struct
import tempfile
import time
from collections.abc import Callable

import numpy as np

from parapluie_gui import places
from parapluie_gui.arrays import Scores
from parapluie_gui.metrics import catalogue
from parapluie_gui.metrics.base import Metric, MetricInfo, References, Texts
from parapluie_gui.work import each_gpu, worker
from parapluie_gui.work.events import Ready

#: Seconds between the signs of life of these workers, so that a test need not wait for seconds.
HEARTBEAT = 0.05


class Fake(Metric):
    """A metric whose value is the source's length, after doing something first."""

    def __init__(self, id: str, act: Callable[[int], object]) -> None:
        self.info = MetricInfo(id, id, "user", 0, np.inf)
        self._act = act

    def _score(self, sources: Texts, hypotheses: Texts, references: References) -> Scores:
        self._act(len(sources))
        return np.array([len(source) for source in sources], dtype=np.float64)


def _fail(error: Exception) -> None:
    raise error


def _hold_files_and_stop() -> None:
    """Be stopped in the middle of writing, with the locks of all databases in the data folder."""
    for path in places.user_data().iterdir():
        if path.is_file() and path.read_bytes()[:6] == b"SQLite":
            _held.append(sqlite3.connect(path, isolation_level=None))
            _held[-1].execute("BEGIN IMMEDIATE")
    os.kill(os.getpid(), signal.SIGSTOP)


def _read_truncated_file() -> None:
    """Read a mapped file that was cut short, as the weights of a model are."""
    with tempfile.TemporaryFile() as file:
        file.truncate(1 << 20)
        with mmap.mmap(file.fileno(), 1 << 20) as mapped:
            file.truncate(0)
            mapped[-1]


_held: list[sqlite3.Connection] = []


FAKES = (
    Fake("length", lambda count: None),
    Fake("slow", lambda count: time.sleep(0.01 * count)),
    Fake("deaf", lambda count: time.sleep(60)),  # as while a model loads: nothing is looked at
    Fake("lasting", lambda count: time.sleep(0.5)),
    Fake("broken", lambda count: _fail(ValueError("no such word.\nat line 3"))),
    Fake("cuda", lambda count: _fail(RuntimeError("CUDA error: device-side assert triggered\nCompile with ..."))),
    Fake("stopped", lambda count: os.kill(os.getpid(), signal.SIGSTOP)),
    Fake("holding", lambda count: _hold_files_and_stop()),
    Fake("killed", lambda count: os.kill(os.getpid(), signal.SIGKILL)),
    Fake("truncated", lambda count: _read_truncated_file()),
    Fake("segfault", lambda count: os.kill(os.getpid(), signal.SIGSEGV)),
)


def main(connection) -> None:
    """The worker with the fakes in its catalogue and without preloading torch."""
    offer()
    light(connection)


def offer() -> None:
    """Put the fakes into the catalogue."""
    with_fakes = (*catalogue.shipped(), *((fake.info, lambda fake=fake: fake) for fake in FAKES))
    catalogue.shipped = lambda: with_fakes


def light(connection) -> None:
    """The worker without preloading torch, which no metric of the lexical family needs."""
    worker.preload = lambda: None
    worker.HEARTBEAT = HEARTBEAT
    worker.main(connection)


def half_said(connection) -> None:
    """A process that is stopped in the middle of a message."""
    connection.send(Ready())
    os.write(connection.fileno(), struct.pack("!i", 1_000_000) + b"begun")
    time.sleep(60)


def survived_by_a_child(connection) -> None:
    """A process that dies while one that it forked holds its end of the pipe, until a file appears."""
    connection.send(Ready())
    connection.recv()  # that nothing is paused
    connection.recv()  # a job
    if os.fork():
        os._exit(3)
    while not (places.user_data() / "go").exists():
        time.sleep(0.02)
    os._exit(0)


def never_ready(connection) -> None:
    """A process that takes in nothing: one that still starts."""
    time.sleep(60)


def broken_at_once(connection) -> None:
    """A process that ends while it starts."""
    os._exit(3)


def two_gpus(connection) -> None:
    """A worker of a computer with two GPUs, both of which are the CPU."""
    each_gpu.gpu_devices = lambda: ["cpu", "cpu"]
    worker.main(connection)
