"""Views of plots written to PNG, SVG or PDF, with points as vectors and text as text."""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pyqtgraph as pg
from PySide6.QtCore import QMarginsF, QPointF, QRect, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QGuiApplication, QImage, QPageSize, QPainter, QPdfWriter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QGraphicsScene

from parapluie_gui.ui.widgets.svg_file import check_ending, check_pixels, replacing

_FOOTER_POINTS = 6.5


def export_figure(
    view: pg.GraphicsView,
    path: Path | str,
    size: tuple[float, float],
    dpi: float = 192.0,
    background: str | None = None,
    title: str = "",
    footer: str = "",
    about: str = "",
) -> Path:
    """Write a figure in the format of the path's ending.

    The view is laid out again in the given shape, so that type keeps its size in points.

    Args:
        view: A pyqtgraph view, which is unchanged afterwards.
        path: Ends in .png, .svg or .pdf; an existing file is replaced once the new one is complete.
        size: Width and height in pixels.
        dpi: Dots per inch, which relates pixels to type sizes.
        background: Background colour; None for white, or "transparent".
        title: Stored in the file's metadata.
        about: Description stored in the file's metadata, such as signatures.
        footer: Small print under the figure, such as signatures; several lines are allowed.

    Returns:
        The path written.

    Raises:
        ParapluieError: The ending is unknown, the size is not usable or the file cannot be written.
    """
    path = Path(path)
    check_ending(path)
    width, height = size
    check_pixels(path, width if dpi > 0 else 0, height)
    write = {".png": _png, ".svg": _svg, ".pdf": _pdf}[path.suffix.lower()]
    screen = _screen_dpi()
    page = QSizeF(width * screen / dpi, height * screen / dpi)

    def draw(painter: QPainter, scale: float) -> None:
        _draw(painter, view, page, scale, background, footer)

    with replacing(path) as temporary:
        write(temporary, page, QSize(round(width), round(height)), dpi, (title, about), draw)
    return path


Draw = Callable[[QPainter, float], None]

#: Title and description in a file's metadata.
Metadata = tuple[str, str]


