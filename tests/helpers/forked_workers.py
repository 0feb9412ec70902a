"""Fake workers forked from one process with their shared modules loaded, which takes a tenth of a second each.

Starting a new process takes a second. Users have that, and so do all tests that run the real worker.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator
from types import SimpleNamespace

import pytest

from parapluie_gui.work import worker_process

#: Modules loaded once. None of them holds a thread, a file or a lock.
SHARED = ["parapluie_gui.work.runner", "parapluie_gui.work.worker", "parapluie_gui.metrics.catalogue"]


def _begin(environment: dict[str, str], target: Callable, arguments: tuple) -> None:
    """Run a worker in the environment of the test, which may have changed since the shared process began."""
    os.environ.clear()
    os.environ.update(environment)
    target(*arguments)


@pytest.fixture(scope="session", autouse=True)
def forked_workers() -> Iterator[None]:
    if "forkserver" not in multiprocessing.get_all_start_methods():  # Windows
        yield
        return
    spawning, forking = multiprocessing.get_context("spawn"), multiprocessing.get_context("forkserver")
    forking.set_forkserver_preload(SHARED)

    def start_from(target: Callable, args: tuple, **options: object) -> multiprocessing.process.BaseProcess:
        if target.__module__ != "fake_workers":
            return spawning.Process(target=target, args=args, **options)
        return forking.Process(target=_begin, args=(dict(os.environ), target, args), **options)

    context = SimpleNamespace(Pipe=spawning.Pipe, Process=start_from)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(worker_process, "multiprocessing", SimpleNamespace(get_context=lambda method: context))
        yield
