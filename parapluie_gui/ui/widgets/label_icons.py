"""The marks of the labels in a table: a disc and a square, as in the scatter."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPen, QPixmap

from parapluie_gui.ui.widgets.theme import Theme


def label_icons(theme: Theme) -> dict[int, QIcon]:
    """Return the marks of the labels: a disc for a paraphrase, a square for the rest, by label (1, 0)."""
    icons = {}
    for label, colour in ((1, theme.paraphrase), (0, theme.other)):
        icon = QIcon()
        for mode in (QIcon.Mode.Normal, QIcon.Mode.Selected):
            pixmap = QPixmap(32, 32)
            pixmap.fill(Qt.GlobalColor.transparent)
            painter = QPainter(pixmap)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setBrush(QColor(colour))
            # A selected row has the accent colour, which is the disc's: a rim keeps it visible.
            painter.setPen(QPen(QColor(theme.accent_text), 4) if mode == QIcon.Mode.Selected else Qt.PenStyle.NoPen)
            if label:
                painter.drawEllipse(QPointF(16, 16), 10, 10)
            else:
                painter.drawRect(QRectF(7, 7, 18, 18))
            painter.end()
            icon.addPixmap(pixmap, mode)
        icons[label] = icon
    return icons
