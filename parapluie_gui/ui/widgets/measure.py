"""A column no wider than lines are easily read, in the middle of whatever room there is."""

from __future__ import annotations

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QLayout, QWidget

from parapluie_gui.ui.widgets.arrange import NO_MARGINS, hbox, widget_of

#: Letters' widths that a column has at most.
MOST_LETTERS = 120


class Measure(QWidget):
    """Holds a layout in the middle, as wide as there is room up to a number of letters in the type's present size."""

    def __init__(self, inside: QLayout, letters: int = MOST_LETTERS, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._inside, self._letters = widget_of(inside), letters
        hbox(1, (self._inside, 1000), 1, within=self, margins=NO_MARGINS, spacing=0)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        """Follow the size of the type."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and hasattr(self, "_inside"):
            self._fit()

    def _fit(self) -> None:
        self._inside.setMaximumWidth(self._letters * self.fontMetrics().averageCharWidth())
