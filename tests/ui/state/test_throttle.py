"""Calls in quick succession become one, in each of the ways of waiting."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QObject, Signal

from parapluie_gui.ui.state.throttle import Throttle


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


def test_many_who_ask_are_answered_once(qtbot, counter):
    throttle = Throttle(counter.count, 20, counter)
    counter.noted.connect(throttle.ask)
    for number in range(5):
        counter.noted.emit(number)
    assert counter.calls == 0
    qtbot.waitUntil(lambda: counter.calls == 1)
    throttle.ask()
    qtbot.waitUntil(lambda: counter.calls == 2)


def test_steady_demand_is_answered_again_and_again_but_not_with_rest(qtbot, counter):
    restless = Counter()
    steady, resting = Throttle(counter.count, 40, counter), Throttle(restless.count, 400, restless, rest=True)

    def ask() -> bool:
        steady.ask()
        resting.ask()
        return counter.calls == 3

    qtbot.waitUntil(ask)
    assert restless.calls == 0 and resting.isActive()
    qtbot.waitUntil(lambda: restless.calls == 1)


def test_prompt_does_not_let_the_first_wait(qtbot, counter):
    throttle = Throttle(counter.count, 60_000, counter, prompt=True)
    throttle.ask()
    qtbot.waitUntil(lambda: counter.calls == 1)
    throttle.ask()
    assert throttle.isActive() and throttle.remainingTime() > 30_000


def test_flush_calls_only_what_was_asked_for_and_now_calls_in_any_case(counter):
    throttle = Throttle(counter.count, 60_000, counter)
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


def test_a_signal_can_be_what_is_called(qtbot, counter):
    counter.said.connect(counter.count)
    throttle = Throttle(counter.said, 1, counter)
    throttle.ask()
    qtbot.waitUntil(lambda: counter.calls == 1)


def test_another_wait_counts_from_the_next_on(counter):
    throttle = Throttle(counter.count, 60_000, counter)
    throttle.wait = 1000
    throttle.ask()
    assert throttle.remainingTime() <= 1050, "Qt's coarse timers round by 5 %"
