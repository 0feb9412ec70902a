"""A heat map as SVG: scores across, behaviours or buckets down, the darker the more."""

from __future__ import annotations

import math

from parapluie_gui.analysis.figure import HeatMap
from parapluie_gui.report.elements import Drawn, box, cut, cut_within, words
from parapluie_gui.report.palette import LIGHT, Theme, colour_of

#: The type that everything is laid out for.
TYPE = 11

#: Pixels left of the cells, in a line, above the cells and under them.
_LEFT, _LINE, _HEAD, _FOOT = 190, 19, 44, 22
_LONG_TITLE = 10


def draw_heat_map(figure: HeatMap, theme: Theme) -> Drawn:
    """Return a heat map."""
    width = _LEFT + figure.cell * len(figure.columns) + 12
    height = _HEAD + _LINE * len(figure.lines) + _FOOT
    parts = []
    for column, each in enumerate(figure.columns):
        centre = _LEFT + (column + 0.5) * figure.cell
        for number, part in enumerate(_two_lines(each.title, figure.cell)):
            parts.append(words(centre, 16 + 14 * number, part, anchor="middle", bold=True))
    for row, line in enumerate(figure.lines):
        _, top = place_of(figure, 0, row)
        if isinstance(line, str):
            parts.append(words(8, top + 14, line, bold=True))
            continue
        parts.append(words(_LEFT - 8, top + 14, cut_within(line.title, _LEFT - 12, TYPE), anchor="end"))
        for column, each in enumerate(figure.columns):
            place = (each.key, line.key)
            value = figure.values.get(place, math.nan)
            left, _ = place_of(figure, column, row)
            parts += _cell(left, top, figure, value, figure.texts.get(place), theme)
    parts.append(words(8, height - 7, figure.note, theme.muted, size=10))
    return Drawn(width, height, parts)


def place_of(figure: HeatMap, column: float, row: float) -> tuple[float, float]:
    """Return the upper left corner of a cell in the drawing."""
    return _LEFT + column * figure.cell, _HEAD + row * _LINE


def cell_at(figure: HeatMap, x: float, y: float) -> tuple[str, str] | None:
    """Return the keys of the column and row at a place of the drawing, None outside the cells."""
    column, row = int((x - _LEFT) // figure.cell), int((y - _HEAD) // _LINE)
    if not (0 <= column < len(figure.columns) and 0 <= row < len(figure.lines)):
        return None
    line = figure.lines[row]
    return None if isinstance(line, str) else (figure.columns[column].key, line.key)


def _cell(x: float, top: float, figure: HeatMap, value: float, text: str | None, theme: Theme) -> list[str]:
    width, dark = figure.cell, colour_of(figure.colour, theme)
    colour = theme.window if math.isnan(value) else _mixed(theme.raised, dark, min(value / figure.full, 1.0))
    ink = "#ffffff" if _is_dark(colour) else LIGHT.text
    text = "–" if math.isnan(value) else text or f"{100 * value:.0f} %"
    return [
        box(x + 1, top + 1, width - 2, _LINE - 2, colour),
        words(x + width / 2, top + 14, cut(text, width, TYPE), ink, "middle"),
    ]


def _two_lines(title: str, room: float) -> list[str]:
    """Break a title where it is closest to its middle, if it is long; what is too long even so is cut."""
    places = [place + 1 for place, letter in enumerate(title) if letter in " -"]
    lines = [title]
    if len(title) > _LONG_TITLE and places:
        at = min(places, key=lambda place: abs(place - len(title) / 2))
        lines = [title[:at].rstrip(), title[at:]]
    return [cut(line, room, TYPE) for line in lines]


def _mixed(low: str, high: str, part: float) -> str:
    one, other = _rgb(low), _rgb(high)
    return "#" + "".join(f"{round(a + (b - a) * part):02x}" for a, b in zip(one, other, strict=True))


def _is_dark(colour: str) -> bool:
    red, green, blue = _rgb(colour)
    return 0.299 * red + 0.587 * green + 0.114 * blue < 140


def _rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
