"""The style of a figure: its size, font size, background and colours."""

from __future__ import annotations

import re
from dataclasses import dataclass

#: Named sizes: width and height in centimetres; without a height it depends on the figure (`chart_height`).
SIZES: dict[str, tuple[float, float | None]] = {
    "16:9": (33.87, 19.05),
    "column": (8.4, None),
    "two-columns": (17.4, None),
}

#: Widths and heights of charts in one and in two columns of a paper, in centimetres.
_NARROW, _WIDE = (8.4, 6.5), (17.4, 10.0)

#: Pixels in a centimetre and in a typographic point.
CM, _POINT = 96 / 2.54, 96 / 72

#: Minimum and maximum length of a side in centimetres.
_LEAST, _MOST = 1.0, 200.0

_SIZE = re.compile(r"(\d+(?:\.\d+)?)(?:x(\d+(?:\.\d+)?))?")


def parse_figure_size(text: str) -> tuple[float, float | None]:
    """Parse a size: a name of `SIZES`, or centimetres such as 12x8, or 12 for the width alone.

    Raises:
        ValueError: It is not a size; the message describes the format.
    """
    if text in SIZES:
        return SIZES[text]
    match = _SIZE.fullmatch(text)
    sides = () if match is None else tuple(float(side) for side in match.groups() if side is not None)
    if not sides or not all(_LEAST <= side <= _MOST for side in sides):
        raise ValueError(f"it is {', '.join(SIZES)} or centimetres such as 12x8, from {_LEAST:g} to {_MOST:g}")
    return sides[0], sides[1] if len(sides) > 1 else None


def chart_height(width: float) -> float:
    """Return the usual height of a chart of a width, both in centimetres: 6.5 for 8.4, 10 for 17.4."""
    (narrow, narrow_high), (wide, wide_high) = _NARROW, _WIDE
    share = min(max((width - narrow) / (wide - narrow), 0.0), 1.0)
    return width * (narrow_high / narrow * (1 - share) + wide_high / wide * share)


@dataclass(frozen=True)
class FigureStyle:
    """The style of a figure.

    Attributes:
        size: Width and height in centimetres, with a height of None to keep the proportions; None for its own size.
        type_points: The font size in points, or None for the default.
        transparent: Whether it has no background.
        dark: Whether the figure is light on dark.
        legend: Whether it has a legend.
        histograms: Whether a scatter has histograms at its edges.
        counts: Whether a scatter's legend has the numbers of pairs.
        signatures: Whether the signatures of its scores are printed below it; they are in the file's metadata anyway.
    """

    size: tuple[float, float | None] | None = None
    type_points: float | None = None
    transparent: bool = False
    dark: bool = False
    legend: bool = True
    histograms: bool = False
    counts: bool = False
    signatures: bool = False

    @property
    def pixels(self) -> tuple[float, float | None] | None:
        """The size in pixels, 96 per inch."""
        if self.size is None:
            return None
        width, height = self.size
        return width * CM, None if height is None else height * CM

    @property
    def type_pixels(self) -> float | None:
        """The font size in pixels."""
        return None if self.type_points is None else self.type_points * _POINT


#: The style that is used unless the user chooses one.
USUAL = FigureStyle()
