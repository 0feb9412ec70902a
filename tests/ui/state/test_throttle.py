"""Calls in quick succession are merged into one, in each of the waiting modes."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QObject, Signal

from parapluie_gui.ui.state.throttle import CallThrottle


class Counter(QObject):
    """Counts its calls."""

    noted = Signal(int)
    said = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.calls = 0

    def count(self) -> None:
        self.calls += 1


@pytest.fixture
def counter(qapp) -> Counter:
    return Counter()


def test_many_requests_give_one_call(qtbot, counter):
    throttle = CallThrottle(counter.count, 20, counter)
    counter.noted.connect(throttle.ask)
    for number in range(5):
        counter.noted.emit(number)
    assert counter.calls == 0
    qtbot.waitUntil(lambda: counter.calls == 1)
    throttle.ask()
    qtbot.waitUntil(lambda: counter.calls == 2)


def test_steady_requests_give_repeated_calls_but_rest_waits(qtbot, counter):
    restless = Counter()
    steady, resting = CallThrottle(counter.count, 40, counter), CallThrottle(restless.count, 400, restless, rest=True)

    def ask() -> bool:
        steady.ask()
        resting.ask()
        return counter.calls == 3

    qtbot.waitUntil(ask)
    assert restless.calls == 0 and resting.isActive()
    qtbot.waitUntil(lambda: restless.calls == 1)


def test_prompt_runs_the_first_call_at_once(qtbot, counter):
    throttle = CallThrottle(counter.count, 60_000, counter, prompt=True)
    throttle.ask()
    qtbot.waitUntil(lambda: counter.calls == 1)
    throttle.ask()
    assert throttle.isActive() and throttle.remainingTime() > 30_000


def test_flush_runs_only_pending_calls_and_now_always_calls(counter):
    throttle = CallThrottle(counter.count, 60_000, counter)
    throttle.flush()
    assert counter.calls == 0
    throttle.ask()
    throttle.flush()
    assert counter.calls == 1 and not throttle.isActive()
    throttle.ask()
    throttle.now()
    assert counter.calls == 2 and not throttle.isActive()
    throttle.now()
    assert counter.calls == 3


def test_a_signal_can_be_called(qtbot, counter):
    counter.said.connect(counter.count)
    throttle = CallThrottle(counter.said, 1, counter)
    throttle.ask()
    qtbot.waitUntil(lambda: counter.calls == 1)


def test_a_changed_wait_applies_from_the_next_request(counter):
    throttle = CallThrottle(counter.count, 60_000, counter)
    throttle.wait = 1000
    throttle.ask()
    assert throttle.remainingTime() <= 1050, "Qt's coarse timers round by 5 %"
