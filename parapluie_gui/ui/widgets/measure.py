"""A column no wider than lines are easily read, in the middle of whatever room there is."""

from __future__ import annotations

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QAbstractScrollArea, QLayout, QWidget

from parapluie_gui.ui.widgets.arrange import NO_MARGINS, hbox, widget_of

#: Letters' widths that a column has at most.
MOST_LETTERS = 120


class Measure(QWidget):
    """Holds a layout in the middle, as wide as there is room up to a number of letters in the type's present size.

    Args:
        under: An area with another column; both keep in line when a scroll bar makes that one narrower.
    """

    def __init__(
        self,
        inside: QLayout,
        letters: int = MOST_LETTERS,
        parent: QWidget | None = None,
        under: QAbstractScrollArea | None = None,
    ) -> None:
        super().__init__(parent)
        self._inside, self._letters = widget_of(inside), letters
        hbox(1, (self._inside, 1000), 1, within=self, margins=NO_MARGINS, spacing=0)
        self._fit()
        if under is not None:
            bar = under.verticalScrollBar()
            bar.rangeChanged.connect(lambda low, high: self._leave(bar.sizeHint().width() if high > low else 0))

    def changeEvent(self, event: QEvent) -> None:
        """Follow the size of the type."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and hasattr(self, "_inside"):
            self._fit()

    def _fit(self) -> None:
        self._inside.setMaximumWidth(self._letters * self.fontMetrics().averageCharWidth())

    def _leave(self, room: int) -> None:
        """Leave room at the right."""
        self.setContentsMargins(0, 0, room, 0)
