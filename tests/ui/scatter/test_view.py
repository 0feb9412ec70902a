"""The scatter as a user operates it: clicking, dragging, typing, drawing a lasso."""

from __future__ import annotations

import re

import numpy as np
import pyqtgraph as pg
import pytest
from finding import ring_position
from PySide6.QtCore import QEvent, QPoint, QPointF, QSizeF, Qt
from PySide6.QtGui import QColor, QImage, QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolTip
from waiting import at_rest

from parapluie_gui.metrics.changes.kinds import kinds_number
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.report.figure_style import SIZES, FigureStyle, chart_height
from parapluie_gui.scores.signature import Signature
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.ui.analysis.choice import offered_scores
from parapluie_gui.ui.scatter import message
from parapluie_gui.ui.scatter import view as view_module
from parapluie_gui.ui.scatter.arrows import DOWN, SYMBOLS, UP
from parapluie_gui.ui.scatter.view import ScatterView
from parapluie_gui.ui.state.selection import LASSO, NO_PAIR
from parapluie_gui.ui.state.workspace import CorpusWorkspace
from parapluie_gui.ui.widgets import theme as themes
from parapluie_gui.ui.widgets.theme import DARK, LIGHT

LEFT = Qt.MouseButton.LeftButton

# Four pairs far apart; at threshold 0: 0 is a true positive, 1 a false positive, 2 a false negative, 3 a true negative.
X = np.array([0.2, 0.4, 0.6, 0.8])
Y = np.array([8.0, 4.0, -4.0, -8.0])
LABELS = np.array([1, 0, 1, 0], dtype=np.int8)


def corpus_of(n: int, label: np.ndarray | None = None) -> Corpus:
    return Corpus(
        "test", [f"p{i}" for i in range(n)], [f"source {i}" for i in range(n)], ["<b>hyp</b> &"] * n, label=label
    )


@pytest.fixture
def view(qtbot, qapp, monkeypatch):
    # pyqtgraph drops mouse moves that come faster than 100 per second, as in a test.
    monkeypatch.setitem(pg.CONFIG_OPTIONS, "mouseRateLimit", 0)
    themes.apply(qapp, LIGHT)
    workspace = CorpusWorkspace()
    widget = ScatterView(workspace)
    widget.workspace = workspace  # the fixture's owner of the objects that the view observes
    qtbot.addWidget(widget)
    widget.resize(900, 640)
    with qtbot.waitExposed(widget):
        widget.show()
    return widget


@pytest.fixture
def four(view, qtbot):
    view.workspace.show(corpus_of(4, LABELS))
    put_scores(qtbot, view, np.arange(4), {"edit_distance": X, "pluie.direct": Y})
    return view


def put_scores(qtbot, view, rows, values) -> None:
    with qtbot.waitSignal(view.workspace.scores_changed):
        view.workspace.put(rows, values)
    qtbot.waitUntil(lambda: at_rest(view))


def at(view, x: float, y: float) -> QPoint:
    """Return the position of a data point in the drawing's viewport."""
    return view.canvas.mapFromScene(view.canvas.box.mapViewToScene(QPointF(x, y)))


def click(view, x: float, y: float, dx: int = 0) -> None:
    QTest.mouseClick(view.canvas.viewport(), LEFT, pos=at(view, x, y) + QPoint(dx, 0))


def drag(view, points: list[QPoint], modifier=Qt.KeyboardModifier.NoModifier) -> None:
    port = view.canvas.viewport()

    def send(kind, point, button, buttons):
        event = QMouseEvent(kind, QPointF(point), QPointF(port.mapToGlobal(point)), button, buttons, modifier)
        QApplication.sendEvent(port, event)

    send(QEvent.Type.MouseMove, points[0], Qt.MouseButton.NoButton, Qt.MouseButton.NoButton)
    send(QEvent.Type.MouseButtonPress, points[0], LEFT, LEFT)
    for point in points[1:]:
        send(QEvent.Type.MouseMove, point, Qt.MouseButton.NoButton, LEFT)
    send(QEvent.Type.MouseButtonRelease, points[-1], LEFT, Qt.MouseButton.NoButton)


