"""What every test needs: no display, no network, a data folder of its own, and nothing left behind."""

from __future__ import annotations

import os

# Before Qt, transformers or torch is imported by any test. On a busy computer more threads of torch only wait for each
# other, which takes five times the processor's time.
os.environ["QT_QPA_PLATFORM"] = "offscreen"
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["OMP_NUM_THREADS"] = "1"

import gc
import multiprocessing
import signal
import sys
import threading
import time
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from beside import Beside, asked
from forked_workers import forked_workers  # noqa: F401
from hypothesis import settings
from PySide6.QtCore import QEvent, QThread, QTimer
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import Shiboken
from tqdm import TMonitor

from parapluie_gui.computer import memory
from parapluie_gui.feature import installed
from parapluie_gui.ui.widgets import features
from parapluie_gui.ui.widgets.collector import Collector, collect_if_due

features.skip_feature_lookup()

# Without compiled files each of the hundred processes that the tests start would compile the whole package anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

#: Processes that run tests, at most, and the bytes that each grows to with torch, the tiny models and its workers.
MOST_PROCESSES, A_PROCESS = 4, 4e9

#: Seconds that what was ended by a test may take to be gone, on a busy computer.
LEAVING = 3.0

# HYPOTHESIS_PROFILE=thorough looks longer for what breaks.
settings.register_profile("usual", deadline=None, max_examples=50)
settings.register_profile("thorough", deadline=None, max_examples=400)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "usual"))


def pytest_configure(config: pytest.Config) -> None:
    if asked(config):
        config.pluginmanager.register(Beside())


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """Return how many processes run the tests; a few files are run in this one, since a process takes seconds to start.

    PYTEST_XDIST_AUTO_NUM_WORKERS or `-n` says otherwise.
    """
    if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ:
        return None
    paths = [Path(argument.partition("::")[0]) for argument in config.args]
    if len(paths) <= 3 and all(path.is_file() for path in paths):
        return 0
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    # A third of the time the tests wait, for a timer or a process: two cores are busy with three of them.
    _, free = memory()
    return min(cores + (free is not None and free > (cores + 1) * A_PROCESS), MOST_PROCESSES)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Let the garbage collector pass over what the files load: it stays, and a look at it takes most of a second."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test that is marked with a feature that is not installed."""
    wanted = {name for mark in item.iter_markers("needs") for name in mark.args}
    if absent := wanted - {feature.name for feature in installed()}:
        pytest.skip(f"without the feature {', '.join(sorted(absent))}")


@pytest.fixture(scope="session", autouse=True)
def hangups_reach_children() -> None:
    """Under nohup a hangup is ignored, and what is ignored is so in every process that is started from here.

    A handler is not passed on, and this process goes on as before.
    """
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        signal.signal(signal.SIGHUP, lambda number, frame: None)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give each test a user's data folder of its own."""
    folder = tmp_path / "home"
    monkeypatch.setenv("PARAPLUIE_HOME", str(folder))
    return folder


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The real corpora beside the project; tests that need them skip where they are absent."""
    folder = Path(__file__).parents[1].parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("../shared/data is not here")
    return folder


@pytest.fixture(scope="session")
def smollm2() -> Path:
    """The starter model, if `parapluie models get smollm2-135m` was run on this computer."""
    import platformdirs

    kept = os.environ.pop("PARAPLUIE_HOME", None)
    folder = Path(platformdirs.user_data_path("parapluie", appauthor=False)) / "models" / "smollm2-135m"
    if kept is not None:
        os.environ["PARAPLUIE_HOME"] = kept
    if not (folder / "parapluie-model.json").is_file():
        pytest.skip("the starter model is not here: parapluie models get smollm2-135m")
    return folder


@pytest.fixture(scope="session")
def qapp(qapp: QApplication) -> QApplication:
    """Let an application collect in its own thread only, as the program's does."""
    Collector(qapp)
    return qapp


@pytest.fixture
def collecting() -> Iterator[None]:
    """Let Python's collector run by itself in whichever thread, as where there is no window."""
    was = gc.isenabled()
    gc.enable()
    yield
    if not was:
        gc.disable()


@pytest.fixture(autouse=True)
def no_leaks(home: Path, request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test of the window that leaves a thread, a process, a running timer or a window of Qt's behind.

    Others may share a judge or a server with the rest of their file, whichever files their process had before.

    It depends on `home` so as to be the last to end but for the folders: what other fixtures close is closed by then.
    """
    threads = set(threading.enumerate())
    processes = len(multiprocessing.active_children())  # a worker that a module's tests share, or its successor
    before = set(map(id, _alive()))
    yield
    app = QApplication.instance()
    if not gc.isenabled():
        collect_if_due()
    if app is None or not ("qapp" in request.fixturenames or "ui" in request.path.parts):
        return
    app.processEvents()
    left = _left(before, threads, processes)
    if left:
        # What only a circle of references still holds is not left behind, and is rare enough to look for it here only.
        gc.collect()
        app.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        left = _left(before, threads, processes)
    patience = time.monotonic() + LEAVING
    while left and time.monotonic() < patience:  # a killed worker frees its memory before it is gone
        time.sleep(0.05)
        left = _left(before, threads, processes)
    assert not left, f"still there after the test: {left}"


def _left(before: set[int], threads: set[threading.Thread], processes: int) -> list[object]:
    here = [thing for thing in _alive() if id(thing) not in before]
    # Python keeps a dummy for good for each thread of Qt's that once ran a line of Python, tqdm a thread of its own.
    kept = (threading._DummyThread, TMonitor)
    own = {thread for thread in threading.enumerate() if not isinstance(thread, kept)} - threads
    workers = multiprocessing.active_children()
    if len(workers) <= processes:  # the successor of a shared worker brings threads of its own
        own -= {thread for thread in own if thread.name.startswith("worker-")}
    return [*workers[processes:], *own, *here]


def _alive() -> list[object]:
    """Return windows that are open, threads that run and timers that tick, of those that Python knows."""
    if QApplication.instance() is None:
        return []
    found: list[object] = []
    for thing in Shiboken.getAllValidWrappers():
        # By type(): isinstance asks some lazy objects of other libraries for attributes, which they warn about.
        kind = type(thing)
        if (
            (issubclass(kind, QWidget) and thing.isWindow() and thing.isVisible())
            or (issubclass(kind, QThread) and thing.isRunning())
            or (issubclass(kind, QTimer) and thing.isActive() and not thing.isSingleShot())
        ):
            found.append(thing)
    return found
