"""The score bars and gauges: sides of zero, labels, choosing, missing numbers, changes."""

from __future__ import annotations

import math

import pytest
from finding import find_part
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QFontMetrics
from PySide6.QtWidgets import QLabel

from parapluie_gui.ui.pair.bars import PairBars, ScoreBar, axis_limit
from parapluie_gui.ui.pair.gauges import GaugeColumn, ScoreGauge
from parapluie_gui.ui.pair.scores_panel import ScoresPanel
from parapluie_gui.ui.pair.strip import head_words
from parapluie_gui.ui.state.score_names import format_plain, format_signed, probability
from parapluie_gui.ui.widgets.theme import DARK, LIGHT


@pytest.fixture
def bars(qtbot):
    bars = PairBars()
    qtbot.addWidget(bars)
    bars.resize(600, 200)
    bars.set_rows(
        [
            ScoreBar("pluie.direct", "DIRECT", 4.0),
            ScoreBar("pluie.indirect", "INDIRECT", -2.0),
            ScoreBar("pluie.fs-direct", "FS-DIRECT", None),
        ]
    )
    bars.show()
    return bars


def colour_beside(bars, row, share):
    """The colour in a row's picture at a share of the axis, -1 to 1."""
    area = bars.picture_area(row)
    return (
        bars.grab().toImage().pixelColor(round(area.center().x() + share * area.width() / 2), round(area.center().y()))
    )


def test_positive_bars_are_blue_to_the_right_and_negative_ones_orange_to_the_left(bars, wear):
    assert bars.limit == 5
    assert colour_beside(bars, 0, 0.5) == QColor(LIGHT.paraphrase)
    assert colour_beside(bars, 0, -0.5) != QColor(LIGHT.paraphrase)
    assert colour_beside(bars, 1, -0.3) == QColor(LIGHT.other)
    assert colour_beside(bars, 1, 0.3) != QColor(LIGHT.other)
    assert colour_beside(bars, 0, 0.9) != QColor(LIGHT.paraphrase)  # 4 of 5
    wear(DARK)
    assert colour_beside(bars, 0, 0.5) == QColor(DARK.paraphrase)


def test_labels_repeat_the_meaning_of_the_colours(bars):
    assert [bars.number(row) for row in range(3)] == ["+4.00 yes", "−2.00 no", "not scored yet"]
    bars.set_rows([ScoreBar("pluie.direct", "DIRECT", 4.0, threshold=5.0), ScoreBar("y", "Y", -2.0, threshold=-3.0)])
    assert [bars.number(row) for row in range(2)] == ["+4.00 no", "−2.00 yes"], (
        "the threshold that the user moved decides"
    )
    assert colour_beside(bars, 0, 0.5) == QColor(LIGHT.other) and bars.limit == 5


def test_bars_have_accessible_descriptions(bars):
    assert bars.accessibleDescription() == "DIRECT: +4.00 yes; INDIRECT: −2.00 no; FS-DIRECT: not scored yet"


def test_clicks_and_arrow_keys_choose_a_bar(bars, qtbot):
    emitted = []
    bars.chosen.connect(emitted.append)
    qtbot.mouseClick(bars, Qt.MouseButton.LeftButton, pos=bars.row_area(1).center().toPoint())
    qtbot.keyClick(bars, Qt.Key.Key_Down)
    qtbot.keyClick(bars, Qt.Key.Key_Down)
    qtbot.keyClick(bars, Qt.Key.Key_Up)
    assert emitted == ["pluie.indirect", "pluie.fs-direct", "pluie.fs-direct", "pluie.indirect"]
    assert bars.column() == "pluie.indirect"
    qtbot.mouseClick(bars, Qt.MouseButton.LeftButton, pos=QPoint(10, 2))  # the axis caption is not a bar
    assert bars.column() == "pluie.indirect"


def test_a_change_shows_both_numbers_with_an_arrow(bars):
    bars.set_rows(
        [
            ScoreBar("pluie.direct", "DIRECT", 2.21, -1.2),
            ScoreBar("pluie.x", "X", -1.0, 1.0),
            ScoreBar("pluie.y", "Y", 1.0, 1.0),
        ]
    )
    assert bars.extra(0) == "−1.20 → +2.21   Δ +3.41 ▲"
    assert bars.extra(1) == "+1.00 → −1.00   Δ −2.00 ▼"
    assert bars.extra(2) == "+1.00 → +1.00   Δ 0.00 ="