def test_a_click_near_a_point_makes_its_pair_primary(four):
    click(four, 0.6, -4.0, dx=6)
    assert four.workspace.selection.primary == 2
    assert ring_position(four.canvas.box) == (0.6, -4.0)


def test_a_click_on_empty_space_keeps_the_primary_pair_and_the_selection(four):
    selection = four.workspace.selection
    selection.set_rows("mine", np.array([1, 2]))
    click(four, 0.2, 8.0)
    click(four, 0.2, -8.0)
    assert selection.primary == 0
    assert selection.rule.name == "mine"


def test_hovering_shows_the_pair_as_plain_text(four, qtbot):
    QTest.mouseMove(four.canvas.viewport(), at(four, 0.4, 4.0))
    qtbot.waitUntil(QToolTip.isVisible)
    assert "&lt;b&gt;hyp&lt;/b&gt; &amp;" in QToolTip.text()
    assert "p1" in QToolTip.text()


def test_no_count_moves_while_the_line_is_dragged(view, qtbot):
    rows = np.arange(240)
    view.workspace.show(corpus_of(240, (rows % 2).astype(np.int8)))
    put_scores(qtbot, view, rows, {"edit_distance": rows / 240, "pluie.direct": rows - 120.0})
    seen = {}
    for threshold in (-200.0, -30.0, 0.0, 115.0, 200.0):
        view.workspace.set_threshold(threshold)
        qtbot.waitUntil(lambda: at_rest(view))
        for name, count in view.bar.counts.items():
            seen.setdefault(name, {})[count.text()] = count.mapTo(view, QPoint(0, 0)).x(), count.width()
    assert {text for texts in seen.values() for text in texts} >= {"TP 120", "TP 0", "FN 0", "FN 120", "TN 120"}
    for texts in seen.values():
        assert len(set(texts.values())) == 1, texts


def test_dragging_the_line_updates_threshold_and_counts(four):
    assert [four.bar.counts[k].text() for k in ("tp", "fp", "fn", "tn")] == ["TP 1", "FP 1", "FN 1", "TN 1"]
    start, end = at(four, 0.5, 0.0), at(four, 0.5, 6.0)
    moved = []
    four.workspace.threshold_moved.connect(lambda *move: moved.append(move))
    drag(four, [start, start + (end - start) / 3, end, end])
    assert four.workspace.threshold == pytest.approx(6.0, abs=0.3)
    assert moved == [(0.0, four.workspace.threshold)], "a drag is undone as a whole"
    assert four.canvas.natural_line.isVisible()
    assert [four.bar.counts[k].text() for k in ("tp", "fp", "fn", "tn")] == ["TP 1", "FP 0", "FN 1", "TN 2"]
    assert four.bar.quality["accuracy"].text() == "accuracy 0.750"
    assert four.bar.spin.value() == pytest.approx(four.workspace.threshold, abs=0.001)


def test_a_column_that_only_measures_pairs_is_not_compared_with_labels(four):
    workspace = four.workspace
    workspace.set_axes(y="length")
    assert four.bar.sentence.text() == "Length is not a score, so it cannot be right or wrong."
    measuring = [name for name in workspace.numeric_columns() if not workspace.predicts(name)]
    assert "length" in measuring and not set(measuring) & set(offered_scores(workspace)[0])


@pytest.mark.parametrize("span", [(-3.2, 0.1), (-0.1, 3.2), (-3.0, 3.0)])
def test_the_label_of_the_line_is_fully_visible_wherever_the_line_is(four, span):
    box = four.canvas.box
    box.setRange(yRange=span, padding=0)
    box.sigRangeChangedManually.emit([True, True])
    four.grab()  # painting positions the label
    label = four.canvas.line.label
    assert box.sceneBoundingRect().contains(label.mapRectToScene(label.boundingRect()).adjusted(1, 1, -1, -1))


