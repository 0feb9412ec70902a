"""Worker processes for tests: the real worker without torch and with misbehaving metrics, and broken workers."""

from __future__ import annotations

import mmap
import os
import signal
import sqlite3
import struct
import tempfile
import time
from collections.abc import Callable
from functools import partial

import numpy as np

from parapluie_gui import places
from parapluie_gui.arrays import Scores
from parapluie_gui.metrics import catalogue
from parapluie_gui.metrics.base import Metric, MetricInfo, References, Texts
from parapluie_gui.work import each_gpu, score_pairs, worker
from parapluie_gui.work.events import WorkerReady

#: Seconds between heartbeats of these workers, so that a test need not wait for seconds.
HEARTBEAT = 0.05


class FakeMetric(Metric):
    """A metric that calls a function before each batch; its value is the source's length."""

    def __init__(self, id: str, act: Callable[[int], object]) -> None:
        self.info = MetricInfo(id, id, "user", 0, np.inf)
        self._act = act

    def _score(self, sources: Texts, hypotheses: Texts, references: References) -> Scores:
        self._act(len(sources))
        return np.array([len(source) for source in sources], dtype=np.float64)


def _fail(error: Exception) -> None:
    raise error


def _hold_files_and_stop() -> None:
    """Stop this process in the middle of writing, holding the locks of all databases in the data folder."""
    for path in places.user_data().iterdir():
        if path.is_file() and path.read_bytes()[:6] == b"SQLite":
            _held.append(sqlite3.connect(path, isolation_level=None))
            _held[-1].execute("BEGIN IMMEDIATE")
    os.kill(os.getpid(), signal.SIGSTOP)


def _read_truncated_file() -> None:
    """Read a mapped file that has been truncated, as can happen to the weights of a model."""
    with tempfile.TemporaryFile() as file:
        file.truncate(1 << 20)
        with mmap.mmap(file.fileno(), 1 << 20) as mapped:
            file.truncate(0)
            mapped[-1]


_held: list[sqlite3.Connection] = []


FAKES = (
    FakeMetric("length", lambda count: None),
    FakeMetric("slow", lambda count: time.sleep(0.01 * count)),
    FakeMetric("deaf", lambda count: time.sleep(60)),  # checks for no messages, as while a model loads
    FakeMetric("lasting", lambda count: time.sleep(0.5)),
    FakeMetric("broken", lambda count: _fail(ValueError("no such word.\nat line 3"))),
    FakeMetric("cuda", lambda count: _fail(RuntimeError("CUDA error: device-side assert triggered\nCompile with ..."))),
    FakeMetric("stopped", lambda count: os.kill(os.getpid(), signal.SIGSTOP)),
    FakeMetric("holding", lambda count: _hold_files_and_stop()),
    FakeMetric("killed", lambda count: os.kill(os.getpid(), signal.SIGKILL)),
    FakeMetric("truncated", lambda count: _read_truncated_file()),
    FakeMetric("segfault", lambda count: os.kill(os.getpid(), signal.SIGSEGV)),
)


def main(connection) -> None:
    """Run the worker with the fakes in its catalogue and without preloading torch."""
    offer()
    light(connection)


def offer() -> None:
    """Add the fakes to the catalogue."""
    with_fakes = (*catalogue.shipped_metrics(), *((fake.info, lambda fake=fake: fake) for fake in FAKES))
    catalogue.shipped_metrics = lambda: with_fakes


def light(connection) -> None:
    """Run the worker without preloading torch, which lexical metrics do not need."""
    worker.preload = lambda: None
    worker.HEARTBEAT = HEARTBEAT
    worker.main(connection)


def stopped_midway(connection) -> None:
    """Stop responding in the middle of a message."""
    connection.send(WorkerReady())
    os.write(connection.fileno(), struct.pack("!i", 1_000_000) + b"begun")
    time.sleep(60)


def survived_by_a_child(connection) -> None:
    """Die while a forked child holds this process's end of the pipe, until a file appears."""
    connection.send(WorkerReady())
    connection.recv()  # the order not to pause
    connection.recv()  # a job
    if os.fork():
        os._exit(3)
    while not (places.user_data() / "go").exists():
        time.sleep(0.02)
    os._exit(0)


def never_ready(connection) -> None:
    """Receive no messages, as a process that is still starting."""
    time.sleep(60)


def broken_at_once(connection) -> None:
    """End during the start."""
    os._exit(3)


def two_gpus(connection) -> None:
    """Run the worker as on a computer with two GPUs; both are the CPU, with a slow pocket judge."""
    each_gpu.gpu_devices = lambda: ["cpu", "cpu"]
    score_pairs.EachGpu = partial(each_gpu.EachGpu, target=slow_pocket_judge)
    worker.main(connection)


def slow_pocket_judge(connection) -> None:
    """Run the worker with a pocket judge that waits before each small batch: 200 pairs take some seconds, idly."""
    from parapluie_gui.pluie.light import LightJudge

    answer = LightJudge.answer

    def wait_and_answer(judge, rows, answers):
        time.sleep(0.015 * len(rows))
        return answer(judge, rows, answers)

    LightJudge.answer = wait_and_answer
    LightJudge.batch_tokens = property(lambda judge: 256)
    worker.main(connection)
