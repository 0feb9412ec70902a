"""Figures as SVG: marks in the right place, escaped words, light and dark, sizes, and empty figures."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import numpy as np
import pytest

from parapluie_gui.analysis.figure import (
    BarBlock,
    BarList,
    Chart,
    CurveLine,
    HeatMap,
    HeatMapHeading,
    HistogramBars,
    ScatterPoints,
    ShadedSpan,
    ShadedText,
    SignedBar,
)
from parapluie_gui.report.chart import ticks
from parapluie_gui.report.heat_map import cell_corner, find_cell
from parapluie_gui.report.palette import DARK, LIGHT, resolve_colour
from parapluie_gui.report.svg import figure_svg

SVG = "{http://www.w3.org/2000/svg}"
X = np.array([0.0, 1.0, 2.0])


def chart(*marks, **more) -> Chart:
    return Chart("c", "A <title> & more", marks, "x", "y", **more)


def texts(drawn: str) -> list[str]:
    return [each.text for each in ElementTree.fromstring(drawn).iter(f"{SVG}text")]


def boxes(drawn: str, colour: str) -> list[dict[str, float]]:
    """Return the rectangles of a colour, with their sides as numbers."""
    result = [each for each in ElementTree.fromstring(drawn).iter(f"{SVG}rect") if each.get("fill") == colour]
    return [{side: float(each.get(side, 0)) for side in ("x", "y", "width", "height")} for each in result]


def spots(drawn: str) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)" r="2"', drawn)]


def test_points_are_drawn_at_their_coordinates():
    points = ScatterPoints("", np.array([0.0, 0.5, 1.0, np.nan, 9.0]), np.array([0.0, 5.0, 10.0, 1.0, 1.0]))
    assert len(spots(figure_svg(chart(points)))) == 4, "NaN is not drawn"
    drawn = figure_svg(chart(points, x_range=(0.0, 1.0), y_range=(0.0, 10.0)), size=(400, 300))
    low, middle, high = spots(drawn)  # points outside the ranges are not drawn
    left, top, bottom, right = re.search(r'<path d="M([\d.]+) ([\d.]+)V([\d.]+)H([\d.]+)"', drawn).groups()
    assert low == (float(left), float(bottom)) and high == (float(right), float(top))
    assert middle == pytest.approx(((low[0] + high[0]) / 2, (low[1] + high[1]) / 2), abs=0.11)
    number = re.search(r'<text x="([\d.]+)" y="[\d.]+" text-anchor="middle">0.6<', drawn).group(1)
    assert float(number) == pytest.approx(low[0] + 0.6 * (high[0] - low[0]), abs=0.11)


def test_bounds_are_drawn_as_arrows():
    drawn = figure_svg(chart(ScatterPoints("", X, X, bounds=np.array([1, 0, -1], dtype=np.int8))))
    heights = [y for _, y in spots(figure_svg(chart(ScatterPoints("", X, X, bounds=np.zeros(3, dtype=np.int8)))))]
    assert len(spots(drawn)) == 1
    least, most = re.findall(r'd="M[\d.]+ ([\d.]+)l3 (-?\d)', drawn)
    assert float(least[0]) < heights[0] and least[1] == "6"  # its point is above, where y is smaller
    assert float(most[0]) > heights[2] and most[1] == "-6"


def test_lines_break_at_missing_numbers_and_guides_are_dashed():
    line = CurveLine("", np.arange(4.0), np.array([0.0, np.nan, 1.0, 2.0]), "#000000")
    path = re.search(r'<path d="(M[^"]*)" fill="none" stroke="#000000"', figure_svg(chart(line))).group(1)
    assert path.count("M") == 2 and path.count("L") == 1
    assert "dasharray" not in figure_svg(chart(line)) and "dasharray" in figure_svg(chart(replace(line, guide=True)))
    dots = figure_svg(chart(replace(line, dots=True, joined=False)))
    assert dots.count('r="3.5"') == 3 and 'stroke="#000000"' not in dots


def test_bars_stand_on_zero_and_reach_their_heights():
    drawn = figure_svg(chart(HistogramBars("", np.array([0.0, 1.0, 2.0]), np.array([1.0, 2.0]), "#123456")))
    path = re.search(r'd="(M[^"]*)Z" fill="#123456"', drawn).group(1)
    corners = [(float(x), float(y)) for x, y in re.findall(r"[ML]([\d.]+) ([\d.]+)", path)]
    (left, zero), (_, half), *_, (right, top), (_, last) = corners
    assert last == zero and left < right
    assert zero - half == pytest.approx((zero - top) / 2, abs=0.11)


def test_rules_cross_the_plot_unless_they_are_outside():
    drawn = figure_svg(chart(CurveLine("", X, X), rules=(("x", 1.0), ("y", np.nan), ("y", 7.0))))
    (at,) = re.findall(rf'<line x1="([\d.]+)" y1="[\d.]+" x2="\1" y2="[\d.]+" stroke="{LIGHT.threshold}"', drawn)
    assert f'x="{at}"' in drawn, "the number 1 is under it"


def test_tick_words_are_slanted_only_if_they_do_not_fit():
    marks = CurveLine("", X, X, dots=True)
    short = figure_svg(chart(marks, ticks=("a", "b", "c")))
    assert texts(short)[:3] == ["a", "b", "c"] and "rotate(-35" not in short
    long = figure_svg(chart(marks, ticks=("a kind of change", "b", "c")), size=(200, 300))
    assert long.count("rotate(-35") == 3
    within(long)
    assert "rotate(-35" not in figure_svg(chart(CurveLine("", 100 * X, X, dots=True))), "numbers have enough room"


def test_figures_with_one_number_or_none_are_drawn():
    for values in (np.zeros(0), np.array([3.0]), np.array([np.nan])):
        within(figure_svg(chart(CurveLine("c", values, values, dots=True))))
        within(figure_svg(chart(ScatterPoints("c", values, values))))
    within(figure_svg(chart(HistogramBars("s", np.array([0.0, 1.0]), np.array([0.0])))))
    within(figure_svg(chart()))


def within(drawn: str) -> None:
    """Check that each coordinate in a figure is a number inside the figure."""
    figure = ElementTree.fromstring(drawn)
    width, height = (float(part) for part in figure.attrib["viewBox"].split()[2:])
    for each in figure.iter():
        for name, most in (("x", width), ("cx", width), ("x1", width), ("y", height), ("cy", height), ("y1", height)):
            assert 0 <= float(each.attrib.get(name, 0)) <= most
        path = each.attrib.get("d", "")
        assert "nan" not in path and "inf" not in path
        for x, y in re.findall(r"[ML]([-.\d]+)[ ,]([-.\d]+)", path):
            assert 0 <= float(x) <= width and 0 <= float(y) <= height


@pytest.mark.parametrize(
    ("low", "high", "wanted"),
    [(0.0, 1.0, [0, 0.2, 0.4, 0.6, 0.8, 1.0]), (-10.0, 20.0, [-10, -5, 0, 5, 10, 15, 20]), (1.0, 1.0, [])],
)
def test_ticks_are_round(low, high, wanted):
    assert ticks(low, high) == wanted


def heat_map(**more) -> HeatMap:
    return HeatMap(
        "h",
        "Heat",
        (HeatMapHeading("a", "A & B"), HeatMapHeading("b", "Edit distance")),
        (
            "Group",
            HeatMapHeading("one", "<one>"),
            HeatMapHeading("two", "a name of a row that is much too long to stand beside it"),
        ),
        {("a", "one"): 0.0, ("b", "one"): 1.0, ("a", "two"): np.nan},
        {("b", "one"): "all"},
        note="Read it so.",
        **more,
    )


@pytest.mark.parametrize(("dark", "theme"), [(False, LIGHT), (True, DARK)])
def test_heat_maps_are_darker_for_larger_values(dark, theme):
    drawn = figure_svg(heat_map(), dark=dark)
    assert len(boxes(drawn, theme.raised)) == 1 and len(boxes(drawn, theme.bad)) == 1
    assert len(boxes(drawn, theme.window)) == 2, "NaN and a missing value"
    words = texts(drawn)
    assert {"A & B", "Edit", "distance", "Group", "<one>", "0 %", "all", "–", "Read it so."} <= set(words)
    assert any(re.fullmatch("a name .*….*side it", word) for word in words), (
        "the beginning and the end of the long name"
    )
    assert "100 %" not in words


def test_the_dark_end_of_a_heat_map_can_have_the_colour_of_success():
    drawn = figure_svg(heat_map(colour="good"))
    assert len(boxes(drawn, LIGHT.good)) == 1 and not boxes(drawn, LIGHT.bad)


def test_positions_in_a_heat_map_map_to_cells():
    figure = heat_map()
    assert find_cell(figure, *cell_corner(figure, 1.5, 1.5)) == ("b", "one")
    assert find_cell(figure, *cell_corner(figure, -0.1, 1.5)) is None
    assert find_cell(figure, *cell_corner(figure, 0.5, 0.5)) is None, "a heading"
    assert find_cell(figure, *cell_corner(figure, 0.5, 3.5)) is None
    (cell,) = boxes(figure_svg(figure), LIGHT.bad)
    assert find_cell(figure, cell["x"], cell["y"]) == ("b", "one")


def bar_list(*values: float, **more) -> BarList:
    bars = tuple(SignedBar(f"bar <{number}>", (value,), cells=("cell",)) for number, value in enumerate(values))
    return BarList("b", "Bars", (BarBlock("Block & co", bars, note="Nothing here."),), (("what", "other"),), **more)


def test_bar_lengths_are_proportional_to_values():
    drawn = figure_svg(bar_list(10.0, 5.0, 0.0, heads=("head",)))
    _, *bars = boxes(drawn, LIGHT.other)
    assert [bar["width"] for bar in bars] == [bars[0]["width"], bars[0]["width"] / 2, 0]
    assert len({bar["x"] for bar in bars}) == 1 and bars[0]["y"] < bars[1]["y"]
    assert {"what", "head", "Block & co", "bar <0>", "10.0", "0.0", "cell"} <= set(texts(drawn))


def test_negative_bars_extend_to_the_left():
    left, right = boxes(figure_svg(bar_list(-4.0, 2.0)), LIGHT.other)[1:]
    assert left["x"] + left["width"] == pytest.approx(right["x"]) and left["width"] == pytest.approx(
        2 * right["width"], abs=0.11
    )


def test_a_block_without_bars_says_why_and_nan_has_no_length():
    assert "Nothing here." in texts(figure_svg(bar_list()))
    drawn = figure_svg(bar_list(np.nan, 1.0))
    assert [box["width"] > 0 for box in boxes(drawn, LIGHT.other)[1:]] == [False, True]
    assert 'width="nan"' not in drawn
    figure_svg(BarList("b", "No block", (), ()))


def test_words_of_a_sentence_are_drawn_over_their_colours():
    text = ShadedText(
        "Source", "It <fell> very far down", (ShadedSpan(3, 9, "other", 1.0), ShadedSpan(10, 18, "paraphrase", 0.5))
    )
    block = BarBlock("A score", (SignedBar("fell", (-1.0,), ("−1.00",), colours=("bad",)),), "about it", (text,))
    figure = BarList("e", "Why", (block, replace(block, title="Another")), (), beside=True)
    drawn = figure_svg(figure)
    words = texts(drawn)
    assert words.count("<fell>") == 2 and {"A score", "Another", "about it", "Source", "−1.00"} <= set(words)
    one, other = boxes(drawn, LIGHT.other)
    starts = [float(x) for x in re.findall(r'<text x="([\d.]+)"[^>]*>&lt;fell&gt;<', drawn)]
    assert [one["x"], other["x"]] == starts and one["width"] == pytest.approx(6 * 7.225, abs=0.06)
    (two_words, _) = boxes(drawn, LIGHT.paraphrase)
    assert two_words["width"] == pytest.approx(8 * 7.225, abs=0.06), "no gap between two words of one colour"
    strength = {fill: float(value) for fill, value in re.findall(r'fill="(#\w+)" fill-opacity="([\d.]+)"', drawn)}
    assert 0 < strength[LIGHT.paraphrase] < strength[LIGHT.other]
    assert len(boxes(drawn, LIGHT.bad)) == 2, "its own colour"


@pytest.mark.parametrize("figure", [chart(CurveLine("<b>", X, X, 1)), heat_map(), bar_list(1.0)], ids=["c", "h", "b"])
def test_every_figure_has_a_size_colours_and_small_print(figure):
    footer = ("column:bleu|" + "field:of a signature|" * 20, "column:two")
    drawn = figure_svg(figure, size=(600, 450), dark=True, footer=footer)
    root = ElementTree.fromstring(drawn)
    assert (root.get("width"), root.get("height")) == ("600", "450")
    width, height = (float(part) for part in root.get("viewBox").split()[2:])
    assert width / height == pytest.approx(600 / 450, rel=1e-4), "the aspect ratio is kept"
    assert (root.get("fill"), root.get("aria-label")) == (DARK.text, figure.title)
    (ground,) = boxes(drawn, DARK.plot)
    assert (ground["width"], ground["height"]) == (width, height)
    assert LIGHT.text not in drawn.replace("<text", "") or isinstance(figure, HeatMap)
    small = [text for text in texts(drawn) if text and "|" in text]
    assert "".join(small) == footer[0] and len(small) > 1 and "column:two" in texts(drawn)
    fluid = ElementTree.fromstring(figure_svg(figure, fluid=True))
    assert fluid.get("width") is None and fluid.get("viewBox") and not boxes(figure_svg(figure, fluid=True), LIGHT.plot)


def test_small_print_leaves_room_for_the_chart():
    figure, footer = chart(CurveLine("name", X, X)), ("column:bleu|" + "field:of a signature|" * 20,) * 3
    for high in (None, 230):
        drawn = figure_svg(figure, size=(320, high), type_size=12, footer=footer)
        box = [float(part) for part in ElementTree.fromstring(drawn).get("viewBox").split()]
        (low,) = (float(y) for y in re.findall(r'<text x="[^"]*" y="([\d.]+)"[^>]*>x<', drawn))
        small = [text for text in texts(drawn) if text and "|" in text]
        assert low >= 0.5 * min(box[3], 180) and ("".join(small) == "".join(footer)) == (high is None)
        assert high is None or (box[3] == pytest.approx(230 * 11 / 12, abs=0.01) and "…" in texts(drawn))


def test_larger_type_does_not_change_the_size_of_a_figure():
    figure = chart(CurveLine("name", X, X))
    usual, large = (
        ElementTree.fromstring(figure_svg(figure, size=(600, 450), type_size=size)).get("viewBox") for size in (11, 22)
    )
    assert usual == "0 0 600 450" and large == "0 0 300 225"


def test_scores_and_marks_have_the_windows_colours():
    assert resolve_colour(0, LIGHT) == resolve_colour(len(LIGHT.scores), LIGHT) != resolve_colour(1, LIGHT)
    assert len(set(LIGHT.scores)) == len(LIGHT.scores) == len(DARK.scores) == len(set(DARK.scores))
    assert resolve_colour("other", DARK) == DARK.other and resolve_colour("#abcdef", DARK) == "#abcdef"
    drawn = figure_svg(chart(CurveLine("", X, X, "paraphrase"), CurveLine("", X, X, 2)), dark=True)
    assert f'stroke="{DARK.paraphrase}"' in drawn and f'stroke="{DARK.scores[2]}"' in drawn
