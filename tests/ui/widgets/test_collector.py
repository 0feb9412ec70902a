"""Reference cycles are freed in the window's thread."""

from __future__ import annotations

import gc
import threading
import weakref

import pytest
from PySide6.QtCore import QObject, QTimer

from parapluie_gui.computer import gc_disabled
from parapluie_gui.ui.widgets.collector import collect_if_due


class Circle(QObject):
    """Holds a reference to itself and a running timer."""

    def __init__(self) -> None:
        super().__init__()
        self.itself = self
        QTimer(self).start(60_000)


@pytest.fixture
def freed(qapp):
    """Return a list that receives the thread in which a cycle is freed."""
    collect_if_due()
    threads: list[int] = []
    weakref.finalize(Circle(), lambda: threads.append(threading.get_ident()))
    return threads


def _make_many() -> None:
    kept = [[] for _ in range(20 * gc.get_threshold()[0])]
    del kept


def test_a_cycle_is_freed_in_the_windows_thread_whichever_thread_triggers_the_collection(freed, qtbot):
    thread = threading.Thread(target=_make_many)
    thread.start()
    thread.join()
    assert not freed, "a background thread freed it, with its timer"
    many = [[] for _ in range(2 * gc.get_threshold()[0])]
    qtbot.waitUntil(lambda: bool(freed), timeout=10_000)
    assert freed == [threading.get_ident()]
    del many


def test_the_collector_can_be_paused(freed):
    many = [[] for _ in range(2 * gc.get_threshold()[0])]
    with gc_disabled():
        collect_if_due()
        assert not freed
    collect_if_due()
    assert freed
    del many
