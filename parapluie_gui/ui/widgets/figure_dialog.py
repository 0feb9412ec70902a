"""The dialog for the size, type, colours and format of a figure, and then for its file."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QDialog, QDialogButtonBox, QWidget

from parapluie_gui.report.figure_style import SIZES, FigureStyle
from parapluie_gui.ui.widgets.controls import KeyChoice, dialog_buttons, form, make_spin_box, number, tick
from parapluie_gui.ui.widgets.file_dialog import ask_where_to_save
from parapluie_gui.ui.widgets.theme import DARK, LIGHT, current_theme

#: The key of a size that is not in `SIZES`.
_OWN = "own"

#: Dots per inch for which vector drawings are laid out.
_LINES = 96.0


class FigureDialog(QDialog):
    """A dialog for size, type, background, colours, resolution and format.

    Signals:
        chosen: (Path, FigureStyle, float) The file, the style of the figure, and the dots per inch of a PNG.

    Args:
        title: The figure's title, used as the file's name.
        shape: Its width divided by its height.
    """

    chosen = Signal(Path, FigureStyle, float)

    def __init__(self, title: str, shape: float, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("manual_page", "scatter")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Write figure"))
        self._title, self._shape = title, max(shape, 0.2)
        self.size_box = KeyChoice(self)
        self.size_box.setAccessibleName(self.tr("Size"))
        names = {
            "column": self.tr("One column of a paper"),
            "two-columns": self.tr("Two columns of a paper"),
            "16:9": self.tr("Slide, 16:9"),
            _OWN: self.tr("Custom size"),
        }
        self.size_box.offer(list(names), list(names.values()))
        self.size_box.currentIndexChanged.connect(self._size_named)
        centimetres = self.tr(" cm")
        self.width_box = number(self.tr("Width"), (1, 200), 8.4)
        self.height_box = number(self.tr("Height"), (1, 200), 5.0)
        for box in (self.width_box, self.height_box):
            box.setSuffix(centimetres)
            box.valueChanged.connect(self._size_typed)
        self.type_box = number(self.tr("Font size"), (4, 60), 8.0, decimals=1)
        self.type_box.setSuffix(self.tr(" points"))
        self.transparent_box = tick(self.tr("&Transparent background"))
        self.colours_box = KeyChoice(self)
        self.colours_box.setAccessibleName(self.tr("Colours"))
        self.colours_box.offer((LIGHT.name, DARK.name), (self.tr("Light"), self.tr("Dark")), current_theme().name)
        self.dpi_box = make_spin_box(self.tr("Resolution"), (72, 1200), 300, unit=self.tr(" dots per inch"))
        self.format_box = QComboBox(self)
        self.format_box.setAccessibleName(self.tr("Format"))
        formats = {"svg": self.tr("SVG drawing"), "pdf": self.tr("PDF document"), "png": self.tr("PNG picture")}
        for ending, text in formats.items():
            self.format_box.addItem(text, ending)
        self.format_box.currentIndexChanged.connect(self._format_changed)
        fields = (
            (self.tr("&Format"), self.format_box),
            (self.tr("&Size"), self.size_box),
            (self.tr("&Width"), self.width_box),
            (self.tr("&Height"), self.height_box),
            (self.tr("F&ont size"), self.type_box),
            (self.tr("&Colours"), self.colours_box),
            ("", self.transparent_box),
            (self.tr("&Resolution"), self.dpi_box),
        )
        save = QDialogButtonBox.StandardButton.Save
        form(fields, self).addRow(dialog_buttons(self, ok=save, accept=self._ask_for_file))
        self._format_changed()
        self._size_named()

    def style_chosen(self) -> FigureStyle:
        """Return the chosen style of the figure."""
        return FigureStyle(
            (self.width_box.value(), self.height_box.value()),
            self.type_box.value(),
            self.transparent_box.isChecked(),
            self.colours_box.key() == DARK.name,
        )

    def _size_named(self) -> None:
        """Show the centimetres of a named size, and the type and colours usual for a slide or a paper."""
        name = self.size_box.key()
        if name not in SIZES:
            return
        width, height = SIZES[name]
        for box, value in ((self.width_box, width), (self.height_box, height or width / self._shape)):
            box.blockSignals(True)
            box.setValue(value)
            box.blockSignals(False)
        slide = name == "16:9"
        self.type_box.setValue(18.0 if slide else 8.0)
        self.colours_box.choose(current_theme().name if slide else LIGHT.name)  # paper is white

    def _size_typed(self) -> None:
        self.size_box.choose(_OWN)

    def _format_changed(self) -> None:
        self.dpi_box.setEnabled(self.format_box.currentData() == "png")

    def _ask_for_file(self) -> None:
        form = f"{self.format_box.currentText()} (*.{self.format_box.currentData()})"
        name = self._title.replace("/", "-")[:80]
        ask_where_to_save(self, self.tr("Write figure"), [form], lambda path, _: self._finish(path), name=name)

    def _finish(self, path: Path) -> None:
        png = self.format_box.currentData() == "png"
        self.chosen.emit(path, self.style_chosen(), float(self.dpi_box.value()) if png else _LINES)
        self.accept()
