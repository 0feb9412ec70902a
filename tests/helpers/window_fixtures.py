"""Fixtures of tests that open a window, which a folder's conftest imports."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from dressing import remove_style
from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from parapluie_gui import places
from parapluie_gui.computer import gc_disabled
from parapluie_gui.feature import collect_parts
from parapluie_gui.storage.working_copies import WorkingCopies
from parapluie_gui.ui.state.driver import WorkerDriver
from parapluie_gui.ui.state.preferences import UserPreferences
from parapluie_gui.ui.widgets import theme as themes
from parapluie_gui.ui.widgets.theme import Theme
from parapluie_gui.ui.window.main import MainWindow


def _no_worker(connection) -> None:
    raise AssertionError("name the worker that this test needs")


@pytest.fixture
def wear(qapp):
    """Return a function that applies a theme to the application until the test ends."""

    def put_on(theme: Theme) -> None:
        if qapp.styleSheet():
            themes.apply(qapp, theme)
        else:
            with gc_disabled():
                qapp.setPalette(themes.palette(theme))
            themes.notify_theme_followers()
        qapp.sendPostedEvents()  # Qt notifies the widgets by events

    return put_on


@pytest.fixture(autouse=True)
def nothing_dark_is_left():
    """Restore the light theme after a test."""
    yield
    app = QApplication.instance()
    if app is not None and themes.current_theme() is themes.DARK:
        with gc_disabled():
            app.setPalette(themes.palette(themes.LIGHT))
        themes.notify_theme_followers()


@pytest.fixture(autouse=True)
def no_key_is_held():
    """Release Shift after a test: Qt holds it until the next key, and `selectRow` then selects nothing new."""
    yield
    if QApplication.instance() is not None and QApplication.keyboardModifiers():
        QTest.keyRelease(QWidget(), Qt.Key.Key_Shift)


@pytest.fixture
def open_window(qapp, qtbot, home):
    """Return a function that opens the window with the test's data folder.

    It has no worker unless `worker` is passed, since a process takes a second; see `WorkerDriver` for `patience`.
    `setup` has the settings of Setup, `theme` the colours, `size` the window's size; `shown` shows it at once.
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
        window = MainWindow(
            WorkingCopies(places.user_data(), content=collect_parts("content")), UserPreferences(), driver, theme
        )
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
    # Deleted before the style is removed, since each of the thousand widgets would be styled again.
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    remove_style(qapp)


@pytest.fixture
def check_small_screen(open_window, monkeypatch):
    """Return a function that opens second windows by actions and checks that each fits a small screen."""

    class Screen:
        def availableSize(self):
            return QSize(700, 500)

    def check(*slots: str) -> None:
        small = Screen()
        monkeypatch.setattr(QWidget, "screen", lambda widget: small)
        window = open_window()
        for slot in slots:
            before = {widget for widget in QApplication.topLevelWidgets() if widget.isVisible()}
            window.actions_by_name[slot].trigger()
            opened = [each for each in QApplication.topLevelWidgets() if each.isVisible() and each not in before]
            assert len(opened) == 1 and opened[0].height() <= 500 - 34
            opened[0].close()

    return check
