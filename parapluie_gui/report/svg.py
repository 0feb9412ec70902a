"""Any figure as SVG, for reports, files and the window: its size, its type, light or dark, signatures under it."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence

from parapluie_gui.analysis.figure import BarList, Chart, Figure, HeatMap
from parapluie_gui.report import bar_list, chart, heat_map
from parapluie_gui.report.elements import Drawn, width_of, words
from parapluie_gui.report.palette import DARK, LIGHT, Theme

#: Width and height of a chart in pixels where nothing is said.
_CHART = (560.0, 340.0)
#: Small print: its type as a part of the usual one, and pixels between its lines.
_SMALL, _SMALL_LINE = 0.78, 11.0

#: What a chart keeps of a height that is asked for, however much small print there is. Without one the paper grows.
_LEAST_CHART = 0.6


def figure_svg(
    figure: Figure,
    *,
    size: tuple[float, float | None] | None = None,
    type_size: float | None = None,
    dark: bool = False,
    footer: Sequence[str] = (),
    fluid: bool = False,
    transparent: bool = False,
) -> str:
    """Return a figure as an <svg> element; its title is for screen readers and a tip.

    Args:
        figure: The figure.
        size: Width and height in pixels, 96 an inch, no height for that of its own shape. A chart is laid out for it,
            other figures are scaled to fit it.
        type_size: The height of its type in pixels where it is not scaled; None is the usual one.
        dark: Is it light on dark?
        footer: Small print under it, such as the signatures of its scores.
        fluid: Does it take the width and the ground of the frame that it stands in?
        transparent: Is there nothing behind it?
    """
    theme = DARK if dark else LIGHT
    usual = bar_list.TYPE if isinstance(figure, BarList) else chart.TYPE
    factor = (type_size or usual) / usual
    if isinstance(figure, Chart):
        width, high = size or (_CHART[0] * factor, None)
        height = (width * _CHART[1] * figure.high / _CHART[0] if high is None else high) / factor
        width /= factor
        print_ = list(_small_print(footer, width, usual))
        if high is None:
            height += _SMALL_LINE * len(print_)
        elif len(print_) > (most := int((1 - _LEAST_CHART) * height / _SMALL_LINE)):
            print_ = [*print_[: max(most - 1, 0)], "…"]
        size = None if size is None else (width * factor, height * factor)
        drawn = chart.draw_chart(figure, theme, width, height - _SMALL_LINE * len(print_))
    else:
        drawn = (
            heat_map.draw_heat_map(figure, theme) if isinstance(figure, HeatMap) else bar_list.draw_bars(figure, theme)
        )
        print_ = list(_small_print(footer, drawn.width, usual))
    small = _SMALL * usual
    parts = [
        *drawn.parts,
        *(
            words(8, drawn.height + _SMALL_LINE * (number + 0.55), line, theme.muted, size=small)
            for number, line in enumerate(print_)
        ),
    ]
    drawn = Drawn(drawn.width, drawn.height + _SMALL_LINE * len(print_), parts)
    width, high = size or (drawn.width * factor, None)
    paper = width, width * drawn.height / drawn.width if high is None else high
    return _element(figure.title, drawn, paper, theme, usual, fluid=fluid, ground=not (fluid or transparent))


def _element(
    title: str, drawn: Drawn, size: tuple[float, float], theme: Theme, letters: int, *, fluid: bool, ground: bool
) -> str:
    # Paper in the shape that is asked for, the drawing in its middle.
    width = max(drawn.width, drawn.height * size[0] / size[1])
    height = width * size[1] / size[0]
    across, down = (width - drawn.width) / 2, (height - drawn.height) / 2
    parts = "".join(drawn.parts)
    if max(across, down) > 0.05:
        parts = f'<g transform="translate({across:.1f} {down:.1f})">{parts}</g>'
    own = "" if fluid else f'width="{size[0]:g}" height="{size[1]:g}" '
    behind = f'<rect width="{width:g}" height="{height:g}" fill="{theme.plot}"/>' if ground else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" {own}role="img" '
        f'aria-label="{html.escape(title)}" font-family="sans-serif" font-size="{letters}" fill="{theme.text}">'
        f"<title>{html.escape(title)}</title>{behind}{parts}</svg>"
    )


def _small_print(footer: Sequence[str], width: float, usual: float) -> Iterator[str]:
    """Break signatures after their bars: they have no spaces, and a copy of one must not gain any."""
    for paragraph in footer:
        line = ""
        for field in re.findall(r"[^|]*\||[^|]+", paragraph):
            if line and width_of(line + field, _SMALL * usual) > width - 16:
                yield line
                line = ""
            line += field
        yield line
