"""The strips of the Pair panel: the distribution of the corpus's scores, and a pair's position in it."""

from __future__ import annotations

import time
from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from waiting import at_rest, in_time

from parapluie_gui.metrics import catalogue
from parapluie_gui.metrics.column_source import ColumnSource
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.scores.signature import Signature
from parapluie_gui.ui.pair.distributions import BINS, ScoreDistributions, measure
from parapluie_gui.ui.pair.strip import ScoreStrip, ScoreStripList
from parapluie_gui.ui.pair_panel.view import PairStrips, PairView
from parapluie_gui.ui.state.notes import CorpusAnnotations
from parapluie_gui.ui.state.workspace import CorpusWorkspace
from parapluie_gui.ui.widgets import theme

NOTHING = SimpleNamespace(evidence=lambda column, row: None, prompt=lambda column, row: None)


def test_histogram_counts_match_numpy():
    rng = np.random.default_rng(0)
    values = rng.normal(0, 1, 5000)
    values[::7] = np.nan
    labels = rng.integers(-1, 2, 5000).astype(np.int8)
    shape = measure(values, labels, None, True)
    edges = np.linspace(shape.low, shape.high, BINS + 1)
    edges[[0, -1]] = -np.inf, np.inf
    for row, label in enumerate((1, 0, -1)):
        assert np.array_equal(shape.counts[row], np.histogram(values[(labels == label) & ~np.isnan(values)], edges)[0])
    assert shape.total == np.count_nonzero(~np.isnan(values))


@pytest.mark.parametrize("closer", [True, False])
def test_the_position_in_the_corpus_is_exact_to_one_bin(closer):
    values = np.random.default_rng(1).beta(2, 5, 4000)
    shape = measure(values, np.zeros(4000, np.int8), None, closer)
    widest = shape.counts.sum(axis=0).max() / 4000
    for value in (0.05, 0.2, 0.5, 0.9):
        true = np.mean(values < value) if closer else np.mean(values > value)
        assert shape.closer_than(value) == pytest.approx(true, abs=widest)
    assert shape.place(1e9) == (1.0 if closer else 0.0)
    assert shape.place(0.2) < shape.place(0.3) if closer else shape.place(0.2) > shape.place(0.3)


def test_an_outlier_does_not_squeeze_the_strip_and_the_threshold_is_visible():
    values = np.append(np.linspace(3, 4, 5000), [1e9, np.inf, -np.inf])
    shape = measure(values, np.full(5003, -1, np.int8), 0.0, True)
    assert shape.low < 0 and 4 <= shape.high < 5
    assert shape.total == 5003
    assert 0 < shape.place(0.0) < 0.05


@pytest.mark.parametrize("values", [np.full(3, np.nan), np.empty(0), np.full(3, np.inf)])
def test_without_finite_scores_there_is_no_distribution(values):
    assert measure(values, np.zeros(len(values), np.int8), None, True) is None


def test_equal_scores_have_a_distribution():
    shape = measure(np.full(9, 2.0), np.ones(9, np.int8), None, True)
    assert shape.place(2.0) == 0.5 and shape.densities().max() == 1.0


@pytest.fixture
def workspace(qapp):
    space = CorpusWorkspace()
    n = 60
    space.show(
        Corpus(
            "c",
            [str(row) for row in range(n)],
            ["a b"] * (n - 1) + [""],
            ["a c"] * n,
            label=np.array([1, 0, -1] * 20, np.int8),
            extra={"gpt4": ["1", "-100", ""] * 20},
        )
    )
    bleu = np.linspace(0, 1, n)
    bleu[-1] = np.nan
    space.put(np.arange(n), {"pluie.direct": np.linspace(-5, 5, n), "edit_distance": np.linspace(0, 1, n)})
    space.put(np.arange(n), {"rouge1": bleu})
    return space


def test_a_distribution_is_computed_once_and_again_when_scores_arrive(workspace, qtbot, monkeypatch):
    measured = []
    monkeypatch.setattr(
        "parapluie_gui.ui.pair.distributions.measure",
        lambda *told: measured.append(told) or measure(*told),
        raising=True,
    )
    shapes = ScoreDistributions(workspace)
    qtbot.waitUntil(lambda: at_rest(workspace))  # the views have been notified of the fixture's scores
    assert shapes.find_shape("rouge1") is None
    with qtbot.waitSignal(shapes.measured):
        pass
    first = shapes.find_shape("rouge1")
    assert first.total == 59 and shapes.find_shape("rouge1") is first and len(measured) == 1
    workspace.put(np.array([59]), {"rouge1": np.array([0.5])})
    qtbot.waitUntil(lambda: shapes.find_shape("rouge1").total == 60)
    assert len(measured) == 2
    workspace.show(None)
    assert shapes.find_shape("rouge1") is None


