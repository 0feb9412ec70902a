"""The style of plots, set by hand because pyqtgraph follows neither palette nor font."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF
from PySide6.QtWidgets import QApplication

from parapluie_gui.ui.widgets.text import rich_text, usual_points
from parapluie_gui.ui.widgets.theme import current_theme

#: Size of an axis title, relative to its numbers.
TITLE = 1.1


class _MinusAxis(pg.AxisItem):
    """An axis whose numbers have a minus sign, not a hyphen; those at its ends may extend beyond it."""

    _beyond = 0.0

    def allow_overhang(self, pixels: float) -> None:
        """Set how far the labels at both ends may extend beyond the axis; labels that extend further are hidden."""
        self.prepareGeometryChange()
        self._beyond, self.picture = pixels, None
        self.update()

    def boundingRect(self) -> QRectF:
        upright = self.orientation == "left"
        across, along = (0.0, self._beyond) if upright else (self._beyond, 0.0)
        rect: QRectF = super().boundingRect()
        return rect.adjusted(-across, -along, across, along)

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        return [text.replace("-", "−") for text in super().tickStrings(values, scale, spacing)]


def bare_plot(box: pg.ViewBox) -> pg.PlotItem:
    """Return a plot without pyqtgraph's menu and buttons, which are not translated."""
    plot = pg.PlotItem(viewBox=box, axisItems={side: _MinusAxis(side) for side in ("left", "bottom")})
    plot.hideButtons()
    plot.setMenuEnabled(False)
    for side in ("left", "bottom"):
        plot.getAxis(side).enableAutoSIPrefix(False)
    return plot


def apply_theme(plot: pg.PlotItem, font: QFont) -> None:
    """Set a plot's colours to the theme, and the font of its axes."""
    theme = current_theme()
    for side in ("left", "bottom"):
        axis = plot.getAxis(side)
        axis.setPen(pg.mkPen(theme.axis, width=1))
        axis.setTextPen(theme.axis)
        axis.setTickFont(font)
        # Two levels of ticks: a third is hardly visible, and takes as long to paint as a hundred thousand points.
        axis.setStyle(tickLength=-5, hideOverlappingLabels=True, maxTickLevel=1)
    plot.showGrid(x=True, y=True, alpha=0.12)


def wrap_title(text: str, room: float, metrics: QFontMetricsF) -> list[str]:
    """Return a text as one line, or as two, broken at the space nearest its middle.

    A line that is still too long is elided in the middle, since names of judges often differ at their end. No line
    starts with – or ·.
    """
    lines = [text]
    spaces = [place for place in range(len(text)) if text[place] == " " and not text.startswith(("–", "·"), place + 1)]
    if spaces and metrics.horizontalAdvance(text) > room:
        at = min(spaces, key=lambda place: abs(place - len(text) / 2))
        lines = [text[:at], text[at + 1 :]]
    return [metrics.elidedText(line, Qt.TextElideMode.ElideMiddle, room) for line in lines]


def title_axis(plot: pg.PlotItem, side: str, text: str, font: QFont) -> None:
    """Set an axis title as plain text, since it may come from a file's header."""
    style = {"color": current_theme().text, "font-size": f"{font.pointSizeF() * TITLE:.1f}pt"}
    axis = plot.getAxis(side)
    axis.setLabel(rich_text(text), **style)
    # AxisItem.setLabel of pyqtgraph 0.14 does not centre the new text.
    axis.resizeEvent(None)


def fit_title(texts: tuple[str, str], room: float, font: QFont) -> str:
    """Return the long form of a title if it fits, otherwise the short one, elided in the middle if necessary."""
    metrics = QFontMetricsF(scale_font(font, TITLE))
    long, short = texts
    if metrics.horizontalAdvance(long) <= room:
        return long
    return metrics.elidedText(short, Qt.TextElideMode.ElideMiddle, room)


def axis_width(font: QFont) -> float:
    """Return the width of a left axis with title, the same for every plot, so that plots align."""
    metrics = QFontMetricsF(font)
    return metrics.horizontalAdvance("−100.00") + metrics.height() * 1.5 + 10


def fitted_axis_width(axis: pg.AxisItem, ends: tuple[float, float], font: QFont, height: float) -> float:
    """Return the width of a left axis with title for the numbers of a range, on a plot of a height in pixels."""
    metrics = QFontMetricsF(font)
    levels = axis.tickValues(*ends, height)
    texts = [text for spacing, values in levels[:1] for text in axis.tickStrings(values, 1.0, spacing)]
    return max(map(metrics.horizontalAdvance, texts), default=0.0) + metrics.height() * 1.5 + 10


def axis_height(font: QFont) -> float:
    """Return the height of a bottom axis with title."""
    return QFontMetricsF(font).height() * 2.3 + 8


def default_font() -> QFont:
    """Return the font with which the program started; plots are scaled from it."""
    font = QFont(QApplication.font())
    font.setPointSizeF(usual_points())
    return font


def scale_font(font: QFont, factor: float) -> QFont:
    """Return a font scaled by a factor."""
    larger = QFont(font)
    size = font.pointSizeF() if font.pointSizeF() > 0 else 9.0
    larger.setPointSizeF(size * factor)
    return larger