def test_a_double_click_on_the_line_restores_the_natural_threshold(four):
    four.workspace.set_threshold(5.0)
    port, spot = four.canvas.viewport(), at(four, 0.3, 5.0)
    QTest.mouseClick(port, LEFT, pos=spot)
    QTest.mouseDClick(port, LEFT, pos=spot)
    QTest.mouseRelease(port, LEFT, pos=spot)
    assert four.workspace.threshold == 0.0
    assert not four.canvas.natural_line.isVisible()


def test_the_threshold_is_set_by_typing_arrows_reset_and_best(four, qtbot):
    four.bar.spin.setFocus()
    four.bar.spin.selectAll()
    QTest.keyClicks(four.bar.spin, "5")
    QTest.keyClick(four.bar.spin, Qt.Key.Key_Return)
    assert four.workspace.threshold == 5.0
    QTest.keyClick(four.bar.spin, Qt.Key.Key_Up)
    assert four.workspace.threshold == pytest.approx(5.1)
    assert four.canvas.line.value() == pytest.approx(5.1)
    qtbot.mouseClick(four.bar.reset_button, LEFT)
    assert four.workspace.threshold == 0.0
    qtbot.mouseClick(four.bar.best_button, LEFT)
    assert four.workspace.threshold == 8.0


def test_clicking_a_count_selects_its_pairs_and_follows_the_threshold(four, qtbot):
    selection = four.workspace.selection
    qtbot.mouseClick(four.bar.counts["fp"], LEFT)
    assert selection.rule.name == "False positives"
    assert np.flatnonzero(selection.mask).tolist() == [1]
    qtbot.waitUntil(
        lambda: four.canvas.points.count_drawn(1) == 1 and four.canvas.points.count_drawn(0, faded=True) == 2
    )
    four.workspace.set_threshold(-9.0)
    assert np.flatnonzero(selection.mask).tolist() == [1, 3]
    assert four.bar.counts["fp"].isChecked()
    qtbot.waitUntil(lambda: "(2)" in four.set_button.text())
    qtbot.mouseClick(four.set_button, LEFT)
    assert selection.rule is None
    assert not four.bar.counts["fp"].isChecked()


def test_outcomes_follow_another_score_with_the_same_threshold(four, qtbot):
    put_scores(qtbot, four, np.arange(4), {"pluie.indirect": -Y})
    qtbot.mouseClick(four.bar.counts["tp"], LEFT)
    assert np.flatnonzero(four.workspace.selection.mask).tolist() == [0]
    four.workspace.set_axes(y="pluie.indirect")
    assert np.flatnonzero(four.workspace.selection.mask).tolist() == [2]


def test_a_distance_on_y_is_positive_below_the_threshold(four):
    four.workspace.set_axes(x="pluie.direct", y="edit_distance")
    four.workspace.set_threshold(0.5)
    assert four.bar.counts["tp"].text() == "TP 1"
    four.workspace.set_threshold(0.7)
    assert four.bar.counts["tp"].text() == "TP 2"


@pytest.mark.parametrize("with_button", [True, False])
def test_a_lasso_selects_the_points_inside(four, qtbot, with_button):
    before = four.canvas.box.viewRange()
    corners = [at(four, x, y) for x, y in ((0.1, 6), (0.1, 9), (0.45, 9), (0.45, 2), (0.3, 2))]
    if with_button:
        qtbot.mouseClick(four.lasso_button, LEFT)
        drag(four, corners)
    else:
        drag(four, corners, Qt.KeyboardModifier.ShiftModifier)
    selection = four.workspace.selection
    assert selection.rule.name == "Lasso (2)"
    assert np.flatnonzero(selection.mask).tolist() == [0, 1]
    assert four.canvas.box.viewRange() == before
    four.canvas.setFocus()
    QTest.keyClick(four.canvas, Qt.Key.Key_Escape)
    assert selection.rule is None


