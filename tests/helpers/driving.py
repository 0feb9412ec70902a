"""Real worker processes for tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from listening import Ear

from parapluie_gui.ui.state.driver import WorkerDriver


@pytest.fixture
def drive(qtbot) -> Iterator[Callable[..., Ear]]:
    """Return a function that starts a driver; it is closed, and leaves nothing behind, at the end."""
    drivers: list[WorkerDriver] = []

    def start(target: Callable, **options: float) -> Ear:
        driver = WorkerDriver(target=target, **options)
        drivers.append(driver)
        driver.start()
        return Ear(driver, qtbot)

    yield start
    for driver in drivers:
        driver.close()
