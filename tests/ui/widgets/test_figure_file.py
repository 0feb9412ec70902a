"""Figures written to files: size, vectors, text, and errors with advice."""

from __future__ import annotations

import re

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget

from parapluie_gui.analysis.figure import Chart, CurveLine
from parapluie_gui.errors import ParapluieError
from parapluie_gui.report.figure_style import FigureStyle
from parapluie_gui.report.palette import DARK
from parapluie_gui.ui.analysis.figure_card import FigureCard
from parapluie_gui.ui.widgets import figure_dialog
from parapluie_gui.ui.widgets.figure_choices import FigureChoices, FigureMemory
from parapluie_gui.ui.widgets.figure_file import export_figure

POINTS = 30


@pytest.fixture
def view(qtbot):
    widget = pg.GraphicsLayoutWidget()
    qtbot.addWidget(widget)
    widget.setBackground("#ffffff")
    widget.resize(500, 400)
    plot = widget.addPlot()
    plot.setLabel("bottom", "Edit distance")
    widget.item = pg.ScatterPlotItem(x=np.linspace(0, 1, POINTS), y=np.linspace(-5, 5, POINTS), symbol="o", size=8)
    widget.item.setBrush("#2563eb")
    plot.addItem(widget.item)
    with qtbot.waitExposed(widget):
        widget.show()
    return widget


def test_a_png_has_the_requested_size_and_the_points(view, tmp_path):
    path = export_figure(view, tmp_path / "figure.png", (1200, 800), dpi=192, title="A title")
    image = QImage(str(path))
    assert (image.width(), image.height()) == (1200, 800)
    assert round(image.dotsPerMeterX() * 0.0254) == 192
    assert image.text("Title") == "A title"
    pixels = {image.pixelColor(x, y).name() for x in range(0, 1200, 3) for y in range(0, 800, 3)}
    assert "#2563eb" in pixels


def test_a_size_with_fractions_of_pixels_is_rounded(view, tmp_path):
    size = 160 / 25.4 * 300, 100 / 25.4 * 300
    image = QImage(str(export_figure(view, tmp_path / "figure.png", size, dpi=300)))
    assert (image.width(), image.height()) == (1890, 1181)


def test_svg_has_points_as_vectors_and_text_as_text(view, tmp_path):
    text = export_figure(view, tmp_path / "figure.svg", (800, 600), title="T", footer="name:pluie|model:x").read_text(
        "utf-8"
    )
    assert "<image" not in text
    assert len(re.findall(r"<(?:circle|ellipse|path)\b", text)) >= POINTS
    assert re.search(r"<text[^>]*>\s*Edit distance", text)
    assert "name:pluie|model:x" in text
    assert "<title>T</title>" in text


def test_a_long_footer_wraps_without_changing_the_signature(view, tmp_path):
    signature = "|".join(f"field{i}:{'v' * 30}" for i in range(20))
    text = export_figure(view, tmp_path / "figure.svg", (800, 600), footer=signature).read_text("utf-8")
    lines = re.findall(r">(field[^<]*)</text>", text)
    assert len(lines) > 1
    assert "".join(lines) == signature


def test_a_pdf_has_the_requested_size(view, tmp_path):
    size = 160 / 25.4 * 300, 100 / 25.4 * 300
    data = export_figure(view, tmp_path / "figure.pdf", size, dpi=300).read_bytes()
    assert data.startswith(b"%PDF")
    assert len(data) > 3000
    box = [float(number) for number in re.search(rb"/MediaBox \[([^\]]*)\]", data)[1].split()]
    assert box[2:] == pytest.approx([160 / 25.4 * 72, 100 / 25.4 * 72], abs=1.0)
    assert b"/Subtype /Image" not in data


def test_the_window_is_unchanged_after_an_export(view, tmp_path):
    before = view.ci.geometry(), view.grab().toImage()
    export_figure(view, tmp_path / "figure.png", (300, 900))
    assert view.ci.geometry() == before[0]
    assert view.grab().toImage() == before[1]
    assert view.item._exportOpts is False


