"""The colours of analysis plots, and the older name of a chart."""

from __future__ import annotations

from parapluie_gui.analysis.figure import Bars, Chart, Colour, Line, Mark
from parapluie_gui.ui.widgets.theme import Theme

__all__ = ["Bars", "Drawing", "Line", "colour_of", "colours"]


def Drawing(
    series: tuple[Mark, ...] = (),
    x: str = "",
    y: str = "",
    x_range: tuple[float, float] | None = None,
    y_range: tuple[float, float] | None = None,
    upright: float | None = None,
    ticks: tuple[str, ...] = (),
) -> Chart:
    rules = () if upright is None else (("x", upright),)
    return Chart("", "", series, x, y, x_range, y_range, rules, ticks)


def colours(theme: Theme) -> tuple[str, ...]:
    """Return eight colours for scores side by side."""
    more = ("#18794e", "#a21caf", "#1b1f27", "#be123c", "#0891b2", "#84721a")
    pale = ("#5fd19b", "#e59bf2", "#e8eaee", "#ff7a90", "#67d3e6", "#d9d06a")
    return (theme.paraphrase, theme.other, *(pale if theme.name == "dark" else more))


def colour_of(colour: Colour, theme: Theme) -> str:
    """Return the colour that stands for something, or that of a score by its number, as #rrggbb."""
    if isinstance(colour, int):
        return colours(theme)[colour % len(colours(theme))]
    return colour if colour.startswith("#") else str(getattr(theme, colour))
