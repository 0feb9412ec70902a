"""Draws heat maps as SVG: a column for each score, a row for each behaviour or range, darker for larger values."""

from __future__ import annotations

import math

from parapluie_gui.analysis.figure import HeatMap
from parapluie_gui.report.elements import SvgDrawing, cut_end, cut_middle, draw_box, draw_text
from parapluie_gui.report.palette import LIGHT, Theme, resolve_colour

#: Font size of the layout.
TYPE = 11

#: Layout in pixels: margin left of the cells, row height, margins above and below the cells.
_LEFT, _LINE, _HEAD, _FOOT = 190, 19, 44, 22
_LONG_TITLE = 10


def draw_heat_map(figure: HeatMap, theme: Theme) -> SvgDrawing:
    """Draw a heat map with its headings, values and note."""
    width = _LEFT + figure.cell * len(figure.columns) + 12
    height = _HEAD + _LINE * len(figure.lines) + _FOOT
    parts = []
    for column, heading in enumerate(figure.columns):
        centre = _LEFT + (column + 0.5) * figure.cell
        for number, part in enumerate(_two_lines(heading.title, figure.cell)):
            parts.append(draw_text(centre, 16 + 14 * number, part, anchor="middle", bold=True))
    for row, line in enumerate(figure.lines):
        _, top = cell_corner(figure, 0, row)
        if isinstance(line, str):
            parts.append(draw_text(8, top + 14, line, bold=True))
            continue
        parts.append(draw_text(_LEFT - 8, top + 14, cut_middle(line.title, _LEFT - 12, TYPE), anchor="end"))
        for column, heading in enumerate(figure.columns):
            place = (heading.key, line.key)
            value = figure.values.get(place, math.nan)
            left, _ = cell_corner(figure, column, row)
            parts += _cell(left, top, figure, value, figure.texts.get(place), theme)
    parts.append(draw_text(8, height - 7, figure.note, theme.muted, size=10))
    return SvgDrawing(width, height, parts)


def cell_corner(figure: HeatMap, column: float, row: float) -> tuple[float, float]:
    """Return the upper left corner of a cell in the drawing."""
    return _LEFT + column * figure.cell, _HEAD + row * _LINE


def find_cell(figure: HeatMap, x: float, y: float) -> tuple[str, str] | None:
    """Return the keys of the column and row at a position of the drawing, None outside of the cells."""
    column, row = int((x - _LEFT) // figure.cell), int((y - _HEAD) // _LINE)
    if not (0 <= column < len(figure.columns) and 0 <= row < len(figure.lines)):
        return None
    line = figure.lines[row]
    return None if isinstance(line, str) else (figure.columns[column].key, line.key)


def cell_box(figure: HeatMap, column: int, row: int) -> tuple[float, float, float, float]:
    """Return left, top, width and height of a cell in the drawing."""
    return _LEFT + column * figure.cell, _HEAD + row * _LINE, figure.cell, _LINE


def cell_text(figure: HeatMap, column: int, row: int) -> str:
    """Return the text of a cell; "–" without a value."""
    line = figure.lines[row]
    assert not isinstance(line, str)
    place = figure.columns[column].key, line.key
    value = figure.values.get(place, math.nan)
    return _shown_text(value, figure.texts.get(place))


def _shown_text(value: float, text: str | None) -> str:
    return "–" if math.isnan(value) else text or f"{100 * value:.0f} %"


def _cell(x: float, top: float, figure: HeatMap, value: float, text: str | None, theme: Theme) -> list[str]:
    width, dark = figure.cell, resolve_colour(figure.colour, theme)
    colour = theme.window if math.isnan(value) else _mix_colours(theme.raised, dark, min(value / figure.full, 1.0))
    ink = "#ffffff" if _is_dark(colour) else LIGHT.text
    text = _shown_text(value, text)
    return [
        draw_box(x + 1, top + 1, width - 2, _LINE - 2, colour),
        draw_text(x + width / 2, top + 14, cut_end(text, width, TYPE), ink, "middle"),
    ]


def _two_lines(title: str, room: float) -> list[str]:
    """Break a long title near its middle, and cut lines that are still too long."""
    places = [place + 1 for place, letter in enumerate(title) if letter in " -"]
    lines = [title]
    if len(title) > _LONG_TITLE and places:
        at = min(places, key=lambda place: abs(place - len(title) / 2))
        lines = [title[:at].rstrip(), title[at:]]
    return [cut_end(line, room, TYPE) for line in lines]


def _mix_colours(low: str, high: str, part: float) -> str:
    one, other = _rgb(low), _rgb(high)
    return "#" + "".join(f"{round(a + (b - a) * part):02x}" for a, b in zip(one, other, strict=True))


def _is_dark(colour: str) -> bool:
    red, green, blue = _rgb(colour)
    return 0.299 * red + 0.587 * green + 0.114 * blue < 140


def _rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