def test_narrow_rows_are_stacked_and_nothing_overlaps(bars):
    wide = bars.height()
    bars.resize(180, bars.height())
    bars.refresh()
    assert bars.height() > wide
    assert bars.picture_area(0).width() > 150
    assert bars.picture_area(0).bottom() < bars.row_area(1).top()


def test_infinite_and_enormous_scores_stay_on_the_axis(bars):
    bars.set_rows([ScoreBar("pluie.a", "A", math.inf), ScoreBar("pluie.b", "B", -1e6), ScoreBar("pluie.c", "C", 0.0)])
    assert [bars.number(row) for row in range(3)] == ["+∞ yes", "−1000000.00 no", "0.00 undecided"]
    assert colour_beside(bars, 0, 0.95) == QColor(LIGHT.paraphrase)
    assert bars.limit == 1e6


def test_an_empty_widget_takes_no_space(bars):
    bars.set_rows([])
    assert not bars.isVisible()


@pytest.mark.parametrize(
    ("values", "limit"), [([], 1), ([0.2], 1), ([1.2, -1.5], 1.5), ([-33], 40), ([math.inf, 9], 10), ([100], 100)]
)
def test_axis_ends_at_a_round_number(values, limit):
    assert axis_limit(values) == limit


def test_gauges_are_filled_in_proportion(qtbot):
    gauges = GaugeColumn()
    qtbot.addWidget(gauges)
    gauges.resize(500, 100)
    gauges.set_rows(
        [
            ScoreGauge("Edit distance", 0.25, before=0.5),
            ScoreGauge("BLEU", None),
            ScoreGauge("BARTScore", -3.2, -math.inf, 0.0),
        ]
    )
    gauges.show()
    image, area = gauges.grab().toImage(), gauges.picture_area(0)

    def at(share):
        return image.pixelColor(round(area.left() + share * area.width()), round(area.center().y()))

    assert at(0.1) == QColor(LIGHT.unlabelled) and at(0.4) == QColor(LIGHT.raised)
    assert gauges.accessibleDescription().startswith(
        "Edit distance: 0.250, 0.500 → 0.250   Δ −0.250 ▼; BLEU: not scored"
    )
    assert gauges.number(2) == "−3.200"


def test_numbers_are_formatted_for_reading():
    assert [format_signed(x) for x in (3.414, -0.2, 0.0, -0.001)] == ["+3.41", "−0.20", "0.00", "0.00"]
    assert [probability(p) for p in (0.87312, 4e-8, 0.0, 1.0, math.nan)] == [
        "0.8731",
        "4.0×10⁻⁸",
        "0.0000",
        "> 0.9999",
        "?",
    ]
    assert [format_plain(x) for x in (0.6434588, 24.13, -3.2)] == ["0.643", "24.1", "−3.200"]


def test_both_directions_and_their_gap_are_shown(qtbot):
    panel = ScoresPanel()
    qtbot.addWidget(panel)
    columns = ["pluie.direct", "pluie.direct.reverse", "pluie.p1", "pluie.p1.reverse"]
    line = find_part(panel, QLabel, "both directions")
    panel.show_values(columns, dict(zip(columns, (1.5, -0.25, 2.0, 1.0), strict=True)))
    assert line.text().split("\n") == [
        "ParaPLUIE DIRECT: +1.50 with the source first, −0.25 with the hypothesis first; the difference is +1.75."
        " The answer depends on the order.",
        "ParaPLUIE P1: +2.00 with the source first, +1.00 with the hypothesis first; the difference is +1.00.",
    ]
    panel.show_values(columns, {"pluie.direct": 1.5, "pluie.p1.reverse": 1.0})
    assert line.text() == "" and not line.isVisibleTo(panel)


def test_a_bleu_score_of_zero_is_explained(qtbot):
    panel = ScoresPanel()
    qtbot.addWidget(panel)
    panel.pair = "Run away.", "Run away."
    panel.show_values(["bleu"], {"bleu": 0.0})
    qtbot.waitUntil(lambda: "has 3 words, so it has no run of 4" in panel.baselines.tip(0), timeout=60_000)
    panel.show_values(["bleu"], {"bleu": 0.5})
    assert "no run of 4" not in panel.baselines.tip(0)


def test_text_about_a_nearing_score_is_never_cut(qapp):
    metrics = QFontMetrics(qapp.font())
    wide, narrow = head_words(metrics, 1000), head_words(metrics, metrics.horizontalAdvance("nearer in mean"))
    assert (wide, narrow) == ("nearer in meaning →", "nearer →")
