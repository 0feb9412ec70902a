"""What an analysis plot draws: lines through points, bars between borders, and where a click in them lands."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parapluie_gui.arrays import Floats
from parapluie_gui.ui.widgets.theme import Theme


@dataclass(frozen=True, eq=False)
class Line:
    """A curve.

    Attributes:
        name: Its name in the legend.
        x, y: Its points, (k,).
        colour: "#rrggbb".
        dots: Are its points marked?
        guide: Is it a dashed line to compare with, which cannot be clicked?
        joined: Are its points joined by a line?
    """

    name: str
    x: Floats
    y: Floats
    colour: str
    dots: bool = False
    guide: bool = False
    joined: bool = True


@dataclass(frozen=True, eq=False)
class Bars:
    """A histogram with borders, (b + 1,), and heights, (b,), filled so that others show through."""

    name: str
    edges: Floats
    heights: Floats
    colour: str


Series = Line | Bars


@dataclass(frozen=True, eq=False)
class Drawing:
    """Everything in one plot.

    Attributes:
        series: Lines and bars, the first one lowest.
        x, y: The titles of the axes.
        x_range, y_range: Their ranges, or None for those of the data.
        upright: A value on x marked by a line (the threshold), or None.
        ticks: Words under 0, 1, 2 … of the x axis instead of numbers.
    """

    series: tuple[Series, ...] = ()
    x: str = ""
    y: str = ""
    x_range: tuple[float, float] | None = None
    y_range: tuple[float, float] | None = None
    upright: float | None = None
    ticks: tuple[str, ...] = ()


def colours(theme: Theme) -> tuple[str, ...]:
    """Return eight colours for scores side by side."""
    more = ("#18794e", "#a21caf", "#1b1f27", "#be123c", "#0891b2", "#84721a")
    pale = ("#5fd19b", "#e59bf2", "#e8eaee", "#ff7a90", "#67d3e6", "#d9d06a")
    return (theme.paraphrase, theme.other, *(pale if theme.name == "dark" else more))


def hit(drawing: Drawing, x: float, y: float, pixel: tuple[float, float], reach: float) -> tuple[int, int] | None:
    """Return (series, point) at a place (x, y) of the axes, or None.

    `pixel` is the size of a pixel on both axes; a point of a line is hit within `reach` pixels.
    """
    best: tuple[float, tuple[int, int]] | None = None
    bars: list[tuple[float, tuple[int, int]]] = []
    for number, each in enumerate(drawing.series):
        if isinstance(each, Bars):
            at = int(np.searchsorted(each.edges, x, side="right")) - 1
            if 0 <= at < len(each.heights) and each.heights[at] > 0:
                bars.append((float(each.heights[at]), (number, at)))
        elif not each.guide and len(each.x):
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