def test_strips_show_value_position_and_the_reason_for_a_missing_score(workspace, qtbot):
    ColumnSource("external.gpt4", "gpt4").put(workspace.table, workspace.corpus)
    strips = PairStrips(workspace)
    strips.list_strips(0)
    strips.shapes.settle()
    shown = {strip.column: strip for strip in strips.list_strips(59)}
    first = ["pluie.direct", "edit_distance", "bleu"]
    assert list(shown)[:3] == first, "templates first, then the default columns, computed or not"
    assert shown["pluie.direct"].text == "+5.00" and shown["pluie.direct"].shape.threshold == 0.0
    assert shown["bleu"].value is None and shown["bleu"].missing == ""
    assert shown["rouge1"].missing == catalogue.why_missing("rouge1", "", "a c")
    assert shown["external.gpt4"].title == "gpt4" and "empty" in shown["external.gpt4"].missing
    assert "-100" in {strip.column: strip for strip in strips.list_strips(1)}["external.gpt4"].missing
    assert {strip.column: strip for strip in strips.list_strips(0)}["external.gpt4"].value == 1.0
    workspace.declare("bleu", Signature.from_fields("bleu", {"name": "bleu"}))
    workspace.put(np.array([59]), {"bleu": np.array([0.0])})
    with qtbot.waitSignal(strips.zeros.arrived, timeout=60_000):
        strips.list_strips(59)
    assert "so it has no run of 4" in {strip.column: strip for strip in strips.list_strips(59)}["bleu"].note


def strip(closer: bool, value: float | None = 0.9, missing: str = "") -> ScoreStrip:
    values = np.linspace(0, 1, 200)
    shape = measure(values, np.tile([1, 0], 100).astype(np.int8), 0.5, closer)
    return ScoreStrip("x", "Score", value, missing=missing, note="What it is.", shape=shape, threshold=0.5)


def test_distances_are_drawn_from_the_right(qtbot):
    view = ScoreStripList()
    qtbot.addWidget(view)
    view.resize(420, 200)
    view.show()
    for closer, share in ((True, 0.9), (False, 0.1)):
        view.set_rows([strip(closer)])
        area = view.picture_area(0)
        picture = view.grab().toImage()
        y = round(area.top() + 2)
        dark = [
            x for x in range(round(area.left()), round(area.right())) if picture.pixelColor(x, y).name() == "#1b1f27"
        ]
        assert np.mean(dark) == pytest.approx(area.left() + share * area.width(), abs=0.04 * area.width())
        assert f"nearer in meaning than {share:.0%}".replace("%", " %") in view.accessibleDescription()


def test_colours_follow_labels_and_theme(qtbot, wear):
    view = ScoreStripList()
    qtbot.addWidget(view)
    view.resize(420, 200)
    view.show()
    values = np.concatenate([np.full(50, 0.1), np.full(50, 0.9)])
    shape = measure(values, np.repeat([0, 1], 50).astype(np.int8), None, True)
    view.set_rows([ScoreStrip("x", "Score", 0.5, shape=shape)])
    area = view.picture_area(0)
    base = area.bottom() - 3

    def colour(share: float):
        at = QPointF(area.left() + share * area.width(), base).toPoint()
        return view.grab().toImage().pixelColor(at)

    left, right = colour(0.03), colour(0.97)
    assert left.red() > left.blue() and right.blue() > right.red()
    before = view.grab().toImage()
    wear(theme.DARK)
    assert view.grab().toImage() != before


def test_tooltips_and_accessible_descriptions_say_the_same(qtbot):
    view = ScoreStripList()
    qtbot.addWidget(view)
    view.set_rows([strip(False), strip(True, None, "the sentence is empty"), ScoreStrip("y", "Other", None)])
    assert "threshold, 0.5" in view.tip(0) and "What it is." in view.tip(0)
    assert "ranges from 1.0" in view.tip(0), "a distance's strip begins at its large end"
    assert view.number(1) == "the sentence is empty" and view.number(2) == "not scored yet"
    assert "Score: the sentence is empty" in view.accessibleDescription()


def test_thirty_strips_of_a_million_pairs_are_drawn_quickly(qtbot):
    n = 1_000_000
    space = CorpusWorkspace()
    space.show(Corpus("big", [""] * n, ["a b"] * n, ["a c"] * n))
    numbers = np.random.default_rng(0).random(n)
    ids = [info.id for info in catalogue.metrics() if info.reference_form and not info.argument_needed][:15]
    for column in [*ids, *(f"{name}.ref" for name in ids)]:
        space.table.declare(column)
        space.table.put(np.arange(n), {column: numbers})
    view = PairView(space, CorpusAnnotations(lambda work, failure: None), NOTHING)
    qtbot.addWidget(view)
    view.resize(400, 900)
    view.show()
    space.selection.set_primary(0)
    shown = view.findChild(PairStrips)
    shown.shapes.settle()
    space.scores_changed.emit(frozenset())  # pending updates have been shown
    strips = view.scores.strips
    assert len(strips.rows) >= 30
    strips.grab()
    took = []
    for row in range(1, 12):
        start = time.process_time()
        view.scores.show_strips(shown.list_strips(row))
        strips.repaint()
        took.append(time.process_time() - start)
    # About 4 ms on the development machine; recomputing a distribution would add 20 ms each.
    assert np.median(took) < in_time(0.015)
    assert strips.height() > 30 * view.fontMetrics().height(), "they scroll with the panel, and none is squeezed"
