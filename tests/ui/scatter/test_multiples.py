"""The grid of small multiples: one panel per score, with a shared selection."""

from __future__ import annotations

import numpy as np
import pytest
from finding import ring_position
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.scores.signature import Signature
from parapluie_gui.ui.scatter.multiples import SmallMultiples
from parapluie_gui.ui.scatter.view import ScatterView
from parapluie_gui.ui.state.workspace import CorpusWorkspace
from parapluie_gui.ui.widgets.theme import DARK

X = np.array([0.2, 0.4, 0.6, 0.8])
SCORES = {
    "edit_distance": X,
    "pluie.direct": np.array([8.0, 4.0, -4.0, -8.0]),
    "pluie.direct.p_yes": np.array([0.9, 0.8, 0.1, 0.1]),
    "bleu": np.array([0.9, 0.2, 0.5, 0.1]),
    "pluie.indirect": np.array([-3.0, 3.0, 5.0, -5.0]),
}


@pytest.fixture
def workspace(qapp):
    space = CorpusWorkspace()
    corpus = Corpus("t", list("abcd"), ["s"] * 4, ["h"] * 4, label=np.array([1, 0, 1, -1], np.int8))
    space.show(corpus)
    space.put(np.arange(4), SCORES)
    return space


@pytest.fixture
def grid(qtbot, workspace):
    widget = SmallMultiples(workspace)
    qtbot.addWidget(widget)
    widget.resize(900, 600)
    with qtbot.waitExposed(widget):
        widget.show()
    return widget


def spot(grid, panel, x, y):
    return grid.canvas.mapFromScene(panel.plot.getViewBox().mapViewToScene(QPointF(x, y)))


def test_there_is_one_panel_for_every_score_not_on_x(grid):
    assert [panel.column for panel in grid.panels] == ["pluie.direct", "pluie.indirect", "bleu"]
    assert [panel.line is not None for panel in grid.panels] == [True, True, False]


def test_a_click_in_one_panel_rings_the_pair_in_all(grid, workspace):
    QTest.mouseClick(grid.canvas.viewport(), Qt.MouseButton.LeftButton, pos=spot(grid, grid.panels[2], 0.6, 0.5))
    assert workspace.selection.primary == 2
    assert [ring_position(panel.plot.getViewBox()) for panel in grid.panels] == [(0.6, -4.0), (0.6, 5.0), (0.6, 0.5)]


def test_points_outside_the_selection_fade(grid, workspace, qtbot):
    workspace.selection.set_rows("mine", np.array([0]))
    points = grid.panels[0].points
    qtbot.waitUntil(
        lambda: (points.count_drawn(0), points.count_drawn(0, True), points.count_drawn(1, True)) == (1, 1, 1)
    )


def test_a_new_score_gets_a_panel(grid, workspace, qtbot):
    workspace.put(np.arange(4), {"chrf": X})
    qtbot.waitUntil(lambda: len(grid.panels) == 4)
    workspace.show(None)
    qtbot.waitUntil(lambda: not grid.panels)
    assert grid.message.isVisible()


def test_a_click_on_a_title_puts_that_score_on_y(qtbot, workspace):
    view = ScatterView(workspace)
    qtbot.addWidget(view)
    view.resize(900, 640)
    with qtbot.waitExposed(view):
        view.show()
    qtbot.mouseClick(view.grid_button, Qt.MouseButton.LeftButton)
    grid = view.multiples
    assert view.stack.currentWidget() is grid
    qtbot.waitUntil(lambda: grid.panels[1].plot.titleLabel.sceneBoundingRect().width() > 20)
    title = grid.panels[1].plot.titleLabel.sceneBoundingRect().center()
    QTest.mouseClick(grid.canvas.viewport(), Qt.MouseButton.LeftButton, pos=grid.canvas.mapFromScene(title))
    assert workspace.y == "pluie.indirect"
    assert view.stack.currentWidget() is view.canvas
    assert not view.grid_button.isChecked()


def test_thirty_panels_scroll_and_are_drawn_when_first_visible(grid, workspace, qtbot):
    rng = np.random.default_rng(0)
    for at in range(28):
        workspace.put(np.arange(4), {f"metric{at}": rng.random(4)})
    qtbot.waitUntil(lambda: len(grid.panels) == 31)
    bar = grid.area.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 0)
    first, last = grid.panels[0], grid.panels[-1]
    assert len(first.points.cloud) and not len(last.points.cloud), "panels outside the view are not drawn"
    assert first.plot.size().height() > 100, "no panel is squeezed"
    widths = {round(panel.plot.getAxis("left").width()) for panel in grid.panels}
    assert len(widths) == 1, "the panels are aligned"
    wheel = QWheelEvent(
        QPointF(200, 200),
        grid.canvas.viewport().mapToGlobal(QPointF(200, 200)),
        QPoint(),
        QPoint(0, -1200),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(grid.canvas.viewport(), wheel)
    assert not wheel.isAccepted(), "the surrounding area scrolls"
    bar.setValue(bar.maximum())
    assert len(last.points.cloud)
    workspace.selection.set_primary(2)
    assert ring_position(last.plot.getViewBox()) == pytest.approx((0.6, workspace.table["metric27"][2]))
    assert ring_position(first.plot.getViewBox()) == pytest.approx((0.6, -4.0))


def test_a_figure_of_many_panels_contains_all_of_them(qtbot, workspace, tmp_path):
    for at in range(20):
        workspace.put(np.arange(4), {f"metric{at}": X})
    view = ScatterView(workspace)
    qtbot.addWidget(view)
    view.resize(900, 640)
    with qtbot.waitExposed(view):
        view.show()
    view.set_grid(True)
    text = view.export(tmp_path / "grid.svg").read_text("utf-8").replace("\xa0", " ")
    assert all(f"metric{at}" in text for at in range(20))
    assert not view.multiples._stale


def test_theme_and_scale_apply_to_all_panels(grid, wear):
    wear(DARK)
    grid.set_scale(1.7)
    corner = grid.canvas.grab().toImage().pixelColor(3, 3)
    assert corner.name() == DARK.plot


def test_many_pairs_are_shown_as_density_with_a_note(qtbot):
    n = 30_000
    space = CorpusWorkspace()
    space.show(Corpus("many", [str(i) for i in range(n)], ["s"] * n, ["h"] * n))
    rng = np.random.default_rng(1)
    space.put(np.arange(n), {"edit_distance": rng.random(n), "pluie.direct": rng.normal(0, 5, n)})
    widget = SmallMultiples(space)
    qtbot.addWidget(widget)
    widget.resize(800, 500)
    with qtbot.waitExposed(widget):
        widget.show()
    assert widget.panels[0].points.dense
    assert "density" in widget.note.text()
    assert widget.note.isVisible()


def test_an_exported_grid_contains_every_panel(qtbot, workspace, tmp_path):
    view = ScatterView(workspace)
    qtbot.addWidget(view)
    view.resize(900, 640)
    with qtbot.waitExposed(view):
        view.show()
    view.set_grid(True)
    workspace.declare("bleu", Signature.from_fields("bleu", {"name": "bleu", "tok": "treebank"}))
    text = view.export(tmp_path / "grid.svg").read_text("utf-8").replace("\xa0", " ")
    for words in ("ParaPLUIE DIRECT", "BLEU", "ParaPLUIE INDIRECT", "name:bleu|tok:treebank", "paraphrase 2"):
        assert words in text
