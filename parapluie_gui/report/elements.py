"""SVG elements for figures, and estimates of text width without a font."""

from __future__ import annotations

import html
import unicodedata
from dataclasses import dataclass

#: Narrow and wide letters with their widths as shares of the font size, between those of Helvetica and DejaVu Sans.
_NARROW, _WIDE = frozenset("fijlrtI.,:;'|!()[] /-1"), frozenset("mwMWQO@%—")
_BOLD = ' font-weight="bold"'


@dataclass(frozen=True)
class SvgDrawing:
    """SVG elements, from back to front, and their total size in pixels."""

    width: float
    height: float
    parts: list[str]


def draw_text(
    x: float,
    y: float,
    text: str,
    colour: str = "",
    anchor: str = "start",
    *,
    bold: bool = False,
    size: float | None = None,
    more: str = "",
) -> str:
    """Return text on the line y with its start, middle or end at x; `more` holds further attributes."""
    fill = f' fill="{colour}"' if colour else ""
    place = "" if anchor == "start" else f' text-anchor="{anchor}"'
    type_size = "" if size is None else f' font-size="{size:g}"'
    look = f"{place}{fill}{_BOLD if bold else ''}{type_size}{more}"
    return f'<text x="{x:.1f}" y="{y:.1f}"{look}>{html.escape(text)}</text>'


def draw_box(x: float, y: float, width: float, height: float, colour: str, more: str = "") -> str:
    """Return a filled rectangle; `more` holds further attributes."""
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{colour}"{more}/>'


def draw_rule(x: float, y: float, x2: float, y2: float, colour: str, more: str = "") -> str:
    """Return a straight line; `more` holds further attributes."""
    return f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"{more}/>'


def estimate_width(text: str, size: float) -> float:
    """Estimate the width of a text at a font size, in pixels."""
    return sum(map(_share, text)) * size


def cut_end(text: str, room: float, size: float) -> str:
    """Cut a text to a width, ending it with … if it does not fit."""
    if estimate_width(text, size) <= room:
        return text
    used, at = size, 0
    while at < len(text) and (used := used + _share(text[at]) * size) <= room:
        at += 1
    return f"{text[:at].rstrip()}…"


def cut_middle(text: str, room: float, size: float) -> str:
    """Cut a text to a width by removing its middle, because names of judges often differ at their ends."""
    if estimate_width(text, size) <= room:
        return text
    half = (room - size) / 2
    return cut_end(text, half, size) + cut_end(text[::-1], half, size)[-2::-1]


def _share(letter: str) -> float:
    if letter in _NARROW:
        return 0.36
    if letter in _WIDE:
        return 0.86
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.0
    return 0.0 if unicodedata.combining(letter) else 0.68 if letter.isupper() else 0.59
