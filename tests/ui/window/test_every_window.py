"""Every dialog and window of the program, found in its code: spoken, named, large enough, closed by keys.

A new one fails `test_each_window_of_the_program_is_checked` until `tests/helpers/windows.py` says how it opens.
"""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QAbstractButton, QApplication, QDialog
from spoken import (
    find_faint_borders,
    find_mislabelled,
    find_nameless,
    find_narrow_targets,
    find_out_of_reach,
    find_unspoken,
)
from windows import ACTIONS, DIRECT, fill, open_one, window_classes

from parapluie_gui.ui.widgets import theme as themes
from parapluie_gui.ui.widgets.busy_bar import BusyBar
from parapluie_gui.ui.widgets.controls import FoldingSection

CLASSES = window_classes()
#: The room of a window on a screen of 1440 x 900 at 200 %.
SMALL = (720, 416)
TAB_CHECKS = {
    "no name": find_nameless,
    "wrong name": find_mislabelled,
    "too close": find_narrow_targets,
    "outside": find_out_of_reach,
}
CHECKS = {"not spoken": find_unspoken, **TAB_CHECKS}
NO_JUDGE = {"judge": {"model": ""}, "templates": {}}


@pytest.fixture
def window(open_window, qtbot):
    window = open_window(setup=NO_JUDGE, size=(1440, 900))
    window.state.corpora.open_demo()
    qtbot.waitUntil(lambda: window.workspace.corpus is not None, timeout=10_000)
    fill(window)
    window.activateWindow()
    return window


def test_each_window_of_the_program_is_checked():
    assert set(CLASSES) <= {*ACTIONS, *DIRECT}, "say in tests/helpers/windows.py how the new window opens"


def test_every_window_is_spoken_named_and_large_enough(window, qtbot, tmp_path):
    wrong = []
    for name in sorted(CLASSES):
        part = open_one(name, window, qtbot, tmp_path)
        for complaint, check in CHECKS.items():
            wrong += [f"{name}, {complaint}: {text}" for text in check(part)]
        if (needed := part.minimumSizeHint().width()) > SMALL[0]:
            wrong.append(f"{name}: needs {needed} pixels in width")
        if not part.windowTitle():
            wrong.append(f"{name}: no title")
        if isinstance(part, QDialog) and not part.property("manual_page"):
            wrong.append(f"{name}: no page of the manual")
        part.close()
        qtbot.waitUntil(lambda part=part: not part.isVisible())
    assert not wrong, "\n".join(wrong)


def test_every_tab_is_named_and_large_enough(window, qtbot):
    """With Setup unfolded, where the small controls are."""
    wrong = []
    for fold in window.setup.findChildren(FoldingSection):
        fold.heading.setChecked(True)
    for at in range(window.tabs.count()):
        window.tabs.setCurrentIndex(at)
        qtbot.wait(100)
        qtbot.waitUntil(lambda: not window.analysis.busy, timeout=30_000)
        for complaint, check in TAB_CHECKS.items():
            wrong += [f"{window.tabs.tabText(at)}, {complaint}: {text}" for text in check(window)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("theme", [themes.LIGHT, themes.DARK], ids=["light", "dark"])
def test_borders_stand_out_in_every_tab_and_window(window, qtbot, tmp_path, theme):
    themes.apply(QApplication.instance(), theme)
    wrong = []
    for fold in window.setup.findChildren(FoldingSection):
        fold.heading.setChecked(True)
    for at in range(window.tabs.count()):
        window.tabs.setCurrentIndex(at)
        qtbot.wait(100)
        qtbot.waitUntil(lambda: not window.analysis.busy, timeout=30_000)
        wrong += [f"{window.tabs.tabText(at)}: {text}" for text in find_faint_borders(window)]
    for name in sorted(CLASSES):
        part = open_one(name, window, qtbot, tmp_path)
        wrong += [f"{name}: {text}" for text in find_faint_borders(part)]
        part.close()
        qtbot.waitUntil(lambda part=part: not part.isVisible())
    assert not wrong, "\n".join(wrong)


def test_the_buttons_of_panels_are_named_after_them(window):
    for dock in window.docks.all:
        dock.hide()
        dock.show()
    names = [button.accessibleName() for button in window.findChildren(QAbstractButton, "qt_dockwidget_closebutton")]
    assert sorted(names) == ["Close the panel Pair", "Close the panel Pairs", "Close the panel Setup"]


def test_nothing_is_out_of_reach_at_200_per_cent_on_a_small_screen(open_window, qtbot):
    """1440 x 900 pixels at 200 % are 720 x 450, without the title bar and the screen's own bars."""
    window = open_window(setup=NO_JUDGE, size=SMALL)
    window.state.corpora.open_demo()
    qtbot.waitUntil(lambda: window.workspace.corpus is not None, timeout=10_000)
    fill(window)
    wrong = []
    for at in (*range(window.tabs.count()), 0):
        window.tabs.setCurrentIndex(at)
        qtbot.wait(100)
        qtbot.waitUntil(lambda: not window.analysis.busy, timeout=30_000)
        name = window.tabs.tabText(at)
        if view := window.tabs.currentWidget().findChild(BusyBar):
            view.begin("Independent of edit distance?")
            view._appear()
            QApplication.processEvents()
            assert view.isVisible()
        if window.width() > SMALL[0] or window.height() > SMALL[1]:
            wrong.append(f"{name}: the window is {window.width()} x {window.height()}")
        wrong += [f"{name}: {text}" for text in find_out_of_reach(window)]
    assert not wrong, "\n".join(wrong)
