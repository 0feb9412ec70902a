"""A figure of the Analysis tab with its title and the buttons to copy and save it."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QByteArray, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QGuiApplication,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QAbstractScrollArea, QWidget

from parapluie_gui.analysis.base import without_click_note
from parapluie_gui.analysis.figure import BarList, Chart, Figure, HeatMap
from parapluie_gui.errors import ParapluieError
from parapluie_gui.report.figure_style import CM, FigureStyle
from parapluie_gui.report.heat_map import cell_box, find_cell
from parapluie_gui.report.svg import figure_height, figure_svg
from parapluie_gui.ui.analysis.figure_words import describe_cell, describe_figure
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, hbox, title_button, vbox
from parapluie_gui.ui.widgets.arrow_keys import ARROW_STEPS, CHOOSING_KEYS
from parapluie_gui.ui.widgets.controls import bold
from parapluie_gui.ui.widgets.figure_dialog import LEGEND, SIGNATURES, FigureDialog
from parapluie_gui.ui.widgets.svg_file import write_caption, write_figure
from parapluie_gui.ui.widgets.text import announce
from parapluie_gui.ui.widgets.theme import current_theme
from parapluie_gui.ui.widgets.wrapped import WrappedText

_DPI = 192.0

#: Keys of a heat map: steps through columns and rows, and following a cell.
_KEYS = (*ARROW_STEPS, *CHOOSING_KEYS, int(Qt.Key.Key_Home), int(Qt.Key.Key_End))


class FigureCard(QWidget):
    """A figure with its title and buttons.

    Attributes:
        figure: The widget that shows it.
        value: The figure's data, from which exports are drawn.
        signatures: Lines with the scores' signatures, printed below an exported figure.

    Signals:
        message: (str) The figure was copied.
        written: (str, Path) The figure was written to a file.
        failed: (str) Error message.
    """

    message = Signal(str)
    written = Signal(str, object)
    failed = Signal(str)

    def __init__(self, title: str, figure: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.signatures: tuple[str, ...] = ()
        self.figure = figure
        self.value: Figure = Chart("", "", ())
        self._title = bold(WrappedText(self))
        self.copy_button = title_button(self.tr("Copy"), self.tr("Copy the figure as a picture"), self.copy, "copy")
        self.save_button = title_button(
            self.tr("Save…"), self.tr("Save the figure as SVG, PDF or PNG in any size"), self.ask, "image"
        )
        top = Qt.AlignmentFlag.AlignTop
        line = hbox((self._title, 1), (self.copy_button, 0, top), (self.save_button, 0, top), spacing=4)
        vbox(line, 1, figure, within=self, margins=NO_MARGINS, spacing=2)
        self.set_title(title)

    @property
    def title(self) -> str:
        return self._title.full_text

    def set_title(self, title: str) -> None:
        self._title.say(title)
        self.figure.setAccessibleName(title)
        for button in (self.copy_button, self.save_button):
            button.setAccessibleDescription(title)
        if isinstance(self.figure, QAbstractScrollArea):
            self.figure.viewport().setAccessibleName(title)
        self.figure.setToolTip("")

    def export(self, path: Path, style: FigureStyle | None = None, dpi: float = _DPI) -> Path:
        """Write the figure in the format of the path's ending; without a style, as on the screen.

        Raises:
            ParapluieError: The file cannot be written.
        """
        screen = FigureStyle(self._shape(), dark=current_theme().name == "dark", signatures=True)
        return write_figure(
            path,
            self._exported_figure(),
            style=screen if style is None else style,
            dpi=dpi,
            footer=self.signatures,
        )

    def _shape(self) -> tuple[float, float] | None:
        """Return the size of a chart on the screen in centimetres; None for other figures."""
        size = (max(self.figure.width(), 320) * 2.54 / 96, max(self.figure.height(), 200) * 2.54 / 96)
        return size if isinstance(self.value, Chart) else None

    def copy(self) -> None:
        try:
            with tempfile.TemporaryDirectory(prefix="parapluie-") as folder:
                image = QImage(str(self.export(Path(folder) / "figure.png")))
        except ParapluieError as error:
            self.failed.emit(str(error))
        else:
            QGuiApplication.clipboard().setImage(image)
            self.message.emit(self.tr("The figure is on the clipboard."))

    def ask(self) -> None:
        """Ask for the size and the file, and write the figure."""
        parts = [LEGEND] if isinstance(self.value, Chart) else []
        if self.signatures:
            parts.append(SIGNATURES)
        dialog = FigureDialog(self.title, self._usual_height, self.export, parts, self)
        dialog.chosen.connect(self.write)
        dialog.open()

    def write(self, path: Path, style: FigureStyle, dpi: float) -> None:
        try:
            written = self.export(path, style, dpi)
            caption = write_caption(written, [f"{self.title}.", *self.signatures])
        except ParapluieError as error:
            self.failed.emit(str(error))
        else:
            sentence = self.tr("Figure saved as {0}, its caption as {1}.")
            self.written.emit(sentence.format(written, caption.name), written)

    def _exported_figure(self) -> Figure:
        return without_click_note(replace(self.value, title=self.title))

    def _usual_height(self, width: float, style: FigureStyle) -> float:
        """Return the usual height of the figure for a width, in centimetres."""
        return figure_height(self._exported_figure(), width * CM, style.type_pixels, legend=style.legend) / CM


class _FigurePicture(QWidget):
    """The drawing in its natural size, or smaller if there is less room.

    Attributes:
        marked: The part that the keys went to, in the coordinates of the drawing; it gets a frame.

    Signals:
        clicked: (x, y) A place was clicked.
        keyed: (key) An arrow key, Home, End, Enter or Space was pressed.
    """

    clicked = Signal(float, float)
    keyed = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.marked: QRectF | None = None
        self._renderer = QSvgRenderer(self)
        self._size = (1, 1)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def show_svg(self, svg: str) -> None:
        self._renderer.load(QByteArray(svg.encode()))
        size = self._renderer.defaultSize()
        self._size = (size.width(), size.height())
        self.setMaximumWidth(size.width())
        self._follow()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        factor = self._factor()
        self._renderer.render(painter, QRectF(0, 0, self._size[0] * factor, self._size[1] * factor))
        if self.marked is not None:
            painter.scale(factor, factor)
            painter.setPen(QPen(QColor(current_theme().text), 2))
            painter.drawRect(self.marked)
        painter.end()

    def mark(self, part: QRectF | None) -> None:
        """Draw a frame around a part of the drawing, or none."""
        self.marked = part
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in _KEYS and event.modifiers() in (
            Qt.KeyboardModifier.NoModifier,
            Qt.KeyboardModifier.KeypadModifier,
        ):
            self.keyed.emit(event.key())
            event.accept()
        else:
            event.ignore()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.mark(None)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._follow()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.accept()  # so that this widget also receives the mouse release

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        factor = self._factor()
        self.clicked.emit(event.position().x() / factor, event.position().y() / factor)

    def _follow(self) -> None:
        """Fit the height to the drawing at this width."""
        self.setFixedHeight(max(1, round(self._size[1] * self._factor())))

    def _factor(self) -> float:
        return min(1.0, self.width() / self._size[0])


class HeatMapCard(FigureCard):
    """Card for a heat map with clickable cells, or for a list of bars.

    Signals:
        picked: (score, row) A cell was clicked; their keys.
        linked: (Link) The link of a clicked cell.
    """

    picked = Signal(str, str)
    linked = Signal(object)

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        self.picture = _FigurePicture()
        super().__init__(title, self.picture, parent)
        self._at: tuple[int, int] | None = None
        self.picture.clicked.connect(self._click)
        self.picture.keyed.connect(self._press_key)

    def show_figure(self, figure: HeatMap | BarList) -> None:
        """Show a figure and its title."""
        self.value = figure
        self.set_title(figure.title)
        self.picture.show_svg(figure_svg(figure, dark=current_theme().name == "dark"))
        self._at = None
        self.picture.mark(None)
        self.picture.setAccessibleDescription(describe_figure(figure))
        # Bars lead nowhere.
        walks = isinstance(figure, HeatMap)
        self.picture.setFocusPolicy(Qt.FocusPolicy.StrongFocus if walks else Qt.FocusPolicy.NoFocus)

    def _press_key(self, key: int) -> None:
        """Go to the next cell in the direction of an arrow key, or follow the cell (Enter)."""
        figure = self.value
        rows = (
            [at for at, row in enumerate(figure.lines) if not isinstance(row, str)]
            if isinstance(figure, HeatMap)
            else []
        )
        if not isinstance(figure, HeatMap) or not rows or not figure.columns:
            return
        column, at = (0, 0) if self._at is None else (self._at[0], rows.index(self._at[1]))
        if key in CHOOSING_KEYS:
            if self._at is not None:
                x, y, width, height = cell_box(figure, *self._at)
                self._click(x + width / 2, y + height / 2)
            return
        if self._at is not None:
            across, down = ARROW_STEPS.get(key, (0, 0))
            column = min(max(column + across, 0), len(figure.columns) - 1)
            at = min(max(at + down, 0), len(rows) - 1)
            if key in (Qt.Key.Key_Home, Qt.Key.Key_End):
                column = 0 if key == Qt.Key.Key_Home else len(figure.columns) - 1
        self._at = column, rows[at]
        self.picture.mark(QRectF(*cell_box(figure, *self._at)))
        text = describe_cell(figure, *self._at)
        self.picture.setAccessibleDescription(text)
        announce(self.picture, text)

    def _click(self, x: float, y: float) -> None:
        cell = find_cell(self.value, x, y) if isinstance(self.value, HeatMap) else None
        if cell is not None and isinstance(self.value, HeatMap):
            self.picked.emit(*cell)
            if self.value.link is not None:
                self.linked.emit(self.value.link(*cell))