def test_a_lasso_that_begins_on_the_line_does_not_move_the_threshold(four):
    corners = [at(four, x, y) for x, y in ((0.5, 0.0), (0.9, 0.0), (0.9, -9.5), (0.5, -9.5))]
    drag(four, corners, Qt.KeyboardModifier.ShiftModifier)
    assert four.workspace.threshold == 0.0
    assert np.flatnonzero(four.workspace.selection.mask).tolist() == [2, 3]


def test_arriving_scores_keep_the_view_and_extend_it_only_for_points_outside(view, qtbot):
    view.workspace.show(corpus_of(400))
    rng = np.random.default_rng(3)
    before = view.canvas.box.viewRange()[1]
    put_scores(qtbot, view, np.array([398, 399]), {"edit_distance": np.zeros(2), "pluie.direct": np.array([-9.0, 9.0])})
    start = view.canvas.box.viewRange()
    assert start[1] != before, "the first scores determine the range"
    assert start[1][0] < -9.0 and 9.0 < start[1][1] < 12.0
    for begin in range(0, 300, 100):
        rows = np.arange(begin, begin + 100)
        put_scores(qtbot, view, rows, {"edit_distance": rng.random(100), "pluie.direct": rng.uniform(-9, 9, 100)})
        assert view.canvas.box.viewRange() == start
    put_scores(qtbot, view, np.array([300]), {"edit_distance": np.array([0.5]), "pluie.direct": np.array([20.0])})
    (x0, x1), (y0, y1) = view.canvas.box.viewRange()
    assert [x0, x1] == start[0]
    assert y0 == start[1][0]
    assert y1 > 20.0
    assert len(view.cloud) == 303


def test_zooming_by_hand_is_kept_until_fit(four, qtbot):
    four.canvas.box.setRange(xRange=(0.3, 0.5), yRange=(0, 5), padding=0)
    four.canvas.box.sigRangeChangedManually.emit([True, True])
    put_scores(qtbot, four, np.array([0]), {"pluie.direct": np.array([50.0])})
    assert four.canvas.box.viewRange() == [[0.3, 0.5], [0, 5]]
    four.canvas.setFocus()
    QTest.keyClick(four.canvas, Qt.Key.Key_Home)
    (x0, x1), (_, y1) = four.canvas.box.viewRange()
    assert x0 < 0.0 and x1 > 1.0 and y1 > 50.0


