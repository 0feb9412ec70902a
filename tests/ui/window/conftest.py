"""A window as it starts, for the tests of what stands in it."""

from __future__ import annotations

import fake_workers
import pytest

from parapluie_gui import places
from parapluie_gui.storage.working_copies import WorkingCopies
from parapluie_gui.ui.state.driver import Driver
from parapluie_gui.ui.state.preferences import Preferences
from parapluie_gui.ui.widgets import theme as themes
from parapluie_gui.ui.window.main import MainWindow


@pytest.fixture
def open_window(qapp, qtbot, home):
    """Return a function that opens the window in the user's folders of the test; its worker can be chosen."""
    windows = []

    def begin(target=fake_workers.light) -> MainWindow:
        driver = Driver(target=target)
        driver.start()
        window = MainWindow(WorkingCopies(places.user_data()), Preferences(), driver, themes.LIGHT)
        windows.append(window)
        window.show()
        qtbot.waitUntil(lambda: not window.state.queue.busy, timeout=10_000)
        return window

    yield begin
    for window in windows:
        window.close()
        window.deleteLater()
    qapp.setStyleSheet("")
