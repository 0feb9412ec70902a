"""Figures written to files: SVG directly, PNG and PDF drawn by Qt, which is only imported then."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from xml.etree import ElementTree

from parapluie_gui.analysis.figure import Figure
from parapluie_gui.errors import ParapluieError, explain_write_errors
from parapluie_gui.files import atomic_write, write_text
from parapluie_gui.report.figure_style import USUAL, FigureStyle
from parapluie_gui.report.svg import figure_svg

#: Endings that can be written.
FORMATS = (".png", ".svg", ".pdf")

#: Maximum number of pixels of a PNG: with more, QImage is empty.
MOST_PIXELS = 400_000_000

#: Units per inch of SVG, and of a PDF, whose lines and letters are placed as precisely.
_INCH, _FINE = 96.0, 1200


def check_ending(path: Path) -> None:
    """Raise a ParapluieError if the ending of a figure's file is not supported."""
    ending = path.suffix.lower()
    if ending not in FORMATS:
        raise ParapluieError(
            f'{path.name}: a figure cannot be written as "{ending or "a file without an extension"}"; '
            f"use a name that ends in {', '.join(FORMATS)}."
        )


def check_pixels(path: Path, width: float, height: float) -> None:
    """Raise a ParapluieError if a figure is too small or too large to draw, in pixels."""
    if not (width >= 1 and height >= 1 and width * height <= MOST_PIXELS):
        raise ParapluieError(
            f"{path.name}: a figure of {width:.0f} x {height:.0f} pixels cannot be drawn; "
            "choose a different size or resolution."
        )


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield the path of a temporary file, which replaces `path` if no error occurs.

    Raises:
        ParapluieError: It cannot be written.
    """
    with explain_write_errors(path), atomic_write(path) as temporary:
        yield temporary
        if not temporary.stat().st_size:
            raise OSError("nothing was written")


def write_figure(
    path: Path | str,
    figure: Figure,
    *,
    style: FigureStyle = USUAL,
    dpi: float = 192.0,
    footer: Sequence[str] = (),
) -> Path:
    """Write a figure in the format of the path's ending.

    Args:
        path: Ends in .png, .svg or .pdf; an existing file is replaced once the new one is complete.
        figure: The figure.
        style: Size, type, background and colours.
        dpi: Resolution of a PNG, in pixels per inch.
        footer: Lines such as the signatures of its scores, for the file's metadata, and printed below the figure if
            the style has signatures.

    Returns:
        The path written.

    Raises:
        ParapluieError: The ending is unknown, the size is not usable or the file cannot be written.
    """
    path = Path(path)
    check_ending(path)
    if style.pixels is not None:
        width, height = style.pixels
        check_pixels(path, width, width if height is None else height)
    drawing = figure_svg(
        figure,
        size=style.pixels,
        type_size=style.type_pixels,
        dark=style.dark,
        footer=footer if style.signatures else (),
        about=footer,
        legend=style.legend,
        transparent=style.transparent,
    )
    with replacing(path) as temporary:
        if path.suffix.lower() == ".svg":
            write_text(temporary, drawing + "\n")
        else:
            with _application():
                _draw(drawing, temporary, path, dpi, figure.title, "\n".join(footer))
    return path


def write_caption(figure: Path, lines: Sequence[str]) -> Path:
    """Write a caption next to a figure as a text file: "roc.caption.txt" for "roc.pdf", and return its path.

    Raises:
        ParapluieError: It cannot be written.
    """
    path = figure.with_suffix(".caption.txt")
    with replacing(path) as temporary:
        write_text(temporary, "\n".join(lines) + "\n")
    return path


@contextmanager
def _application() -> Iterator[None]:
    """Create a QGuiApplication, which Qt needs to draw text, if there is none; delete it afterwards."""
    from PySide6.QtGui import QGuiApplication

    if QGuiApplication.instance() is not None:
        yield
        return
    # On Linux it must work without a screen; elsewhere there always is one.
    application = QGuiApplication(["parapluie", *(["-platform", "offscreen"] if sys.platform == "linux" else [])])
    try:
        yield
    finally:
        application.shutdown()


def _draw(drawing: str, temporary: Path, path: Path, dpi: float, title: str, about: str) -> None:
    from PySide6.QtCore import QByteArray, QMarginsF, QRectF, QSizeF
    from PySide6.QtGui import QImage, QPageSize, QPainter, QPdfWriter
    from PySide6.QtSvg import QSvgRenderer

    root = ElementTree.fromstring(drawing)
    width, height = (float(root.attrib[side]) for side in ("width", "height"))
    renderer = QSvgRenderer(QByteArray(drawing.encode()))
    device: QImage | QPdfWriter
    if path.suffix.lower() == ".png":
        across, down = round(width * dpi / _INCH), round(height * dpi / _INCH)
        check_pixels(path, across, down)
        device = QImage(across, down, QImage.Format.Format_ARGB32_Premultiplied)
        device.fill(0)
        device.setText("Title", title)
        device.setText("Description", about)
    else:
        device = QPdfWriter(str(temporary))
        device.setResolution(_FINE)
        points = QSizeF(width * 72 / _INCH, height * 72 / _INCH)
        device.setPageSize(QPageSize(points, QPageSize.Unit.Point, "", QPageSize.SizeMatchPolicy.ExactMatch))
        device.setPageMargins(QMarginsF(0, 0, 0, 0))
        device.setTitle(title)
        device.setCreator("ParaPLUIE Inspector")
        if about:
            device.addFileAttachment("signatures.txt", about.encode(), "text/plain")
        across, down = round(width * _FINE / _INCH), round(height * _FINE / _INCH)
    painter = QPainter()
    if not painter.begin(device):
        raise OSError("the file could not be opened for writing")
    painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
    renderer.render(painter, QRectF(0, 0, across, down))
    painter.end()
    if isinstance(device, QImage):
        device.setDotsPerMeterX(round(dpi / 0.0254))
        device.setDotsPerMeterY(round(dpi / 0.0254))
        if not device.save(str(temporary), "PNG"):  # type: ignore[call-overload]
            raise OSError("the image could not be saved")
