"""Draws charts as SVG: lines, histograms and points on two axes."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from parapluie_gui.analysis.figure import Chart, CurveLine, HistogramBars, Mark, ScatterPoints
from parapluie_gui.arrays import Floats
from parapluie_gui.report.elements import SvgDrawing, cut_end, draw_box, draw_rule, draw_text, estimate_width
from parapluie_gui.report.palette import Theme, resolve_colour

#: Font size of the layout.
TYPE = 11

_LEFT, _RIGHT, _TOP, _BOTTOM, _LINE = 52.0, 12.0, 10.0, 40.0, 17.0
#: Maximum height of the words under an axis, and their height as a share of their length when they are slanted.
_TICK_ROOM, _ASLANT = 110.0, 0.55
_DASHED = ' stroke-dasharray="5 4"'

#: Minimum share of a drawing's area for the plotting area, if a legend above it or slanted words below it can
#: go elsewhere.
LEAST_PLOT = 0.6
#: Opacity of the ground of a legend in the plotting area, its inner margin, and the points on a line that it avoids.
_VEIL, _INSET, _SAMPLES = 0.85, 5.0, 60


def draw_chart(chart: Chart, theme: Theme, width: float, height: float, *, legend: bool = True) -> SvgDrawing:
    """Draw a chart in a given size.

    Its legend is at the top, or in the emptiest corner of the plotting area where this would get too small; words
    below the axis that would be slanted are thinned out there.
    """
    named = [mark for mark in chart.marks if mark.name] if legend else []
    above = _legend(named, width)
    under = [cut_end(text, _TICK_ROOM, TYPE) for text in chart.ticks]
    x_range = _non_empty(
        chart.x_range or _range([mark.edges if isinstance(mark, HistogramBars) else mark.x for mark in chart.marks])
    )
    y_range = _non_empty(chart.y_range or _range([_heights(mark) for mark in chart.marks]))
    left = _left(y_range)
    longest = max((estimate_width(text, TYPE) for text in under), default=0.0)
    aslant = bool(chart.ticks) and longest + 8 > (width - left - _RIGHT) / (x_range[1] - x_range[0])
    least = LEAST_PLOT * width * height / max(width - left - _RIGHT, 1.0)
    if aslant and height - _TOP - _BOTTOM - longest * _ASLANT < least <= height - _TOP - _BOTTOM:
        aslant, under = False, _thin_out(under, (width - left - _RIGHT) / (x_range[1] - x_range[0]))
    bottom = _BOTTOM + (longest * _ASLANT if aslant else 0)
    inside = bool(named) and height - _TOP - _LINE * len(above) - bottom < least
    above = [] if inside else above
    frame = _PlotFrame(x_range, y_range, (left, _TOP + _LINE * len(above), width - _RIGHT, height - bottom), theme)
    parts = []
    for row, entries in enumerate(above):
        at, y = _LEFT, _TOP + _LINE * row
        for mark in entries:
            parts += [
                _legend_symbol(mark, at, y, theme),
                draw_text(at + 18, y + 9, cut_end(mark.name, width - at - 30, TYPE)),
            ]
            at += _entry_width(mark)
    parts += frame.axes(chart.x, chart.y, under if chart.ticks else None, aslant)
    for mark in chart.marks:
        parts += frame.draw(mark)
    parts += [frame.draw_rule(side, value) for side, value in chart.rules if math.isfinite(value)]
    if inside:
        parts += frame.draw_legend(named, [mark for mark in chart.marks if not isinstance(mark, HistogramBars)])
    return SvgDrawing(width, height, parts)


def square_height(chart: Chart, width: float, *, legend: bool = True) -> float:
    """Return the height at which the plotting area of a chart is a square."""
    y_range = _non_empty(chart.y_range or _range([_heights(mark) for mark in chart.marks]))
    side = width - _left(y_range) - _RIGHT
    above = side + _TOP + _BOTTOM + _LINE * len(_legend([mark for mark in chart.marks if mark.name and legend], width))
    return above if side**2 >= LEAST_PLOT * width * above else side + _TOP + _BOTTOM


def _left(y_range: tuple[float, float]) -> float:
    """Return the room to the left of the plotting area."""
    return max(_LEFT, 26 + max((estimate_width(_number(value), TYPE) for value in ticks(*y_range)), default=0.0))


def _thin_out(words: Sequence[str], room: float) -> list[str]:
    """Keep every second, third … word, so that all fit side by side; `room` is the width for one."""
    wanted = max(estimate_width(text, TYPE) for text in words) + 8
    step = min(math.ceil(wanted / max(room, 1.0)), len(words))
    return [text if place % step == 0 else "" for place, text in enumerate(words)]


class _PlotFrame:
    """The plotting area between the axes."""

    def __init__(
        self, x: tuple[float, float], y: tuple[float, float], area: tuple[float, float, float, float], theme: Theme
    ) -> None:
        self._x, self._y = x, y
        self._left, self._top, self._right, self._bottom = area
        self._theme = theme

    def x(self, value: float) -> float:
        """Return the horizontal position of a value, in pixels; it uses halves, because high − low may overflow."""
        low, high = self._x
        return self._left + (value / 2 - low / 2) / (high / 2 - low / 2) * (self._right - self._left)

    def y(self, value: float) -> float:
        """Return the vertical position of a value, in pixels."""
        low, high = self._y
        return self._bottom - (value / 2 - low / 2) / (high / 2 - low / 2) * (self._bottom - self._top)

    def axes(self, x_title: str, y_title: str, under: Sequence[str] | None, aslant: bool) -> list[str]:
        """Draw the grid, the tick labels and the axis titles."""
        grid, parts = self._theme.grid, []
        places = [(value, _number(value)) for value in ticks(*self._x)] if under is None else [*enumerate(under)]
        for value, text in places:
            if not self._x[0] <= value <= self._x[1]:
                continue
            at = self.x(value)
            turned = f' transform="rotate(-35 {at:.1f} {self._bottom + 14:.1f})"' if aslant else ""
            parts += [
                draw_rule(at, self._top, at, self._bottom, grid),
                draw_text(at, self._bottom + 14, text, anchor="end" if aslant else "middle", more=turned),
            ]
        for value in ticks(*self._y):
            at = self.y(value)
            parts += [
                draw_rule(self._left, at, self._right, at, grid),
                draw_text(self._left - 5, at + 4, _number(value), anchor="end"),
            ]
        middle, centre = (self._left + self._right) / 2, (self._top + self._bottom) / 2
        low = (
            self._bottom + 32 + (max(estimate_width(text, TYPE) for text in under) * _ASLANT if aslant and under else 0)
        )
        turned = f' transform="rotate(-90 12 {centre:.1f})"'
        parts += [draw_text(middle, low, x_title, anchor="middle")] if x_title else []
        parts += [draw_text(12, centre, y_title, anchor="middle", more=turned)] if y_title else []
        path = f"M{self._left:.1f} {self._top:.1f}V{self._bottom:.1f}H{self._right:.1f}"
        parts.append(f'<path d="{path}" fill="none" stroke="{self._theme.axis}"/>')
        return parts

    def draw(self, mark: Mark) -> list[str]:
        """Draw the part of a mark that lies within the plotting area."""
        colour = resolve_colour(mark.colour, self._theme)
        if isinstance(mark, CurveLine):
            return self._line(mark, colour)
        if isinstance(mark, HistogramBars):
            edges, heights = np.clip(mark.edges, *self._x), np.clip(mark.heights, *self._y)
            x, y = np.repeat(edges, 2)[1:-1], np.repeat(heights, 2)
            zero = min(max(0.0, self._y[0]), self._y[1])
            path = self._path(np.r_[x[:1], x, x[-1:]], np.r_[zero, y, zero] if len(y) else y)
            return [f'<path d="{path}Z" fill="{colour}" fill-opacity="0.35" stroke="{colour}"/>'] if path else []
        return self._points(mark, colour)

    def draw_rule(self, side: str, value: float) -> str:
        """Draw a straight line across the plotting area; return "" for a value outside it."""
        low, high = self._x if side == "x" else self._y
        if not low <= value <= high:
            return ""
        at = self.x(value) if side == "x" else self.y(value)
        ends = (at, self._top, at, self._bottom) if side == "x" else (self._left, at, self._right, at)
        return draw_rule(*ends, self._theme.threshold, ' stroke-width="1.3"')

    def draw_legend(self, named: Sequence[Mark], marks: Sequence[CurveLine | ScatterPoints]) -> list[str]:
        """Draw the names in the corner of the plotting area that covers the fewest points of the marks."""
        room = (self._right - self._left) / 2
        width = min(max(_entry_width(mark) for mark in named), room) + _INSET
        height = _LINE * len(named) + _INSET
        corners = [
            (x, y)
            for y in (self._top + _INSET, self._bottom - height - _INSET)
            for x in (self._right - width - _INSET, self._left + _INSET)
        ]
        at_x, at_y = self._places(marks)

        def count_covered(corner: tuple[float, float]) -> int:
            x, y = corner
            return int(np.count_nonzero((at_x > x) & (at_x < x + width) & (at_y > y) & (at_y < y + height)))

        x, y = min(corners, key=count_covered)
        parts = [draw_box(x, y, width, height, self._theme.plot, f' fill-opacity="{_VEIL}"')]
        for row, mark in enumerate(named):
            line = y + _INSET + _LINE * row
            parts.append(_legend_symbol(mark, x + _INSET, line, self._theme))
            parts.append(draw_text(x + _INSET + 18, line + 9, cut_end(mark.name, width - 30, TYPE)))
        return parts

    def _places(self, marks: Sequence[CurveLine | ScatterPoints]) -> tuple[Floats, Floats]:
        """Return positions of points and places along lines, in pixels."""
        xs, ys = [np.zeros(0)], [np.zeros(0)]
        for mark in marks:
            x, y = np.asarray(mark.x, dtype=np.float64), np.asarray(mark.y, dtype=np.float64)
            if isinstance(mark, CurveLine) and mark.joined and len(x) > 1:
                along, at = np.linspace(0, len(x) - 1, max(_SAMPLES, len(x))), np.arange(len(x))
                x, y = np.interp(along, at, x), np.interp(along, at, y)
            inside = self._inside(x, y)
            xs.append(np.array([self.x(value) for value in x[inside].tolist()]))
            ys.append(np.array([self.y(value) for value in y[inside].tolist()]))
        return np.concatenate(xs), np.concatenate(ys)

    def _line(self, line: CurveLine, colour: str) -> list[str]:
        inside = self._inside(line.x, line.y)
        x, y = np.where(inside, line.x, np.nan), np.where(inside, line.y, np.nan)
        look = f'stroke-width="1.2"{_DASHED}' if line.guide else 'stroke-width="1.6"'
        path = self._path(x, y) if line.joined else ""
        parts = [f'<path d="{path}" fill="none" stroke="{colour}" {look}/>'] if path else []
        if line.dots:
            look = f'r="3.5" fill="{colour}" stroke="{self._theme.plot}"'
            parts += [
                f'<circle cx="{self.x(a):.1f}" cy="{self.y(b):.1f}" {look}/>'
                for a, b in zip(line.x[inside].tolist(), line.y[inside].tolist(), strict=True)
            ]
        return parts

    def _points(self, points: ScatterPoints, colour: str) -> list[str]:
        inside = self._inside(points.x, points.y)
        bounds = np.zeros(len(points), dtype=np.int8) if points.bounds is None else points.bounds
        places = zip(points.x[inside].tolist(), points.y[inside].tolist(), bounds[inside].tolist(), strict=True)
        dots = "".join(
            f'<path d="M{self.x(a):.1f} {self.y(b) - 5 * bound:.1f}l3 {6 * bound}h-2v{4 * bound}h-2v{-4 * bound}h-2z"/>'
            if bound
            else f'<circle cx="{self.x(a):.1f}" cy="{self.y(b):.1f}" r="2"/>'
            for a, b, bound in places
        )
        return [f'<g fill="{colour}" fill-opacity="0.45">{dots}</g>'] if dots else []

    def _inside(self, x: Floats, y: Floats) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Return a mask of the points inside the plotting area; NaN is outside."""
        within = np.ones(len(x), dtype=bool)
        for values, (low, high) in ((x, self._x), (y, self._y)):
            slack = 1e-9 * high - 1e-9 * low
            within &= (values >= low - slack) & (values <= high + slack)
        return within

    def _path(self, xs: Floats, ys: Floats) -> str:
        parts = []
        pen = "M"
        for a, b in zip(xs.tolist(), ys.tolist(), strict=True):
            if math.isfinite(a) and math.isfinite(b):
                parts.append(f"{pen}{self.x(a):.1f} {self.y(b):.1f}")
                pen = "L"
            else:
                pen = "M"
        return "".join(parts)


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Return at most `most` round numbers in a range."""
    if not (math.isfinite(low) and math.isfinite(high)) or high <= low:
        return []
    rough = high / most - low / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor >= rough * (1 - 1e-9))
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [round(number * step, 10) for number in range(first, last + 1)]


def _legend(marks: Sequence[Mark], width: float) -> list[list[Mark]]:
    lines: list[list[Mark]] = []
    used = width
    for mark in marks:
        wide = _entry_width(mark)
        if used + wide > width - _RIGHT:
            lines.append([])
            used = _LEFT
        lines[-1].append(mark)
        used += wide
    return lines


def _entry_width(mark: Mark) -> float:
    return 34 + estimate_width(mark.name, TYPE)


def _legend_symbol(mark: Mark, x: float, y: float, theme: Theme) -> str:
    """Draw the symbol of a mark in the legend: a box, a dot, or a piece of its line."""
    colour = resolve_colour(mark.colour, theme)
    if isinstance(mark, HistogramBars):
        return draw_box(x + 2, y, 10, 10, colour)
    if isinstance(mark, ScatterPoints) or not mark.joined:
        return f'<circle cx="{x + 7:.1f}" cy="{y + 5:.1f}" r="4" fill="{colour}"/>'
    return draw_rule(x, y + 5, x + 14, y + 5, colour, _DASHED if mark.guide else ' stroke-width="3"')


def _heights(mark: Mark) -> Floats:
    return np.r_[0.0, mark.heights] if isinstance(mark, HistogramBars) else mark.y


def _range(columns: Sequence[Floats]) -> tuple[float, float]:
    values = np.concatenate(columns) if columns else np.zeros(0)
    values = values[np.isfinite(values)]
    return (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)


def _non_empty(ends: tuple[float, float]) -> tuple[float, float]:
    low, high = ends
    return (low - 0.5, high + 0.5) if low == high else ends


def _number(value: float) -> str:
    return f"{value:.10g}".replace("-", "−")
