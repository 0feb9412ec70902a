"""The scatter without a mouse or a screen: its keys, its range dialog and its description."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QAccessible, QFocusEvent
from PySide6.QtTest import QTest
from waiting import at_rest

from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.ui.scatter.cloud import PointCloud
from parapluie_gui.ui.scatter.range_dialog import RangeDialog
from parapluie_gui.ui.scatter.view import ScatterView
from parapluie_gui.ui.state.selection import LASSO, NO_PAIR
from parapluie_gui.ui.state.workspace import CorpusWorkspace
from parapluie_gui.ui.widgets import theme as themes

KEY = Qt.Key

# A diamond around pair 0, and pair 5 at the place of pair 2, its right end.
X = np.array([0.5, 0.2, 0.8, 0.5, 0.5, 0.8])
Y = np.array([0.0, 0.0, 0.0, 6.0, -6.0, 0.0])
LABELS = np.array([1, 1, 0, 1, 0, 0], dtype=np.int8)


@pytest.fixture
def view(qtbot, qapp):
    themes.apply(qapp, themes.LIGHT)
    workspace = CorpusWorkspace()
    widget = ScatterView(workspace)
    widget.workspace = workspace  # the fixture's owner of the objects that the view observes
    qtbot.addWidget(widget)
    widget.resize(900, 640)
    with qtbot.waitExposed(widget):
        widget.show()
    names = [f"p{at}" for at in range(len(X))]
    workspace.show(Corpus("test", names, ["The cat sat."] * len(X), ["A dog ran."] * len(X), label=LABELS))
    with qtbot.waitSignal(workspace.scores_changed):
        workspace.put(np.arange(len(X)), {"edit_distance": X, "pluie.direct": Y})
    qtbot.waitUntil(lambda: at_rest(widget))
    return widget


def press(view, *keys) -> int:
    """Press keys in the scatter, and return the pair at the mark."""
    for key in keys:
        QTest.keyClick(view.canvas, key)
    return view.canvas.walk.row


@pytest.mark.parametrize(("key", "row"), [(KEY.Key_Left, 1), (KEY.Key_Right, 2), (KEY.Key_Up, 3), (KEY.Key_Down, 4)])
def test_an_arrow_goes_to_the_nearest_pair_in_its_direction(view, key, row):
    view.workspace.selection.set_primary(0)
    assert press(view, key) == row
    assert press(view, key) == row, "there is none further on"
    assert view.workspace.selection.primary == 0, "only Enter selects"


def test_enter_selects_the_pair_at_the_mark(view):
    view.workspace.selection.set_primary(0)
    press(view, KEY.Key_Up, KEY.Key_Return)
    assert view.workspace.selection.primary == 3


def test_the_first_arrow_goes_to_the_pair_in_the_middle(view):
    assert press(view, KEY.Key_Right) == 0


def test_page_down_goes_through_pairs_at_the_same_place(view):
    view.workspace.selection.set_primary(0)
    press(view, KEY.Key_Right)
    assert [press(view, KEY.Key_PageDown), press(view, KEY.Key_PageDown)] == [5, 2]
    assert press(view, KEY.Key_PageUp) == 5


def test_the_mark_stays_in_the_selection(view, qtbot):
    view.workspace.selection.set_rows("two", np.array([0, 4]))
    qtbot.waitUntil(lambda: view.canvas.points.cloud.ruled)
    view.workspace.selection.set_primary(0)
    assert press(view, KEY.Key_Right) == 0
    assert press(view, KEY.Key_Down) == 4


def test_the_view_follows_the_mark(view):
    view.workspace.selection.set_primary(0)
    view.canvas.box.setRange(xRange=(0.45, 0.55), yRange=(-1, 1), padding=0)
    press(view, KEY.Key_Up)
    assert view.canvas.box.viewRect().contains(0.5, 6.0)


def test_plus_minus_and_nought_zoom(view):
    wide = view.canvas.box.viewRect().width()
    press(view, KEY.Key_Plus)
    near = view.canvas.box.viewRect().width()
    press(view, KEY.Key_Minus, KEY.Key_Minus)
    far = view.canvas.box.viewRect().width()
    press(view, KEY.Key_0)
    assert near < wide < far and view.canvas.box.viewRect().width() == pytest.approx(wide)


def test_the_mark_goes_with_the_focus_and_with_its_pair(view, qapp):
    view.workspace.selection.set_primary(0)
    press(view, KEY.Key_Up)
    view.canvas.show_cloud(PointCloud.empty())
    assert view.canvas.walk.row == NO_PAIR
    view.canvas.show_cloud(view.cloud)
    assert press(view, KEY.Key_Up) == 3
    qapp.sendEvent(view.canvas, QFocusEvent(QEvent.Type.FocusOut))
    assert view.canvas.walk.row == NO_PAIR


def test_the_description_says_what_the_picture_shows(view, qtbot):
    view.workspace.selection.set_primary(2)
    qtbot.waitUntil(lambda: "Selected pair p2" in view.canvas.accessibleDescription())
    text = view.canvas.accessibleDescription()
    for words in (
        "against Edit distance: 6 points",
        "paraphrase 3",
        "Correlation (Pearson)",
        "Threshold 0.00",
        "TP 3, True positives",
        "FP 2",
        "Selected pair p2, ParaPLUIE DIRECT 0.000, Edit distance 0.800, not a paraphrase",
    ):
        assert words in text, words


def test_the_description_changes_with_the_picture(view, qtbot):
    spoken = view.canvas.accessibleDescription
    view.workspace.set_threshold(7.0)
    qtbot.waitUntil(lambda: "Threshold 7.00" in spoken() and "TP 0" in spoken())
    view.workspace.selection.set_rows("two", np.array([0, 4]))
    qtbot.waitUntil(lambda: "Selection two: 2 pairs" in spoken())
    view.set_revealed(False)
    view.workspace.selection.set_primary(4)
    view.workspace.set_threshold(6.0)
    qtbot.waitUntil(lambda: "Threshold 6.00" in spoken())
    assert "p4" not in spoken(), "a guess must not be given away"
    view.set_revealed(True)
    view.workspace.show(None)
    qtbot.waitUntil(lambda: spoken().endswith("no points"))


def test_the_pair_that_an_arrow_goes_to_is_announced(view, monkeypatch):
    spoken = []
    monkeypatch.setattr("parapluie_gui.ui.scatter.view.announce", lambda widget, text: spoken.append(text))
    view.workspace.selection.set_primary(0)
    press(view, KEY.Key_Right)
    assert "p2" in spoken[-1] and "The cat sat. A dog ran. 1 of 2 pairs at this place" in spoken[-1]
    interface = QAccessible.queryAccessibleInterface(view.canvas)
    assert interface.text(QAccessible.Text.Description) == view.canvas.accessibleDescription()


def test_a_range_of_each_axis_selects_like_a_lasso(view):
    view.ask_range()
    dialog = view.window().findChild(RangeDialog)
    low, high = dialog.up
    low.setValue(-7.0)
    high.setValue(-5.0)
    assert dialog.count.text() == "Pairs in this range: 1"
    dialog.accept()
    assert view.workspace.selection.mask.nonzero()[0].tolist() == [4]
    assert view.workspace.selection.rule_of(LASSO) is not None


def test_an_empty_range_cannot_be_selected(view):
    view.ask_range()
    dialog = view.window().findChild(RangeDialog)
    for box in dialog.across:
        box.setValue(50.0)
    assert not dialog.button.isEnabled()
    dialog.reject()
