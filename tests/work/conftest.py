"""Real worker processes for tests."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from parapluie_gui.work.driver import Driver

# The modules beside this one are imported by name, also in a spawned process: it gets this process's sys.path.
sys.path.insert(0, str(Path(__file__).parent))

from listening import Ear


@pytest.fixture
def drive(qtbot, no_leaks: None) -> Iterator[Callable[..., Ear]]:
    """Return a function that starts a driver; it is closed, and leaves nothing behind, at the end."""
    drivers: list[Driver] = []

    def start(target: Callable) -> Ear:
        driver = Driver(target=target)
        drivers.append(driver)
        driver.start()
        return Ear(driver, qtbot)

    yield start
    for driver in drivers:
        driver.close()
