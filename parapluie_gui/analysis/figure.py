"""Figures as values: charts, heat maps and signed bars, drawn alike in the window, in reports and on the command line.

Nothing here knows Qt or SVG. Colours are said by what they stand for; `report.svg` and the window's plots know how
they look in light and dark.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from parapluie_gui.analysis.link import Link
from parapluie_gui.arrays import Bounds, Floats

#: What a colour stands for: "paraphrase", "other" (not a paraphrase), "unlabelled", "good", "bad", "muted" or another
#: colour of `report.palette.Theme`; or the number of a score among those side by side; or itself, as #rrggbb.
Colour = str | int

#: Returns the tip of a mark's point, and what a click on it does.
Tip = Callable[[int], str]
PointLink = Callable[[int], Link | None]

#: Pixels that the columns of a matrix take together at most, and one alone at least and at most.
_MATRIX, _NARROWEST, _USUAL_CELL = 800, 64, 132


@dataclass(frozen=True, eq=False)
class Line:
    """A curve.

    Attributes:
        name: Its name in the legend, "" for none there.
        x, y: Its points, (k,); it is broken where one is NaN.
        dots: Are its points marked?
        guide: Is it a dashed line to compare with, which cannot be clicked?
        joined: Are its points joined by a line?
        tip, link: Of the point of a number.
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
class Bars:
    """A histogram with borders, (b + 1,), and heights, (b,), filled so that others show through."""

    name: str
    edges: Floats
    heights: Floats
    colour: Colour = 0
    tip: Tip | None = None
    link: PointLink | None = None

    def __len__(self) -> int:
        return len(self.heights)


@dataclass(frozen=True, eq=False)
class Points:
    """Points of a scatter, (k,); those that may as well be higher (bounds 1) or lower (-1) are arrows."""

    name: str
    x: Floats
    y: Floats
    colour: Colour = 0
    bounds: Bounds | None = None
    tip: Tip | None = None
    link: PointLink | None = None

    def __len__(self) -> int:
        return len(self.x)


Mark = Line | Bars | Points


