"""How a figure is drawn for its place: its size, the size of its type, its ground and its colours."""

from __future__ import annotations

import re
from dataclasses import dataclass

#: Sizes by name, width and height in centimetres; without a height it is that of the figure's own shape.
SIZES: dict[str, tuple[float, float | None]] = {
    "16:9": (33.87, 19.05),
    "column": (8.4, None),
    "two-columns": (17.4, None),
}

#: Pixels of a drawing in a centimetre and in a point of type.
_CM, _POINT = 96 / 2.54, 96 / 72

#: Centimetres of the smallest and of the largest side.
_LEAST, _MOST = 1.0, 200.0

_SIZE = re.compile(r"(\d+(?:\.\d+)?)(?:x(\d+(?:\.\d+)?))?")


def figure_size(text: str) -> tuple[float, float | None]:
    """Read a size: a name of `SIZES`, or centimetres such as 12x8; without a height as 12.

    Raises:
        ValueError: It is none; the text says what one is.
    """
    if text in SIZES:
        return SIZES[text]
    found = _SIZE.fullmatch(text)
    sides = () if found is None else tuple(float(side) for side in found.groups() if side is not None)
    if not sides or not all(_LEAST <= side <= _MOST for side in sides):
        raise ValueError(f"it is {', '.join(SIZES)} or centimetres such as 12x8, from {_LEAST:g} to {_MOST:g}")
    return sides[0], sides[1] if len(sides) > 1 else None


@dataclass(frozen=True)
class FigureStyle:
    """How a figure is drawn.

    Attributes:
        size: Width and height in centimetres, the height None for that of its own shape; None for its own size.
        type_points: The size of its type in points; None for the usual one.
        transparent: Whether nothing is behind it.
        dark: Whether it is light on dark.
    """

    size: tuple[float, float | None] | None = None
    type_points: float | None = None
    transparent: bool = False
    dark: bool = False

    @property
    def pixels(self) -> tuple[float, float | None] | None:
        """The size in pixels, 96 an inch."""
        if self.size is None:
            return None
        width, height = self.size
        return width * _CM, None if height is None else height * _CM

    @property
    def type_pixels(self) -> float | None:
        """The size of type in pixels."""
        return None if self.type_points is None else self.type_points * _POINT


#: As figures are drawn where nothing is said.
USUAL = FigureStyle()
