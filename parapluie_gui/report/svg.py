"""Draws any figure as SVG for reports, files and the window, with an optional footer of signatures."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence

from parapluie_gui.analysis.figure import BarList, Chart, Figure, HeatMap
from parapluie_gui.report import bar_list, chart, heat_map
from parapluie_gui.report.elements import SvgDrawing, draw_text, estimate_width
from parapluie_gui.report.figure_style import CM, chart_height
from parapluie_gui.report.palette import DARK, LIGHT, Theme

#: Default width and height of a chart in pixels.
_CHART = (560.0, 340.0)
#: Font size of the footer as a share of the usual size, and distance of its lines in pixels.
_SMALL, _SMALL_LINE = 0.78, 11.0

#: The share of a requested height that a chart keeps, however long the footer. Without a requested height, the drawing
#: grows.
_LEAST_CHART = 0.6


def figure_height(figure: Figure, width: float, type_size: float | None = None, *, legend: bool = True) -> float:
    """Return the usual height of a figure of a width, in pixels: square, as of a chart, or by its own proportions."""
    factor = (type_size or _usual_type(figure)) / _usual_type(figure)
    if not isinstance(figure, Chart):
        drawn = _draw_own_size(figure, LIGHT)
        return width * drawn.height / drawn.width
    if figure.square:
        return chart.square_height(figure, width / factor, legend=legend) * factor
    return chart_height(width / CM) * CM


def figure_svg(
    figure: Figure,
    *,
    size: tuple[float, float | None] | None = None,
    type_size: float | None = None,
    dark: bool = False,
    footer: Sequence[str] = (),
    about: Sequence[str] = (),
    legend: bool = True,
    fluid: bool = False,
    transparent: bool = False,
) -> str:
    """Draw a figure as an <svg> element, with its title for screen readers and as a tooltip.

    Args:
        figure: The figure.
        size: Width and height in pixels, 96 per inch; a height of None is that of `figure_height`. A chart is laid out
            for the size, other figures are scaled to fit.
        type_size: The font size in pixels before scaling; None for the default.
        dark: Whether to draw light on dark.
        footer: Lines of small print below the figure, such as the signatures of its scores.
        about: Lines of the element's description, which is not drawn.
        legend: Whether a chart has a legend.
        fluid: Whether the figure takes the width and the background of its frame.
        transparent: Whether the figure has no background.
    """
    theme = DARK if dark else LIGHT
    usual = _usual_type(figure)
    factor = (type_size or usual) / usual
    if isinstance(figure, Chart):
        width, high = size or (_CHART[0] * factor, None)
        if size is None:
            height = _CHART[1] * figure.high
        else:
            height = (figure_height(figure, width, type_size, legend=legend) if high is None else high) / factor
        width /= factor
        print_ = list(_small_print(footer, width, usual))
        if high is None:
            height += _SMALL_LINE * len(print_)
        elif len(print_) > (most := int((1 - _LEAST_CHART) * height / _SMALL_LINE)):
            print_ = [*print_[: max(most - 1, 0)], "…"]
        size = None if size is None else (width * factor, height * factor)
        drawn = chart.draw_chart(figure, theme, width, height - _SMALL_LINE * len(print_), legend=legend)
    else:
        drawn = _draw_own_size(figure, theme)
        print_ = list(_small_print(footer, drawn.width, usual))
    small = _SMALL * usual
    parts = [
        *drawn.parts,
        *(
            draw_text(8, drawn.height + _SMALL_LINE * (number + 0.55), line, theme.muted, size=small)
            for number, line in enumerate(print_)
        ),
    ]
    drawn = SvgDrawing(drawn.width, drawn.height + _SMALL_LINE * len(print_), parts)
    width, high = size or (drawn.width * factor, None)
    paper = width, width * drawn.height / drawn.width if high is None else high
    ground = not (fluid or transparent)
    return _element(figure.title, drawn, paper, theme, usual, about="\n".join(about), fluid=fluid, ground=ground)


def _usual_type(figure: Figure) -> int:
    return bar_list.TYPE if isinstance(figure, BarList) else chart.TYPE


def _draw_own_size(figure: HeatMap | BarList, theme: Theme) -> SvgDrawing:
    return heat_map.draw_heat_map(figure, theme) if isinstance(figure, HeatMap) else bar_list.draw_bars(figure, theme)


def _element(
    title: str,
    drawn: SvgDrawing,
    size: tuple[float, float],
    theme: Theme,
    letters: int,
    *,
    about: str,
    fluid: bool,
    ground: bool,
) -> str:
    # The drawing is centred in the requested proportions.
    width = max(drawn.width, drawn.height * size[0] / size[1])
    height = width * size[1] / size[0]
    across, down = (width - drawn.width) / 2, (height - drawn.height) / 2
    parts = "".join(drawn.parts)
    if max(across, down) > 0.05:
        parts = f'<g transform="translate({across:.1f} {down:.1f})">{parts}</g>'
    own = "" if fluid else f'width="{size[0]:g}" height="{size[1]:g}" '
    about = f"<desc>{html.escape(about)}</desc>" if about else ""
    behind = f'<rect width="{width:g}" height="{height:g}" fill="{theme.plot}"/>' if ground else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" {own}role="img" '
        f'aria-label="{html.escape(title)}" font-family="sans-serif" font-size="{letters}" fill="{theme.text}">'
        f"<title>{html.escape(title)}</title>{about}{behind}{parts}</svg>"
    )


def _small_print(footer: Sequence[str], width: float, usual: float) -> Iterator[str]:
    """Break signatures into lines after their bars, because they have no spaces and copied text must not gain any."""
    for paragraph in footer:
        line = ""
        for field in re.findall(r"[^|]*\||[^|]+", paragraph):
            if line and estimate_width(line + field, _SMALL * usual) > width - 16:
                yield line
                line = ""
            line += field
        yield line
