"""The arithmetic of the scatter: lasso, nearest point, bins, frame."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QFontMetricsF, QPolygonF

from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.scores.signature import Signature
from parapluie_gui.ui.scatter.axes import axis_title
from parapluie_gui.ui.scatter.cloud import PointCloud
from parapluie_gui.ui.scatter.lasso import inside
from parapluie_gui.ui.scatter.marginals import bin_edges
from parapluie_gui.ui.state.selection import NO_PAIR
from parapluie_gui.ui.state.workspace import CorpusWorkspace
from parapluie_gui.ui.widgets.plot_style import default_font, fit_title, scale_font


@pytest.mark.parametrize("seed", range(5))
def test_points_inside_a_polygon_agree_with_qt(seed):
    rng = np.random.default_rng(seed)
    polygon = rng.normal(0, 1, (int(rng.integers(3, 60)), 2))
    x, y = rng.normal(0, 1.2, (2, 2000))
    shape = QPolygonF([QPointF(a, b) for a, b in polygon])
    expected = [shape.containsPoint(QPointF(a, b), Qt.FillRule.OddEvenFill) for a, b in zip(x, y, strict=True)]
    assert inside(polygon, x, y).tolist() == expected


def test_a_polygon_of_too_few_points_contains_nothing():
    point = np.array([0.5])
    assert not inside(np.array([[0, 0], [1, 1]]), point, point).any()
    assert not inside(np.array([[0, 0], [1, 0], [2, 0]]), point, point * 0).any()
    assert inside(np.array([[0, 0], [1, 0], [1, 1], [0, 1]]), np.zeros(0), np.zeros(0)).shape == (0,)


def cloud(x, y, member=None) -> PointCloud:
    x, y = np.asarray(x, float), np.asarray(y, float)
    member = np.ones(len(x), bool) if member is None else np.asarray(member)
    return PointCloud(np.arange(len(x)) * 10, x, y, np.zeros(len(x), np.int8), member)


def test_the_nearest_point_is_measured_in_pixels():
    # A pixel is 0.01 wide but 1 high: the point that is numerically far is near on the screen.
    points = cloud([0.5, 0.6], [0.0, 4.0])
    assert points.nearest(0.6, 0.0, (0.01, 1.0), 12) == 10
    assert points.nearest(0.54, 0.0, (0.01, 1.0), 12) == 0
    assert points.nearest(0.8, 0.0, (0.01, 1.0), 12) == NO_PAIR


def test_the_nearest_point_is_in_the_selection_among_equals():
    assert cloud([0.5, 0.5], [1, 1], [False, True]).nearest(0.5, 1, (0.01, 0.1), 12) == 10
    assert cloud([], []).nearest(0.5, 1, (0.01, 0.1), 12) == NO_PAIR


def test_bins_are_round_and_cover_the_range():
    edges = bin_edges(-0.03, 1.03)
    assert np.diff(edges) == pytest.approx(0.025)
    assert edges[0] <= -0.03 and edges[-1] >= 1.03
    assert 0.0 in edges
    assert len(bin_edges(0.0, 0.0)) == 2


def test_columns_have_display_names():
    workspace = CorpusWorkspace()
    assert axis_title(workspace, "my column") == "my column"
    assert axis_title(workspace, "pluie.direct") == "ParaPLUIE DIRECT: log p(yes) − log p(no)"
    assert axis_title(workspace, "pluie.direct.p_no") == "ParaPLUIE DIRECT, p(no)"


@pytest.mark.parametrize(
    ("model", "template", "words"),
    [
        ("smollm2-135m", "direct", "DIRECT · SmolLM2"),
        ("pocket", "cloze", "Pocket"),
        ("pocket", "cloze.reverse", "Pocket (reverse)"),
        ("mistralai/Mistral-7B-Instruct-v0.3", "fs-direct", "FS-DIRECT · Mistral-7B-Instruct-v0.3"),
        ("C:\\models\\mine", "cloze", "CLOZE · mine"),
    ],
)
def test_a_score_is_named_after_its_judge_and_template(qapp, model, template, words):
    workspace, column = CorpusWorkspace(), f"pluie.{template}"
    workspace.show(Corpus("c", ["1"], ["a"], ["b"]))
    workspace.declare(column, Signature.from_fields(column, {"name": "pluie", "model": model}))
    workspace.put(np.arange(1), {column: np.ones(1), f"{column}.p_yes": np.ones(1)})
    assert workspace.title(column) == words
    assert workspace.title(f"{column}.p_yes") == f"{words}, p(yes)"
    assert axis_title(workspace, column) == f"{words}: log p(yes) − log p(no)"


def test_a_title_longer_than_its_axis_is_shortened_and_then_cut_in_the_middle(qapp):
    font = scale_font(default_font(), 1.5)
    measure = QFontMetricsF(scale_font(font, 1.1)).horizontalAdvance  # titles are larger than the numbers
    long, short = "SmolLM2-135M-Instruct · DIRECT: log p(yes) − log p(no)", "SmolLM2-135M-Instruct · DIRECT"
    assert fit_title((long, short), measure(long) + 1, font) == long
    assert fit_title((long, short), measure(long) - 1, font) == short
    for room in (measure(short) - 1, measure(short) / 2):
        cut = fit_title((long, short), room, font)
        assert measure(cut) <= room and cut[0] == "S" and "…" in cut and cut[-1] == "T"
