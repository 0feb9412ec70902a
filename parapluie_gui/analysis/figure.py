"""Figures as values: charts, heat maps and signed bars for the window, reports and the command line.

This module is independent of Qt and SVG. Colours are named by their meaning; `report.svg` and the window's plots map
them to light and dark themes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from parapluie_gui.analysis.link import Link
from parapluie_gui.arrays import Bounds, Floats

#: A colour by its meaning: "paraphrase", "other" (not a paraphrase), "unlabelled", "good", "bad", "muted" or a
#: different colour of `report.palette.Theme`; the number of a score in the figure; or #rrggbb.
Colour = str | int

#: A function that returns the tip and the link of a point of a mark, by the point's number.
Tip = Callable[[int], str]
PointLink = Callable[[int], Link | None]

#: Maximum width of a matrix, and minimum and maximum width of its columns, in pixels.
_MATRIX, _NARROWEST, _USUAL_CELL = 800, 64, 132


@dataclass(frozen=True, eq=False)
class CurveLine:
    """A curve.

    Attributes:
        name: Its name in the legend; "" for no entry.
        x, y: Its points, (k,); the line is interrupted at NaN.
        colour: Its colour.
        dots: Are its points marked?
        guide: Is it a dashed line for comparison, which cannot be clicked?
        joined: Are its points joined by a line?
        tip, link: Tip and link of a point, by its number.
    """

    name: str
    x: Floats
    y: Floats
    colour: Colour = 0
    dots: bool = False
    guide: bool = False
    joined: bool = True
    tip: Tip | None = None
    link: PointLink | None = None

    def __len__(self) -> int:
        return len(self.x)


@dataclass(frozen=True, eq=False)
class HistogramBars:
    """A histogram with borders, (b + 1,), and heights, (b,), filled transparently."""

    name: str
    edges: Floats
    heights: Floats
    colour: Colour = 0
    tip: Tip | None = None
    link: PointLink | None = None

    def __len__(self) -> int:
        return len(self.heights)


@dataclass(frozen=True, eq=False)
class ScatterPoints:
    """Points of a scatter plot, (k,); lower bounds (1 in `bounds`) and upper bounds (-1) are drawn as arrows."""

    name: str
    x: Floats
    y: Floats
    colour: Colour = 0
    bounds: Bounds | None = None
    tip: Tip | None = None
    link: PointLink | None = None

    def __len__(self) -> int:
        return len(self.x)


Mark = CurveLine | HistogramBars | ScatterPoints


@dataclass(frozen=True, eq=False)
class Chart:
    """Marks between two axes.

    Attributes:
        name: The word for it in file names ("roc").
        title: A sentence without a full stop.
        marks: The marks; later ones are drawn on top.
        x, y: The titles of the axes.
        x_range, y_range: The ranges of the axes; None for the range of the data.
        rules: Straight lines across the chart, such as a threshold, as ("x" or "y", value).
        ticks: Words at 0, 1, 2 … of the x axis instead of numbers.
        wide: Does it fill the width? Otherwise two charts share a row.
        high: Its height relative to the default.
        square: In a file without a set height, do both axes have the same length, as for two shares?
        scores: The scores in it, whose signatures are printed under an export; None for all.
    """

    name: str
    title: str
    marks: tuple[Mark, ...]
    x: str = ""
    y: str = ""
    x_range: tuple[float, float] | None = None
    y_range: tuple[float, float] | None = None
    rules: tuple[tuple[str, float], ...] = ()
    ticks: tuple[str, ...] = ()
    wide: bool = True
    high: float = 1.0
    square: bool = False
    scores: Sequence[str] | None = None


@dataclass(frozen=True)
class HeatMapHeading:
    """The key and the title of a row or a column of a heat map."""

    key: str
    title: str


@dataclass(frozen=True, eq=False)
class HeatMap:
    """A heat map, which shows numbers as colours, with scores in columns and behaviours or buckets in rows.

    Attributes:
        name: The word for it in file names.
        title: A sentence without a full stop.
        columns: The scores.
        lines: The rows, with names of groups as headings, from top to bottom.
        values: Values from 0 to 1 by the keys of column and row, darker for higher values; NaN or absent if there is no
            number.
        texts: Texts of cells by the same keys, shown instead of the value in per cent.
        note: Explanation under the map.
        cell: Width of a column in pixels; longer headings, on two lines, widen it.
        colour: The colour of the dark end.
        full: The value from which cells are darkest.
        link: The function that returns the link of a cell, by the keys of its column and row, or None.
        scores: As in `Chart`.
    """

    name: str
    title: str
    columns: tuple[HeatMapHeading, ...]
    lines: tuple[HeatMapHeading | str, ...]
    values: Mapping[tuple[str, str], float]
    texts: Mapping[tuple[str, str], str] = field(default_factory=dict)
    note: str = ""
    cell: int = 80
    colour: Colour = "bad"
    full: float = 1.0
    link: Callable[[str, str], Link | None] | None = None
    scores: Sequence[str] | None = None

    def __post_init__(self) -> None:
        letters = max((_longest_line(column.title) for column in self.columns), default=0)
        needed = min(round(letters * _LETTER) + _AROUND, _WIDEST)
        object.__setattr__(self, "cell", max(self.cell, needed))


#: Layout of headings in pixels: width of a letter, margins, and maximum width of a column.
_LETTER, _AROUND, _WIDEST = 6.5, 8, 200


def _longest_line(title: str) -> int:
    """Return the length of the longer line of a heading after the best line break."""
    broken = (max(at, len(title) - at - 1) for at, letter in enumerate(title) if letter in " -")
    return min(broken, default=len(title))


def square_cell(columns: int) -> int:
    """Return the width of a column of a matrix in pixels, smaller for many columns."""
    return max(_NARROWEST, min(_USUAL_CELL, _MATRIX // max(columns, 1)))


@dataclass(frozen=True)
class SignedBar:
    """One bar of a `BarList`, or a few stacked bars.

    Attributes:
        title: The title before the bar.
        values: Its lengths, one for each key of the list; negative ones extend to the left of zero.
        texts: Texts for the values; empty for numbers with one decimal.
        cells: The texts in the columns after the bar.
        colours: Colours of the values, if they differ from those of the keys.
        link: The link of the bar, or None.
    """

    title: str
    values: tuple[float, ...]
    texts: tuple[str, ...] = ()
    cells: tuple[str, ...] = ()
    colours: tuple[Colour, ...] = ()
    link: Link | None = None


@dataclass(frozen=True)
class ShadedSpan:
    """A coloured background of the letters `start` to `end` (exclusive) of a sentence; `strength` is 0 to 1."""

    start: int
    end: int
    colour: Colour
    strength: float


@dataclass(frozen=True)
class ShadedText:
    """A sentence with a caption and coloured parts."""

    caption: str
    text: str
    shades: tuple[ShadedSpan, ...] = ()


@dataclass(frozen=True)
class BarBlock:
    """Bars under a common heading.

    Attributes:
        title: The heading.
        bars: The bars.
        about: A line under the heading.
        texts: Sentences above the bars.
        note: A text instead of the bars if there are none.
    """

    title: str
    bars: tuple[SignedBar, ...]
    about: str = ""
    texts: tuple[ShadedText, ...] = ()
    note: str = ""


@dataclass(frozen=True, eq=False)
class BarList:
    """Named bars on both sides of a zero line, such as groups of errors and effects of edits.

    Attributes:
        name: The word for it in file names.
        title: A sentence without a full stop.
        blocks: The blocks, in a column with one scale or in a row with a scale each.
        keys: The name and colour of each value of a bar, or of the two sides of zero.
        heads: The headings of the columns of words; with headings, the columns are aligned right.
        beside: Are the blocks side by side?
        note: Explanation under the figure.
        scores: As in `Chart`.
    """

    name: str
    title: str
    blocks: tuple[BarBlock, ...]
    keys: tuple[tuple[str, Colour], ...]
    heads: tuple[str, ...] = ()
    beside: bool = False
    note: str = ""
    scores: Sequence[str] | None = None


Figure = Chart | HeatMap | BarList


def find_point(chart: Chart, x: float, y: float, pixel: tuple[float, float], reach: float) -> tuple[int, int] | None:
    """Return the numbers (mark, point) of the point at a place (x, y) of the axes, or None.

    `pixel` is the size of a pixel on both axes; points of lines and scatters match within `reach` pixels.
    """
    best: tuple[float, tuple[int, int]] | None = None
    bars: list[tuple[float, tuple[int, int]]] = []
    for number, mark in enumerate(chart.marks):
        if isinstance(mark, HistogramBars):
            point = int(np.searchsorted(mark.edges, x, side="right")) - 1
            if 0 <= point < len(mark.heights) and mark.heights[point] > 0:
                bars.append((float(mark.heights[point]), (number, point)))
        elif len(mark) and not (isinstance(mark, CurveLine) and mark.guide):
            distances = np.hypot((mark.x - x) / pixel[0], (mark.y - y) / pixel[1])
            distances[np.isnan(distances)] = np.inf
            point = int(np.argmin(distances))
            if distances[point] <= reach and (best is None or distances[point] < best[0]):
                best = float(distances[point]), (number, point)
    if best is not None:
        return best[1]
    # Among bars that cover the place, the lowest is in front; above all bars, the tallest counts.
    covering = [bar for bar in bars if bar[0] >= y]
    if y < 0 or not bars:
        return None
    return min(covering)[1] if covering else max(bars)[1]
