"""A hanging worker as the user experiences it: reported, restarted, stopped, closed."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time

import fake_workers
import pytest
from finding import find_part
from listening import worker_pid
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPlainTextEdit, QPushButton
from waiting import in_time

from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.ui.state.scoring import IDLE
from parapluie_gui.work.scoring_plan import ScoringPlan

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="Windows stops no process")

#: Seconds allowed for closing the window on an idle computer.
CLOSED = 2.0


@pytest.fixture
def window(open_window):
    setup = {"templates": {"DIRECT": False, "CLOZE": False}, "metrics": ["edit_distance"]}
    return open_window(fake_workers.main, setup=setup, patience=0.6)


def show_pairs(window, qtbot, count):
    with qtbot.waitSignal(window.state.corpora.corpora_changed, timeout=20_000):
        window.state.corpora.open_text(
            "source\thypothesis\n" + "".join(f"One {at}.\tTwo {at}.\n" for at in range(count))
        )


def begin(window, qtbot, *metrics):
    """Score the corpus with metrics that only the worker knows, and wait until the last of them is running."""
    corpus = window.workspace.corpus
    assert isinstance(corpus, Corpus)
    window.scoring.start(corpus, ScoringPlan(metrics), window.state.session.stores())
    qtbot.waitUntil(lambda: metrics[-1] in window.workspace.table, timeout=20_000)


def seconds_to_close(window) -> float:
    started = time.monotonic()
    window.close()
    took = time.monotonic() - started
    assert not multiprocessing.active_children()
    return took


def stop_the_worker(window, qtbot):
    """Run once, so that the worker is ready, then stop it."""
    with qtbot.waitSignal(window.scoring.ended, timeout=30_000):
        window.run()
    os.kill(worker_pid(), signal.SIGSTOP)


@pytest.mark.parametrize("pairs", [3, 60_000])
def test_stop_ends_a_worker_suspended_before_the_job(window, qtbot, pairs):
    show_pairs(window, qtbot, 3)
    stop_the_worker(window, qtbot)
    show_pairs(window, qtbot, pairs)
    QTest.keyClick(window, Qt.Key.Key_F5)
    assert window.scoring.state != IDLE
    started = time.monotonic()
    QTest.keyClick(window, Qt.Key.Key_F5, Qt.KeyboardModifier.ShiftModifier)
    qtbot.waitUntil(lambda: window.scoring.state == IDLE)
    assert time.monotonic() < started + in_time(1)
    with qtbot.waitSignal(window.scoring.ended, timeout=30_000) as ended:
        QTest.keyClick(window, Qt.Key.Key_F5)
    assert not ended.args[0]
    assert window.workspace.table.count_scores("edit_distance") == len(window.workspace.corpus)


def test_a_hanging_worker_is_reported_and_can_be_restarted_from_the_window(window, qtbot):
    show_pairs(window, qtbot, 3)
    begin(window, qtbot, "stopped")
    qtbot.waitUntil(lambda: window.banner.text.startswith("The scoring process does not respond."), timeout=20_000)
    window.banner.clear()
    qtbot.wait(800)
    assert window.banner.text == "", "it is reported once"
    window.scoring.stop()
    qtbot.waitUntil(lambda: window.scoring.state == IDLE)
    begin(window, qtbot, "stopped")
    qtbot.waitUntil(lambda: window.banner.text.startswith("The scoring process does not respond."), timeout=20_000)
    pid = worker_pid()
    qtbot.mouseClick(find_part(window.banner, QPushButton, "Restart scoring"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.banner.text == "", timeout=20_000)
    qtbot.waitUntil(lambda: bool(multiprocessing.active_children()) and worker_pid() != pid)


def test_the_message_disappears_when_the_worker_answers_again(window, qtbot):
    show_pairs(window, qtbot, 1)  # one batch, so that it is suspended once
    begin(window, qtbot, "stopped")
    qtbot.waitUntil(lambda: window.banner.text != "", timeout=20_000)
    with qtbot.waitSignal(window.scoring.ended, timeout=20_000):
        os.kill(worker_pid(), signal.SIGCONT)
    qtbot.waitUntil(lambda: window.banner.text == "")
    window.banner.complain("Something else.")
    assert not window.banner.action_button.isVisible(), "the button belongs to its message"


def test_the_worker_is_restarted_from_the_menu(window, qtbot):
    show_pairs(window, qtbot, 3)
    stop_the_worker(window, qtbot)
    pid = worker_pid()
    window.actions_by_name["scoring.restart_worker"].trigger()
    qtbot.waitUntil(lambda: bool(multiprocessing.active_children()) and worker_pid() != pid)
    with qtbot.waitSignal(window.scoring.ended, timeout=30_000):
        window.run()


@pytest.mark.parametrize("pairs", [3, 60_000])
def test_the_window_closes_with_a_worker_suspended_before_the_job(window, qtbot, pairs):
    show_pairs(window, qtbot, 3)
    stop_the_worker(window, qtbot)
    show_pairs(window, qtbot, pairs)
    window.run()
    assert seconds_to_close(window) < in_time(CLOSED)


@pytest.mark.parametrize("metric", ["deaf", "stopped", "holding"])
def test_the_window_closes_with_a_busy_or_hanging_worker(window, qtbot, metric):
    """Deaf: while a model loads or during a long batch. Holding: suspended while it holds the lock of the session."""
    show_pairs(window, qtbot, 3)
    begin(window, qtbot, metric)
    if metric != "deaf":
        qtbot.waitUntil(lambda: window.banner.text != "", timeout=20_000)
    # Pending writes when the window closes.
    window.workspace.selection.set_primary(1)
    find_part(window.pair, QPlainTextEdit, "Note on this pair").setPlainText("typed at the last moment")
    assert seconds_to_close(window) < in_time(CLOSED)