def _png(path: Path, page: QSizeF, pixels: QSize, dpi: float, metadata: Metadata, draw: Draw) -> None:
    image = QImage(pixels, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    # Fonts in points follow the device's resolution: use the screen's while painting, then scale everything.
    _set_dpi(image, _screen_dpi())
    scale = pixels.width() / page.width()
    with _painting(image) as painter:
        painter.scale(scale, pixels.height() / page.height())
        draw(painter, scale)
    _set_dpi(image, dpi)
    for key, text in zip(("Title", "Description"), metadata, strict=True):
        if text:
            image.setText(key, text)
    if not image.save(str(path), "PNG"):  # type: ignore[call-overload]
        raise OSError("the image could not be saved")


def _svg(path: Path, page: QSizeF, pixels: QSize, dpi: float, metadata: Metadata, draw: Draw) -> None:
    generator = QSvgGenerator()
    generator.setFileName(str(path))
    generator.setResolution(round(_screen_dpi()))
    generator.setSize(page.toSize())
    generator.setViewBox(QRect(0, 0, math.ceil(page.width()), math.ceil(page.height())))
    generator.setTitle(metadata[0])
    generator.setDescription(metadata[1])
    with _painting(generator) as painter:
        draw(painter, 1.0)


def _pdf(path: Path, page: QSizeF, pixels: QSize, dpi: float, metadata: Metadata, draw: Draw) -> None:
    writer = QPdfWriter(str(path))
    # The screen's resolution, so that fonts in points are not scaled twice; coordinates are fractions anyway.
    writer.setResolution(round(_screen_dpi()))
    points = QSizeF(page.width() * 72 / _screen_dpi(), page.height() * 72 / _screen_dpi())
    writer.setPageSize(QPageSize(points, QPageSize.Unit.Point, "", QPageSize.SizeMatchPolicy.ExactMatch))
    writer.setPageMargins(QMarginsF(0, 0, 0, 0))
    writer.setTitle(metadata[0])
    writer.setCreator("ParaPLUIE Inspector")
    if metadata[1]:
        writer.addFileAttachment("signatures.txt", metadata[1].encode(), "text/plain")
    with _painting(writer) as painter:
        draw(painter, 1.0)


def _draw(
    painter: QPainter, view: pg.GraphicsView, page: QSizeF, scale: float, background: str | None, footer: str
) -> None:
    """Paint background, figure and footer on a page of screen pixels; `scale` is the painter's magnification."""
    painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
    area = QRectF(0, 0, page.width(), page.height())
    if background != "transparent":
        painter.fillRect(area, QColor(background or "#ffffff"))
    if footer:
        area = _draw_footer(painter, area, footer, background)
    with laid_out(view, area.size()) as source, _vector_points(view.scene(), scale):
        view.scene().render(painter, area, source, Qt.AspectRatioMode.IgnoreAspectRatio)


def _draw_footer(painter: QPainter, area: QRectF, text: str, background: str | None) -> QRectF:
    """Write the small print at the bottom, and return the area above it."""
    painter.save()
    font = painter.font()
    font.setPointSizeF(_FOOTER_POINTS)
    painter.setFont(font)
    dark = QColor(background or "#ffffff").lightnessF() < 0.5 and background != "transparent"
    painter.setPen(QColor("#b9c0cb" if dark else "#5b6472"))
    inner = area.adjusted(8, 0, -8, -4)
    metrics = QFontMetricsF(font)
    lines = _break_signatures(text, metrics, inner.width())
    top = inner.bottom() - metrics.lineSpacing() * len(lines)
    for number, line in enumerate(lines):
        painter.drawText(QPointF(inner.left(), top + number * metrics.lineSpacing() + metrics.ascent()), line)
    painter.restore()
    return area.adjusted(0, 0, 0, top - area.bottom() - 4)


def _break_signatures(text: str, metrics: QFontMetricsF, width: float) -> list[str]:
    """Break signatures after their bars: they have no spaces, and a copy must not gain any."""
    lines = []
    for paragraph in text.split("\n"):
        lines.append("")
        for field in re.findall(r"[^|]*\||[^|]+", paragraph):
            if lines[-1] and metrics.horizontalAdvance(lines[-1] + field) > width:
                lines.append("")
            lines[-1] += field
    return lines


@contextlib.contextmanager
def laid_out(view: pg.GraphicsView, size: QSizeF) -> Iterator[QRectF]:
    """Lay a view out in another size, for the time of the `with` block, and yield the area that it covers."""
    item = view.centralWidget
    rect = QRectF(0, 0, size.width(), size.height())
    if item is None:
        yield view.scene().sceneRect()
        return
    before = item.geometry()
    ranges = [(box, box.viewRange()) for box in _boxes(view.scene())]
    try:
        _resize(item, rect, view.scene())
        yield rect
    finally:
        _resize(item, before, view.scene())
        # Twice: a box that is linked to another one changes the range of that one.
        for box, (x, y) in [*ranges, *ranges]:
            box.setRange(xRange=x, yRange=y, padding=0, update=True, disableAutoRange=False)


def _resize(item: pg.GraphicsLayout, rect: QRectF, scene: pg.GraphicsScene) -> None:
    item.setGeometry(rect)
    # Twice: axes request their space only once they know their length.
    for _ in range(2):
        item.layout.activate()
        scene.prepareForPaint()


def _boxes(scene: QGraphicsScene) -> list[pg.ViewBox]:
    return [item for item in scene.items() if isinstance(item, pg.ViewBox)]


@contextlib.contextmanager
def _vector_points(scene: QGraphicsScene, scale: float) -> Iterator[None]:
    """Draw points one by one, not copied from a bitmap."""
    scatters = [item for item in scene.items() if isinstance(item, pg.ScatterPlotItem)]
    for item in scatters:
        item.setExportMode(True, {"antialias": True, "resolutionScale": scale})
    try:
        yield
    finally:
        for item in scatters:
            item.setExportMode(False)


@contextlib.contextmanager
def _painting(device: QImage | QSvgGenerator | QPdfWriter) -> Iterator[QPainter]:
    painter = QPainter()
    if not painter.begin(device):
        raise OSError("the file could not be opened for writing")
    try:
        yield painter
    finally:
        painter.end()


def _screen_dpi() -> float:
    screen = QGuiApplication.primaryScreen()
    return 96.0 if screen is None else screen.logicalDotsPerInch()


def _set_dpi(image: QImage, dpi: float) -> None:
    image.setDotsPerMeterX(round(dpi / 0.0254))
    image.setDotsPerMeterY(round(dpi / 0.0254))
