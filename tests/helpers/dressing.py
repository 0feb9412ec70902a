"""Undressing the application after a test that dressed it."""

from __future__ import annotations

from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication

from parapluie_gui.computer import gc_disabled


def undress(app: QApplication, font: QFont | None = None) -> None:
    """Take the style sheet off, and give type its font back, as `theme.apply` puts them on: nothing is collected."""
    with gc_disabled():
        if font is not None:
            app.setFont(font)
        app.setStyleSheet("")
