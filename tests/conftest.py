"""Fixtures of every test: no display, no network, a separate data folder, and checks for leaks."""

from __future__ import annotations

import os

# Set before any test imports Qt, transformers or torch. On a busy computer, torch's threads mostly wait for each other
# and take five times the CPU time.
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
from functools import cache
from pathlib import Path

import pytest
from beside import ToolRunner, wants_tools
from forked_workers import forked_workers  # noqa: F401
from hypothesis import settings
from PySide6.QtCore import QEvent, QThread, QTimer
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import Shiboken
from tqdm import TMonitor

from parapluie_gui.computer import memory
from parapluie_gui.feature import installed_features
from parapluie_gui.ui.widgets import features
from parapluie_gui.ui.widgets.collector import GarbageCollector, collect_if_due

features.skip_feature_lookup()

# Without compiled files, each of the hundred processes that the tests start would compile the package again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

#: Maximum number of processes that run tests, and the bytes that each uses with torch, the tiny models and its workers.
MOST_PROCESSES, A_PROCESS = 4, 4e9

#: Seconds that threads and processes ended by a test may take to disappear, on a busy computer.
LEAVING = 3.0

# pytest-qt waits for 5 seconds by default, in which a busy computer may not even start a thread.
for waiting in (QtBot.waitUntil, QtBot.waitSignal, QtBot.waitSignals):
    waiting.__kwdefaults__["timeout"] = 30_000

# HYPOTHESIS_PROFILE=thorough tries more examples.
settings.register_profile("usual", deadline=None, max_examples=50)
settings.register_profile("thorough", deadline=None, max_examples=400)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "usual"))


def pytest_configure(config: pytest.Config) -> None:
    if wants_tools(config):
        config.pluginmanager.register(ToolRunner())


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """Return the number of processes that run tests; 0 for a few files, since a process takes seconds to start.

    PYTEST_XDIST_AUTO_NUM_WORKERS and `-n` take precedence.
    """
    if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ:
        return None
    paths = [Path(argument.partition("::")[0]) for argument in config.args]
    if len(paths) <= 3 and all(path.is_file() for path in paths):
        return 0
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    # Tests wait for a timer or a process a third of the time, so three processes keep two cores busy.
    _, free = memory()
    return min(cores + (free is not None and free > (cores + 1) * A_PROCESS), MOST_PROCESSES)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Exclude the objects that test files load from garbage collection, which would take most of a second each time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test that is marked with a feature that is not installed."""
    wanted = {name for mark in item.iter_markers("needs") for name in mark.args}
    if absent := wanted - {feature.name for feature in installed_features()}:
        pytest.skip(f"without the feature {', '.join(sorted(absent))}")


@pytest.fixture(scope="session", autouse=True)
def hangups_reach_children() -> None:
    """Install a handler for hangups that are ignored (under nohup), because child processes inherit the ignoring.

    They do not inherit a handler, and this process is not affected.
    """
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        signal.signal(signal.SIGHUP, lambda number, frame: None)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Set a separate data folder for each test."""
    folder = tmp_path / "home"
    monkeypatch.setenv("PARAPLUIE_HOME", str(folder))
    return folder


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Return the folder of real corpora next to the project; skip the test if it is missing."""
    folder = Path(__file__).parents[1].parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("../shared/data is not here")
    return folder


@pytest.fixture(scope="session")
def smollm2() -> Path:
    """Return the starter model's folder; skip the test unless `parapluie models get smollm2-135m` was run here."""
    import platformdirs

    home = os.environ.pop("PARAPLUIE_HOME", None)
    folder = Path(platformdirs.user_data_path("parapluie", appauthor=False)) / "models" / "smollm2-135m"
    if home is not None:
        os.environ["PARAPLUIE_HOME"] = home
    if not (folder / "parapluie-model.json").is_file():
        pytest.skip("the starter model is not here: parapluie models get smollm2-135m")
    return folder


@pytest.fixture(scope="session")
def qapp(qapp: QApplication) -> QApplication:
    """Restrict garbage collection to the application's thread, as in the program."""
    GarbageCollector(qapp)
    return qapp


@pytest.fixture
def collecting() -> Iterator[None]:
    """Enable Python's automatic garbage collection in all threads, as in a program without a window."""
    was = gc.isenabled()
    gc.enable()
    yield
    if not was:
        gc.disable()


@pytest.fixture(autouse=True)
def no_leaks(home: Path, request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test of the window that leaves a thread, a process, a running timer or a Qt window behind.

    Other tests may share a judge or a server with the rest of their file.

    It depends on `home` so that it ends after all other fixtures except the folders.
    """
    of_window = "qapp" in request.fixturenames or "ui" in request.path.parts
    threads = set(threading.enumerate())
    processes = len(multiprocessing.active_children())  # a worker that a module's tests share, or its replacement
    before = set(map(id, _alive())) if of_window else set()
    yield
    app = QApplication.instance()
    if not gc.isenabled():
        collect_if_due()
    if app is None or not of_window:
        return
    app.processEvents()
    left = _left(before, threads, processes)
    if left:
        # Objects in reference cycles are not leaks; they are rare enough to collect only here.
        gc.collect()
        app.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        left = _left(before, threads, processes)
    patience = time.monotonic() + LEAVING
    while left and time.monotonic() < patience:  # a killed worker frees its memory before it disappears
        time.sleep(0.05)
        left = _left(before, threads, processes)
    assert not left, f"left behind by the test: {left}"


def _left(before: set[int], threads: set[threading.Thread], processes: int) -> list[object]:
    here = [thing for thing in _alive() if id(thing) not in before]
    # Python keeps a dummy forever for each Qt thread that ever ran Python code; tqdm keeps one thread, and so does the
    # process that renders chat templates.
    permanent = (threading._DummyThread, TMonitor)
    own = {thread for thread in threading.enumerate() if not isinstance(thread, permanent)} - threads
    own -= {thread for thread in own if thread.name == "chat-templates"}
    workers = multiprocessing.active_children()
    if len(workers) <= processes:  # the replacement of a shared worker has its own threads
        own -= {thread for thread in own if thread.name.startswith("worker-")}
    return [*workers[processes:], *own, *here]


def _alive() -> list[object]:
    """Return the open windows, running threads and active timers that Python can list."""
    if QApplication.instance() is None:
        return []
    things: list[object] = []
    for thing in Shiboken.getAllValidWrappers():
        # By type(): isinstance asks lazy objects of some libraries for attributes, about which they warn.
        base = _watched_base(type(thing))
        if base is None:
            continue
        if (
            (base is QWidget and thing.isWindow() and thing.isVisible())
            or (base is QThread and thing.isRunning())
            or (base is QTimer and thing.isActive() and not thing.isSingleShot())
        ):
            things.append(thing)
    return things


@cache
def _watched_base(kind: type) -> type | None:
    """Return which of the classes that may leak a class derives from, None for any other class."""
    return next((base for base in (QWidget, QThread, QTimer) if issubclass(kind, base)), None)
