"""Fixtures of tests that open a window, for the folders of tests that import them in their conftest."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from dressing import undress
from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from parapluie_gui import places
from parapluie_gui.computer import gc_disabled
from parapluie_gui.feature import brought
from parapluie_gui.storage.working_copies import WorkingCopies
from parapluie_gui.ui.state.driver import WorkerDriver
from parapluie_gui.ui.state.preferences import Preferences
from parapluie_gui.ui.widgets import theme as themes
from parapluie_gui.ui.widgets.theme import Theme
from parapluie_gui.ui.window.main import MainWindow


def _no_worker(connection) -> None:
    raise AssertionError("name the worker that this test wants")


@pytest.fixture
def wear(qapp):
    """Return a function that lets the application wear a theme, until the test ends."""

    def put_on(theme: Theme) -> None:
        if qapp.styleSheet():
            themes.apply(qapp, theme)
        else:
            with gc_disabled():
                qapp.setPalette(themes.palette(theme))
            themes.notify_theme_followers()
        qapp.sendPostedEvents()  # Qt tells the widgets soon, not at once

    return put_on


@pytest.fixture(autouse=True)
def nothing_dark_is_left():
    """What a test makes is light, whatever the tests before it wore."""
    yield
    app = QApplication.instance()
    if app is not None and themes.current_theme() is themes.DARK:
        with gc_disabled():
            app.setPalette(themes.palette(themes.LIGHT))
        themes.notify_theme_followers()


@pytest.fixture(autouse=True)
def no_key_is_held():
    """A key with Shift leaves Shift held for Qt until the next key, and `selectRow` then chooses nothing new."""
    yield
    if QApplication.instance() is not None and QApplication.keyboardModifiers():
        QTest.keyRelease(QWidget(), Qt.Key.Key_Shift)


@pytest.fixture
def open_window(qapp, qtbot, home):
    """Return a function that opens the window in the user's folders of the test.

    It has no worker unless one is named, since a process takes a second: `worker`, `patience` as `WorkerDriver` has them.
    `setup` is what Setup shows, `theme` the colours, `size` the window's, `shown` whether it is to be seen at once.
    """
    windows: list[MainWindow] = []

    def begin(
        worker=None,
        *,
        setup: Mapping[str, object] | None = None,
        theme: Theme = themes.LIGHT,
        size: tuple[int, int] | None = None,
        shown: bool = True,
        **driving: float,
    ) -> MainWindow:
        driver = WorkerDriver(target=worker or _no_worker, **driving)
        if worker is not None:
            driver.start()
        window = MainWindow(WorkingCopies(places.user_data(), content=brought("content")), Preferences(), driver, theme)
        windows.append(window)
        if size is not None:
            window.resize(*size)
        if setup is not None:
            window.setup.restore(setup)
        if shown:
            window.show()
        qtbot.waitUntil(lambda: not window.state.queue.busy, timeout=10_000)
        return window

    yield begin
    for window in windows:
        window.close()
        window.deleteLater()
    # Gone before the application is undressed, since each of its thousand widgets would be dressed once more.
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    undress(qapp)


@pytest.fixture
def check_small_screen(open_window, monkeypatch):
    """Return a function that opens another window by an action, and makes sure that it fits a small screen."""

    class Screen:
        def availableSize(self):
            return QSize(700, 500)

    def check(slot: str) -> None:
        small = Screen()
        monkeypatch.setattr(QWidget, "screen", lambda widget: small)
        window = open_window()
        before = set(QApplication.topLevelWidgets())
        window.actions_by_name[slot].trigger()
        opened = [each for each in QApplication.topLevelWidgets() if each.isVisible() and each not in before]
        assert len(opened) == 1 and opened[0].height() <= 500 - 34
        opened[0].close()

    return check
