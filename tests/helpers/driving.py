"""Real worker processes for tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from listening import EventRecorder

from parapluie_gui.ui.state.driver import WorkerDriver


@pytest.fixture
def drive(qtbot) -> Iterator[Callable[..., EventRecorder]]:
    """Return a function that starts a driver, which is closed at the end."""
    drivers: list[WorkerDriver] = []

    def start(target: Callable, **options: float) -> EventRecorder:
        driver = WorkerDriver(target=target, **options)
        drivers.append(driver)
        driver.start()
        return EventRecorder(driver, qtbot)

    yield start
    for driver in drivers:
        driver.close()
