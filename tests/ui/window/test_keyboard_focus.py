"""The focus: visible on every control, in the order of the screen, and windows that keys close."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QAbstractSpinBox, QApplication, QComboBox, QWidget
from shiboken6 import isValid

from parapluie_gui.ui.bench.entry import BenchEntry
from parapluie_gui.ui.widgets import theme as themes

NO_JUDGE = {"judge": {"model": ""}, "templates": {}}

#: Maximum number of Tab stops examined in a tab.
_STOPS = 90


@pytest.fixture
def window(open_window, qtbot):
    window = open_window(setup=NO_JUDGE, size=(1440, 900))
    window.state.corpora.open_demo()
    qtbot.waitUntil(lambda: window.workspace.corpus is not None, timeout=10_000)
    rows = np.arange(window.workspace.table.rows)
    random = np.random.default_rng(0)
    values = {"edit_distance": random.random(len(rows)), "pluie.direct": random.normal(size=len(rows))}
    window.workspace.put(rows, values)
    window.workspace.set_axes(x="edit_distance", y="pluie.direct")
    window.workspace.selection.set_primary(3)
    window.bench.set_history([BenchEntry("A cat.", "A dog.", {"bleu": 0.5}, verdict="same_meaning")])
    return window


def show_tab(window, qtbot, at: int) -> None:
    """Show a tab, and wait until its analyses are computed and nothing moves any more."""
    window.tabs.setCurrentIndex(at)
    qtbot.waitUntil(lambda: not window.analysis.busy, timeout=30_000)
    seen: list[list[QRect]] = [[]]

    def is_at_rest() -> bool:
        seen.append([area(window, part) for part in window.findChildren(QWidget) if part.isVisible()])
        below_tools = window.tools.geometry().bottom() < area(window, window.tabs).top()
        return below_tools and not window.analysis.busy and seen[-1] == seen[-2]

    qtbot.waitUntil(is_at_rest, timeout=30_000)


def tab_stops(window) -> list[QWidget]:
    """Return the controls that Tab goes through, from the tool bar on."""
    buttons = window.tools.findChildren(QAbstractButton)
    first = min((each for each in buttons if each.isVisible() and each.isEnabled()), key=lambda each: each.x())
    first.setFocus(Qt.FocusReason.TabFocusReason)
    stops: list[QWidget] = []
    while len(stops) < _STOPS:
        stop = window.focusWidget()
        if stop in stops:
            break
        stops.append(stop)
        QTest.keyClick(stop, Qt.Key.Key_Tab)
    return stops


def area(window, control: QWidget) -> QRect:
    return QRect(control.mapTo(window, control.rect().topLeft()), control.size())


def count_changed_pixels(first: QImage, second: QImage) -> int:
    pictures = [image.convertToFormat(QImage.Format.Format_RGB32) for image in (first, second)]
    one, other = (np.frombuffer(image.constBits(), dtype=np.uint32) for image in pictures)
    return int((one != other).sum()) if len(one) == len(other) else max(len(one), len(other))


def test_the_focus_is_visible_on_every_control(window, qtbot, monkeypatch):
    """At least as many pixels change as a frame of one pixel has, in each theme with and without high contrast."""
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    invisible = []
    for contrast, theme in itertools.product((False, True), (themes.LIGHT, themes.DARK)):
        monkeypatch.setattr(themes, "wants_contrast", lambda contrast=contrast: contrast)
        themes.apply(QApplication.instance(), theme)
        for at in range(window.tabs.count()):
            show_tab(window, qtbot, at)
            for stop in tab_stops(window):
                if isinstance(stop.parentWidget(), QComboBox | QAbstractSpinBox):
                    continue
                window.setFocus()
                QApplication.processEvents()
                without = stop.grab().toImage()
                stop.setFocus(Qt.FocusReason.TabFocusReason)
                QApplication.processEvents()
                changed = count_changed_pixels(without, stop.grab().toImage())
                if changed < 2 * (stop.width() + stop.height()) - 8:
                    name = f"{window.tabs.tabText(at)}: {type(stop).__name__} {stop.accessibleName()}"
                    invisible.append(f"{name}, {changed} pixels of {stop.width()} x {stop.height()}")
        assert not invisible, (theme.window, contrast)


def test_tab_goes_through_the_window_as_on_the_screen(window, qtbot):
    """No control comes after one that is wholly below it, or to the right of it in the same line."""
    wrong = []
    for at in range(window.tabs.count()):
        show_tab(window, qtbot, at)
        stops = tab_stops(window)
        assert len(stops) < _STOPS, "Tab comes back to the first control"
        show_tab(window, qtbot, at)  # a part that Tab reached may have been scrolled to
        areas = [area(window, stop) for stop in stops]
        for place, one in enumerate(areas):
            for later in range(place + 1, len(areas)):
                other = areas[later]
                above = other.bottom() <= one.top() and other.left() < one.right() and one.left() < other.right()
                left = other.right() <= one.left() and other.top() < one.bottom() and one.top() < other.bottom()
                near = stops[later].parentWidget() is stops[place].parentWidget()
                if above or (left and near):
                    names = [f"{type(part).__name__} {part.accessibleName()}" for part in (stops[place], stops[later])]
                    wrong.append(f"{window.tabs.tabText(at)}: {names[0]} before {names[1]}")
    assert not wrong


@pytest.mark.parametrize(
    "slot",
    [
        *("scatter.ask_range", "choose_columns", "thresholds.open", "finder.open"),
        pytest.param("talks.open", marks=pytest.mark.needs("talks")),
    ],
)
def test_ctrl_w_and_escape_close_a_dialog_or_window(window, qtbot, slot):
    before = {part for part in QApplication.topLevelWidgets() if part.isVisible()}
    for key in (Qt.Key.Key_W, Qt.Key.Key_Escape):
        window.actions_by_name[slot].trigger()
        dialog = next(part for part in QApplication.topLevelWidgets() if part.isVisible() and part not in before)
        qtbot.waitUntil(lambda dialog=dialog: dialog.isActiveWindow() and QApplication.focusWidget() is not None)
        control = Qt.KeyboardModifier.ControlModifier if key == Qt.Key.Key_W else Qt.KeyboardModifier.NoModifier
        QTest.keyClick(dialog.focusWidget() or dialog, key, control)
        qtbot.waitUntil(lambda dialog=dialog: not isValid(dialog) or not dialog.isVisible())
    assert window.workspace.corpus is not None, "the corpus of the main window stays open"


def test_a_window_without_its_own_keys_is_closed_by_escape(window, qtbot):
    other = QWidget()
    qtbot.addWidget(other)
    box = QComboBox(other)
    other.show()
    window.closer.follow(box)
    other.activateWindow()
    box.setFocus()
    qtbot.waitUntil(box.hasFocus)
    QTest.keyClick(box, Qt.Key.Key_Escape)
    assert not other.isVisible()
