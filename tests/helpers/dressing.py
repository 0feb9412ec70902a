"""Removal of the application's style after a test."""

from __future__ import annotations

from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication

from parapluie_gui.computer import gc_disabled


def remove_style(app: QApplication, font: QFont | None = None) -> None:
    """Remove the style sheet and restore the font, without garbage collection, as in `theme.apply`."""
    with gc_disabled():
        if font is not None:
            app.setFont(font)
        app.setStyleSheet("")
