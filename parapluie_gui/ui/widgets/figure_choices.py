"""The choices made for the last figure that was written: format, size, parts and folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace


@dataclass(frozen=True)
class FigureChoices:
    """The choices of the figure dialog.

    Attributes:
        format: The ending of the file.
        size: A name of `SIZES`, or another word for centimetres of the user's.
        width, height: The size in centimetres.
        type_points: The font size in points.
        transparent: Whether the figure has no background.
        dpi: Dots per inch of a PNG.
        legend, histograms, counts, signatures: The parts of the figure, as in `FigureStyle`.
        folder: The folder of the last figure; "" if none was written.
    """

    format: str = "pdf"
    size: str = "column"
    width: float = 8.4
    height: float = 6.5
    type_points: float = 8.0
    transparent: bool = False
    dpi: int = 300
    legend: bool = True
    histograms: bool = False
    counts: bool = False
    signatures: bool = False
    folder: str = ""


class FigureMemory:
    """Keeps the choices of the last figure between dialogs, and as a part of the window's preferences between runs."""

    def __init__(self) -> None:
        self.choices = FigureChoices()

    def settings(self) -> dict[str, object]:
        return asdict(self.choices)

    def restore(self, settings: Mapping[str, object]) -> None:
        """Apply earlier choices; a value of another type keeps its default."""
        usual = FigureChoices()
        kept = {
            field.name: settings[field.name]
            for field in fields(FigureChoices)
            if type(settings.get(field.name)) is type(getattr(usual, field.name))
        }
        self.choices = replace(usual, **kept)  # type: ignore[arg-type]


#: The choices of this process; figures are written one at a time.
MEMORY = FigureMemory()