def test_the_wheel_counts_as_zooming_by_hand(four):
    port, spot = four.canvas.viewport(), at(four, 0.5, 2.0)
    event = QWheelEvent(
        QPointF(spot), QPointF(port.mapToGlobal(spot)), QPoint(), QPoint(0, 240), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(port, event)
    assert not four.canvas.frame.following


def test_many_points_become_density_and_points_again_when_zoomed_in(view, qtbot):
    n = 200_000
    rng = np.random.default_rng(5)
    view.workspace.show(corpus_of(n, (rng.random(n) < 0.6).astype(np.int8)))
    put_scores(qtbot, view, np.arange(n), {"edit_distance": rng.random(n), "pluie.direct": rng.uniform(-9, 9, n)})
    points = view.canvas.points
    assert points.dense
    assert points.count_drawn(0) == 0
    assert "density: up to" in view.canvas.legend.text
    view.canvas.box.setRange(xRange=(0.4, 0.6), yRange=(-2, 2), padding=0)
    qtbot.waitUntil(lambda: not points.dense)
    shown = view.cloud.mask_inside((0.4, 0.6), (-2, 2))
    assert points.visible == np.count_nonzero(shown) > 0
    assert points.count_drawn(0) >= np.count_nonzero(shown & (view.cloud.kind == 0))
    assert "density" not in view.canvas.legend.text


def test_histograms_count_the_visible_points(four, qtbot):
    assert four.canvas.marginals.counts(0) == [2, 2, 0]
    four.canvas.box.setRange(xRange=(0.1, 0.5), yRange=(-10, 10), padding=0)
    qtbot.waitUntil(lambda: four.canvas.marginals.counts(1) == [1, 1, 0])
    top, right = four.canvas.marginals.top, four.canvas.marginals.right
    assert top.getViewBox().viewRange()[0] == pytest.approx([0.1, 0.5])
    assert right.getViewBox().viewRange()[1] == pytest.approx([-10, 10])


def pixel(view, x: float, y: float) -> str:
    spot = at(view, x, y)
    return view.canvas.grab().toImage().pixelColor(spot).name()


def test_themes_set_colours_of_background_and_points(four, wear):
    assert pixel(four, 0.3, -9.0) == LIGHT.plot
    light = four.canvas.grab().toImage().pixelColor(at(four, 0.2, 8.0))
    assert light.blue() > 200 > light.red()
    wear(DARK)
    assert pixel(four, 0.3, -9.0) == DARK.plot
    image, place = four.canvas.grab().toImage(), at(four, 0.9, 0.0)
    # The line falls between two rows of pixels; its middle is the reddest.
    line = max((image.pixelColor(place + QPoint(0, by)) for by in (-1, 0, 1)), key=QColor.red)
    assert line.red() > 230 and 90 < line.green() < 135  # DARK.threshold, anti-aliased


def test_empty_states_have_their_sentences(view, qtbot):
    assert "Ctrl+O" in view.canvas.message.text()
    view.workspace.show(corpus_of(160))
    assert view.canvas.message.text() == "Press Run (F5) to score 160 pairs"
    view.set_state("loading")
    assert view.canvas.message.text() == "Scoring …"
    view.show_stage("Loading smollm2-135m …")
    assert view.canvas.message.text() == "Loading smollm2-135m …"
    view.set_state("paused")
    assert view.canvas.message.text() == "Scoring is paused. Press F6 to resume it"
    view.set_state("idle")
    put_scores(qtbot, view, np.arange(160), {"edit_distance": np.linspace(0, 1, 160)})
    assert "ParaPLUIE DIRECT" in view.canvas.message.text()
    put_scores(qtbot, view, np.arange(160), {"pluie.direct": np.linspace(-8, 8, 160)})
    assert not view.canvas.message.isVisible()
    assert view.bar.sentence.text() == "No labels: 80 pairs on or above the line, 80 below it."
    assert not view.bar.counts["tp"].isVisible()
    view.workspace.show(None)
    assert view.canvas.message.isVisible()
    assert view.workspace.selection.primary == NO_PAIR


def test_the_legend_names_the_other_computer_that_scored(four, monkeypatch):
    monkeypatch.setattr(message, "receiving_host", lambda model: "example.org:8000")

    four.canvas.points.mode_changed.emit()
    assert "scored by example.org:8000, which receives the sentences" in four.canvas.legend.text


def test_the_axes_of_a_plot_alone_are_in_words_for_an_audience(four):
    assert "log p(yes)" in four.canvas.plot.getAxis("left").labelText
    four.set_alone(2.0)
    assert four.canvas.plot.getAxis("left").labelText == "ParaPLUIE DIRECT: no ← → yes"
    assert four.canvas.plot.getAxis("bottom").labelText == "Edit distance: ← nearer in meaning"


def test_the_legend_lists_the_visible_marks(four, qtbot):
    assert four.canvas.legend.text == "● paraphrase 2   ■ not a paraphrase 2   — 4 of 4 scored"


def test_pickers_offer_columns_and_keep_the_choice(four, qtbot):
    assert four.y_picker.currentText() == "ParaPLUIE DIRECT"
    put_scores(qtbot, four, np.arange(4), {"bleu": X})
    assert four.y_picker.currentText() == "ParaPLUIE DIRECT"
    four.y_picker.setFocus()
    QTest.keyClicks(four.y_picker, "BLEU")
    assert four.workspace.y == "bleu"
    assert four.canvas.plot.getAxis("left").labelText == "BLEU"
    assert four.canvas.line.value() == four.workspace.natural_threshold("bleu")


def test_presentation_scale_enlarges_fonts_and_points(four):
    before = four.canvas.legend.boundingRect().height()
    four.set_scale(1.7)
    assert four.canvas.legend.minimumHeight() > 1.4 * before


def test_an_export_includes_legend_and_signature(four, tmp_path):
    four.workspace.declare("pluie.direct", Signature.from_fields("pluie.direct", {"name": "pluie", "model": "tiny"}))
    text = four.export(tmp_path / "figure.svg").read_text("utf-8").replace("\xa0", " ")
    assert "name:pluie|model:tiny" in text
    assert "paraphrase 2" in text
    assert "<image" not in text
    four.workspace.selection.set_primary(1)
    QApplication.processEvents()
    window = four.canvas.grab().toImage()
    shape = four.canvas.box.viewRange()
    style = FigureStyle((20.0, 10.0), type_points=14.0, transparent=True, dark=True)
    assert "<image" not in four.export(tmp_path / "dark.svg", style).read_text("utf-8")
    picture = QImage(str(four.export(tmp_path / "slide.png", style, 96)))
    assert (picture.width(), picture.height()) == (756, 378) and picture.pixelColor(2, 2).alpha() == 0
    seen = {picture.pixelColor(x, y).name() for x in range(0, 756, 2) for y in range(0, 378, 2)}
    assert DARK.paraphrase in seen and LIGHT.paraphrase not in seen
    QApplication.processEvents()
    assert four.canvas.box.viewRange() == shape and four.canvas.grab().toImage() == window, "nothing is left over"


@pytest.mark.parametrize("colours", ["label", "change"])
@pytest.mark.parametrize("size", SIZES)
def test_a_figure_of_a_named_size_reserves_most_space_for_the_plot(four, tmp_path, monkeypatch, size, colours):
    four.colour_picker.setCurrentIndex(four.colour_picker.findData(colours))
    four.workspace.declare("pluie.direct", Signature.from_fields("pluie.direct", {"name": "pluie", "model": "tiny"}))
    width, height = SIZES[size]
    style = FigureStyle((width, height or chart_height(width)), 18.0 if size == "16:9" else 8.0)
    shares, written = [], view_module.export_figure

    def measure(target, path, pixels, dpi, **more):
        page = QSizeF(pixels[0] * four.logicalDpiX() / dpi, pixels[1] * four.logicalDpiX() / dpi)
        shares.append(four.canvas.plot_share(page))
        return written(target, path, pixels, dpi, **more)

    monkeypatch.setattr(view_module, "export_figure", measure)
    text = four.export(tmp_path / "figure.svg", style, 96).read_text("utf-8").replace("\xa0", " ")
    assert shares[0] >= 0.6
    assert "name:pluie|model:tiny" in re.search("<desc>(.*)</desc>", text, re.S)[1], "the signature is in the metadata"
    assert text.count("model:tiny") == 1 and "4 of 4" not in text
    if colours == "label":
        assert "not a paraphrase" in text


def test_parts_of_a_figure_can_be_left_out(four, tmp_path):
    def drawn(**parts):
        style = FigureStyle((17.4, 10.0), 8.0, **parts)
        return four.export(tmp_path / "figure.svg", style, 96).read_text("utf-8").replace("\xa0", " ")

    assert "paraphrase" not in drawn(legend=False)
    assert "paraphrase 2" in drawn(counts=True) and "4 of 4 scored" in drawn(counts=True)
    assert "paraphrase 2" not in drawn()
    assert drawn(histograms=True).count("<path") > drawn().count("<path")
    assert four.canvas.marginals.top.isVisible() and four.canvas.legend.isVisible(), "the window keeps all parts"


def test_points_of_a_small_figure_are_small(four, tmp_path):
    sizes = []
    four.canvas.points.set_scale, scale = (
        lambda factor: (sizes.append(factor), scale(factor)),
        (four.canvas.points.set_scale),
    )
    for width in (8.4, 17.4):
        four.export(tmp_path / "figure.svg", FigureStyle((width, 6.5), 8.0), 96)
    narrow, wide = sorted(set(sizes))[:2]
    assert narrow < 0.8 * wide


def test_plus_and_minus_keys_zoom(four):
    before = four.canvas.box.viewRange()[0]
    QTest.keyClick(four.canvas, Qt.Key.Key_Plus)
    near = four.canvas.box.viewRange()[0]
    assert np.ptp(near) == pytest.approx(0.8 * np.ptp(before))
    QTest.keyClick(four.canvas, Qt.Key.Key_Minus)
    assert np.ptp(four.canvas.box.viewRange()[0]) == pytest.approx(np.ptp(before))


def test_a_changed_axis_reapplies_the_rule_before_the_views_are_notified(four):
    four.workspace.put(np.arange(4), {"bleu": -Y})
    four.bar.choose("tp")
    assert four.workspace.selection.mask.tolist() == [True, False, False, False]
    seen = []
    four.workspace.axes_changed.connect(lambda: seen.append(four.workspace.selection.mask.tolist()))
    four.workspace.set_axes(y="bleu")
    assert seen == [[False, False, True, False]]


def test_negative_numbers_use_a_minus_sign_everywhere(four, qtbot):
    four.workspace.set_threshold(-3.5)
    assert four.canvas.line.label.toPlainText() == "threshold −3.50" and four.bar.spin.text() == "−3.500"
    four.bar.spin.selectAll()
    qtbot.keyClicks(four.bar.spin, "-2.25")
    assert four.workspace.threshold == -2.25
    four.bar.spin.lineEdit().setText("−1.5")
    qtbot.keyClick(four.bar.spin, Qt.Key.Key_Return)
    assert four.workspace.threshold == -1.5
    axis = four.canvas.plot.getAxis("left")
    assert axis.tickStrings([-10.0, 0.0, 10.0], 1.0, 10.0) == ["−10", "0", "10"]


def test_the_grid_has_a_legend(four):
    four.set_grid(True)
    assert four.multiples.note.full_text == "● paraphrase   ■ not a paraphrase"


def test_points_can_be_coloured_by_kind_of_change(four, qtbot):
    workspace = four.workspace
    four.colour_picker.setCurrentIndex(1)
    assert workspace.kinds.asked and four.canvas.legend.text.startswith("★ no change found 4")
    with qtbot.waitSignal(workspace.scores_changed):
        workspace.kinds.put(
            np.arange(3), np.array([kinds_number(each) for each in (["number"], ["number"], ["order"])])
        )
    assert four.canvas.legend.text.startswith("● number 2   ■ order 1   ★ no change found 1")
    assert [four.canvas.points.count_drawn(kind) for kind in (0, 1, 6)] == [2, 1, 1]
    assert four.canvas.marginals.counts(0) == [2, 1, 0, 0, 0, 0, 1]
    four.set_grid(True)
    assert four.multiples.note.full_text.startswith("● number   ■ order   ★ no change found")
    four.colour_picker.setCurrentIndex(0)
    assert four.canvas.legend.text.startswith("● paraphrase 2") and four.canvas.marginals.counts(0) == [2, 2, 0]
    assert four.canvas.points.count_drawn(6) == 0 and "paraphrase" in four.multiples.note.full_text


def test_bounds_are_drawn_as_arrows(view, qtbot):
    view.workspace.show(corpus_of(4, LABELS))
    known = {"pluie.direct": Y, "pluie.direct.p_yes": np.full(4, 0.5), "pluie.direct.p_no": np.full(4, 0.5)}
    known["pluie.direct.p_no"][0] = known["pluie.direct.p_yes"][1] = np.nan
    put_scores(qtbot, view, np.arange(4), {"edit_distance": X, **known})
    arrows = view.canvas.points._arrows
    drawn = dict(zip(arrows.data["y"].tolist(), arrows.data["symbol"].tolist(), strict=True))
    assert drawn == {Y[0]: SYMBOLS[UP], Y[1]: SYMBOLS[DOWN]}
    assert sum(view.canvas.points.count_drawn(kind) for kind in range(3)) == 2
    assert "↑ at least: 1" in view.canvas.legend.text and "↓ at most: 1" in view.canvas.legend.text


def test_a_low_plot_keeps_its_axis_and_drops_the_histogram_above(four):
    canvas = four.canvas
    for height, shown in ((640, True), (290, False), (640, True)):
        four.resize(560, height)
        QApplication.processEvents()
        assert canvas.marginals.top.isVisible() == shown
        assert canvas.height() <= four.stack.height()
        above = canvas.plot.geometry().top() - canvas.legend.geometry().bottom()
        assert (above > 20) == shown, "the plot takes the space of the histogram"
        axis = canvas.plot.getAxis("bottom")
        assert canvas.mapFromScene(axis.sceneBoundingRect().bottomLeft()).y() <= canvas.height()


def test_the_tools_stay_on_their_line_next_to_long_names(view, qtbot):
    """Regression: a long judge name pushed Fit and the table's button to a new line."""
    corpus = Corpus("judges", list("ab"), ["s"] * 2, ["h"] * 2)
    view.workspace.show(corpus)
    before = view.y_picker.sizeHint().width()
    name = "ParaPLUIE DIRECT of a model with a long name and a quantisation"
    put_scores(qtbot, view, np.arange(2), {name: np.array([0.5, 1.0])})
    view.workspace.set_axes(y=name)
    letter = view.fontMetrics().averageCharWidth()
    assert view.y_picker.currentText() == name and view.y_picker.sizeHint().width() <= max(before, 27 * letter)
    view.show()
    view.y_picker.showPopup()
    assert view.y_picker.view().minimumWidth() >= view.fontMetrics().horizontalAdvance(name)
    view.y_picker.hidePopup()


def test_selected_pairs_without_a_point_are_counted(four, qtbot):
    put_scores(qtbot, four, np.arange(2), {"bleu": X[:2]})
    four.workspace.set_axes(y="bleu")
    four.workspace.selection.set_rows("scored", np.array([1]))
    qtbot.waitUntil(lambda: four.canvas.legend.text.endswith("· histograms: selected pairs"))
    four.workspace.selection.set_rows("others", np.array([2, 3]))
    qtbot.waitUntil(lambda: four.canvas.legend.text.endswith("· none of the selected pairs"))


def test_accuracy_and_counts_refer_to_the_selected_pairs_and_are_labelled_so(four, qtbot):
    assert not four.bar.extent.isVisibleTo(four.bar)
    four.workspace.selection.set_rows("Lasso (3)", np.array([0, 1, 2]), LASSO)
    qtbot.waitUntil(lambda: four.bar.quality["accuracy"].text() == "accuracy 0.333")
    assert four.bar.extent.text() == "of 3 pairs selected" and four.bar.extent.isVisibleTo(four.bar)
    four.bar.choose("fp")
    assert four.workspace.selection.mask.tolist() == [False, True, False, False], "false positives of the lasso"
    qtbot.waitUntil(lambda: at_rest(four))
    assert four.bar.counts["tp"].text() == "TP 1", "a count does not hide the other points"
    four.workspace.selection.set_rule(None)
    qtbot.waitUntil(lambda: four.bar.quality["accuracy"].text() == "accuracy 0.500")
    assert not four.bar.extent.isVisibleTo(four.bar)


def test_a_large_corpus_is_drawn_once_for_all_changes_of_one_event(view, qtbot, monkeypatch):
    monkeypatch.setattr("parapluie_gui.ui.state.workspace.LARGE", 3)
    table = ScoreTable(4)
    table.put(np.arange(4), {"edit_distance": X, "bleu": 1 - X, "pluie.direct": Y})
    drawn = []
    monkeypatch.setattr(view.canvas.marginals, "show", lambda cloud: drawn.append(len(cloud)))
    view.workspace.show(corpus_of(4, LABELS), table)
    view.workspace.set_axes(x="bleu")
    view.workspace.set_axes(y="edit_distance")
    assert len(view.cloud) == 0, "points of the corpus before must not be clicked"
    qtbot.waitUntil(lambda: at_rest([view, view.bar]))
    assert drawn == [0, 4]
    np.testing.assert_array_equal(view.cloud.y, X)
    assert "accuracy" in view.bar.words
