"""The colours of analysis plots, and the older name of a chart."""

from __future__ import annotations

from parapluie_gui.analysis.figure import Bars, Chart, Line, Mark
from parapluie_gui.ui.widgets.theme import Theme

__all__ = ["Bars", "Drawing", "Line", "colours"]


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
    """Return the colours of scores side by side."""
    return theme.scores