@dataclass(frozen=True, eq=False)
class Chart:
    """Marks between two axes.

    Attributes:
        name: A word for files ("roc").
        title: What it shows, in a sentence without a full stop.
        marks: The first is drawn lowest.
        x, y: The titles of the axes.
        x_range, y_range: Their ranges, or None for those of the data.
        rules: ("x" or "y", value): straight lines across, such as a threshold.
        ticks: Words under 0, 1, 2 … of the x axis instead of numbers.
        wide: Has it a line of its own? Others stand two in a line.
        high: Its height relative to the usual one.
        scores: The scores in it, whose signatures are printed under an export; None: all.
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
    scores: Sequence[str] | None = None


@dataclass(frozen=True)
class Heading:
    """A row or a column of a heat map: its key, and what stands beside or above it."""

    key: str
    title: str


@dataclass(frozen=True, eq=False)
class HeatMap:
    """Numbers as colours: scores across, behaviours or buckets down.

    Attributes:
        name: A word for files.
        title: What it shows.
        columns: The scores.
        lines: Each row, or the name of a group as a heading, from above.
        values: From 0 to 1, the darker the more, by the keys of column and row; NaN, or none: no number.
        texts: What stands in the cells instead of the value in per cent.
        note: What is small under it.
        cell: The width of a column in pixels; headings that need more, on two lines, get it.
        colour: What the dark end stands for.
        full: The value from which on a cell is darkest.
        link: Returns what a click on a cell does, by the keys of its column and row.
        scores: As in `Chart`.
    """

    name: str
    title: str
    columns: tuple[Heading, ...]
    lines: tuple[Heading | str, ...]
    values: Mapping[tuple[str, str], float]
    texts: Mapping[tuple[str, str], str] = field(default_factory=dict)
    note: str = ""
    cell: int = 80
    colour: Colour = "bad"
    full: float = 1.0
    link: Callable[[str, str], Link | None] | None = None
    scores: Sequence[str] | None = None

    def __post_init__(self) -> None:
        letters = max((_longest_line(each.title) for each in self.columns), default=0)
        needed = min(round(letters * _LETTER) + _AROUND, _WIDEST)
        object.__setattr__(self, "cell", max(self.cell, needed))


#: A letter of a heading in pixels, what is around it, and the widest column that a heading makes.
_LETTER, _AROUND, _WIDEST = 6.5, 8, 200


def _longest_line(title: str) -> int:
    """Return the letters of the longer line of a heading that is broken where that is shortest."""
    broken = (max(at, len(title) - at - 1) for at, letter in enumerate(title) if letter in " -")
    return min(broken, default=len(title))


def square_cell(columns: int) -> int:
    """Return the width of a matrix's column: less in a large one, which would otherwise be scaled down."""
    return max(_NARROWEST, min(_USUAL_CELL, _MATRIX // max(columns, 1)))


@dataclass(frozen=True)
class SignedBar:
    """One bar of `BarList`, or a few under one another.

    Attributes:
        title: What stands before it.
        values: Its lengths, one for each key of the list, to the left of zero where negative.
        texts: What is written for the values; none: the number with one decimal.
        cells: Words in the columns after it.
        colours: Those of the values where they are not those of the keys.
    """

    title: str
    values: tuple[float, ...]
    texts: tuple[str, ...] = ()
    cells: tuple[str, ...] = ()
    colours: tuple[Colour, ...] = ()
    link: Link | None = None


@dataclass(frozen=True)
class Shade:
    """Letters of a sentence from `start` to before `end` on a colour, the stronger (0 to 1) the more."""

    start: int
    end: int
    colour: Colour
    strength: float


@dataclass(frozen=True)
class ShadedText:
    """A sentence under its caption."""

    caption: str
    text: str
    shades: tuple[Shade, ...] = ()


@dataclass(frozen=True)
class BarBlock:
    """Bars under one heading.

    Attributes:
        about: A line under the heading.
        texts: Sentences above the bars.
        note: What stands in place of the bars where there are none.
    """

    title: str
    bars: tuple[SignedBar, ...]
    about: str = ""
    texts: tuple[ShadedText, ...] = ()
    note: str = ""


@dataclass(frozen=True, eq=False)
class BarList:
    """Named bars from a zero line, such as groups of errors and effects of edits.

    Attributes:
        name: A word for files.
        title: What it shows.
        blocks: Under one another with one scale, or beside one another with a scale each.
        keys: The name and colour of each value of a bar, or of the two sides of zero.
        heads: The headings of the columns of words; with them the columns are flush right.
        beside: Are the blocks beside one another?
        note: What is small under it.
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
    """Return (mark, point) at a place (x, y) of the axes, or None.

    `pixel` is the size of a pixel on both axes; a point of a line is hit within `reach` pixels.
    """
    best: tuple[float, tuple[int, int]] | None = None
    bars: list[tuple[float, tuple[int, int]]] = []
    for number, each in enumerate(chart.marks):
        if isinstance(each, Bars):
            at = int(np.searchsorted(each.edges, x, side="right")) - 1
            if 0 <= at < len(each.heights) and each.heights[at] > 0:
                bars.append((float(each.heights[at]), (number, at)))
        elif len(each) and not (isinstance(each, Line) and each.guide):
            away = np.hypot((each.x - x) / pixel[0], (each.y - y) / pixel[1])
            away[np.isnan(away)] = np.inf
            at = int(np.argmin(away))
            if away[at] <= reach and (best is None or away[at] < best[0]):
                best = float(away[at]), (number, at)
    if best is not None:
        return best[1]
    # The lowest bar that reaches up to the place is in front; above all bars the tallest is meant.
    reaching = [bar for bar in bars if bar[0] >= y]
    if y < 0 or not bars:
        return None
    return min(reaching)[1] if reaching else max(bars)[1]
