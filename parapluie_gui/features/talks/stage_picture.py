"""A small picture of the stage on the speaker's screen."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPixmap, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from parapluie_gui.ui.widgets.theme import current_theme

#: Smallest height of the picture in pixels.
_LEAST = 120


class StagePicture(QWidget):
    """Picture of another window, as large as fits.

    Args:
        stage: The window; None for an empty picture.
    """

    def __init__(self, stage: QWidget | None) -> None:
        super().__init__()
        self.setAccessibleName(self.tr("What the room sees"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumHeight(_LEAST)
        self._stage = stage
        self._pixmap = QPixmap()

    def refresh(self, words: str) -> None:
        """Draw the stage again, and describe it for screen readers."""
        self.setAccessibleDescription(words)
        stage, area = self._stage, self._area()
        if stage is None or area.isEmpty():
            return
        ratio = self.devicePixelRatioF()
        picture = QPixmap((area.size() * ratio).toSize())
        picture.setDevicePixelRatio(ratio)
        picture.fill(Qt.GlobalColor.black)
        painter = QPainter(picture)
        # Drawn small, rather than drawn large and scaled down: a 4K screen takes too long.
        painter.scale(area.width() / stage.width(), area.height() / stage.height())
        stage.render(painter, QPoint(0, 0))
        painter.end()
        self._pixmap = picture
        self.update()

    def fit(self, most: int) -> None:
        """Set the height to that of the picture in the present width, up to a maximum in pixels."""
        if self._stage is not None and self._stage.width():
            shape = self._stage.height() / self._stage.width()
            self.setFixedHeight(max(min(round(self.width() * shape), most), _LEAST))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.refresh(self.accessibleDescription())

    def paintEvent(self, event: QPaintEvent) -> None:
        area = self._area()
        if self._pixmap.isNull() or area.isEmpty():
            return
        painter = QPainter(self)
        painter.drawPixmap(area, self._pixmap, QRectF(self._pixmap.rect()))
        painter.setPen(QPen(QColor(current_theme().border), 1))
        painter.drawRect(area.adjusted(0, 0, -1, -1))

    def _area(self) -> QRectF:
        """Return the place of the picture: at the top, with the shape of the stage."""
        if self._stage is None or not self._stage.width():
            return QRectF()
        size = QSizeF(self._stage.size()).scaled(QSizeF(self.size()), Qt.AspectRatioMode.KeepAspectRatio)
        return QRectF((self.width() - size.width()) / 2, 0, size.width(), size.height())
