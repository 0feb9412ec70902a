"""The dialog for the size, type, parts and format of a figure, with a preview, and then for its file."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QScrollArea, QWidget

from parapluie_gui.errors import ParapluieError
from parapluie_gui.report.figure_style import SIZES, FigureStyle
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, hbox, name_control, vbox
from parapluie_gui.ui.widgets.controls import KeyChoice, dialog_buttons, form, make_spin_box, number, plain, tick
from parapluie_gui.ui.widgets.figure_choices import MEMORY, FigureChoices
from parapluie_gui.ui.widgets.file_dialog import ask_where_to_save
from parapluie_gui.ui.widgets.theme import DARK, LIGHT, current_theme

#: The key of a size that is not in `SIZES`.
_OWN = "own"

#: Dots per inch for which vector drawings are laid out.
_LINES = 96.0

#: Parts of a figure that the dialog can leave out.
LEGEND, HISTOGRAMS, COUNTS, SIGNATURES = "legend", "histograms", "counts", "signatures"

#: Size of the preview's frame in pixels, and the delay before it is drawn again.
_PREVIEW, _PREVIEW_MS = (420, 420), 150

#: Return the usual height of the figure for a width, in centimetres, in a style.
FigureHeight = Callable[[float, FigureStyle], float]
#: Draw the figure into a file, in a style, with a number of dots per inch.
DrawFigure = Callable[[Path, FigureStyle, float], object]


class FigureDialog(QDialog):
    """A dialog for size, type, parts, background, colours, resolution and format.

    Signals:
        chosen: (Path, FigureStyle, float) The file, the style of the figure, and the dots per inch of a PNG.

    Args:
        title: The figure's title, used as the file's name.
        height: Gives the usual height for a width.
        draw: Draws the figure for the preview.
        parts: The parts that the figure has and that can be left out.
    """

    chosen = Signal(Path, FigureStyle, float)

    def __init__(
        self,
        title: str,
        height: FigureHeight,
        draw: DrawFigure,
        parts: Collection[str],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setProperty("manual_page", "scatter")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Save figure"))
        self._title, self._usual_height, self._draw = title, height, draw
        start = MEMORY.choices
        self.size_box = KeyChoice(self)
        self.size_box.setAccessibleName(self.tr("Size"))
        names = {
            "column": self.tr("One column in a paper"),
            "two-columns": self.tr("Two columns in a paper"),
            "16:9": self.tr("Slide, 16:9"),
            _OWN: self.tr("Custom size"),
        }
        self.size_box.offer(list(names), list(names.values()), start.size if start.size in names else _OWN)
        centimetres = self.tr(" cm")
        self.width_box = number(self.tr("Width"), (1, 200), start.width)
        self.height_box = number(self.tr("Height"), (1, 200), start.height)
        for box in (self.width_box, self.height_box):
            box.setSuffix(centimetres)
        self.type_box = number(self.tr("Font size"), (4, 60), start.type_points, decimals=1)
        self.type_box.setSuffix(self.tr(" points"))
        self.transparent_box = tick(self.tr("&Transparent background"))
        self.transparent_box.setChecked(start.transparent)
        self.colours_box = KeyChoice(self)
        self.colours_box.setAccessibleName(self.tr("Colours"))
        slide = start.size == "16:9"
        colours = current_theme().name if slide else LIGHT.name  # paper is white
        self.colours_box.offer((LIGHT.name, DARK.name), (self.tr("Light"), self.tr("Dark")), colours)
        self.dpi_box = make_spin_box(self.tr("Resolution"), (72, 1200), start.dpi, unit=self.tr(" dots per inch"))
        self.format_box = KeyChoice(self)
        self.format_box.setAccessibleName(self.tr("Format"))
        formats = {"svg": self.tr("SVG drawing"), "pdf": self.tr("PDF document"), "png": self.tr("PNG picture")}
        self.format_box.offer(list(formats), list(formats.values()), start.format if start.format in formats else "pdf")
        texts = {
            LEGEND: self.tr("&Legend"),
            HISTOGRAMS: self.tr("&Histograms at the edges"),
            COUNTS: self.tr("&Numbers of pairs"),
            SIGNATURES: self.tr("Si&gnatures below"),
        }
        self.part_boxes = {part: tick(text) for part, text in texts.items() if part in parts}
        for part, part_box in self.part_boxes.items():
            part_box.setChecked(bool(getattr(start, part)))
        self.preview = name_control(QLabel(), self.tr("Preview"))
        self.preview.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._drawing = QTimer(self, singleShot=True, interval=_PREVIEW_MS)
        self._drawing.timeout.connect(self._show_preview)
        self._lay_out()
        self._connect()
        self._format_changed()
        self._follow_size()

    def style_chosen(self) -> FigureStyle:
        """Return the chosen style of the figure."""
        ticked = {part: box.isChecked() for part, box in self.part_boxes.items()}
        return FigureStyle(
            (self.width_box.value(), self.height_box.value()),
            self.type_box.value(),
            self.transparent_box.isChecked(),
            self.colours_box.key() == DARK.name,
            **ticked,
        )

    def _lay_out(self) -> None:
        fields = (
            (self.tr("&Format"), self.format_box),
            (self.tr("&Size"), self.size_box),
            (self.tr("&Width"), self.width_box),
            (self.tr("H&eight"), self.height_box),
            (self.tr("F&ont size"), self.type_box),
            (self.tr("&Colours"), self.colours_box),
            ("", self.transparent_box),
            *(("", box) for box in self.part_boxes.values()),
            (self.tr("&Resolution"), self.dpi_box),
        )
        area = name_control(QScrollArea(), self.tr("Preview"))
        area.setWidget(self.preview)
        area.setAlignment(Qt.AlignmentFlag.AlignCenter)
        area.setMinimumSize(*_PREVIEW)
        hint = plain(self.tr("Preview at the figure's size"), muted=True)
        preview = vbox(hint, (area, 1), margins=NO_MARGINS, spacing=2)
        save = QDialogButtonBox.StandardButton.Save
        buttons = dialog_buttons(self, ok=save, accept=self._ask_for_file)
        vbox(hbox(form(fields), (preview, 1), margins=NO_MARGINS, spacing=16), buttons, within=self)

    def _connect(self) -> None:
        self.size_box.currentIndexChanged.connect(self._size_named)
        for box in (self.width_box, self.height_box):
            box.valueChanged.connect(self._size_typed)
        self.format_box.currentIndexChanged.connect(self._format_changed)
        self.type_box.valueChanged.connect(self._follow_size)
        for part in self.part_boxes.values():
            part.toggled.connect(self._follow_size)
        for changed in (self.transparent_box.toggled, self.colours_box.currentIndexChanged):
            changed.connect(lambda *_: self._drawing.start())

    def _size_named(self) -> None:
        """Set the type and colours usual for a slide or a paper, and the centimetres of the named size."""
        name = self.size_box.key()
        if name in SIZES:
            slide = name == "16:9"
            self.type_box.setValue(18.0 if slide else 8.0)
            self.colours_box.choose(current_theme().name if slide else LIGHT.name)
        self._follow_size()

    def _follow_size(self) -> None:
        """Show the centimetres of a named size, of which the height depends on the figure."""
        name = self.size_box.key()
        if name in SIZES:
            width, height = SIZES[name]
            height = self._usual_height(width, self.style_chosen()) if height is None else height
            for box, value in ((self.width_box, width), (self.height_box, height)):
                box.blockSignals(True)
                box.setValue(value)
                box.blockSignals(False)
        self._drawing.start()

    def _size_typed(self) -> None:
        self.size_box.choose(_OWN)
        self._drawing.start()

    def _format_changed(self) -> None:
        self.dpi_box.setEnabled(self.format_box.key() == "png")

    def _show_preview(self) -> None:
        """Draw the figure in its size on this screen."""
        ratio = self.devicePixelRatioF()
        try:
            with tempfile.TemporaryDirectory(prefix="parapluie-") as folder:
                path = Path(folder) / "preview.png"
                self._draw(path, self.style_chosen(), self.logicalDpiX() * ratio)
                picture = QPixmap(str(path))
        except ParapluieError as error:
            self.preview.setText(str(error))
        else:
            picture.setDevicePixelRatio(ratio)
            self.preview.setPixmap(picture)
            words = self.tr("{0} by {1} cm").format(*(f"{box.value():g}" for box in (self.width_box, self.height_box)))
            self.preview.setAccessibleDescription(words)
        self.preview.adjustSize()

    def _ask_for_file(self) -> None:
        form = f"{self.format_box.currentText()} (*.{self.format_box.key()})"
        name = self._title.replace("/", "-")[:80]
        ask_where_to_save(
            self,
            self.tr("Save figure"),
            [form],
            lambda path, _: self._finish(path),
            name=name,
            folder=MEMORY.choices.folder,
        )

    def _finish(self, path: Path) -> None:
        style, png = self.style_chosen(), self.format_box.key() == "png"
        choices = FigureChoices(
            self.format_box.key(),
            self.size_box.key(),
            self.width_box.value(),
            self.height_box.value(),
            self.type_box.value(),
            style.transparent,
            self.dpi_box.value(),
            folder=str(path.parent),
        )
        before = {part: getattr(MEMORY.choices, part) for part in (LEGEND, HISTOGRAMS, COUNTS, SIGNATURES)}
        ticked = {part: box.isChecked() for part, box in self.part_boxes.items()}
        MEMORY.choices = replace(choices, **(before | ticked))
        self.chosen.emit(path, style, float(self.dpi_box.value()) if png else _LINES)
        self.accept()
