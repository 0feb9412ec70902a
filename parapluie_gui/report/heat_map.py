"""Numbers as a drawing: scores across, behaviours or buckets down, the darker the more is wrong; SVG text."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from parapluie_gui.analysis.certificate.behaviours import BEHAVIOURS
from parapluie_gui.analysis.certificate.certificate import Certificate
from parapluie_gui.report.certificate import Measure, share
from parapluie_gui.report.svg import MUTED, TEXT, box, drawing, words

#: Pixels of a letter above a column, and letters that fit beside a row.
_LETTER = 80 / 12
_BESIDE = 32
_BOLD = ' font-weight="bold"'


@dataclass(frozen=True)
class HeatColours:
    """Colours as #rrggbb: cells go from `right` to `wrong`; `nothing` is where there is no number."""

    background: str = "#ffffff"
    text: str = TEXT
    muted: str = MUTED
    right: str = "#f3f6fb"
    wrong: str = "#b3261e"
    nothing: str = "#e9ecf1"


@dataclass(frozen=True)
class Line:
    """A row or a column: the key that a click gives, and what stands beside or above it."""

    key: str
    title: str


@dataclass(frozen=True)
class HeatMap:
    """What is drawn where, for drawing and for clicks; all in pixels.

    Attributes:
        columns: The scores.
        lines: Each row, or the name of a group as a heading, from above.
        values: What is wrong, from 0 to 1, by the keys of column and row; NaN, or none, where there is no number.
        texts: What stands in the cells instead of the value in per cent.
        cell: The width of a column.
    """

    columns: tuple[Line, ...]
    lines: tuple[Line | str, ...]
    values: Mapping[tuple[str, str], float]
    texts: Mapping[tuple[str, str], str] = field(default_factory=dict)
    cell: int = 80

    left = 190
    line = 19
    head = 44
    foot = 22

    @classmethod
    def of(cls, found: Sequence[Certificate], measure: Measure) -> HeatMap:
        """Lay out the behaviours of which at least one score has a number."""
        lines: list[Line | str] = []
        group = ""
        for behaviour in BEHAVIOURS:
            if all(math.isnan(share(each, behaviour.key, measure)) for each in found):
                continue
            if behaviour.group != group:
                group = behaviour.group
                lines.append(group)
            lines.append(Line(behaviour.key, behaviour.title))
        keys = [line.key for line in lines if isinstance(line, Line)]
        values = {(each.name, key): share(each, key, measure) for each in found for key in keys}
        return cls(tuple(Line(each.name, each.title) for each in found), tuple(lines), values)

    @property
    def width(self) -> int:
        return self.left + self.cell * len(self.columns) + 12

    @property
    def height(self) -> int:
        return self.head + self.line * len(self.lines) + self.foot

    def at(self, x: float, y: float) -> tuple[str, str] | None:
        """Return the keys of the column and row at a place, None outside the cells."""
        column, row = int((x - self.left) // self.cell), int((y - self.head) // self.line)
        if not (0 <= column < len(self.columns) and 0 <= row < len(self.lines)):
            return None
        line = self.lines[row]
        return None if isinstance(line, str) else (self.columns[column].key, line.key)

    def svg(self, title: str, note: str, colours: HeatColours | None = None) -> str:
        """Return the drawing as an <svg> element; its title is for screen readers."""
        colours = colours or HeatColours()
        parts = []
        for column, each in enumerate(self.columns):
            centre = self.left + (column + 0.5) * self.cell
            for number, part in enumerate(_two_lines(each.title, int(self.cell / _LETTER))):
                parts.append(words(centre, 16 + 14 * number, part, anchor="middle", more=_BOLD))
        for row, line in enumerate(self.lines):
            top = self.head + row * self.line
            if isinstance(line, str):
                parts.append(words(8, top + 14, line, more=_BOLD))
                continue
            beside = line.title if len(line.title) <= _BESIDE else f"{line.title[: _BESIDE - 1]}…"
            parts.append(words(self.left - 8, top + 14, beside, anchor="end"))
            for column, each in enumerate(self.columns):
                place = (each.key, line.key)
                parts += self._cell(column, top, self.values.get(place, math.nan), self.texts.get(place), colours)
        parts.append(words(8, self.height - 7, note, colours.muted, more=' font-size="10"'))
        return drawing(title, (self.width, self.height), parts, text=colours.text, background=colours.background)

    def _cell(self, column: int, top: float, value: float, text: str | None, colours: HeatColours) -> list[str]:
        x = self.left + column * self.cell
        colour = colours.nothing if math.isnan(value) else _mixed(colours.right, colours.wrong, value)
        ink = "#ffffff" if _is_dark(colour) else TEXT
        text = "–" if math.isnan(value) else text or f"{100 * value:.0f} %"
        return [
            box(x + 1, top + 1, self.cell - 2, self.line - 2, colour),
            words(x + self.cell / 2, top + 14, text, ink, "middle"),
        ]


def _two_lines(title: str, letters: int) -> list[str]:
    """Break a title where it is closest to its middle, if it is long; what is too long even so is cut."""
    places = [place + 1 for place, letter in enumerate(title) if letter in " -"]
    lines = [title]
    if len(title) > 10 and places:
        at = min(places, key=lambda place: abs(place - len(title) / 2))
        lines = [title[:at].rstrip(), title[at:]]
    return [line if len(line) <= letters else f"{line[: letters - 1]}…" for line in lines]


def _mixed(low: str, high: str, part: float) -> str:
    one, other = _rgb(low), _rgb(high)
    return "#" + "".join(f"{round(a + (b - a) * part):02x}" for a, b in zip(one, other, strict=True))


def _is_dark(colour: str) -> bool:
    red, green, blue = _rgb(colour)
    return 0.299 * red + 0.587 * green + 0.114 * blue < 140


def _rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
