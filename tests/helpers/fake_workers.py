"""What the worker process runs in tests: the real one, without torch and with metrics that misbehave."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable

import numpy as np

from parapluie_gui.arrays import Scores
from parapluie_gui.metrics import catalogue
from parapluie_gui.metrics.base import Metric, MetricInfo, References, Texts
from parapluie_gui.work import worker


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


FAKES = (
    Fake("length", lambda count: None),
    Fake("slow", lambda count: time.sleep(0.01 * count)),
    Fake("deaf", lambda count: time.sleep(60)),  # as while a model loads: nothing is looked at
    Fake("lasting", lambda count: time.sleep(0.5)),
    Fake("broken", lambda count: _fail(ValueError("no such word.\nat line 3"))),
    Fake("cuda", lambda count: _fail(RuntimeError("CUDA error: device-side assert triggered\nCompile with ..."))),
    Fake("killed", lambda count: os.kill(os.getpid(), signal.SIGKILL)),
    Fake("segfault", lambda count: os.kill(os.getpid(), signal.SIGSEGV)),
)


def main(connection) -> None:
    """The worker with the fakes in its catalogue and without preloading torch."""
    catalogue.METRICS += tuple((fake.info, lambda fake=fake: fake) for fake in FAKES)
    light(connection)


def light(connection) -> None:
    """The worker without preloading torch, which no metric of the lexical family needs."""
    worker.preload = lambda: None
    worker.main(connection)


def never_ready(connection) -> None:
    """A process that takes in nothing: one that still starts."""
    time.sleep(60)


def broken_at_once(connection) -> None:
    """A process that ends while it starts."""
    os._exit(3)