@pytest.mark.parametrize(
    ("name", "size", "words"),
    [
        ("figure.tiff", (100, 100), ".svg"),
        ("figure", (100, 100), ".svg"),
        ("figure.png", (0, 100), "a different size"),
        ("figure.png", (90_000, 90_000), "a different size"),
        ("none/figure.pdf", (100, 100), "a different folder"),
    ],
)
def test_errors_say_what_to_do(view, tmp_path, name, size, words):
    with pytest.raises(ParapluieError, match=re.escape(words)):
        export_figure(view, tmp_path / name, size)
    assert not list(tmp_path.iterdir())


def test_a_failure_keeps_the_existing_file(view, tmp_path, monkeypatch):
    path = tmp_path / "figure.svg"
    path.write_text("before")
    monkeypatch.setattr(pg.GraphicsScene, "render", lambda *args: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(ParapluieError, match="disk full"):
        export_figure(view, path, (100, 100))
    assert path.read_text() == "before"
    assert [p.name for p in tmp_path.iterdir()] == ["figure.svg"]


@pytest.fixture
def card(qtbot, monkeypatch):
    monkeypatch.setattr(figure_dialog.MEMORY, "choices", FigureChoices())
    figure = FigureCard("Quality", QWidget())
    qtbot.addWidget(figure)
    figure.figure.resize(900, 200)
    figure.signatures = ("name:bleu|version:1",)
    figure.value = Chart("quality", "Quality", (CurveLine("BLEU", np.arange(3.0), np.arange(3.0)),), "x", "y")
    return figure


def dialog_of(figure: FigureCard) -> figure_dialog.FigureDialog:
    figure.ask()
    return figure.findChildren(figure_dialog.FigureDialog)[-1]


def test_a_figure_of_column_width_is_light_and_keeps_its_height(card, monkeypatch):
    monkeypatch.setattr(figure_dialog, "current_theme", lambda: DARK)
    dialog = dialog_of(card)
    assert dialog.style_chosen().size == (8.4, 6.5) and not dialog.style_chosen().dark
    dialog.size_box.choose("16:9")
    assert dialog.style_chosen().size == (33.87, 19.05) and dialog.style_chosen().dark


def test_the_preview_has_the_size_of_the_figure_and_follows_the_fields(card, qtbot):
    dialog = dialog_of(card)
    qtbot.waitUntil(lambda: dialog.preview.width() > 300)
    assert dialog.preview.pixmap().deviceIndependentSize().width() == pytest.approx(8.4 * 96 / 2.54, abs=1)
    dialog.width_box.setValue(12)
    qtbot.waitUntil(lambda: dialog.preview.width() > 450)
    assert dialog.size_box.key() == "own" and dialog.preview.accessibleDescription() == "12 by 6.5 cm"


def test_a_saved_figure_has_a_caption_file_and_the_choices_are_remembered(card, tmp_path):
    dialog = dialog_of(card)
    dialog.format_box.choose("svg")
    dialog.size_box.choose("two-columns")
    dialog.part_boxes["legend"].setChecked(False)
    dialog._finish(tmp_path / "quality.svg")
    drawn = (tmp_path / "quality.svg").read_text("utf-8")
    assert "<desc>name:bleu|version:1</desc>" in drawn and ">BLEU</text>" not in drawn
    assert (tmp_path / "quality.caption.txt").read_text("utf-8") == "Quality.\nname:bleu|version:1\n"
    again = FigureMemory()
    again.restore(figure_dialog.MEMORY.settings())
    assert again.choices == figure_dialog.MEMORY.choices and again.choices.folder == str(tmp_path)
    following = dialog_of(card)
    assert following.format_box.key() == "svg" and following.style_chosen().size == (17.4, 10.0)
    assert not following.part_boxes["legend"].isChecked()


def test_damaged_choices_keep_their_defaults():
    memory = FigureMemory()
    memory.restore({"width": "wide", "dpi": True, "legend": False, "size": "no such size"})
    assert memory.choices == FigureChoices(legend=False, size="no such size")


@pytest.mark.parametrize("ending", ["png", "pdf"])
def test_signatures_are_in_the_metadata_of_pictures_and_documents(card, tmp_path, ending):
    path = card.export(tmp_path / f"figure.{ending}", FigureStyle((8.4, 6.5)))
    if ending == "png":
        assert QImage(str(path)).text("Description") == "name:bleu|version:1"
    else:
        assert b"/EmbeddedFiles" in path.read_bytes()
