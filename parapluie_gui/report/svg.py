"""Small drawings as SVG text without Qt: curves, histograms and scatters for reports."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from parapluie_gui.arrays import Bounds, Floats

#: Colours of the series, the first two for paraphrases and negatives; colour-blind readers can distinguish them too.
COLOURS = ("#2563eb", "#d9730d", "#18794e", "#a21caf", "#5b6472", "#0e7490", "#be123c", "#4d7c0f", "#6d28d9", "#92600a")

_LEFT, _RIGHT, _TOP, _BOTTOM, _LINE = 52.0, 12.0, 10.0, 40.0, 17.0
#: Of words, and of those that matter less.
TEXT, MUTED = "#1b1f27", "#5b6472"
_GRID = "#dfe3e9"


@dataclass(frozen=True, eq=False)
class Curve:
    """A line through points, (k,), broken where one is NaN; without a name it is not in the legend."""

    name: str
    x: Floats
    y: Floats
    colour: str
    dashed: bool = False


@dataclass(frozen=True, eq=False)
class Steps:
    """A histogram: borders, (b + 1,), and heights, (b,)."""

    name: str
    edges: Floats
    heights: Floats
    colour: str


@dataclass(frozen=True, eq=False)
class Points:
    """Points of a scatter, (k,); those that may as well be higher (bounds 1) or lower (-1) are arrows."""

    name: str
    x: Floats
    y: Floats
    colour: str
    bounds: Bounds | None = None


Mark = Curve | Steps | Points


def chart(
    marks: Sequence[Mark],
    title: str,
    x_title: str,
    y_title: str,
    *,
    size: tuple[int, int] = (420, 300),
    x_range: tuple[float, float] | None = None,
    y_range: tuple[float, float] | None = None,
    lines: Iterable[tuple[str, float]] = (),
) -> str:
    """Return a drawing as an <svg> element; its title is for screen readers and a tip.

    Args:
        marks: The first is drawn lowest.
        title: The title.
        x_title: The title of the horizontal axis.
        y_title: The title of the vertical axis.
        size: Width and height in pixels; it scales with its frame.
        x_range: The range of the horizontal axis; None for that of the data.
        y_range: The same for the vertical axis.
        lines: ("x" or "y", value): straight lines across, such as a threshold.
    """
    width, height = size
    legend = _legend([mark for mark in marks if mark.name], width)
    top = _TOP + _LINE * len(legend)
    frame = _Frame(
        x_range or _range([mark.edges if isinstance(mark, Steps) else mark.x for mark in marks]),
        y_range or _range([np.r_[0.0, mark.heights] if isinstance(mark, Steps) else mark.y for mark in marks]),
        (_LEFT, top, width - _RIGHT, height - _BOTTOM),
    )
    parts = []
    for row, entries in enumerate(legend):
        at = _LEFT
        for mark in entries:
            y = _TOP + _LINE * row
            parts += [box(at, y, 10, 10, mark.colour), words(at + 14, y + 9, mark.name)]
            at += _entry_width(mark.name)
    parts += frame.axes(x_title, y_title)
    for mark in marks:
        parts += frame.draw(mark)
    parts += [frame.line(side, value) for side, value in lines if math.isfinite(value)]
    return drawing(title, size, parts, fixed=False)


def drawing(
    title: str,
    size: tuple[float, float],
    parts: Iterable[str],
    *,
    letters: int = 11,
    fixed: bool = True,
    text: str = TEXT,
    background: str = "#ffffff",
) -> str:
    """Return an <svg> element with these parts; its title is for screen readers and a tip.

    Args:
        title: The title.
        size: Width and height in pixels.
        parts: Elements, the first drawn lowest.
        letters: The height of its type in pixels.
        fixed: Whether it has that size on its background; otherwise it takes the size and ground of its frame.
        text: The colour of words that have none of their own.
        background: The colour under everything.
    """
    width, height = (f"{each:g}" for each in size)
    own = f'width="{width}" height="{height}" ' if fixed else ""
    ground = f'<rect {own}fill="{background}"/>' if fixed else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" {own}role="img" '
        f'aria-label="{html.escape(title)}" font-family="sans-serif" font-size="{letters}" fill="{text}">'
        f"<title>{html.escape(title)}</title>{ground}{''.join(parts)}</svg>"
    )


def words(x: float, y: float, text: str, colour: str = "", anchor: str = "start", more: str = "") -> str:
    """Return words on the line y, which begin at x, or have their middle or end there; `more` has attributes."""
    fill = f' fill="{colour}"' if colour else ""
    place = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return f'<text x="{x:.1f}" y="{y:.1f}"{place}{fill}{more}>{html.escape(text)}</text>'


def box(x: float, y: float, width: float, height: float, colour: str, more: str = "") -> str:
    """Return a filled rectangle; `more` has attributes."""
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{colour}"{more}/>'


class _Frame:
    """The plane between the axes."""

    def __init__(self, x: tuple[float, float], y: tuple[float, float], box: tuple[float, float, float, float]) -> None:
        self._x, self._y = _wide(x), _wide(y)
        self._left, self._top, self._right, self._bottom = box

    def x(self, value: float) -> float:
        """Return where a value is on the horizontal axis, in pixels."""
        low, high = self._x
        return self._left + (value - low) / (high - low) * (self._right - self._left)

    def y(self, value: float) -> float:
        """Return where a value is on the vertical axis, in pixels."""
        low, high = self._y
        return self._bottom - (value - low) / (high - low) * (self._bottom - self._top)

    def axes(self, x_title: str, y_title: str) -> list[str]:
        """Return grid, numbers and titles."""
        parts = []
        for value in ticks(*self._x):
            at = self.x(value)
            parts.append(
                f'<line x1="{at:.1f}" y1="{self._top:.1f}" x2="{at:.1f}" y2="{self._bottom:.1f}" stroke="{_GRID}"/>'
                f'<text x="{at:.1f}" y="{self._bottom + 14:.1f}" text-anchor="middle">{_number(value)}</text>'
            )
        for value in ticks(*self._y):
            at = self.y(value)
            parts.append(
                f'<line x1="{self._left:.1f}" y1="{at:.1f}" x2="{self._right:.1f}" y2="{at:.1f}" stroke="{_GRID}"/>'
                f'<text x="{self._left - 5:.1f}" y="{at + 4:.1f}" text-anchor="end">{_number(value)}</text>'
            )
        middle = (self._left + self._right) / 2
        parts.append(
            f'<text x="{middle:.1f}" y="{self._bottom + 32:.1f}" text-anchor="middle">{html.escape(x_title)}</text>'
        )
        centre = (self._top + self._bottom) / 2
        parts.append(
            f'<text transform="translate(12 {centre:.1f}) rotate(-90)" text-anchor="middle">'
            f"{html.escape(y_title)}</text>"
        )
        parts.append(
            f'<path d="M{self._left:.1f} {self._top:.1f}V{self._bottom:.1f}H{self._right:.1f}" fill="none" '
            f'stroke="{TEXT}"/>'
        )
        return parts

    def draw(self, mark: Mark) -> list[str]:
        """Return one mark."""
        if isinstance(mark, Curve):
            dash = ' stroke-dasharray="5 4"' if mark.dashed else ""
            path = self._path(mark.x, mark.y)
            return [f'<path d="{path}" fill="none" stroke="{mark.colour}" stroke-width="1.6"{dash}/>'] if path else []
        if isinstance(mark, Steps):
            x, y = np.repeat(mark.edges, 2)[1:-1], np.repeat(mark.heights, 2)
            x, y = np.r_[x[:1], x, x[-1:]], np.r_[0.0, y, 0.0]
            path = self._path(x, y)
            return [f'<path d="{path}Z" fill="{mark.colour}" fill-opacity="0.35" stroke="{mark.colour}"/>']
        there = np.isfinite(mark.x) & np.isfinite(mark.y)
        bounds = np.zeros(len(mark.x), dtype=np.int8) if mark.bounds is None else mark.bounds
        dots = "".join(
            f'<path d="M{self.x(a):.1f} {self.y(b) - 5 * bound:.1f}l3 {6 * bound}h-2v{4 * bound}h-2v{-4 * bound}h-2z"/>'
            if bound
            else f'<circle cx="{self.x(a):.1f}" cy="{self.y(b):.1f}" r="2"/>'
            for a, b, bound in zip(mark.x[there].tolist(), mark.y[there].tolist(), bounds[there].tolist(), strict=True)
        )
        return [f'<g fill="{mark.colour}" fill-opacity="0.45">{dots}</g>'] if dots else []

    def line(self, side: str, value: float) -> str:
        """Return a straight line across the plane; "" outside it."""
        low, high = self._x if side == "x" else self._y
        if not low <= value <= high:
            return ""
        if side == "x":
            ends = f'x1="{self.x(value):.1f}" y1="{self._top:.1f}" x2="{self.x(value):.1f}" y2="{self._bottom:.1f}"'
        else:
            ends = f'x1="{self._left:.1f}" y1="{self.y(value):.1f}" x2="{self._right:.1f}" y2="{self.y(value):.1f}"'
        return f'<line {ends} stroke="#d11f1f" stroke-width="1.3"/>'

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
    """Return round numbers in a range, at most `most` of them."""
    if not (math.isfinite(low) and math.isfinite(high)) or high <= low:
        return []
    rough = (high - low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor >= rough * (1 - 1e-9))
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [round(number * step, 10) for number in range(first, last + 1)]


def _legend(marks: Sequence[Mark], width: float) -> list[list[Mark]]:
    lines: list[list[Mark]] = []
    used = width
    for mark in marks:
        wide = _entry_width(mark.name)
        if used + wide > width - _RIGHT:
            lines.append([])
            used = _LEFT
        lines[-1].append(mark)
        used += wide
    return lines


def _entry_width(name: str) -> float:
    return 26 + 6.3 * len(name)


def _range(columns: Sequence[Floats]) -> tuple[float, float]:
    values = np.concatenate(columns) if columns else np.zeros(0)
    values = values[np.isfinite(values)]
    return (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)


def _wide(ends: tuple[float, float]) -> tuple[float, float]:
    low, high = ends
    return (low - 0.5, high + 0.5) if low == high else ends


def _number(value: float) -> str:
    return f"{value:.10g}".replace("-", "−")
