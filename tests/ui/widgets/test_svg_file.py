"""Figures as files: SVG, PNG and PDF of one drawing, with and without a window."""

from __future__ import annotations

import re
import subprocess
import sys
import zlib

import numpy as np
import pytest
from PySide6.QtGui import QImage

from parapluie_gui.analysis.figure import Chart, CurveLine, HeatMap, HeatMapHeading
from parapluie_gui.errors import ParapluieError
from parapluie_gui.report.figure_style import FigureStyle, parse_figure_size
from parapluie_gui.report.palette import DARK, LIGHT
from parapluie_gui.ui.widgets.svg_file import write_figure

CHART = Chart("c", "A title", (CurveLine("a line", np.array([0.0, 1.0]), np.array([0.5, 0.5]), "other"),), "x", "y")


def sized(width, height):
    """Return pixels as centimetres."""
    return width * 2.54 / 96, height * 2.54 / 96


MAP = HeatMap("h", "Heat", (HeatMapHeading("a", "A"),), (HeatMapHeading("one", "One"),), {("a", "one"): 1.0})


@pytest.mark.parametrize(("dark", "theme"), [(False, LIGHT), (True, DARK)])
def test_a_png_has_its_pixels_and_its_colours(qapp, tmp_path, dark, theme):
    path = write_figure(tmp_path / "figure.PNG", CHART, style=FigureStyle(sized(400, 300), dark=dark), dpi=192)
    image = QImage(str(path))
    assert (image.width(), image.height()) == (800, 600)
    assert round(image.dotsPerMeterX() * 0.0254) == 192 and image.text("Title") == "A title"
    assert image.pixelColor(2, 2).name() == image.pixelColor(799, 599).name() == theme.plot
    column = {image.pixelColor(500, y).name() for y in range(600)}
    assert theme.other in column, "the line"


def test_a_heat_map_is_fitted_into_its_size(qapp, tmp_path):
    image = QImage(str(write_figure(tmp_path / "map.png", MAP, style=FigureStyle(sized(300, 300)), dpi=96)))
    assert (image.width(), image.height()) == (300, 300)
    rows = [y for y in range(300) if any(image.pixelColor(x, y).name() == LIGHT.bad for x in range(0, 300, 2))]
    assert rows and min(rows) > 100 and max(rows) < 200, "in the middle"


def test_text_in_a_pdf_is_text_and_its_page_has_the_size(qapp, tmp_path):
    data = write_figure(tmp_path / "figure.pdf", CHART, style=FigureStyle(sized(400, 300))).read_bytes()
    assert data.startswith(b"%PDF") and re.search(rb"/MediaBox \[0 0 300(\.0+)? 225(\.0+)?\]", data)
    assert b"/FontFile2" in data or b"/FontFile" in data
    streams = [_unpacked(each) for each in re.findall(rb"stream\r?\n(.*?)endstream", data, re.S)]
    assert sum(stream.count(b"Tj") for stream in streams) >= 3, "letters, not their outlines"


def _unpacked(stream: bytes) -> bytes:
    try:
        return zlib.decompress(stream)
    except zlib.error:
        return b""


def test_pictures_are_written_without_a_window_and_svg_needs_no_qt(tmp_path):
    code = (
        "import sys; from pathlib import Path\n"
        "from parapluie_gui.analysis.figure import HeatMap, HeatMapHeading\n"
        "from parapluie_gui.ui.widgets.svg_file import write_figure\n"
        "figure = HeatMap('h', 'Heat', (HeatMapHeading('a', 'A'),), (HeatMapHeading('1', 'One'),), {})\n"
        "write_figure(sys.argv[1] + '/map.svg', figure)\n"
        "assert not [name for name in sys.modules if name.startswith('PySide6')]\n"
        "for ending in ('png', 'pdf'): write_figure(f'{sys.argv[1]}/map.{ending}', figure)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    starts = {path.suffix: path.read_bytes()[:4] for path in tmp_path.iterdir()}
    assert starts == {".svg": b"<svg", ".png": b"\x89PNG", ".pdf": b"%PDF"}


@pytest.mark.parametrize(
    ("name", "size", "sentence"),
    [
        ("figure.jpg", (400, 300), 'cannot be written as ".jpg"'),
        ("figure", (400, 300), "a file without an extension"),
        ("figure.svg", (0, 300), "0 x 300 pixels"),
        ("figure.png", (12_000, 12_000), "24000 x 24000 pixels"),
        ("no/where.png", (400, 300), r"There is no folder"),
        ("no/where.svg", (400, 300), r"There is no folder"),
    ],
)
def test_a_write_failure_is_reported(qapp, tmp_path, name, size, sentence):
    with pytest.raises(ParapluieError, match=re.escape(sentence)):
        write_figure(tmp_path / name, CHART, style=FigureStyle(sized(*size)))
    assert not list(tmp_path.iterdir())


def test_a_named_size_keeps_the_figures_proportions_and_a_transparent_figure_has_no_background(qapp, tmp_path):
    style = FigureStyle(parse_figure_size("two-columns"), type_points=9.0, transparent=True, dark=True)
    text = write_figure(tmp_path / "figure.svg", CHART, style=style).read_text("utf-8")
    width, height = (float(re.search(rf' {side}="([0-9.]+)"', text)[1]) for side in ("width", "height"))
    assert width == pytest.approx(17.4 * 96 / 2.54, abs=0.1) and height == pytest.approx(10.0 * 96 / 2.54, abs=0.1)
    assert DARK.plot not in text and DARK.text in text
    viewed = float(re.search(r'viewBox="0 0 ([0-9.]+)', text)[1])
    letters = float(re.search(r'font-size="([0-9.]+)"', text)[1]) * width / viewed
    assert letters == pytest.approx(9.0 * 96 / 72, rel=0.01)
    image = QImage(str(write_figure(tmp_path / "figure.png", CHART, style=style)))
    assert image.pixelColor(2, 2).alpha() == 0
    assert parse_figure_size("12x8") == (12.0, 8.0) and parse_figure_size("9.5") == (9.5, None)
    for wrong in ("wide", "0x3", "12x8x9", "400"):
        with pytest.raises(ValueError, match="16:9, column, two-columns"):
            parse_figure_size(wrong)
