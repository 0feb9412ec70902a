"""A dashed frame for dropping files."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QWidget

from parapluie_gui.ui.widgets.file_dialog import path_of


class DropArea(QFrame):
    """A dashed frame that is highlighted under dragged files, and accepts them.

    Signals:
        dropped: (list of Path) Files were dropped here.
    """

    dropped = Signal(list)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._hot = False
        self.setAcceptDrops(True)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if _files(event):
            event.acceptProposedAction()
            self._set_hot(True)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self._set_hot(False)

    def dropEvent(self, event: QDropEvent) -> None:
        self._set_hot(False)
        if paths := _files(event):
            event.acceptProposedAction()
            self.dropped.emit(paths)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colours = self.palette()
        if self._hot:
            painter.setBrush(colours.alternateBase())
        colour = colours.highlight().color() if self._hot else colours.placeholderText().color()
        painter.setPen(QPen(colour, 2 if self._hot else 1, Qt.PenStyle.DashLine))
        painter.drawRoundedRect(self.rect().adjusted(1, 1, -2, -2), 5, 5)
        painter.end()

    def _set_hot(self, hot: bool) -> None:
        self._hot = hot
        self.update()


def _files(event: QDropEvent) -> list[Path]:
    return [path_of(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
