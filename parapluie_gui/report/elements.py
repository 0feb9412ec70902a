"""The elements of SVG that figures are made of, and an estimate of the width of words where no font is available."""

from __future__ import annotations

import html
import unicodedata
from dataclasses import dataclass

#: Widths of letters as parts of the size of type, between those of Helvetica and of DejaVu Sans.
_NARROW, _WIDE = frozenset("fijlrtI.,:;'|!()[] /-1"), frozenset("mwMWQO@%—")
_BOLD = ' font-weight="bold"'


@dataclass(frozen=True)
class Drawn:
    """Elements, the first drawn lowest, and how much room they take."""

    width: float
    height: float
    parts: list[str]


def words(
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
    """Return words on the line y, which begin at x, or have their middle or end there; `more` has attributes."""
    fill = f' fill="{colour}"' if colour else ""
    place = "" if anchor == "start" else f' text-anchor="{anchor}"'
    type_size = "" if size is None else f' font-size="{size:g}"'
    look = f"{place}{fill}{_BOLD if bold else ''}{type_size}{more}"
    return f'<text x="{x:.1f}" y="{y:.1f}"{look}>{html.escape(text)}</text>'


def box(x: float, y: float, width: float, height: float, colour: str, more: str = "") -> str:
    """Return a filled rectangle; `more` has attributes."""
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{colour}"{more}/>'


def rule(x: float, y: float, x2: float, y2: float, colour: str, more: str = "") -> str:
    """Return a straight line; `more` has attributes."""
    return f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"{more}/>'


def width_of(text: str, size: float) -> float:
    """Return about how wide a text is in type of a size."""
    return sum(map(_share, text)) * size


def cut(text: str, room: float, size: float) -> str:
    """Return as much of a text as has room, with … where it is not all."""
    if width_of(text, size) <= room:
        return text
    used, at = size, 0
    while at < len(text) and (used := used + _share(text[at]) * size) <= room:
        at += 1
    return f"{text[:at].rstrip()}…"


def cut_within(text: str, room: float, size: float) -> str:
    """Return the beginning and the end of a text, as much as has room: names of judges often differ in their ends."""
    if width_of(text, size) <= room:
        return text
    half = (room - size) / 2
    return cut(text, half, size) + cut(text[::-1], half, size)[-2::-1]


def _share(letter: str) -> float:
    if letter in _NARROW:
        return 0.36
    if letter in _WIDE:
        return 0.86
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.0
    return 0.0 if unicodedata.combining(letter) else 0.68 if letter.isupper() else 0.59
