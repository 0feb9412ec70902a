"""Asks in which size and format a figure is written, then for the file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QDialog, QDialogButtonBox, QWidget

from parapluie_gui.ui.widgets.controls import dialog_buttons, form, whole
from parapluie_gui.ui.widgets.file_dialog import ask_where_to_save

#: Width of a column of a two-column paper, in millimetres.
_WIDTH = 84


@dataclass(frozen=True)
class FigureSize:
    """How large a figure is drawn.

    Attributes:
        width, height: In millimetres.
        dpi: Dots per inch of a PNG; type keeps its size in points.
    """

    width: float
    height: float
    dpi: float


class FigureDialog(QDialog):
    """Width, height, resolution and format.

    Signals:
        chosen: (Path, FigureSize) The file and how large the figure is to be.
    """

    chosen = Signal(Path, FigureSize)

    def __init__(self, title: str, shape: float, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("manual_page", "analysis")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Write figure"))
        self._title = title
        self.width_box = whole(self.tr("Width"), (20, 1000), _WIDTH, unit=self.tr(" mm"))
        height = round(_WIDTH / max(shape, 0.2))
        self.height_box = whole(self.tr("Height"), (20, 1000), height, unit=self.tr(" mm"))
        self.dpi_box = whole(self.tr("Resolution"), (72, 1200), 300, unit=self.tr(" dots per inch"))
        self.format_box = QComboBox(self)
        self.format_box.setAccessibleName(self.tr("Format"))
        names = {"svg": self.tr("SVG drawing"), "pdf": self.tr("PDF document"), "png": self.tr("PNG picture")}
        for ending, text in names.items():
            self.format_box.addItem(text, ending)
        self.format_box.currentIndexChanged.connect(self._format_changed)
        fields = (
            (self.tr("&Format"), self.format_box),
            (self.tr("&Width"), self.width_box),
            (self.tr("&Height"), self.height_box),
            (self.tr("&Resolution"), self.dpi_box),
        )
        save = QDialogButtonBox.StandardButton.Save
        form(fields, self).addRow(dialog_buttons(self, ok=save, accept=self._ask_for_file))
        self._format_changed()

    def size_chosen(self) -> FigureSize:
        """Return what is asked for; drawings of lines are laid out for 96 dots per inch."""
        png = self.format_box.currentData() == "png"
        return FigureSize(self.width_box.value(), self.height_box.value(), self.dpi_box.value() if png else 96)

    def _format_changed(self) -> None:
        self.dpi_box.setEnabled(self.format_box.currentData() == "png")

    def _ask_for_file(self) -> None:
        form = f"{self.format_box.currentText()} (*.{self.format_box.currentData()})"
        name = self._title.replace("/", "-")[:80]
        ask_where_to_save(self, self.tr("Write figure"), [form], lambda path, _: self._finish(path), name=name)

    def _finish(self, path: Path) -> None:
        self.chosen.emit(path, self.size_chosen())
        self.accept()
