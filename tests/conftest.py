"""What every test needs: no display, no network, a data folder of its own, and nothing left behind."""

from __future__ import annotations

import os

# Before Qt or transformers is imported by any test.
os.environ["QT_QPA_PLATFORM"] = "offscreen"
os.environ["HF_HUB_OFFLINE"] = "1"

import gc
import multiprocessing
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QThread, QTimer
from PySide6.QtWidgets import QApplication


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


@pytest.fixture
def no_leaks(qapp: QApplication) -> Iterator[None]:
    """Fail a test that leaves a thread, a process, a running timer or a window behind."""
    threads = set(threading.enumerate())
    windows = set(map(id, QApplication.topLevelWidgets()))
    yield
    qapp.processEvents()
    gc.collect()
    qapp.sendPostedEvents(None, 0)
    assert not multiprocessing.active_children(), "a process is still running"
    assert set(threading.enumerate()) <= threads, "a Python thread is still running"
    left = [widget for widget in QApplication.topLevelWidgets() if id(widget) not in windows and widget.isVisible()]
    assert not left, f"windows are still open: {left}"
    # By type(): isinstance asks some lazy objects of other libraries for attributes, which they warn about.
    running = [item for item in gc.get_objects() if issubclass(type(item), QThread) and _runs(item)]
    assert not running, f"threads are still running: {running}"
    ticking = [item for item in gc.get_objects() if issubclass(type(item), QTimer) and _ticks(item)]
    assert not ticking, f"timers are still running: {ticking}"


def _runs(thread: QThread) -> bool:
    try:
        return thread.isRunning()
    except RuntimeError:  # its C++ part is gone
        return False


def _ticks(timer: QTimer) -> bool:
    try:
        return timer.isActive() and not timer.isSingleShot()
    except RuntimeError:
        return False
